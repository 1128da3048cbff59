"""Choosing a model, an effort and a budget: on the pages and over the API."""

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.test import AsyncClient
from django.test.utils import override_settings

from chat.following import follow_turn
from chat.models import Session, Turn
from chat.providers.scripted import Reply
from mcp_server.codes import TurnOutcome
from tests.chat.pages.dom import parse
from tests.chat.scripted_model import KEY, played, script

CENT = 10**10


async def events_of(turn_id: UUID | str) -> list[dict[str, Any]]:
    """Follow a turn to its end."""
    return [event async for event in follow_turn(UUID(str(turn_id)))]


def with_efforts(**changes: Any) -> Any:
    """Give the scripted model levels of effort, and the site another model beside it."""
    burp = settings.BURP
    rows = tuple(
        replace(row, efforts=("low", "high"), default_effort="high", **changes) if row.key == KEY else row
        for row in burp.chat.models
    )
    return override_settings(BURP=replace(burp, chat=replace(burp.chat, models=rows)))


async def test_the_api_takes_a_model_an_effort_and_a_budget_for_one_question(
    browser: AsyncClient, session: Session
) -> None:
    with with_efforts():
        script(Reply("ERBB2."))
        begun = await browser.post(
            f"/api/sessions/{session.pk}/turns",
            {"question": "What is HER2?", "model": KEY, "effort": "low", "budget_usd": "0.25"},
            content_type="application/json",
        )
        assert begun.status_code == 202
        started, *_, end = await events_of(begun.json()["turn_id"])

    assert (started["effort"], started["budget_pico_usd"]) == ("low", 25 * CENT)
    assert end["outcome"] == "completed"
    assert played[-1].requests[0].effort == "low"
    turn = await Turn.objects.aget()
    assert (turn.model, turn.effort, turn.budget_pico_usd) == (KEY, "low", 25 * CENT)
    await session.arefresh_from_db()
    assert (session.model, session.effort) == (KEY, "")


@pytest.mark.parametrize(
    ("wish", "code", "said"),
    [
        ({"model": "gpt-0"}, "unknown_model", "known: recipes"),
        ({"effort": "huge"}, "unknown_effort", "it has no such setting"),
        ({"budget_usd": "lots"}, "invalid_budget", "an amount in USD"),
    ],
)
async def test_the_api_refuses_what_can_not_be_chosen_and_begins_nothing(
    browser: AsyncClient, session: Session, wish: dict[str, str], code: str, said: str
) -> None:
    address = f"/api/sessions/{session.pk}/turns"
    refused = await browser.post(address, {"question": "Q?", **wish}, content_type="application/json")

    assert (refused.status_code, refused.json()["error"]["code"]) == (422, code)
    assert said in refused.json()["error"]["message"]
    assert not await Turn.objects.aexists()


async def test_the_api_changes_what_a_session_is_asked_with(browser: AsyncClient, session: Session) -> None:
    address = f"/api/sessions/{session.pk}"
    wish = {"model": "claude-opus-5-5", "effort": "max"}
    changed = await browser.patch(address, json.dumps(wish), content_type="application/json")
    assert (changed.status_code, changed.json()["effort"]) == (200, "max")
    refused = await browser.patch(
        address, '{"model": "claude-haiku-4-5", "effort": "max"}', content_type="application/json"
    )
    assert refused.status_code == 422

    await session.arefresh_from_db()
    assert (session.model, session.effort) == ("claude-opus-5-5", "max")


async def test_the_api_lists_models_that_can_be_asked_with_estimates(browser: AsyncClient) -> None:
    listed = (await browser.get("/api/models")).json()

    assert listed["default_model"] == KEY
    assert [model["key"] for model in listed["models"]] == ["recipes"]
    assert listed["models"][0]["estimate_pico_usd"] == {"": [0, 0]}


async def test_the_first_question_opens_its_session_with_what_was_chosen(browser: AsyncClient) -> None:
    with with_efforts():
        page = parse((await browser.get("/new/")).content.decode())
        assert "free" in page.find("choices").text
        script(Reply("ERBB2."))
        form = {"question": "What is HER2?", "model": KEY, "effort": "low", "budget_usd": "$0.10"}
        assert (await browser.post("/new/", form)).status_code == 302
        turn = await Turn.objects.select_related("session").aget()
        await events_of(turn.pk)

    assert (turn.session.effort, turn.effort, turn.budget_pico_usd) == ("low", "low", 10 * CENT)


async def test_the_page_refuses_a_budget_that_is_none_and_keeps_the_question(browser: AsyncClient) -> None:
    page = await browser.post("/new/", {"question": "What is HER2?", "budget_usd": "a lot"})

    assert page.status_code == 422
    dom = parse(page.content.decode())
    assert "A budget is an amount in USD" in dom.find("composer-error").text
    assert dom.find("question").text == "What is HER2?"
    assert not await Session.objects.aexists()


async def test_the_session_keeps_the_model_that_its_menu_chose(browser: AsyncClient, session: Session) -> None:
    with with_efforts():
        await browser.post(f"/sessions/{session.pk}/model/", {"model": KEY, "effort": "low"})
        script(Reply("ERBB2."))
        await browser.post(f"/sessions/{session.pk}/ask/", {"question": "What is HER2?"})
        turn = await Turn.objects.aget()
        await events_of(turn.pk)
        page = parse((await browser.get(f"/sessions/{session.pk}/")).content.decode())

    assert turn.effort == "low"
    assert page.find("choices-model").text.endswith(", low")
    wrong = await browser.post(f"/sessions/{session.pk}/model/", {"model": "gpt-0"}, follow=True)
    assert "known: recipes" in wrong.content.decode()


async def test_a_model_that_can_not_be_asked_now_is_not_replaced_in_silence(
    browser: AsyncClient, session: Session
) -> None:
    await Session.objects.filter(pk=session.pk).aupdate(model="claude-opus-5-5")
    page = parse((await browser.get(f"/sessions/{session.pk}/")).content.decode())
    assert "can't be asked now" in page.find("choice-model").text

    await browser.post(f"/sessions/{session.pk}/ask/", {"question": "What is HER2?", "model": ""})
    turn = await Turn.objects.aget()
    *_, end = await events_of(turn.pk)

    assert (turn.model, end["outcome"]) == ("claude-opus-5-5", TurnOutcome.MODEL_AUTH)
