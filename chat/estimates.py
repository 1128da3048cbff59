"""What a question will probably cost, told before it is asked: from what such questions cost, else from prices.

Pure. An estimate is a span; the budget, not the estimate, is what a question can't pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from usage.config import ModelPrice
from usage.money import format_usd_rough
from usage.pricing import TIERS, cost_pico_usd

# Fewer turns say nothing about the next one.
ENOUGH_TURNS = 5
LOW_QUANTILE, HIGH_QUANTILE = 0.25, 0.9
# Measured: system prompt and core tools are 19 kB. The rest are round numbers of ordinary turns.
PREFIX_TOKENS = 6_000
STEPS_LOW, STEPS_HIGH = 3, 12
RESULT_TOKENS_A_STEP = 3_000
OUTPUT_TOKENS_A_STEP = 400
ANSWER_TOKENS = 2_500
BYTES_A_TOKEN = 4
# How much more or less a model writes and thinks at a level than at `medium`.
OUTPUT_PERCENT = {"none": 30, "minimal": 40, "low": 60, "medium": 100, "high": 150, "xhigh": 250, "max": 400}


@dataclass(frozen=True)
class Estimate:
    """Most questions cost something between the two. `turns` is on how many it rests; 0: on prices alone."""

    low_pico_usd: int
    high_pico_usd: int
    turns: int = 0

    def __str__(self) -> str:
        """Write it for people."""
        if not self.high_pico_usd:
            return "free"
        low, high = format_usd_rough(self.low_pico_usd), format_usd_rough(self.high_pico_usd)
        return f"about {high}" if low == high else f"about {low} to {high}"


def estimate(
    prices: Sequence[ModelPrice],
    model_key: str,
    effort: str,
    day: date,
    *,
    past_pico_usd: Sequence[int] = (),
    history_tokens: int = 0,
) -> Estimate:
    """Return what a question with this model and effort will probably cost.

    `past_pico_usd` are the costs of such questions; `history_tokens` what the session's earlier turns add.
    """
    extra = _reread(prices, model_key, day, history_tokens)
    if len(past_pico_usd) >= ENOUGH_TURNS:
        ordered = sorted(past_pico_usd)
        low, high = (ordered[round(share * (len(ordered) - 1))] for share in (LOW_QUANTILE, HIGH_QUANTILE))
        return Estimate(low + extra, high + extra, len(ordered))
    low, high = (_turn(prices, model_key, effort, day, steps) for steps in (STEPS_LOW, STEPS_HIGH))
    return Estimate(low + extra, high + extra)


def _turn(prices: Sequence[ModelPrice], model_key: str, effort: str, day: date, steps: int) -> int:
    """Return the cost of a turn of so many model calls, each of which reads what those before it cached."""
    percent = OUTPUT_PERCENT.get(effort, 100)
    total, cached, grown = 0, 0, 0
    for step in range(1, steps + 1):
        output = OUTPUT_TOKENS_A_STEP + (ANSWER_TOKENS if step == steps else 0)
        tokens = dict.fromkeys(TIERS, 0) | {
            "cache_write_1h": 0 if cached else PREFIX_TOKENS,
            "cache_write_5m": grown,
            "cache_read": cached,
            "output": output * percent // 100,
        }
        total += cost_pico_usd(prices, model_key, tokens, day)
        cached += grown if cached else PREFIX_TOKENS
        grown = RESULT_TOKENS_A_STEP + OUTPUT_TOKENS_A_STEP
    return total


def _reread(prices: Sequence[ModelPrice], model_key: str, day: date, history_tokens: int) -> int:
    """Return what it costs to write a session's earlier turns to the cache once and to read them with each step."""
    if not history_tokens:
        return 0
    tokens: Mapping[str, int] = {"cache_write_5m": history_tokens, "cache_read": history_tokens * STEPS_LOW}
    return cost_pico_usd(prices, model_key, tokens, day)
