"""The agent loop: one question in, typed events out. Pages, API, terminal and evaluations all run this.

Model call, tool calls, model call, … until the model ends, a budget is reached, the iteration guard
trips, or the turn is stopped. Whatever happens, the transcript stays valid (each tool call has a
result), the ledger tells the truth, and the last event is `turn_end`.
"""

import logging
import math
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from chat.context import Prefix, Replay
from chat.dispatch import Dispatcher, Done, cancelled
from chat.endings import turn_end
from chat.events import Event, Notice, Text, TurnEnd, TurnStarted
from chat.grounding import Evidence, Grounding, ground
from chat.guards import concluding_note
from chat.model_step import ModelSteps
from chat.ports import Ledger, SpendRefused, Transcript
from chat.providers.base import (
    AssistantEntry,
    Entry,
    ModelFailure,
    ModelReply,
    ModelRequest,
    Provider,
    TokenUsage,
    ToolResultsEntry,
    UserEntry,
)
from chat.retry import RetryPolicy
from chat.spending import SpendRoom, allowance
from chat.stopping import StopSignal, TurnStopped, emitted
from chat.waiting import waited_s
from chat.window import Window, exchange
from mcp_server.codes import TurnOutcome

Json = Any
AnyEvent = TypeVar("AnyEvent", bound=Event)
log = logging.getLogger(__name__)
# How often a turn looks again when others took the money that it wanted to hold.
MOST_OUTBID = 3


@dataclass(frozen=True)
class Question:
    """What is asked, where, and of which model. `history` is the session's transcript so far."""

    session_id: str
    turn_id: str
    text: str
    model_label: str
    upstreams: str
    max_output_tokens: int
    max_iterations: int
    history: tuple[Entry, ...] = ()
    notices: tuple[Notice, ...] = ()
    timeout_s: float = math.inf
    context_window: int = sys.maxsize
    effort: str = ""
    budget_pico_usd: int = 0
    estimate_pico_usd: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Deps:
    """What the loop works with."""

    provider: Provider
    prefix: Prefix
    dispatcher: Dispatcher
    ledger: Ledger
    transcript: Transcript
    stop: StopSignal
    retry: RetryPolicy = RetryPolicy()
    clock: Callable[[], float] = time.monotonic


class _TurnOver(Exception):
    """The turn ends here; raised once everything of the current step is booked and stored."""

    def __init__(self, outcome: TurnOutcome, detail: str = "", stop_reason: str = "", resets_at: str = "") -> None:
        super().__init__(outcome.value)
        self.outcome = outcome
        self.detail = detail
        self.stop_reason = stop_reason
        self.resets_at = resets_at


async def run_turn(question: Question, deps: Deps) -> AsyncGenerator[Event, None]:
    """Answer the question and yield what happens; the last event is always `turn_end`."""
    turn = _Turn(question, deps)
    yield turn.numbered(turn.started())
    try:
        for notice in question.notices:
            yield turn.numbered(notice)
        async with aclosing(turn.kept_steps()) as events:
            async for event in events:
                yield turn.numbered(event)
        over = _TurnOver(TurnOutcome.INTERNAL, "the loop ended without an outcome")
    except _TurnOver as end:
        over = end
    except TurnStopped as stopped:
        over = _TurnOver(stopped.outcome)
    except SpendRefused as refused:
        over = _TurnOver(refused.outcome, refused.message, resets_at=refused.resets_at)
    except Exception as error:
        log.exception("turn %s failed", question.turn_id)
        over = _TurnOver(TurnOutcome.INTERNAL, type(error).__name__)
    yield turn.numbered(turn.end(over))


