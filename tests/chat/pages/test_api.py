"""The API: sessions, turns, the stream of events, stop; with a token or with a page's cookie."""

import asyncio
import json
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient

from chat import api
from chat.models import Session, Turn
from chat.providers.scripted import Hold, Reply
from tests.chat.scripted_model import KEY, script
from usage.models import User
from usage.services import token_issue, token_revoke

WITHIN_S = 20.0
Sent = dict[str, object]


@pytest.fixture
async def bearer(reader: User) -> dict[str, str]:
    """The header of a program that works for the reader."""
    issued = await sync_to_async(token_issue)(user=reader, label="test")
    return {"Authorization": f"Bearer {issued.secret}"}


async def post(address: str, body: Sent | None = None, headers: dict[str, str] | None = None, client=None):
    """Post JSON; a program has no cookies and no CSRF token."""
    client = client or AsyncClient(enforce_csrf_checks=True)
    return await client.post(address, json.dumps(body or {}), content_type="application/json", headers=headers)


async def read(response) -> list[dict[str, str]]:
    """Return the events of a stream as a browser's EventSource reads them."""
    text = b"".join([chunk async for chunk in response.streaming_content]).decode()
    return [
        dict(line.split(": ", 1) for line in event.splitlines())
        for event in text.split("\n\n")
        if event and not event.startswith(":")
    ]


def error_of(response) -> tuple[int, str]:
    """Return status and code of a refusal, which must have a message too."""
    problem = response.json()["error"]
    assert problem["message"]
    return response.status_code, problem["code"]


async def test_a_program_asks_and_follows_the_answer(bearer: dict[str, str]) -> None:
    opened = await post("/api/sessions", headers=bearer)
    assert opened.status_code == 201
    assert (opened.json()["model"], opened.json()["upstreams"]) == (KEY, "snapshot")
    script(Reply("HER2 is ERBB2."))
    begun = await post(opened.json()["turns_url"], {"question": "What is HER2?"}, bearer)
    assert begun.status_code == 202
    response = await AsyncClient().get(begun.json()["events_url"], headers=bearer)
    async with asyncio.timeout(WITHIN_S):
        events = await read(response)
    assert response["Content-Type"] == "text/event-stream"
    assert response["Cache-Control"] == "no-cache"
    assert response["X-Accel-Buffering"] == "no"
    numbers = [int(event["id"]) for event in events]
    assert numbers == sorted(set(numbers))
    assert (events[0]["event"], events[-1]["event"]) == ("turn_started", "turn_end")
    for event in events:
        data = json.loads(event["data"])
        assert (data["type"], str(data["seq"])) == (event["event"], event["id"])
    text = "".join(json.loads(event["data"])["text"] for event in events if event["event"] == "text")
    assert text == "HER2 is ERBB2."


async def test_a_stream_goes_on_after_the_last_event_seen_and_ends_for_good(
    bearer: dict[str, str], session: Session
) -> None:
    script(Reply("HER2 is ERBB2."))
    begun = (await post(f"/api/sessions/{session.pk}/turns", {"question": "What is HER2?"}, bearer)).json()
    async with asyncio.timeout(WITHIN_S):
        everything = await read(await AsyncClient().get(begun["events_url"], headers=bearer))
        rest = await read(
            await AsyncClient().get(begun["events_url"], headers=bearer | {"Last-Event-ID": everything[1]["id"]})
        )
    assert rest == everything[2:]
    over = await AsyncClient().get(begun["events_url"], headers=bearer | {"Last-Event-ID": everything[-1]["id"]})
    assert over.status_code == 204


@pytest.mark.case("C069")
async def test_events_leave_when_they_happen_and_silence_is_filled(bearer: dict[str, str], session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("is ERBB2."))
    begun = (await post(f"/api/sessions/{session.pk}/turns", {"question": "What is HER2?"}, bearer)).json()
    stream = api.event_stream(begun["turn_id"], 0, heartbeat_s=0.05)
    seen = b""
    async with asyncio.timeout(WITHIN_S):
        while b"HER2 " not in seen.partition(b"event: text")[2] or b": still here" not in seen:
            seen += await anext(stream)
        assert b"turn_end" not in seen
        hold.event.set()
        seen += b"".join([chunk async for chunk in stream])
    assert b"event: turn_end" in seen


async def test_leaving_a_stream_leaves_no_task_behind(bearer: dict[str, str], session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("is ERBB2."))
    begun = (await post(f"/api/sessions/{session.pk}/turns", {"question": "What is HER2?"}, bearer)).json()
    async with asyncio.timeout(WITHIN_S):
        await hold.reached.wait()
    before = asyncio.all_tasks()
    stream = api.event_stream(begun["turn_id"], 0, heartbeat_s=0.05)
    async with asyncio.timeout(WITHIN_S):
        while b": still here" not in await anext(stream):
            pass
    await stream.aclose()
    # The turn goes on meanwhile, and its writer has a task for a moment; what the stream left would stay.
    async with asyncio.timeout(WITHIN_S):
        while left := asyncio.all_tasks() - before:
            await asyncio.wait(left)
    assert asyncio.all_tasks() <= before
    hold.event.set()


