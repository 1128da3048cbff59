"""What the prompt cache gives: share of tokens read, and cost against the uncached price, by length of a turn."""

import asyncio

from evals.prompt_cache.gate import measured
from evals.prompt_cache.report import Result
from evals.prompt_cache.scripts import one_call_a_step, twelve_calls_a_step
from tests.benchmarks.report import Row

MODEL = "claude-sonnet-5-5"
STEPS = (5, 15, 40)


def measure() -> list[Row]:
    """Play turns of several lengths against the simulator, with the prefix of real sessions."""
    scripts = [*map(one_call_a_step, STEPS), twelve_calls_a_step(3)]
    return [row for result in asyncio.run(measured(MODEL, scripts, is_live=False)) for row in _rows(result)]


def _rows(result: Result) -> list[Row]:
    is_bound = result.script.name.startswith("15 ")
    share = f"{result.read_share:.1%} (at best {result.best_share:.1%})"
    return [
        Row(f"turn of {result.script.name}: prompt read from the cache", share, "≥ 90 %" if is_bound else ""),
        Row("the same: cost against the uncached price", f"{result.cost_ratio:.1%}", "≤ 25 %" if is_bound else ""),
    ]
