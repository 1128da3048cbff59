"""The pages over HTTP: what they show, who may see them, and that they work without JavaScript."""

import asyncio
import re
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from chat import dead_turns, pages, services, turns
from chat.following import follow_turn
from chat.models import Session, Turn
from chat.providers.scripted import Hold, Reply
from tests.chat.pages.dom import Node, parse
from tests.chat.scripted_model import KEY, script
from usage.models import User

WITHIN_S = 20.0
HOSTILE = "<img src=x onerror=alert(1)>"


def page_of(response) -> Node:
    """Return a response's page as a tree."""
    html = response.content.decode().removeprefix("<!doctype html>")
    return parse(re.sub(r"<!doctype html>|<!--.*?-->", "", html))


async def finished(turn_id: UUID) -> None:
    """Wait until a turn has ended."""
    async with asyncio.timeout(WITHIN_S):
        async for _ in follow_turn(turn_id):
            pass


async def asked(session: Session, question: str, answer: str) -> None:
    """Ask and answer."""
    script(Reply(answer))
    await finished(
        await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question=question),
    )


async def test_a_new_reader_lands_on_the_empty_page(browser: AsyncClient) -> None:
    response = await browser.get("/", follow=True)
    assert response.redirect_chain == [("/new/", 302)]
    page = page_of(response)
    assert [node.text for node in page.walk() if node.tag == "h1"] == ["What do you want to find out?"]


async def test_a_reader_with_sessions_lands_on_the_latest(browser: AsyncClient, session: Session) -> None:
    await asked(session, "What is HER2?", "ERBB2.")
    response = await browser.get("/")
    assert response.url == f"/sessions/{session.pk}/"


async def test_the_empty_page_offers_real_questions_with_their_databases(browser: AsyncClient) -> None:
    page = page_of(await browser.get("/new/"))
    examples = page.all("example")
    assert len(examples) >= 6
    for example in examples:
        assert example.attributes["data-question"].endswith("?")
        assert example.all("example-databases")[0].text.count("·") >= 2


async def test_an_address_may_bring_a_question_that_is_not_sent_by_itself(browser: AsyncClient) -> None:
    page = page_of(await browser.get("/new/", {"q": "What is HER2?"}))
    assert page.find("question").text == "What is HER2?"
    assert await Turn.objects.acount() == 0


async def test_what_is_in_use_stands_on_every_page_under_its_own_name(browser: AsyncClient, session: Session) -> None:
    await asked(session, "What is HER2?", "ERBB2.")
    for address in ("/new/", f"/sessions/{session.pk}/"):
        badges = [node.text for node in page_of(await browser.get(address)).all("badge")]
        assert badges[-1] == "Offline snapshot"
        assert len(badges) == 2


def test_the_planner_is_not_called_a_language_model() -> None:
    assert pages.in_use("recipes", "snapshot").is_planner
    assert not pages.in_use("claude-sonnet-5-5", "live").is_planner


async def test_a_question_opens_a_session_and_starts_its_turn(browser: AsyncClient) -> None:
    script(Reply("HER2 is ERBB2."))
    response = await browser.post("/new/", {"question": "  What is HER2? "})
    session = await Session.objects.aget()
    assert response.url == f"/sessions/{session.pk}/"
    turn = await Turn.objects.aget()
    await finished(turn.pk)
    page = page_of(await browser.get(response.url))
    assert page.all("question")[0].text == "What is HER2?"
    assert page.all("answer")[0].text == "HER2 is ERBB2."
    assert page.find("session-title").text == "What is HER2?"


@pytest.mark.parametrize(
    ("question", "words"), [(" \n", "Type a question first."), ("x" * 8001, "at most 8,000 characters")]
)
async def test_what_is_no_question_is_said_and_kept(browser: AsyncClient, question: str, words: str) -> None:
    response = await browser.post("/new/", {"question": question})
    assert response.status_code == 422
    assert words in page_of(response).find("composer-error").text
    assert await Session.objects.acount() == 0


async def test_without_javascript_a_running_turn_is_shown_with_a_way_to_stop_it(
    browser: AsyncClient, session: Session
) -> None:
    hold = Hold(asyncio.Event(), after="HER2 is the ")
    script(hold, Reply("never"))
    await browser.post(f"/sessions/{session.pk}/ask/", {"question": "What is HER2?"})
    async with asyncio.timeout(WITHIN_S):
        await hold.reached.wait()
    page = page_of(await browser.get(f"/sessions/{session.pk}/"))
    assert page.all("turn")[0].attributes["data-state"] == "running"
    refresh = [node for node in page.walk() if node.attributes.get("http-equiv") == "refresh"]
    assert len(refresh) == 1
    stop = page.find("stop")
    assert (await browser.post(stop.attributes["action"])).url == f"/sessions/{session.pk}/"
    await finished((await Turn.objects.aget()).pk)
    page = page_of(await browser.get(f"/sessions/{session.pk}/"))
    assert page.all("answer")[0].text == "HER2 is the"
    assert page.all("foot")[0].attributes["data-outcome"] == "aborted_by_user"
    assert page.find("stop") is None