async def test_a_turn_is_stopped(bearer: dict[str, str], session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("never"))
    begun = (await post(f"/api/sessions/{session.pk}/turns", {"question": "What is HER2?"}, bearer)).json()
    async with asyncio.timeout(WITHIN_S):
        await hold.reached.wait()
        assert (await post(begun["stop_url"], headers=bearer)).status_code == 202
        events = await read(await AsyncClient().get(begun["events_url"], headers=bearer))
    assert json.loads(events[-1]["data"])["outcome"] == "aborted_by_user"


async def test_nobody_and_revoked_tokens_are_refused(reader: User, session: Session) -> None:
    issued = await sync_to_async(token_issue)(user=reader, label="old")
    await sync_to_async(token_revoke)(prefix=issued.prefix)
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": f"Bearer {issued.secret}"}):
        assert error_of(await post("/api/sessions", headers=headers)) == (401, "unauthenticated")
        stream = await AsyncClient().get(f"/api/turns/{uuid4()}/events", headers=headers)
        assert error_of(stream) == (401, "unauthenticated")


@pytest.mark.case("C073")
async def test_sessions_and_turns_of_others_do_not_exist(
    bearer: dict[str, str], session: Session, stranger_browser: AsyncClient
) -> None:
    script(Reply("ERBB2."))
    begun = (await post(f"/api/sessions/{session.pk}/turns", {"question": "What is HER2?"}, bearer)).json()
    for address, body in ((f"/api/sessions/{session.pk}/turns", {"question": "Mine?"}), (begun["stop_url"], {})):
        assert error_of(await post(address, body, client=stranger_browser)) == (404, "not_found")
    assert error_of(await stranger_browser.get(begun["events_url"])) == (404, "not_found")
    assert await Turn.objects.acount() == 1


@pytest.mark.case("C059")
async def test_a_session_that_answers_refuses_a_second_question(bearer: dict[str, str], session: Session) -> None:
    hold = Hold(asyncio.Event())
    script(hold, Reply("Done."))
    await post(f"/api/sessions/{session.pk}/turns", {"question": "One?"}, bearer)
    second = await post(f"/api/sessions/{session.pk}/turns", {"question": "Two?"}, bearer)
    assert error_of(second) == (409, "turn_running")
    hold.event.set()


@pytest.mark.parametrize(
    ("address", "body", "code"),
    [
        ("/api/sessions", {"model": "gpt-0"}, "unknown_model"),
        ("/api/sessions", {"upstreams": "moon"}, "invalid"),
        ("turns", {}, "invalid"),
        ("turns", {"question": ""}, "invalid"),
        ("turns", {"question": "  "}, "invalid"),
        ("turns", {"question": "x" * 8001}, "invalid"),
    ],
    ids=str,
)
async def test_what_makes_no_sense_is_refused_with_a_code(
    bearer: dict[str, str], session: Session, address: str, body: Sent, code: str
) -> None:
    response = await post(f"/api/sessions/{session.pk}/turns" if address == "turns" else address, body, bearer)
    assert error_of(response) == (422, code)


async def test_a_last_event_id_that_is_no_number_is_refused(bearer: dict[str, str], session: Session) -> None:
    response = await AsyncClient().get(f"/api/turns/{uuid4()}/events", headers=bearer | {"Last-Event-ID": "x"})
    assert error_of(response) == (422, "invalid")


@pytest.mark.case("C074")
async def test_a_cookie_alone_changes_nothing(reader: User, session: Session) -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    await client.aforce_login(reader)
    for origin in ({}, {"origin": "https://evil.example"}):
        response = await post(f"/api/sessions/{session.pk}/turns", {"question": "x?"}, origin, client)
        assert response.status_code == 403
    page = await client.get("/new/")
    token = {"X-CSRFToken": page.cookies["burp_csrf"].value}
    script(Reply("ERBB2."))
    assert (await post(f"/api/sessions/{session.pk}/turns", {"question": "x?"}, token, client)).status_code == 202


async def test_the_description_of_the_api_is_served_from_this_server_alone(browser: AsyncClient) -> None:
    page = (await browser.get("/api/docs")).content.decode()
    assert "http://" not in page
    assert "https://" not in page
    paths = (await browser.get("/api/openapi.json")).json()["paths"]
    assert set(paths) == {
        "/api/events/schema",
        "/api/models",
        "/api/usage",
        "/api/sessions",
        "/api/sessions/{session_id}",
        "/api/sessions/{session_id}/turns",
        "/api/turns/{turn_id}/stop",
    }
