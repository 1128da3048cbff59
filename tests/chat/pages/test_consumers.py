"""The WebSocket of a session: what a page sends and gets, over the real turns and channel layer."""

import asyncio
import json
import re
from uuid import UUID, uuid4

import pytest
from channels.testing import WebsocketCommunicator
from django.test import AsyncClient

from burp_site.asgi import application
from chat.consumers import SIGN_OF_LIFE
from chat.models import Session, Turn
from chat.providers.scripted import Hold, Reply, call
from tests.chat.pages.dom import Node, parse, swap
from tests.chat.pages.test_fragments import shown
from tests.chat.scripted_model import script, turn_limits

HOST = "localhost"
WITHIN_S = 20.0


class Page:
    """What a browser does: connects, sends, and swaps what comes."""

    def __init__(self, client: AsyncClient | None, session_id: UUID, html: str = "", origin: str = f"http://{HOST}"):
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items()) if client else ""
        headers = [(b"origin", origin.encode()), (b"cookie", cookies.encode()), (b"host", HOST.encode())]
        self.socket = WebsocketCommunicator(application, f"/ws/sessions/{session_id}/", headers=headers)
        self.dom = parse(html or f"<div>{FRAME}</div>")
        self.messages: list[str] = []

    async def connect(self, known: str = "", after: int = 0) -> "Page":
        """Open the socket and subscribe, as live.js does."""
        accepted, _ = await self.socket.connect(timeout=WITHIN_S)
        assert accepted
        await self.send(action="subscribe", turn=known, after=after)
        return self

    async def send(self, **message: object) -> None:
        """Send what a form or script of the page sends."""
        await self.socket.send_json_to(message)

    async def until(self, condition) -> Node:
        """Swap what comes until `condition` holds for the page."""
        async with asyncio.timeout(WITHIN_S):
            while not condition(self.dom):
                html = await self.socket.receive_from(timeout=WITHIN_S)
                self.messages.append(html)
                swap(self.dom, html)
        return self.dom

    async def until_ended(self) -> Node:
        """Swap until the last turn has ended and the question box can send again."""
        await self.until(lambda dom: ended(dom) and not dom.find("stop"))
        return self.dom.find("log").children[-1]

    async def leave(self) -> None:
        """Close the page."""
        await self.socket.disconnect(timeout=WITHIN_S)


FRAME = (
    '<div id="log"></div><p id="status"></p><p id="composer-error"></p><div id="composer-action"></div>'
    '<p id="spent"></p><h1 id="session-title"></h1><ul id="badges"></ul><nav id="sessions"></nav>'
)


def ended(dom: Node) -> bool:
    feet = dom.all("foot")
    return bool(feet) and feet[-1].attributes["data-outcome"] != ""


def answer(dom: Node) -> str:
    return dom.all("answer")[-1].text


async def reloaded(client: AsyncClient, session_id: UUID) -> Node:
    """Return the last turn as a reload shows it."""
    html = (await client.get(f"/sessions/{session_id}/")).content.decode()
    return parse(re.search(r'<div id="log".*</article>\s*</div>', html, re.DOTALL).group()).find("log").children[-1]


@pytest.mark.case("C074")
@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost.evil.example", "null", ""])
async def test_another_site_cannot_open_the_socket(browser: AsyncClient, session: Session, origin: str) -> None:
    page = Page(browser, session.pk, origin=origin)
    accepted, _ = await page.socket.connect(timeout=WITHIN_S)
    assert not accepted


@pytest.mark.case("C073")
@pytest.mark.parametrize("who", ["stranger", "nobody", "reader of nothing"])
async def test_a_session_of_somebody_else_does_not_exist(
    browser: AsyncClient, stranger_browser: AsyncClient, session: Session, who: str
) -> None:
    client = {"stranger": stranger_browser, "nobody": None, "reader of nothing": browser}[who]
    page = Page(client, uuid4() if who == "reader of nothing" else session.pk)
    assert await page.socket.connect(timeout=WITHIN_S) == (True, None)
    closed = await page.socket.receive_output(timeout=WITHIN_S)
    assert (closed["type"], closed["code"]) == ("websocket.close", 4404)


