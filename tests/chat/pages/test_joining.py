"""Whenever a reader joins a turn, it gets what one got that was there all along: over the API byte for byte."""

import asyncio
from contextlib import aclosing
from uuid import UUID

import pytest
from django.test import AsyncClient

from chat import api, session_feed
from chat.following import follow_turn
from chat.models import Session
from chat.providers.scripted import Hold, Reply, call
from tests.chat.pages.test_consumers import Page, ended, reloaded
from tests.chat.pages.test_fragments import shown
from tests.chat.scripted_model import script

pytestmark = pytest.mark.postgres
WITHIN_S = 20.0
# What a column, a message between processes, or a number of another kind might change.
ODD = {
    "zz": 1,
    "aa": [1.0, 1e22, 0.1, -0.0, 12345678901234567890, None, True],
    "gene_symbol": "ERBB2",
    "": {"b": 1, "a": "\u2028 \x00 é 𝛼 </script>"},
}
PIECES = ["HER2 is the ", "everyday name of **ERBB2**", " (ENSG00000141736).\n\n| a | b |\n|---|---|\n| 1 ", "| 2 |\n"]


def gates() -> list[Hold]:
    """Return a model that waits after each piece of its answer."""
    holds = [Hold(asyncio.Event(), after=piece) for piece in PIECES]
    looked_up = Reply("I look.", reasoning="HER2 is a gene.", calls=[call("ensembl__lookup_gene", **ODD)])
    script(looked_up, *holds, Reply("\nThe end."))
    return holds


async def collected(turn_id: UUID, after: int = 0) -> bytes:
    """Return what the API's stream sends."""
    async with asyncio.timeout(WITHIN_S):
        return b"".join([chunk async for chunk in api.event_stream(turn_id, after)])


def records(stream: bytes) -> dict[int, bytes]:
    """Return the events of a stream as they came, by number."""
    parts = [part + b"\n\n" for part in stream.split(b"\n\n") if part and not part.startswith(b":")]
    return {int(part.split(b"\n")[0].removeprefix(b"id: ")): part for part in parts}


async def stored(turn_id: UUID, piece: str) -> int:
    """Follow the turn until a piece of text is stored, and return the number of that event."""
    text, seq = "", 0
    async with asyncio.timeout(WITHIN_S), aclosing(follow_turn(turn_id)) as events:
        async for event in events:
            text, seq = text + event.get("text", ""), event["seq"]
            if text.endswith(piece):
                break
    return seq


async def test_over_the_api_every_reader_gets_the_same_bytes_from_wherever_it_joins(session: Session) -> None:
    holds = gates()
    turn_id = await session_feed.ask(session_id=session.pk, owner_id=session.owner_id, question="What is HER2?")
    early = asyncio.create_task(collected(turn_id))
    joined: list[tuple[int, asyncio.Task[bytes]]] = []
    for hold, piece in zip(holds, PIECES, strict=True):
        async with asyncio.timeout(WITHIN_S):
            await hold.reached.wait()
        last = await stored(turn_id, piece)
        joined += [(after, asyncio.create_task(collected(turn_id, after))) for after in range(last + 2)]
        hold.event.set()
    whole = await early
    by_number = records(whole)
    assert b"turn_end" in by_number[max(by_number)]
    assert len(by_number) >= len(PIECES) + 6
    # Whole numbers between two stored ones are points to go on from, too: pieces were joined.
    joined += [(after, asyncio.create_task(collected(turn_id, after))) for after in range(max(by_number) + 2)]
    for after, reading in joined:
        expected = b"".join(part for number, part in by_number.items() if number > after)
        assert await reading == expected, f"joined after {after}"


@pytest.mark.parametrize("is_rendered", [True, False], ids=["page shows the turn", "page is older"])
async def test_every_page_shows_the_same_from_wherever_it_joins(
    browser: AsyncClient, session: Session, is_rendered: bool
) -> None:
    holds = gates()
    first = await Page(browser, session.pk).connect()
    await first.send(action="ask", question="What is HER2?")
    pages = [first]
    for hold in holds:
        async with asyncio.timeout(WITHIN_S):
            await hold.reached.wait()
        page = Page(browser, session.pk)
        if is_rendered:
            await first.until(lambda dom: dom.all("turn"))
            article = await reloaded(browser, session.pk)
            page.dom.find("log").children.append(article)
            await page.connect(article.attributes["data-turn"], int(article.attributes["data-seq"]))
        else:
            await page.connect()
        # Where it stands: a turn is running, and can be stopped from here as well.
        await page.until(lambda dom: dom.find("stop") is not None)
        pages.append(page)
        hold.event.set()
    for page in pages:
        await page.until(lambda dom: ended(dom) and not dom.find("stop"))
    latest = shown(await reloaded(browser, session.pk))
    assert [shown(page.dom.find("log").children[-1]) == latest for page in pages] == [True] * len(pages)
    assert [len(page.dom.find("log").children) for page in pages] == [1] * len(pages)
    for page in pages:
        await page.leave()
