"""What a turn costs, as the terminal tells it: the estimate before, the cost while it runs, the sum after."""

import io

from rich.console import Console

from chat.events import TurnEnd, TurnStarted, Usage
from chat.terminal import TurnPrinter

MILLI = 10**9


def printed(*events: TurnStarted | Usage | TurnEnd) -> list[str]:
    """Return the lines that a pipe gets."""
    out = io.StringIO()
    printer = TurnPrinter(Console(file=out, highlight=False, width=200))
    for event in events:
        printer.show(event)
    return [line.strip() for line in out.getvalue().splitlines() if line.strip()]


def started(**changes: int | str) -> TurnStarted:
    """Return the first event of a turn."""
    same = {"session_id": "s", "turn_id": "t", "question": "What is HER2?", "provider": "anthropic", "model": "m"}
    return TurnStarted(**{**same, "model_label": "Claude Sonnet 5.5", "upstreams": "live", **changes})


def used(step: int, cost: int, **changes: bool) -> Usage:
    """Return what one model call used."""
    tokens = {"input": 100, "output": 50, "cache_write_5m": 0, "cache_write_1h": 0, "cache_read": 900}
    return Usage(step=step, tokens=tokens, cost_pico_usd=cost, turn_cost_pico_usd=cost * step, **changes)


def ended(**changes: float | int | str) -> TurnEnd:
    """Return the last event."""
    return TurnEnd(**{"outcome": "completed", "message": "The answer is complete.", "seconds": 12.0, **changes})


def test_the_estimate_comes_first_and_the_cost_grows_under_it() -> None:
    estimates = {"estimate_low_pico_usd": 30 * MILLI, "estimate_high_pico_usd": 120 * MILLI}
    lines = printed(
        started(effort="high", budget_pico_usd=500 * MILLI, **estimates),
        used(1, 10 * MILLI),
        used(2, 10 * MILLI, estimated=True),
        ended(turn_cost_pico_usd=20 * MILLI, waited_s=3.25, tool_calls=4),
    )

    assert lines[1] == "Claude Sonnet 5.5, high effort · live databases"
    assert lines[2] == "about $0.030 to $0.12, at most $0.50"
    assert lines[3] == "$0.010000 of $0.50 so far: step 1, 1,000 tokens read (90 % from cache), 50 written"
    assert lines[4].startswith("about $0.020000 of $0.50 so far: step 2")
    assert "Calls      4 tool calls in 12.0 s, 3.2 s of it waiting for the model's service, $0.020000 of $0.50" in lines


def test_a_free_turn_speaks_of_no_money_while_it_runs() -> None:
    lines = printed(started(budget_pico_usd=2000 * MILLI), used(1, 0), ended())

    assert [line for line in lines if "$" in line] == ["Calls      0 tool calls in 12.0 s, $0.000000"]
