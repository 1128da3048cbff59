"""What a reader is offered where a turn did not end well, on the page, over the socket and the API."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import AsyncClient

from chat import session_feed, turns
from chat.choices import Choice
from chat.config import UnknownModel
from chat.following import follow_turn
from chat.fragments import turn_html
from chat.models import Session, Turn
from chat.presentation import fold
from chat.providers.scripted import Fail, Reply
from mcp_server.codes import TURN_OFFERS, TurnOutcome
from tests.chat.pages.dom import Node, parse
from tests.chat.pages.test_api import bearer as bearer
from tests.chat.pages.test_api import post
from tests.chat.pages.test_consumers import WITHIN_S, Page, answer
from tests.chat.scripted_model import KEY, SECOND_KEY, script, second_model
from tests.chat.turn_logs import SESSION_ID, TurnLog, looked_up

BUSY = Fail(TurnOutcome.MODEL_OVERLOADED, after="HER2 is ")


@pytest.fixture
def two_models(reader: object) -> Iterator[None]:
    """Give a second model to choose."""
    with second_model():
        yield


def forms(page: Node) -> list[dict[str, str]]:
    """Return what each form of the page would send."""
    return [
        {field.attributes["name"]: field.attributes.get("value", "") for field in form.all_tags("input", "select")}
        for form in page.all_tags("form")
    ]


@pytest.mark.parametrize("outcome", list(TurnOutcome), ids=lambda outcome: outcome.value)
def test_every_outcome_shows_its_offers(outcome: TurnOutcome) -> None:
    words = TURN_OFFERS[outcome]
    log = looked_up().end(outcome.value, offers=[offer.value for offer in words])
    page = parse(turn_html(fold(log.events)))
    sent = [form["question"] for form in forms(page) if "model" not in form]
    assert sent == ["Continue."] * ("continue" in words) + [log.question] * ("ask_again" in words)
    assert ("Ask in a new session" in page.text) == ("new_session" in words)


def test_a_log_of_an_earlier_version_offers_the_same() -> None:
    assert fold(looked_up().end("model_overloaded").events).offers == ["continue", "other_model"]
    assert fold(looked_up().end("completed").events).offers == []


@pytest.mark.case("C057")
def test_a_refusal_says_why_it_may_have_come_and_shows_no_half_answer() -> None:
    log = TurnLog().text(1, "As a first step you").end("refused", detail="bio: Declined.", offers=["other_model"])
    view = fold(log.events)
    page = parse(turn_html(view))
    assert (view.answer, view.refusal_category) == ("", "bio")
    assert "Category: bio." in page.text
    assert "As a first step you" not in page.text


def test_a_wait_for_the_models_service_is_told_while_it_lasts_and_afterwards_by_its_time() -> None:
    message = "The model's service is overloaded: trying again in 4 s (2 of 4)."
    log = TurnLog().add("notice", code="model_retry", message=message, detail={})
    assert (fold(log.events).activity, fold(log.events).notices) == (message, [])
    log.text(1, "HER2").end("completed", waited_s=4.2)
    view = fold(log.events)
    assert view.activity == "No look-ups"
    assert "waited 4.2 s for the model's service" in " ".join(parse(turn_html(view)).text.split())


async def test_continue_goes_on_in_the_session(browser: AsyncClient, session: Session) -> None:
    script(BUSY)
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="What is HER2?")
    foot = await page.until_ended()
    (offered, *_) = forms(foot)
    assert (offered["action"], offered["question"]) == ("ask", "Continue.")
    provider = script(Reply("ERBB2."))
    await page.send(**offered)
    await page.until(lambda dom: len(dom.find("log").children) == 2)
    await page.until_ended()
    assert answer(page.dom) == "ERBB2."
    texts = [getattr(entry, "text", "") for entry in provider.requests[0].entries]
    assert texts == ["What is HER2?", "HER2 is ", "Continue."]
    await page.leave()


async def test_another_model_answers_the_same_question_and_the_session_stays_with_it(
    browser: AsyncClient, session: Session, two_models: None
) -> None:
    script(Reply("", stop_reason="refusal"))
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="What is HER2?")
    foot = await page.until_ended()
    offered = next(form for form in forms(foot) if "model" in form)
    assert [option.attributes["value"] for option in foot.all_tags("option")][0] == SECOND_KEY
    provider = script(Reply("HER2 is ERBB2."))
    await page.send(**offered | {"model": SECOND_KEY})
    await page.until(lambda dom: len(dom.find("log").children) == 2)
    await page.until_ended()
    assert [getattr(entry, "text", "") for entry in provider.requests[0].entries] == ["What is HER2?"]
    await session.arefresh_from_db()
    assert session.model == SECOND_KEY
    assert [turn.model async for turn in Turn.objects.order_by("number")] == [KEY, SECOND_KEY]
    assert "Claude Sonnet 5.5" in page.dom.find("badges").text
    await page.leave()


async def test_a_model_that_nobody_can_use_is_refused(browser: AsyncClient, session: Session, bearer: Any) -> None:
    with pytest.raises(UnknownModel, match="claude-opus-5-5"):
        wish = Choice("claude-opus-5-5")
        await session_feed.ask(session_id=session.pk, owner_id=session.owner_id, question="q", choice=wish)
    page = await Page(browser, session.pk).connect()
    await page.send(action="ask", question="q", model="no-such")
    await page.until(lambda dom: "no-such" in dom.find("composer-error").text)
    await page.leave()
    response = await post(f"/api/sessions/{session.pk}/turns", {"question": "q", "model": "no-such"}, bearer)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "unknown_model")
    response = await browser.post(f"/sessions/{session.pk}/ask/", {"question": "q", "model": "no-such"}, follow=True)
    assert "no-such" in response.content.decode()
    assert not await Turn.objects.aexists()


async def test_the_api_asks_another_model(bearer: Any, session: Session, two_models: None) -> None:
    script(Reply("HER2 is ERBB2."))
    begun = await post(f"/api/sessions/{session.pk}/turns", {"question": "What is HER2?", "model": SECOND_KEY}, bearer)
    async with asyncio.timeout(WITHIN_S):
        events = [event async for event in follow_turn(begun.json()["turn_id"])]
    assert (events[0]["model_label"], events[-1]["outcome"]) == ("Claude Sonnet 5.5", "completed")
    assert json.dumps(events[-1]["offers"]) == "[]"


def test_offers_belong_to_a_session() -> None:
    log = looked_up().end("model_overloaded")
    assert SESSION_ID in turn_html(fold(log.events))
    log.events[0]["session_id"] = ""
    assert fold(log.events).offers == []


async def test_a_refused_answer_is_not_kept_as_the_answer(session: Session) -> None:
    script(Reply("As a first step you", stop_reason="refusal"))
    turn_id = await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question="What is HER2?")
    async with asyncio.timeout(WITHIN_S):
        events = [event async for event in follow_turn(turn_id)]
    assert (events[-1]["outcome"], events[-1]["offers"]) == ("refused", ["other_model"])
    assert (await Turn.objects.aget(pk=turn_id)).answer == ""