@dataclass
class _Turn:
    """The state of one turn while it runs."""

    question: Question
    deps: Deps
    evidence: Evidence = field(default_factory=Evidence)
    answer: str = ""
    step: int = 0
    seq: int = 0
    tool_calls: int = 0
    databases_waited_s: float = 0.0
    is_concluding: bool = False
    room: SpendRoom | None = None
    outbid: int = 0

    def __post_init__(self) -> None:
        deps = self.deps
        self.replay = Replay(deps.prefix, self.question.history)
        self.began = deps.clock()
        self.allowed = allowance(None, self.question.max_output_tokens)
        self.window = Window(self.question.context_window, self.question.max_output_tokens)
        self.model = ModelSteps(
            provider=deps.provider,
            ledger=deps.ledger,
            stop=deps.stop,
            retry=deps.retry,
            append=self.append,
            window=self.window,
            clock=deps.clock,
            deadline=self.began + self.question.timeout_s,
        )
        for entry in self.question.history:
            if isinstance(entry, ToolResultsEntry):
                for result in entry.results:
                    self.evidence.add(result.call_id, result.text)

    # --- the main line ------------------------------------------------------------------------

    async def kept_steps(self) -> AsyncGenerator[Event, None]:
        """Take the steps, and see to it that everything is stored however they end."""
        try:
            async for event in self.steps():
                yield event
        finally:
            await self.deps.transcript.flush()

    async def steps(self) -> AsyncIterator[Event]:
        """Alternate model calls and tool calls until something ends the turn."""
        self.append(UserEntry(self.question.text))
        for step in range(1, self.question.max_iterations + 1):
            self.step = step
            reply: ModelReply | None = None
            async for event in self.model_step():
                if isinstance(event, ModelReply):
                    reply = event
                else:
                    yield event
            assert reply is not None
            self.end_if_done(reply)
            async for event in self.tool_step(reply.entry):
                yield event
        raise _TurnOver(TurnOutcome.MAX_ITERATIONS, f"{self.question.max_iterations} model calls were made")

    async def model_step(self) -> AsyncIterator[Event | ModelReply]:
        """Get the model's next message. Yields events, then the reply."""
        self.answer = ""
        if self.model.left_s() <= 0:
            raise _TurnOver(TurnOutcome.TIME_LIMIT, f"{self.question.timeout_s:g} s are over")
        request, worst_case = await self.request()
        if note := self.note(worst_case):
            self.append(note)
            for notice in self.budget_notices():
                yield notice
            request, worst_case = await self.request()
        while self.window.is_over(worst_case):
            yield await self.room_made(worst_case, "the next request would not fit the model's window")
            request, worst_case = await self.request()
        try:
            async for event in self.model.ask(request, worst_case, self.step):
                if isinstance(event, Text):
                    self.answer += event.text
                yield event
            return
        except ModelFailure as failure:
            self.end_if_failed(failure)
            # The service counts more tokens than was thought.
            self.window.learn_refusal(worst_case)
            yield await self.room_made(worst_case, failure.message)
        except SpendRefused as refused:
            self.end_if_spent(refused)
        async for event in self.model_step():
            yield event

    async def request(self) -> tuple[ModelRequest, TokenUsage]:
        """Return the next request, its output limited to what the budgets hold, and the most that it can use."""
        request = self.replay.request(max_output_tokens=self.question.max_output_tokens)
        worst_case = self.deps.provider.worst_case(request)
        self.room = await self.deps.ledger.room(worst_case)
        self.allowed = allowance(self.room, request.max_output_tokens)
        worst_case = replace(worst_case, output=min(worst_case.output, self.allowed.output_tokens))
        return replace(request, max_output_tokens=self.allowed.output_tokens), worst_case

    def note(self, worst_case: TokenUsage) -> UserEntry | None:
        """Return what the model is told, once and after results, when the turn nears one of its limits."""
        if self.is_concluding or not isinstance(self.replay.entries[-1], ToolResultsEntry):
            return None
        note = concluding_note(
            calls_left=self.question.max_iterations - self.step + 1,
            left_s=self.model.left_s(),
            timeout_s=self.question.timeout_s,
            is_window_nearly_full=self.window.is_nearly_full(worst_case),
            is_money_short=self.allowed.is_last and self.allowed.is_paid_for,
        )
        self.is_concluding = note is not None
        return note

    def budget_notices(self) -> list[Notice]:
        """Return what a reader should know when the model must conclude for want of money."""
        if not (self.allowed.is_last and self.allowed.is_paid_for):
            return []
        return [Notice(code="budget_near", message="The budget is nearly used up: the model was told to conclude.")]

    def end_if_failed(self, failure: ModelFailure) -> None:
        """Raise `_TurnOver` unless the failure is that the request was too long, which can be helped."""
        if failure.outcome is not TurnOutcome.CONTEXT_OVERFLOW or failure.shown:
            raise _TurnOver(failure.outcome, failure.message) from failure

    def end_if_spent(self, refused: SpendRefused) -> None:
        """Raise `SpendRefused` unless other turns may have taken the money after it was looked at, and left some."""
        self.outbid += 1
        if self.allowed.is_last or self.outbid > MOST_OUTBID:
            raise refused

    async def room_made(self, worst_case: TokenUsage, why: str) -> Notice:
        """Exchange older results for references under a new context version; end the turn if there are none left."""
        excess_bytes = self.window.excess_bytes(worst_case)
        exchanged = await exchange(self.replay.entries, excess_bytes=excess_bytes, keep=self.deps.dispatcher.keep)
        if exchanged is None:
            raise _TurnOver(TurnOutcome.CONTEXT_OVERFLOW, why)
        self.append(exchanged)
        return Notice(
            code="context_exchanged",
            message=f"To make room, {len(exchanged.texts)} older results were exchanged for references to their whole.",
            detail={"results": len(exchanged.texts), "why": why},
        )

    async def tool_step(self, message: AssistantEntry) -> AsyncIterator[Event]:
        """Run the calls of one message and store their results, also when stopped half-way."""
        calls = message.tool_calls
        self.tool_calls += len(calls)
        finished: dict[str, Done] = {}

        async def work(emit: Callable[[Event], None]) -> None:
            await self.deps.dispatcher.run(calls, self.step, emit, finished)

        stored = False
        try:
            async for event in emitted(work, self.deps.stop):
                yield event
            exchanged = await self.store_results(message, finished)
            stored = True
            for event in exchanged:
                yield event
        except TurnStopped as stopped:
            for call in calls:
                if call.id not in finished:
                    finished[call.id] = cancelled(call, self.step, stopped.outcome.value.replace("_", " "))
                    yield finished[call.id].event
            exchanged = await self.store_results(message, finished)
            await self.deps.transcript.flush()
            stored = True
            for event in exchanged:
                yield event
            raise
        finally:
            if not stored:
                for call in calls:
                    finished.setdefault(call.id, cancelled(call, self.step, "the turn ended"))
                await self.store_results(message, finished)
                await self.deps.transcript.flush()

    def end_if_done(self, reply: ModelReply) -> None:
        """Raise `_TurnOver` unless the reply asks for tools (or for another go)."""
        reason = reply.stop_reason
        if reason == "refusal":
            raise _TurnOver(TurnOutcome.REFUSED, _why_refused(reply.entry.stop_details), reason)
        if reason == "context_overflow":
            raise _TurnOver(TurnOutcome.CONTEXT_OVERFLOW, "", reason)
        if reply.entry.tool_calls or reason == "pause":
            return
        if reason == "max_tokens" and self.room and self.allowed.output_tokens < self.question.max_output_tokens:
            raise _TurnOver(
                self.room.outcome, "the answer reached what the budget paid for", reason, self.room.resets_at
            )
        if reason == "max_tokens":
            raise _TurnOver(TurnOutcome.OUTPUT_TRUNCATED, "", reason)
        raise _TurnOver(TurnOutcome.COMPLETED, "", reason)

    # --- what is booked and stored ------------------------------------------------------------

    def append(self, entry: Entry) -> None:
        """Add an entry to the history, here and for the store: it goes there with the next booking."""
        self.replay.append(entry)
        self.deps.transcript.append(entry)

    async def store_results(self, message: AssistantEntry, finished: dict[str, Done]) -> list[Event]:
        """Store the results in the order of the calls, none too large beside the others; return what to tell."""
        if not message.tool_calls:
            return []
        self.databases_waited_s += waited_s(one.event for one in finished.values())
        for one in finished.values():
            self.evidence.add(one.result.call_id, one.result.text, one.event.citations)
        exchanged = await self.deps.dispatcher.fit(finished)
        self.append(ToolResultsEntry(tuple(finished[call.id].result for call in message.tool_calls)))
        return exchanged

    # --- events -------------------------------------------------------------------------------

    def numbered(self, event: AnyEvent) -> AnyEvent:
        """Return the event with its number and time."""
        self.seq += 1
        return replace(event, seq=self.seq, at=datetime.now(UTC).isoformat(timespec="milliseconds"))

    def started(self) -> TurnStarted:
        """Return the first event."""
        return TurnStarted(
            session_id=self.question.session_id,
            turn_id=self.question.turn_id,
            question=self.question.text,
            provider=self.deps.provider.name,
            model=self.deps.prefix.model,
            model_label=self.question.model_label,
            upstreams=self.question.upstreams,
            effort=self.question.effort,
            budget_pico_usd=self.question.budget_pico_usd,
            estimate_low_pico_usd=self.question.estimate_pico_usd[0],
            estimate_high_pico_usd=self.question.estimate_pico_usd[1],
        )

    def end(self, over: _TurnOver) -> TurnEnd:
        """Return the last event, with the grounding of what was answered."""
        grounding = ground(self.answer, self.evidence) if self.answer else Grounding()
        return turn_end(
            over.outcome,
            detail=over.detail,
            stop_reason=over.stop_reason,
            seconds=round(self.deps.clock() - self.began, 3),
            waited_s=round(self.model.waited_s, 3),
            databases_waited_s=round(self.databases_waited_s, 3),
            tool_calls=self.tool_calls,
            turn_cost_pico_usd=self.model.cost_pico_usd,
            resets_at=over.resets_at,
            grounding=grounding.as_dict(),
        )


def _why_refused(details: Mapping[str, Json]) -> str:
    """Return the category of a refusal and the service's own words on it, as far as it gave any."""
    return ": ".join(str(details[name]) for name in ("category", "explanation") if details.get(name))
