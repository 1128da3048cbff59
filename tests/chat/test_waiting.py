"""Waiting for rate limits is told apart from working, and does not count twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.events import ToolEnd
from chat.ports import RawToolResult
from chat.providers.scripted import Reply, call
from chat.waiting import waited_s
from tests.chat.loop_kit import GENE, GENE_META, Run

SECONDS = st.floats(min_value=0, max_value=1000)


def end(seconds: float, waited: float) -> ToolEnd:
    """Return the end of a call."""
    return ToolEnd(step=1, call_id="c", tool="gene", ok=True, outcome="data", seconds=seconds, waited_s=waited)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([], 0),
        ([(5, 2)], 2),
        ([(5, 5), (1, 0)], 4),
        ([(5, 2), (5, 0)], 0),
        ([(5, 2), (4, 3), (1, 0)], 2),
        ([(1, 9)], 1),
    ],
    ids=["nothing", "one", "hidden behind another", "another was as slow", "both waited", "more than it took"],
)
def test_a_steps_wait_is_what_it_would_have_been_faster_without(
    calls: list[tuple[float, float]], expected: float
) -> None:
    assert waited_s(end(*one) for one in calls) == expected


@given(st.lists(st.tuples(SECONDS, SECONDS), max_size=12))
def test_a_step_never_waited_longer_than_it_took(calls: list[tuple[float, float]]) -> None:
    waited = waited_s(end(*one) for one in calls)

    assert 0 <= waited <= max((seconds for seconds, _ in calls), default=0)


async def test_the_turn_tells_how_long_its_calls_waited_for_databases() -> None:
    run = Run.of(Reply(calls=[call("gene", n=1)]), Reply("ERBB2."))
    run.tools.answers = [RawToolResult(GENE, {**GENE_META, "burp/waited_s": 7.5}, bytes=64)]

    last = await run.play()

    (ended,) = run.of_type(ToolEnd)
    assert ended.waited_s == 7.5
    assert last.databases_waited_s == ended.seconds
    assert last.waited_s == 0
