"""One model message: money reserved before each attempt and settled after it, retried while that can help.

A call that failed is made again only while nothing of its message was shown, within the turn's own
time; whoever waits is told. Tool calls of a message that failed were never run.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import count

from chat.events import Event, Notice, Reasoning, Text, Usage
from chat.ports import Ledger
from chat.providers.base import (
    Entry,
    ModelEvent,
    ModelFailure,
    ModelNotice,
    ModelReply,
    ModelRequest,
    Provider,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
)
from chat.retry import RetryPolicy
from chat.stopping import StopSignal, TurnStopped, emitted
from chat.window import Window
from mcp_server.codes import TurnOutcome

MODEL_RETRY = "model_retry"
TROUBLES = {
    TurnOutcome.MODEL_OVERLOADED: "The model's service is overloaded",
    TurnOutcome.MODEL_RATE_LIMITED: "The model's service asks to wait",
    TurnOutcome.MODEL_UNREACHABLE: "The model's service could not be reached",
}
Append = Callable[[Entry], None]


@dataclass
class ModelSteps:
    """Makes the model calls of one turn. `append` stores an entry; `waited_s` is what retries have cost in time.

    `deadline` is the end of the turn on `clock`.
    """

    provider: Provider
    ledger: Ledger
    stop: StopSignal
    retry: RetryPolicy
    append: Append
    window: Window
    clock: Callable[[], float]
    deadline: float
    cost_pico_usd: int = 0
    waited_s: float = 0.0

    async def ask(self, request: ModelRequest, worst_case: TokenUsage, step: int) -> AsyncIterator[Event | ModelReply]:
        """Yield what happens until the message is whole, then the reply; raise `ModelFailure` when it never is."""
        for attempt in count(1):
            try:
                async for event in self._attempt(request, worst_case, step):
                    yield event
                return
            except ModelFailure as failure:
                wait_s = self.retry.wait_s(failure, attempt, self.left_s())
                if wait_s is None:
                    raise
                yield self._told(failure, wait_s, attempt)
                await self._wait(wait_s)

    async def _attempt(
        self, request: ModelRequest, worst_case: TokenUsage, step: int
    ) -> AsyncIterator[Event | ModelReply]:
        reservation = await self._reserved(step, worst_case)

        async def work(emit: Callable[[ModelEvent], None]) -> None:
            async with aclosing(self.provider.stream(request)) as stream:
                async for event in stream:
                    emit(event)

        try:
            async for event in emitted(work, self.stop):
                if not isinstance(event, ModelReply):
                    yield _shown(event, step)
                else:
                    # The reservation is closed with the reply stored, before anything else can fail.
                    self.append(event.entry)
                    settled = await self._settle(reservation, step, event.usage, event.stop_reason)
                    reservation = ""
                    self.window.learn(worst_case, event.usage)
                    yield settled
                    yield event
        except ModelFailure as failure:
            yield await self._interrupted(reservation, step, failure.outcome, failure)
            raise
        except TurnStopped as stopped:
            if reservation:
                yield await self._interrupted(reservation, step, stopped.outcome)
            raise
        except BaseException:
            # The reader is gone or something broke: the money is booked all the same.
            if reservation:
                await self._interrupted(reservation, step, TurnOutcome.INTERNAL)
            raise

    def left_s(self) -> float:
        """Return the time that the turn has left."""
        return self.deadline - self.clock()

    # --- waiting ------------------------------------------------------------------------------

    def _told(self, failure: ModelFailure, wait_s: float, attempt: int) -> Notice:
        trouble = TROUBLES.get(failure.outcome, "The model's service failed")
        return Notice(
            code=MODEL_RETRY,
            message=f"{trouble}: trying again in {wait_s:.0f} s ({attempt + 1} of {self.retry.attempts}).",
            detail={
                "outcome": failure.outcome.value,
                "cause": failure.message,
                "wait_s": round(wait_s, 3),
                "attempt": attempt + 1,
                "attempts": self.retry.attempts,
            },
        )

    async def _wait(self, wait_s: float) -> None:
        began = self.clock()
        try:
            await self.stop.pause(wait_s)
        finally:
            self.waited_s += self.clock() - began

    # --- money --------------------------------------------------------------------------------

    async def _reserved(self, step: int, worst_case: TokenUsage) -> str:
        """Hold the worst case of the next call; a turn that is stopped meanwhile gives it back and asks nothing."""
        self.stop.check()
        reservation = await self.ledger.reserve(step, worst_case)
        if self.stop.outcome is not None:
            await self.ledger.release(reservation)
        self.stop.check()
        return reservation

    async def _settle(
        self, reservation: str, step: int, usage: TokenUsage, outcome: str, *, estimated: bool = False
    ) -> Usage:
        """Book a model call and return the event that tells its cost."""
        cost = await self.ledger.settle(reservation, usage, outcome, estimated=estimated)
        self.cost_pico_usd += cost
        return Usage(
            step=step,
            tokens=usage.as_dict(),
            cost_pico_usd=cost,
            turn_cost_pico_usd=self.cost_pico_usd,
            estimated=estimated,
        )

    async def _interrupted(
        self, reservation: str, step: int, outcome: TurnOutcome, failure: ModelFailure | None = None
    ) -> Usage:
        """Book and store what a model call had brought when it ended early."""
        partial, usage = self.provider.partial()
        estimated = True
        if failure is not None and failure.usage is not None:
            usage, estimated = failure.usage, failure.estimated
        if failure is not None and failure.partial is not None:
            partial = failure.partial
        if partial is not None and partial.text.strip():
            self.append(replace(partial, tool_calls=(), interrupted=True))
        return await self._settle(reservation, step, usage, outcome.value, estimated=estimated)


def _shown(piece: ReasoningDelta | TextDelta | ModelNotice, step: int) -> Event:
    """Return the event for a piece of the model's message, or for what is to be known of it."""
    if isinstance(piece, ModelNotice):
        return Notice(code=piece.code, message=piece.message)
    kind = Reasoning if isinstance(piece, ReasoningDelta) else Text
    return kind(step=step, text=piece.text)
