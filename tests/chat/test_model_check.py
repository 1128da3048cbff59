"""Asking each model for one token: what is wrong is said in words, whichever service says it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test.utils import override_settings

from chat.config import ModelRow, Service
from chat.model_check import Check, check_models
from chat.providers.base import TokenUsage
from chat.providers.troubles import Trouble
from tests.chat.providers.contract.conftest import harness as harness
from tests.chat.providers.contract.harness import Harness, for_each
from tests.chat.providers.contract.script import Answer, Declined, Problem, Say
from usage.config import ModelPrice, PriceBand
from usage.models import LedgerEntry, Reservation, User

pytestmark = [pytest.mark.django_db(transaction=True)]
KEY = "checked"
DEAR = (ModelPrice(KEY, date(2026, 1, 1), (PriceBand(2, 10, 3, 4, 1),)),)


@contextmanager
def configured(harness: Harness, *, model: str = "", prices: Any = DEAR, **service: Any) -> Iterator[None]:
    """Make the harness's first model the only one of the site."""
    row = ModelRow(KEY, harness.name, model or harness.models[0], "A model", 200_000, 64_000, 24_000)
    asked = Service(
        harness.name, key_variable="SERVICE_API_KEY", base_url=harness.server.base_url, api_key=harness.api_key
    )
    burp = settings.BURP
    chat = replace(burp.chat, models=(row,), services={harness.name: replace(asked, **service)}, default_model=KEY)
    with override_settings(BURP=replace(burp, chat=chat, usage=replace(burp.usage, prices=prices))):
        yield


async def checked() -> tuple[Check, list[LedgerEntry]]:
    """Check the one model; return the result and what was booked."""
    user = await User.objects.acreate(username="operator")
    (check,) = await check_models(settings.BURP.chat.models, user_id=user.pk)
    assert not await Reservation.objects.filter(state="open").aexists()
    return check, [entry async for entry in LedgerEntry.objects.all()]


@for_each("key")
async def test_a_model_that_answers_costs_what_is_booked(harness: Harness) -> None:
    usage = TokenUsage(input=9, output=1)
    harness.script(Answer(Say("yes"), stop="max_tokens", usage=usage))
    with configured(harness):
        check, (entry,) = await checked()

    assert (check.is_good, check.trouble, check.cost_pico_usd) == (True, "", 9 * 2 + 10)
    assert "answers" in check.words
    assert (entry.cost_pico_usd, entry.outcome, entry.estimated) == (28, "max_tokens", False)


@for_each("key")
@pytest.mark.parametrize(
    ("problem", "trouble", "said"),
    [
        ("auth", Trouble.WRONG_KEY, "the key in SERVICE_API_KEY was not accepted"),
        ("permission", Trouble.NOT_ALLOWED, "ask the service for access"),
        ("billing", Trouble.NO_CREDIT, "no money left"),
        ("quota", Trouble.NO_CREDIT, "no money left"),
        ("not_found", Trouble.NO_SUCH_MODEL, "correct `model` in burp.toml"),
        ("rate_limit", Trouble.RATE_LIMITED, "try again later"),
        ("overloaded", Trouble.OVERLOADED, "overloaded"),
        ("bad_request", Trouble.REFUSED_REQUEST, "see its words"),
    ],
)
async def test_each_trouble_is_said_in_words_and_costs_nothing(
    harness: Harness, problem: Problem, trouble: Trouble, said: str
) -> None:
    harness.script(Declined(problem))
    with configured(harness):
        check, entries = await checked()

    assert (check.trouble, said in check.words) == (trouble, True), check.words
    assert "The service's own words." in check.words
    assert [(entry.cost_pico_usd, entry.estimated) for entry in entries] == [(0, False)]


@for_each("key")
async def test_a_wrong_key_is_told_from_a_missing_one(harness: Harness) -> None:
    with configured(harness, api_key="wrong"):
        check, _ = await checked()
    assert (check.trouble, "wrong" in check.words.replace("was not accepted", "")) == (Trouble.WRONG_KEY, False)

    asked = len(harness.requests)
    with configured(harness, api_key=""):
        (missing,) = await check_models(settings.BURP.chat.models, user_id=1)
    assert (missing.trouble, missing.words) == (Trouble.NO_KEY, "no key: set SERVICE_API_KEY in the environment")
    assert len(harness.requests) == asked


@for_each("key")
async def test_a_service_that_nobody_reaches_is_said_to_be_so(harness: Harness) -> None:
    with configured(harness, base_url="http://127.0.0.1:9"):
        check, entries = await checked()

    assert (check.trouble, "http://127.0.0.1:9 could not be reached" in check.words) == (Trouble.UNREACHABLE, True)
    assert [entry.cost_pico_usd for entry in entries] == [0]


@for_each("key")
async def test_a_model_without_a_price_is_not_asked(harness: Harness) -> None:
    with configured(harness, prices=settings.BURP.usage.prices):
        check, entries = await checked()

    assert (check.trouble, entries, list(harness.requests)) == ("not_asked", [], [])
    assert "no price for the model 'checked'" in check.words


@for_each("key")
async def test_the_command_prints_a_line_each_and_fails_if_one_does_not_answer(
    harness: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.script(Answer(Say("yes")), Declined("auth"), Declined("not_found"))
    check = sync_to_async(call_command, thread_sensitive=False)
    with configured(harness):
        await check("models", "check")
        assert capsys.readouterr().out.startswith("✓ checked  answers (")
        with pytest.raises(SystemExit, match="1"):
            await check("models", "check", KEY)
        assert capsys.readouterr().out.startswith("✗ checked  the key in SERVICE_API_KEY was not accepted")
        with pytest.raises(SystemExit, match="1"):
            await check("models", "check", "--json")
        (told,) = json.loads(capsys.readouterr().out)
        assert (told["key"], told["trouble"]) == (KEY, "no_such_model")
        with pytest.raises(CommandError, match="no model has the key 'gpt-0'; known: checked"):
            await check("models", "check", "gpt-0")


def test_the_list_shows_state_prices_and_efforts(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("models", "list")
    lines = {line[3:].split(" ")[0]: line for line in capsys.readouterr().out.splitlines()}

    assert " ".join(lines["claude-haiku-5-5"].split()) == (
        "claude-haiku-5-5 no ANTHROPIC_API_KEY $0.10+ $0.010+ $0.50+ low, medium, high, xhigh, max (medium)"
    )
    assert lines["recipes"].startswith("*  recipes")
    assert "free" in lines["recipes"]

    call_command("models", "list", "--json")
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)}
    assert (rows["claude-opus-5"]["forced_tool_choice"], rows["claude-opus-5"]["thinking"]) == (
        True,
        ["adaptive", "disabled"],
    )
    assert rows["claude-sonnet-5-5"]["prices"][0]["cache_read"] == 100_000
    assert [band["max_prompt_tokens"] for band in rows["claude-haiku-5-5"]["prices"]] == [100_000, None]