async def test_without_javascript_a_refusal_is_shown_on_the_page(browser: AsyncClient, session: Session) -> None:
    response = await browser.post(f"/sessions/{session.pk}/ask/", {"question": " "}, follow=True)
    assert page_of(response).all("message")[0].text == "Type a question first."


async def test_a_session_can_be_renamed(browser: AsyncClient, session: Session) -> None:
    await browser.post(f"/sessions/{session.pk}/rename/", {"title": "  HER2,\n  again "})
    await session.arefresh_from_db()
    assert session.title == "HER2, again"


async def test_a_session_is_deleted_only_when_that_is_confirmed(browser: AsyncClient, session: Session) -> None:
    assert "Delete this session?" in page_of(await browser.get(f"/sessions/{session.pk}/delete/")).text
    assert await Session.objects.acount() == 1
    response = await browser.post(f"/sessions/{session.pk}/delete/", follow=True)
    assert await Session.objects.acount() == 0
    assert page_of(response).all("message")[0].text == "The session was deleted."


async def test_a_session_is_not_deleted_while_it_answers(browser: AsyncClient, session: Session) -> None:
    hold = Hold(asyncio.Event())
    script(hold, Reply("Done."))
    await browser.post(f"/sessions/{session.pk}/ask/", {"question": "What is HER2?"})
    response = await browser.post(f"/sessions/{session.pk}/delete/", follow=True)
    assert "Stop the running answer" in page_of(response).all("message")[0].text
    assert await Session.objects.acount() == 1
    hold.event.set()


def own_routes(session_id: UUID, turn_id: UUID) -> list[str]:
    """Return the address of every route of `chat` that names a session or a turn."""
    ids = {"session_id": session_id, "turn_id": turn_id}

    def walk(patterns, before: str):
        for pattern in patterns:
            route = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, route)
            elif isinstance(pattern, URLPattern) and re.search("<[^>]*(?:session|turn)_id>", route):
                yield route

    routes = list(walk(get_resolver("chat.urls").url_patterns, "/"))
    assert len(routes) >= 7
    return [re.sub(r"<(?:\w+:)?(\w+)>", lambda match: str(ids[match[1]]), route) for route in routes]


@pytest.mark.case("C073")
async def test_every_route_that_names_a_session_or_turn_hides_those_of_others(
    browser: AsyncClient, stranger_browser: AsyncClient, session: Session
) -> None:
    await asked(session, "What is HER2?", "ERBB2.")
    turn = await Turn.objects.aget()
    for address in own_routes(session.pk, turn.pk):
        seen = []
        for send in (stranger_browser.get, stranger_browser.post, stranger_browser.patch):
            told = {"question": "Mine?", "title": "Mine", "model": KEY}
            is_json = send != stranger_browser.get and "/api/" in address
            response = await (send(address, told, content_type="application/json") if is_json else send(address, told))
            seen.append(response.status_code)
        assert 404 in seen, address
        assert set(seen) <= {404, 405}, address
    await session.arefresh_from_db()
    assert session.title == "What is HER2?"
    assert await Turn.objects.acount() == 1


async def test_nobody_sees_anything_without_signing_in(session: Session) -> None:
    for address in ("/", "/new/", f"/sessions/{session.pk}/", f"/sessions/{session.pk}/delete/"):
        response = await AsyncClient().get(address)
        assert response.status_code == 302
        assert response.url.startswith("/sign-in/?next=")


@pytest.mark.case("C074")
async def test_a_post_of_another_site_is_refused(reader: User, session: Session) -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    await client.aforce_login(reader)
    for address in ("/new/", f"/sessions/{session.pk}/ask/", f"/sessions/{session.pk}/delete/", "/theme/"):
        response = await client.post(address, {"question": "x?"}, headers={"origin": "https://evil.example"})
        assert response.status_code == 403
    assert await Session.objects.acount() == 1


