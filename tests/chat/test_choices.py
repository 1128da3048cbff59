"""Model, effort and budget: of the question, else of the session, else of the site."""

from dataclasses import replace
from datetime import date

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from chat.choices import BadChoice, Choice, chosen, read_budget
from chat.config import UnknownModel
from chat.estimates import ENOUGH_TURNS, Estimate, estimate

CHAT = replace(settings.BURP.chat, default_model="claude-sonnet-5-5")
PRICES = settings.BURP.usage.prices
TODAY = date(2026, 11, 30)
NOTHING = Choice()


@pytest.mark.parametrize(
    ("of_question", "of_session", "expected"),
    [
        (NOTHING, NOTHING, ("claude-sonnet-5-5", "high", 2)),
        (NOTHING, Choice("claude-opus-5-5"), ("claude-opus-5-5", "medium", 2)),
        (NOTHING, Choice("claude-opus-5-5", "max"), ("claude-opus-5-5", "max", 2)),
        (Choice(effort="low"), Choice("claude-opus-5-5", "max"), ("claude-opus-5-5", "low", 2)),
        (Choice("claude-haiku-5-5"), Choice("claude-opus-5-5", "max"), ("claude-haiku-5-5", "medium", 2)),
        (Choice("claude-opus-5-5"), Choice("claude-opus-5-5", "max"), ("claude-opus-5-5", "max", 2)),
        (Choice("claude-haiku-4-5", budget_pico_usd=7), NOTHING, ("claude-haiku-4-5", "", 7)),
        (Choice(budget_pico_usd=0), NOTHING, ("claude-sonnet-5-5", "high", 0)),
    ],
)
def test_the_question_comes_before_the_session_before_the_site(
    of_question: Choice, of_session: Choice, expected: tuple[str, str, int]
) -> None:
    asking = chosen(CHAT, of_question, of_session, turn_pico_usd=2)

    assert (asking.row.key, asking.effort, asking.budget_pico_usd) == expected


def test_what_does_not_exist_is_named_with_what_does() -> None:
    with pytest.raises(UnknownModel, match="no model has the key 'gpt-0'; known: recipes, claude-sonnet-5-5, "):
        chosen(CHAT, Choice("gpt-0"), NOTHING, turn_pico_usd=2)
    with pytest.raises(BadChoice, match=r"Opus 4\.6 has no effort 'xhigh'; it has low, medium, high, max"):
        chosen(CHAT, Choice("claude-opus-4-6", "xhigh"), NOTHING, turn_pico_usd=2)
    with pytest.raises(BadChoice, match="Recipe planner .* has no effort 'low'; it has no such setting"):
        chosen(CHAT, Choice("recipes", "low"), NOTHING, turn_pico_usd=2)


@pytest.mark.parametrize(
    ("text", "pico"), [("", None), ("  ", None), ("0.50", 5 * 10**11), (" $2 ", 2 * 10**12), ("0", 0)]
)
def test_a_budget_is_read_exactly(text: str, pico: int | None) -> None:
    assert read_budget(text) == pico


@pytest.mark.parametrize("text", ["much", "-1", "1,50", "NaN", "1e9", "0.0000000000001"])
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(BadChoice, match=r"budget"):
        read_budget(text)


def test_a_free_model_is_free() -> None:
    assert str(estimate(PRICES, "recipes", "", TODAY)) == "free"


def test_an_estimate_rests_on_what_such_turns_cost_once_there_are_enough() -> None:
    few = estimate(PRICES, "claude-sonnet-5-5", "high", TODAY, past_pico_usd=[10**9] * (ENOUGH_TURNS - 1))
    many = estimate(PRICES, "claude-sonnet-5-5", "high", TODAY, past_pico_usd=[n * 10**10 for n in range(1, 11)])

    assert few == estimate(PRICES, "claude-sonnet-5-5", "high", TODAY)
    assert many == Estimate(3 * 10**10, 9 * 10**10, turns=10)
    assert str(many) == "about $0.030 to $0.090"


def test_an_estimate_grows_with_effort_with_the_price_and_with_the_session() -> None:
    def high(model_key: str, effort: str, history_tokens: int = 0) -> int:
        return estimate(PRICES, model_key, effort, TODAY, history_tokens=history_tokens).high_pico_usd

    efforts = [high("claude-sonnet-5-5", effort) for effort in ("low", "medium", "high", "xhigh", "max")]
    assert efforts == sorted(set(efforts))
    assert high("claude-haiku-5-5", "high") < high("claude-sonnet-5-5", "high") < high("claude-opus-5-5", "high")
    assert high("claude-sonnet-5-5", "high", 50_000) - high("claude-sonnet-5-5", "high") == 50_000 * (2500 + 300) * 1000


@given(st.lists(st.integers(min_value=0, max_value=10**13), min_size=ENOUGH_TURNS, max_size=30))
def test_a_span_begins_before_it_ends(past: list[int]) -> None:
    span = estimate(PRICES, "claude-opus-5-5", "max", TODAY, past_pico_usd=past)

    assert min(past) <= span.low_pico_usd <= span.high_pico_usd <= max(past)