async def test_a_question_streams_to_the_page_that_a_reload_shows(browser: AsyncClient, session: Session) -> None:
    script(
        Reply("First the gene.", calls=[call("ensembl__lookup_gene", gene_symbol="HER2")]),
        Reply("HER2 is **ERBB2** (ENSG00000141736).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nNot PMID: 99999999."),
    )
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="What is HER2?")
    turn = await page.until_ended()
    assert shown(turn) == shown(await reloaded(browser, session.pk))
    assert answer(turn).startswith("HER2 is ERBB2")
    assert turn.all("narration")[0].text == "First the gene."
    assert page.dom.find("status").text == "Answer complete, 2 records cited."
    assert page.dom.find("session-title").text == "What is HER2?"
    assert [link.text for link in page.dom.all("session-link")] == ["What is HER2?"]
    await page.leave()


@pytest.mark.case("C069")
async def test_words_arrive_while_the_model_still_writes(browser: AsyncClient, session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 is the everyday name ")
    script(hold, Reply("of ERBB2."))
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="What is HER2?")
    await page.until(lambda dom: dom.all("answer") and answer(dom) == "HER2 is the everyday name")
    assert page.dom.find("stop") is not None
    hold.event.set()
    assert answer(await page.until_ended()) == "HER2 is the everyday name of ERBB2."
    await page.leave()


async def test_stop_is_heard_in_the_middle_of_a_stream(browser: AsyncClient, session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 is the ")
    script(hold, Reply("never"))
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="What is HER2?")
    await page.until(lambda dom: dom.all("answer") and answer(dom) == "HER2 is the")
    await page.send(action="stop", turn=str((await Turn.objects.aget()).pk))
    turn = await page.until_ended()
    assert answer(turn) == "HER2 is the"
    assert "Stopped after" in turn.all("foot")[0].text
    await page.leave()


@pytest.mark.parametrize("is_rendered", [True, False], ids=["page shows the turn", "page is older"])
async def test_a_page_that_connects_in_the_middle_shows_what_an_undisturbed_one_shows(
    browser: AsyncClient, session: Session, is_rendered: bool
) -> None:
    hold = Hold(asyncio.Event(), after="HER2 is the ")
    script(Reply(calls=[call("ensembl__lookup_gene", gene_symbol="HER2")]), hold, Reply("name of ERBB2."))
    first = await Page(browser, session.pk).connect()
    await first.send(action="ask", question="What is HER2?")
    await first.until(lambda dom: dom.all("answer") and answer(dom) == "HER2 is the")
    if is_rendered:
        article = await reloaded(browser, session.pk)
        second = Page(browser, session.pk)
        second.dom.find("log").children.append(article)
        await second.connect(article.attributes["data-turn"], int(article.attributes["data-seq"]))
    else:
        second = await Page(browser, session.pk).connect()
    await second.until(lambda dom: dom.find("stop") is not None)
    assert answer(second.dom) == "HER2 is the"
    hold.event.set()
    one, two = await first.until_ended(), await second.until_ended()
    assert shown(one) == shown(two) == shown(await reloaded(browser, session.pk))
    assert len(second.dom.find("log").children) == 1
    await first.leave()
    await second.leave()


async def test_a_turn_begun_in_one_tab_appears_in_the_other(browser: AsyncClient, session: Session) -> None:
    script(Reply("ERBB2."))
    first, second = await Page(browser, session.pk).connect(), await Page(browser, session.pk).connect()
    await first.send(action="ask", question="What is HER2?")
    assert shown(await first.until_ended()) == shown(await second.until_ended())
    await first.leave()
    await second.leave()