@pytest.mark.case("C072")
async def test_hostile_text_in_title_and_question_stays_text(browser: AsyncClient, session: Session) -> None:
    await asked(session, f"{HOSTILE}\u202e?", HOSTILE)
    page = page_of(await browser.get(f"/sessions/{session.pk}/"))
    assert not [node for node in page.walk() if node.tag in ("img", "iframe")]
    assert page.find("session-title").text == f"{HOSTILE}?"
    assert page.all("question")[0].text == f"{HOSTILE}?"
    page = page_of(await browser.get("/new/", {"q": f"</textarea>{HOSTILE}"}))
    assert not [node for node in page.walk() if node.tag == "img"]


async def test_pages_hold_no_inline_script_and_no_inline_style(browser: AsyncClient, session: Session) -> None:
    await asked(session, "What is HER2?", "ERBB2 (P04626).")
    for address in ("/new/", f"/sessions/{session.pk}/", f"/sessions/{session.pk}/delete/"):
        response = await browser.get(address)
        page = page_of(response)
        assert "script-src 'self'" in response["Content-Security-Policy"]
        for node in page.walk():
            assert node.tag != "style"
            assert "style" not in node.attributes
            assert not [name for name in node.attributes if name.startswith("on")]
            assert node.tag != "script" or (node.attributes["src"].startswith("/static/") and not node.children)


async def test_each_page_has_one_main_heading(browser: AsyncClient, session: Session) -> None:
    await asked(session, "What is HER2?", "# ERBB2\n\n## Details")
    for address in ("/new/", f"/sessions/{session.pk}/", f"/sessions/{session.pk}/delete/"):
        page = page_of(await browser.get(address))
        assert len([node for node in page.walk() if node.tag == "h1"]) == 1


async def test_ids_are_unique_on_a_page(browser: AsyncClient, session: Session) -> None:
    await asked(session, "One?", "One.")
    await asked(session, "Two?", "Two.")
    page = page_of(await browser.get(f"/sessions/{session.pk}/"))
    ids = [node.attributes["id"] for node in page.walk() if "id" in node.attributes]
    assert len(ids) == len(set(ids))


async def test_the_theme_is_written_into_the_page_by_the_server(browser: AsyncClient) -> None:
    assert 'data-theme="auto"' in (await browser.get("/new/")).content.decode()
    response = await browser.post("/theme/", {"theme": "dark", "next": "/new/"})
    assert response.url == "/new/"
    assert 'data-theme="dark"' in (await browser.get("/new/")).content.decode()
    browser.cookies["burp_theme"] = '"><script>'
    assert 'data-theme="auto"' in (await browser.get("/new/")).content.decode()


async def test_the_theme_form_leads_to_no_other_site(browser: AsyncClient) -> None:
    response = await browser.post("/theme/", {"theme": "dark", "next": "https://evil.example/"})
    assert response.url == "/"


@pytest.mark.parametrize("address", ["/new/", "/sessions/{}/"])
async def test_queries_do_not_grow_with_sessions_and_turns(
    reader: User, browser: AsyncClient, session: Session, address: str
) -> None:
    await asked(session, "One?", "One.")
    client = Client()
    await sync_to_async(client.force_login)(reader)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address.format(session.pk)).status_code == 200
        return len(captured)

    few = await sync_to_async(queries)()
    for number in range(3):
        await asked(session, f"{number}?", "More.")
        other = await sync_to_async(services.session_create)(owner_id=reader.pk, model=KEY, upstreams="snapshot")
        await asked(other, "Other?", "Other.")
    assert await sync_to_async(queries)() == few


async def test_sessions_stand_under_their_day(reader: User, session: Session) -> None:
    await asked(session, "What is HER2?", "ERBB2.")
    [day] = await sync_to_async(pages.session_days)(reader.pk)
    assert day.label == "Today"
    assert [(listed.title, listed.is_running) for listed in day.sessions] == [("What is HER2?", False)]


async def test_a_turn_without_events_still_shows_its_question(browser: AsyncClient, session: Session) -> None:
    turn = await sync_to_async(services.turn_begin)(session_id=session.pk, owner_id=session.owner_id, question="Lost?")
    await sync_to_async(dead_turns.turn_close_broken)(turn_id=turn.pk)
    page = page_of(await browser.get(f"/sessions/{session.pk}/"))
    assert page.all("question")[0].text == "Lost?"
    assert "internal" in page.all("foot")[0].text


async def test_a_missing_page_is_an_own_page(browser: AsyncClient) -> None:
    response = await browser.get(f"/sessions/{uuid4()}/")
    assert response.status_code == 404
    assert "Nothing here" in response.content.decode()


def test_addresses_have_names() -> None:
    assert reverse("chat:home") == "/"
    assert reverse("chat:session_new") == "/new/"
