"""What a message of Google's models costs: worked examples from the service's report to the pico-dollar."""

from datetime import date
from typing import Any

import pytest
from django.conf import settings

from chat.providers.base import TokenUsage
from chat.providers.google_progress import usage_by_tier
from usage.pricing import cost_pico_usd

Json = Any
PRICES = settings.BURP.usage.prices
TODAY = date(2026, 11, 30)


@pytest.mark.case("C061")
@pytest.mark.parametrize(
    ("reported", "usage", "pico_usd"),
    [
        # 36 of 100 tokens were not cached; 5 + 7 were said and thought: 36 x 1.50 + 12 x 7.50 + 64 x 0.075
        (
            {
                "promptTokenCount": 100,
                "cachedContentTokenCount": 64,
                "candidatesTokenCount": 5,
                "thoughtsTokenCount": 7,
                "totalTokenCount": 112,
            },
            TokenUsage(input=36, output=12, cache_read=64),
            148_800_000,
        ),
        # A prompt that was refused has no answer: 1,000 x 1.50
        ({"promptTokenCount": 1000, "totalTokenCount": 1000}, TokenUsage(input=1000), 1_500_000_000),
        # What the service's own tools added to the prompt is not in its count: (10 + 5) x 1.50 + 2 x 7.50
        (
            {"promptTokenCount": 10, "toolUsePromptTokenCount": 5, "candidatesTokenCount": 2},
            TokenUsage(input=15, output=2),
            37_500_000,
        ),
        ({}, TokenUsage(), 0),
    ],
)
def test_worked_examples_of_what_a_message_costs(reported: Json, usage: TokenUsage, pico_usd: int) -> None:
    assert usage_by_tier(reported) == usage
    assert cost_pico_usd(PRICES, "gemini-4-hydrogen", usage.as_dict(), TODAY) == pico_usd


@pytest.mark.case("C061")
@pytest.mark.parametrize(
    ("model", "day", "usage", "pico_usd"),
    [
        ("gemini-4-argon", TODAY, TokenUsage(input=1, output=1, cache_read=1), 12_100_000),
        ("gemini-4-argon", date(2026, 12, 1), TokenUsage(input=1, output=1, cache_read=1), 24_200_000),
        ("gemini-3.8-flash", date(2026, 12, 31), TokenUsage(input=1000, output=0), 750_000_000),
        ("gemini-3.8-flash", date(2027, 1, 1), TokenUsage(input=1000, output=0), 1_500_000_000),
        # The band is that of the whole prompt, cached tokens included, and holds for the output too.
        (
            "gemini-2.5-pro",
            TODAY,
            TokenUsage(input=100_000, output=1, cache_read=100_000),
            137_510_000_000,
        ),
        (
            "gemini-2.5-pro",
            TODAY,
            TokenUsage(input=100_000, output=1, cache_read=100_001),
            275_015_250_000,
        ),
    ],
)
def test_prices_change_with_the_day_and_with_the_size_of_the_prompt(
    model: str, day: date, usage: TokenUsage, pico_usd: int
) -> None:
    assert cost_pico_usd(PRICES, model, usage.as_dict(), day) == pico_usd