async def test_a_page_that_slept_gets_all_turns_it_missed(browser: AsyncClient, session: Session) -> None:
    page = await Page(browser, session.pk).connect()
    for number in (1, 2, 3):
        script(Reply(f"Answer {number}."))
        await page.send(action="ask", question=f"Question {number}?")
        await page.until(
            lambda dom, number=number: ended(dom) and not dom.find("stop") and len(dom.all("turn")) == number
        )
    first = page.dom.find("log").children[0]
    sleeper = Page(browser, session.pk)
    sleeper.dom.find("log").children.append(first)
    await sleeper.connect(first.attributes["data-turn"], int(first.attributes["data-seq"]))
    await sleeper.until(lambda dom: len(dom.all("turn")) == 3)
    assert [node.text for node in sleeper.dom.all("answer")] == ["Answer 1.", "Answer 2.", "Answer 3."]
    await page.leave()
    await sleeper.leave()


async def test_a_page_that_leaves_in_the_middle_leaves_no_task_behind(browser: AsyncClient, session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("is ERBB2."))
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="What is HER2?")
    await page.until(lambda dom: dom.all("answer") and answer(dom) == "HER2")
    await page.leave()
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("forward")]
    assert (await Turn.objects.aget()).status == Turn.Status.RUNNING
    hold.event.set()
    again = await Page(browser, session.pk).connect()
    assert answer(await again.until_ended()) == "HER2 is ERBB2."
    await again.leave()


async def test_with_a_grace_of_zero_the_turn_ends_with_its_last_page(browser: AsyncClient, session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("never"))
    with turn_limits(disconnect_grace_s=0.0):
        page = await Page(browser, session.pk).connect()
        await page.send(action="ask", question="What is HER2?")
        await page.until(lambda dom: dom.all("answer") and answer(dom) == "HER2")
        await page.leave()
        again = await Page(browser, session.pk).connect()
        await again.until(ended)
    assert again.dom.all("foot")[-1].attributes["data-outcome"] == "aborted_disconnect"
    await again.leave()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"action": "ask", "question": "  \n "}, "write a question first"),
        ({"action": "stop", "turn": "00000000-0000-4000-8000-000000000000"}, "no longer there"),
        ({"action": "stop", "turn": "../1"}, "no longer there"),
        ({"action": "drop_tables"}, "does not understand"),
        (["no", "object"], "does not understand"),
        ({}, "does not understand"),
    ],
    ids=str,
)
async def test_what_cannot_be_done_is_said_above_the_question_box(
    browser: AsyncClient, session: Session, message: object, words: str
) -> None:
    page = await Page(browser, session.pk).connect()
    await page.socket.send_to(json.dumps(message))
    await page.until(lambda dom: words in dom.find("composer-error").text)
    assert await Turn.objects.acount() == 0
    await page.leave()


async def test_the_server_gives_a_sign_of_life_when_it_is_asked_for_one(browser: AsyncClient, session: Session) -> None:
    page = await Page(browser, session.pk).connect()
    await page.send(action="ping")
    assert await page.socket.receive_from(timeout=WITHIN_S) == SIGN_OF_LIFE
    await page.leave()


@pytest.mark.case("C059")
async def test_a_second_question_during_an_answer_is_refused(browser: AsyncClient, session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("is ERBB2."))
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="One?")
    await page.until(lambda dom: dom.find("stop") is not None)
    await page.send(action="ask", question="Two?")
    await page.until(lambda dom: "another question" in dom.find("composer-error").text)
    hold.event.set()
    await page.until_ended()
    assert await Turn.objects.acount() == 1
    await page.leave()


async def test_a_long_answer_is_sent_in_pieces_that_do_not_grow_with_it(browser: AsyncClient, session: Session) -> None:
    script(Reply("\n\n".join(f"Paragraph {number} says something about ERBB2." for number in range(200))))
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="Everything?")
    turn = await page.until_ended()
    whole = len((await browser.get(f"/sessions/{session.pk}/")).content)
    assert len(turn.all("block")) == 200
    assert sum(map(len, page.messages)) < 3 * whole
    await page.leave()
