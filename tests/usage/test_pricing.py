"""Prices by model, tier, day and size of the prompt."""

from datetime import date

import pytest

from tests.usage.conftest import PRICES
from usage.config import ModelPrice, PriceBand
from usage.pricing import BadCount, UnknownPrice, cost_pico_usd

DAY = date(2026, 11, 30)


@pytest.mark.case("C061")
@pytest.mark.parametrize(
    ("tokens", "expected_usd"),
    [
        ({"input": 3, "cache_write_5m": 12_304, "cache_read": 0, "output": 550}, "0.054399"),
        ({"input": 100, "cache_write_5m": 700, "cache_read": 200, "output": 0}, "0.002985"),
    ],
)
def test_each_tier_is_billed_once_at_its_own_price(tokens: dict[str, int], expected_usd: str) -> None:
    micro = int(expected_usd.replace(".", ""))

    assert cost_pico_usd(PRICES, "sonnet", tokens, DAY) == micro * 10**6


def test_a_price_holds_from_its_day_on() -> None:
    def price(starts: date, read: int) -> ModelPrice:
        return ModelPrice("m", starts, (PriceBand(0, 0, 0, 0, read),))

    prices = (price(date(2026, 10, 7), 100_000), price(date(2026, 1, 1), 200_000))

    assert cost_pico_usd(prices, "m", {"cache_read": 1}, date(2026, 10, 6)) == 200_000
    assert cost_pico_usd(prices, "m", {"cache_read": 1}, date(2026, 10, 7)) == 100_000


@pytest.mark.parametrize(("cached", "expected"), [(99_999, 2 * 1 + 99_999), (100_000, 5 * (2 * 1 + 100_000))])
def test_the_size_of_the_prompt_prices_the_whole_request(cached: int, expected: int) -> None:
    small, large = PriceBand(1, 1, 1, 1, 1, max_prompt_tokens=100_000), PriceBand(5, 5, 5, 5, 5)
    prices = (ModelPrice("m", date(2026, 1, 1), (small, large)),)

    assert cost_pico_usd(prices, "m", {"input": 1, "cache_read": cached, "output": 1}, DAY) == expected


@pytest.mark.parametrize(("key", "day"), [("gpt", DAY), ("sonnet", date(2025, 12, 31))])
def test_a_model_without_a_price_is_an_error_that_lists_the_priced_ones(key: str, day: date) -> None:
    with pytest.raises(UnknownPrice, match=f"'{key}' on {day}; priced models: dollar, free, sonnet"):
        cost_pico_usd(PRICES, key, {"input": 1}, day)


@pytest.mark.parametrize("tokens", [{"inputs": 1}, {"input": -1}])
def test_counts_that_have_no_price_are_refused(tokens: dict[str, int]) -> None:
    with pytest.raises(BadCount, match=next(iter(tokens))):
        cost_pico_usd(PRICES, "sonnet", tokens, DAY)
