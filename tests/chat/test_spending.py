"""Money while a turn runs: calls get shorter, then the model concludes, then the turn ends with what there is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.events import Notice
from chat.providers.base import TokenUsage, UserEntry
from chat.providers.scripted import Reply, call
from chat.spending import CONCLUDING_TOKENS, SpendRoom, allowance
from mcp_server.codes import TurnOutcome
from tests.chat.loop_kit import Ledger, Run

AMOUNTS = st.integers(min_value=0, max_value=10**13)
LOOK_UP = call("gene")


def room(left: int, prompt: int = 0, output: int = 1) -> SpendRoom:
    """Return a room."""
    return SpendRoom(left, prompt, output, TurnOutcome.BUDGET_TURN)


@given(AMOUNTS, AMOUNTS, st.integers(min_value=1, max_value=10**8), st.integers(min_value=1, max_value=128_000))
def test_a_call_that_is_not_the_last_leaves_enough_for_one_that_concludes(
    left: int, prompt: int, output: int, wanted: int
) -> None:
    allowed = allowance(room(left, prompt, output), wanted)

    assert 0 < allowed.output_tokens <= wanted
    spent = prompt + allowed.output_tokens * output
    if not allowed.is_last:
        assert left - spent >= prompt + CONCLUDING_TOKENS * output
    else:
        assert allowed.is_paid_for == (spent <= left)


def test_a_free_call_is_not_limited() -> None:
    assert allowance(None, 32_000).output_tokens == allowance(room(0, output=0), 32_000).output_tokens == 32_000


def limits(run: Run) -> list[int]:
    """Return the output limits of the requests."""
    return [request.max_output_tokens for request in run.provider.requests]


def spends(output: int, text: str = "", **changes: Any) -> Reply:
    """Return a look-up that uses so many output tokens."""
    return Reply(text, calls=[LOOK_UP], usage=TokenUsage(output=output), **changes)


async def test_a_small_budget_shortens_calls_and_then_lets_the_model_conclude() -> None:
    run = Run.of(
        spends(2_000),
        spends(2_000),
        spends(3_000),
        Reply("ERBB2."),
        ledger=Ledger(budget=15_000),
        max_output_tokens=8_000,
    )

    end = await run.play()

    assert end.outcome == "completed"
    first, second, third, last = limits(run)
    assert first == 8_000
    assert 8_000 > second > third >= CONCLUDING_TOKENS
    assert last < CONCLUDING_TOKENS + 4_000
    notes = [entry.text for entry in run.transcript.entries if isinstance(entry, UserEntry) and entry.is_note]
    assert len(notes) == 1
    assert "budget of this answer is nearly used up" in notes[0]
    assert run.provider.requests[-1].entries[-1].text == notes[0]
    assert [notice.code for notice in run.of_type(Notice)] == ["budget_near"]
    assert sum(cost for cost, *_ in run.ledger.settled) <= 15_000


async def test_a_model_that_does_not_conclude_is_ended_with_what_it_wrote() -> None:
    run = Run.of(
        spends(3_500, "ERBB2 is a gene. "), spends(3_000, "So far: ERBB2."), ledger=Ledger(budget=7_600),
        max_output_tokens=4_000,
    )  # fmt: skip

    end = await run.play()

    assert (end.outcome, end.detail) == (TurnOutcome.BUDGET_TURN, "the turn's budget is used up")
    assert len(run.provider.requests) == 2
    assert "partial" not in end.message
    assert "before the answer was complete" in end.message


async def test_an_answer_that_the_budget_cut_off_says_so() -> None:
    run = Run.of(Reply("ERBB2 is", stop_reason="max_tokens"), ledger=Ledger(budget=3_000), max_output_tokens=8_000)

    end = await run.play()

    assert (end.outcome, end.stop_reason) == (TurnOutcome.BUDGET_TURN, "max_tokens")


async def test_an_answer_cut_off_by_the_model_itself_is_no_matter_of_money() -> None:
    run = Run.of(Reply("ERBB2 is", stop_reason="max_tokens"), ledger=Ledger(budget=10**6), max_output_tokens=1000)

    assert (await run.play()).outcome == TurnOutcome.OUTPUT_TRUNCATED


class Contested(Ledger):
    """A ledger from which other turns take money between looking and reserving."""

    def __init__(self, taken: list[int], budget: int) -> None:
        super().__init__(budget=budget)
        self._taken = taken

    async def reserve(self, step: int, worst_case: TokenUsage) -> str:
        if self._taken:
            assert self.budget is not None
            self.budget -= self._taken.pop(0)
        return await super().reserve(step, worst_case)


async def test_a_turn_that_was_outbid_looks_again() -> None:
    run = Run.of(Reply("ERBB2."), ledger=Contested([7_000], budget=20_000), max_output_tokens=15_000)

    assert (await run.play()).outcome == "completed"
    assert limits(run)[0] <= 13_000


async def test_a_turn_that_is_outbid_for_ever_ends() -> None:
    run = Run.of(ledger=Contested([9_000] * 9, budget=60_000), max_output_tokens=60_000)

    assert (await run.play()).outcome == TurnOutcome.BUDGET_TURN
    assert run.provider.requests == []


@pytest.mark.parametrize("budget", [0, 10, 400])
async def test_a_budget_that_holds_no_call_asks_nothing(budget: int) -> None:
    run = Run.of(ledger=Ledger(budget=budget))

    end = await run.play()

    assert (end.outcome, end.turn_cost_pico_usd, run.provider.requests) == (TurnOutcome.BUDGET_TURN, 0, [])


async def test_a_model_is_not_told_of_a_call_that_it_will_not_get() -> None:
    run = Run.of(spends(4_000, "First the gene."), ledger=Ledger(budget=4_300), max_output_tokens=4_000)

    assert (await run.play()).outcome == TurnOutcome.BUDGET_TURN
    assert run.of_type(Notice) == []
    assert not [entry for entry in run.transcript.entries if isinstance(entry, UserEntry) and entry.is_note]
