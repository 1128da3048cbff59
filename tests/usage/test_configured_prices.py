"""The prices of `burp.toml`, worked out by hand, and 100,000 random calls against decimal arithmetic."""

import random
import tomllib
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from usage.config import ModelPrice
from usage.pricing import PROMPT_TIERS, TIERS, cost_of, cost_pico_usd, price_on

TODAY = date(2026, 11, 30)
DOCUMENT = tomllib.loads((Path(__file__).parents[2] / "burp_site" / "burp.toml").read_text(encoding="utf-8"))
PRICES: tuple[ModelPrice, ...] = settings.BURP.usage.prices
KEYS = sorted({price.model_key for price in PRICES})
COUNTS = st.integers(min_value=0, max_value=2_000_000)
TOKENS = st.fixed_dictionaries(dict.fromkeys(TIERS, COUNTS))


def usd(amount: str) -> int:
    """Return USD as pico-USD, without the code under test."""
    return int(Decimal(amount) * 10**12)


@pytest.mark.case("C061")
@pytest.mark.parametrize(
    ("model_key", "day", "tokens", "expected_usd"),
    [
        # 2 + 10 + 4 + 0.10 USD a million
        (
            "claude-sonnet-5-5",
            TODAY,
            {"input": 1500, "output": 800, "cache_write_1h": 9000, "cache_read": 40_000},
            "0.051",
        ),
        # the day before cache reads became cheaper: 0.20 a million
        ("claude-sonnet-5-5", date(2026, 10, 6), {"cache_read": 40_000, "output": 800}, "0.016"),
        ("claude-sonnet-5-5", date(2026, 10, 7), {"cache_read": 40_000, "output": 800}, "0.012"),
        # 1 uncached + 99,999 cached is the last prompt of the small band, output included
        ("claude-haiku-5-5", TODAY, {"input": 1, "cache_read": 99_999, "output": 1000}, "0.00150009"),
        ("claude-haiku-5-5", TODAY, {"input": 1, "cache_read": 100_000, "output": 1000}, "0.0075005"),
        ("claude-haiku-5-5", TODAY, {"cache_write_5m": 60_000, "cache_write_1h": 40_001, "output": 0}, "0.077501"),
        ("claude-opus-5-5", TODAY, {"input": 3, "cache_write_5m": 12_304, "output": 550}, "0.072532"),
        ("claude-fable-5-2", TODAY, {"cache_write_1h": 1000, "cache_read": 1000, "output": 10}, "0.0166"),
        ("claude-haiku-4-5", TODAY, {"input": 100, "cache_write_5m": 700, "cache_read": 200}, "0.000995"),
        # 64 of 100 tokens cached, 36 written, none left: 0.05 and 1.25 a million
        ("gpt-6.1-terra", TODAY, {"cache_read": 64, "cache_write_5m": 36, "output": 9}, "0.0000932"),
        # the last prompt of the small band, and one token more: twice for the prompt, 1.5 times for the output
        ("gpt-6.2-sol", TODAY, {"input": 2000, "cache_read": 270_000, "output": 1000}, "0.041"),
        ("gpt-6.2-sol", TODAY, {"input": 2001, "cache_read": 270_000, "output": 1000}, "0.077004"),
        ("gpt-6.2-sol", TODAY, {"cache_write_5m": 1000, "cache_write_1h": 1000}, "0.0075"),
        ("recipes", TODAY, {"input": 10**6, "output": 10**6}, "0"),
    ],
)
def test_worked_examples(model_key: str, day: date, tokens: dict[str, int], expected_usd: str) -> None:
    assert cost_pico_usd(PRICES, model_key, tokens, day) == usd(expected_usd)


def test_tools_that_the_service_runs_are_paid_by_the_request() -> None:
    cost = cost_of(PRICES, "claude-sonnet-5-5", {"output": 100}, TODAY, {"web_search": 3, "web_fetch": 1})

    assert cost.requests_pico_usd == {"web_search": usd("0.03"), "web_fetch": 0}
    assert cost.pico_usd == usd("0.031")


def in_decimals(model_key: str, tokens: dict[str, int], day: date) -> Decimal:
    """Work a cost out from the text of the configuration, in decimals."""
    rows = [row for row in DOCUMENT["models"][model_key]["prices"] if row["from"] <= day]
    rows = [row for row in rows if row["from"] == max(row["from"] for row in rows)]
    prompt = sum(tokens[tier] for tier in PROMPT_TIERS)
    fits = [row for row in rows if prompt <= row.get("max_prompt_tokens", prompt)]
    band: dict[str, Any] = min(fits, key=lambda row: row.get("max_prompt_tokens", 10**12))
    return sum((Decimal(band[tier]) * tokens[tier] for tier in TIERS), Decimal(0)) / 10**6


def test_a_hundred_thousand_random_calls_cost_what_decimals_say() -> None:
    dice = random.Random(61)
    for _ in range(100_000):
        model_key = dice.choice(KEYS)
        first = min(price.starts for price in PRICES if price.model_key == model_key)
        day = first + timedelta(days=dice.randrange(700))
        tokens = {tier: dice.choice((0, dice.randrange(300), dice.randrange(300_000))) for tier in TIERS}
        assert cost_pico_usd(PRICES, model_key, tokens, day) == in_decimals(model_key, tokens, day).scaleb(12)


@given(st.sampled_from(KEYS), TOKENS, TOKENS)
def test_no_sum_loses_a_pico(model_key: str, one: dict[str, int], other: dict[str, int]) -> None:
    """Within one band two calls cost together what one of their sum costs."""
    bands = price_on(PRICES, model_key, TODAY).bands
    both = {tier: one[tier] + other[tier] for tier in TIERS}
    costs = [cost_pico_usd(PRICES, model_key, tokens, TODAY) for tokens in (one, other, both)]
    if len(bands) == 1:
        assert costs[0] + costs[1] == costs[2]
    else:
        assert costs[0] + costs[1] <= costs[2]
    assert all(isinstance(cost, int) for cost in costs)


@given(st.sampled_from(KEYS), TOKENS, st.sampled_from(TIERS), st.integers(min_value=0, max_value=500_000))
def test_more_tokens_never_cost_less(model_key: str, tokens: dict[str, int], tier: str, more: int) -> None:
    dearer = {**tokens, tier: tokens[tier] + more}

    assert cost_pico_usd(PRICES, model_key, dearer, TODAY) >= cost_pico_usd(PRICES, model_key, tokens, TODAY)


@pytest.mark.parametrize("price", PRICES, ids=lambda price: f"{price.model_key}-{price.starts}")
def test_prices_are_plausible(price: ModelPrice) -> None:
    """Bands rise with the prompt; reading the cache is cheaper than writing it, an hour dearer than five minutes."""
    for band in price.bands:
        assert band.cache_read <= band.input <= band.output
        if price.model_key.startswith("claude-"):
            assert band.input <= band.cache_write_5m <= band.cache_write_1h
    for smaller, larger in zip(price.bands, price.bands[1:], strict=False):
        assert all(getattr(smaller, tier) <= getattr(larger, tier) for tier in TIERS)
