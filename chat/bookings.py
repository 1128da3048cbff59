"""What a turn writes while it runs: its transcript and its money, in one transaction where both are due."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar
from uuid import UUID

from django.db import transaction

from chat import services
from chat.database import in_database
from chat.lease import Lease, LeaseLost
from chat.ports import SpendRefused
from chat.providers.base import AssistantEntry, Entry, TokenUsage
from chat.spending import SpendRoom
from usage import budgets

T = TypeVar("T")


@dataclass(frozen=True)
class Taken:
    """An entry that is not stored yet, its place in the turn, and the number of the last message up to it."""

    position: int
    entry: Entry
    step: int


class NoRefusal(Exception):
    """What no work raises."""


class TurnTranscript:
    """Keeps the entries of one turn: taken at once, stored on the next way to the database."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._position = 0
        self._messages = 0
        self._taken: list[Taken] = []

    def append(self, entry: Entry) -> None:
        """Take one entry."""
        self._position += 1
        self._messages += isinstance(entry, AssistantEntry)
        self._taken.append(Taken(self._position, entry, self._messages))

    async def flush(self) -> None:
        """Store what was taken."""
        if self._taken:
            await self.stored_with(_nothing)

    async def stored_with(self, work: Callable[[], T], refusal: type[Exception] = NoRefusal) -> T:
        """Store what was taken and do `work`, in one transaction; finished even if the turn is being torn down.

        A `refusal` of the work takes back the work alone, any other error both. Raises `LeaseLost` if others
        have closed the turn.
        """
        await self._lease.ensure()
        taken, self._taken = self._taken, []
        try:
            result = await asyncio.shield(_in_turn(self._lease.turn_id, taken, work, refusal))
        except asyncio.CancelledError:
            # It goes on in its thread.
            raise
        except BaseException:
            self._taken = [*taken, *self._taken]
            raise
        if isinstance(result, Exception):
            raise result
        return result


def _nothing() -> None:
    """Do no work beside storing."""


def _stored(turn_id: UUID, taken: Sequence[Taken], work: Callable[[], T], refusal: type[Exception]) -> T | Exception:
    with transaction.atomic():
        for one in taken:
            services.entry_append(turn_id=turn_id, position=one.position, entry=one.entry, step=one.step)
        try:
            return work()
        except refusal as refused:
            return refused


_in_turn = in_database(_stored)


class Bookings(Protocol):
    """Where a ledger does its work: beside a transcript, or alone."""

    async def stored_with(self, work: Callable[[], T], refusal: type[Exception] = NoRefusal) -> T:
        """Do `work` in a transaction; its `refusal` takes back the work alone."""
        ...


class WithoutTurn:
    """Books a call that belongs to no turn, as a check of a model."""

    async def stored_with(self, work: Callable[[], T], refusal: type[Exception] = NoRefusal) -> T:
        """Do `work`, finished even if who waits for it is being torn down."""
        return await asyncio.shield(in_database(transaction.atomic(work))())


class TurnLedger:
    """Books the model calls of one turn; what its transcript took goes along."""

    def __init__(
        self,
        transcript: Bookings,
        *,
        user_id: int,
        session_id: UUID,
        turn_id: UUID,
        model_key: str,
        provider: str,
        effort: str = "",
        turn_limit_pico_usd: int | None = None,
        on_first_call: Callable[[TokenUsage], None] | None = None,
    ) -> None:
        self._on_first_call = on_first_call
        self._transcript = transcript
        self._user_id = user_id
        self._session_id = session_id
        self._turn_id = turn_id
        self._model_key = model_key
        self._provider = provider
        self._effort = effort
        self._turn_limit_pico_usd = turn_limit_pico_usd
        self._seen: Sequence[budgets.Standing] = ()

    async def room(self, worst_case: TokenUsage) -> SpendRoom | None:
        """Return what the tightest budget holds for a call.

        Nothing is held by looking, so what was seen when the last call was held will do, less its cost.
        """
        if budgets.is_free(self._model_key):
            return None
        price = budgets.call_price(self._model_key, worst_case.as_dict())
        standings = self._seen or await self._transcript.stored_with(self._look)
        self._seen = ()
        tightest = min(standings, key=lambda standing: standing.left_pico_usd)
        return SpendRoom(
            tightest.left_pico_usd,
            price.prompt_pico_usd,
            price.output_pico_usd,
            tightest.outcome,
            _iso(tightest.resets_at),
        )

    def _look(self) -> list[budgets.Standing]:
        return budgets.budget_standing(
            user_id=self._user_id, turn_id=self._turn_id, turn_limit_pico_usd=self._turn_limit_pico_usd
        )

    async def reserve(self, step: int, worst_case: TokenUsage) -> str:
        """Reserve the worst case of a call."""
        reserve = partial(
            budgets.budget_reserve,
            user_id=self._user_id,
            session_id=self._session_id,
            turn_id=self._turn_id,
            step=step,
            model_key=self._model_key,
            worst_case=worst_case.as_dict(),
            turn_limit_pico_usd=self._turn_limit_pico_usd,
        )
        try:
            held = await self._transcript.stored_with(reserve, budgets.BudgetExceeded)
        except budgets.BudgetExceeded as error:
            raise SpendRefused(error.outcome, str(error), _iso(error.resets_at)) from error
        self._seen = held.standings
        return str(held.id)

    async def settle(self, reservation: str, usage: TokenUsage, outcome: str, *, estimated: bool) -> int:
        """Book what was used; the booking is finished even if the turn is being torn down."""
        report: dict[str, Any] = {
            "reservation_id": UUID(reservation),
            "tokens": usage.as_dict(),
            "requests": dict(usage.tool_requests),
            "provider": self._provider,
            "effort": self._effort,
            "outcome": outcome,
            "estimated": estimated,
        }
        try:
            cost = await self._transcript.stored_with(partial(budgets.budget_settle_here, **report))
        except LeaseLost:
            # Others have closed the turn; what was used is booked all the same.
            await asyncio.shield(in_database(budgets.budget_settle)(**report))
            raise
        self._seen = [replace(seen, spent_pico_usd=seen.spent_pico_usd + cost) for seen in self._seen]
        if self._on_first_call is not None and not estimated:
            first, self._on_first_call = self._on_first_call, None
            await in_database(first)(usage)
        return cost

    async def release(self, reservation: str) -> None:
        """Give back what was reserved for nothing."""
        await self._transcript.stored_with(partial(budgets.budget_release, reservation_id=UUID(reservation)))


def _iso(at: datetime | None) -> str:
    return at.isoformat() if at else ""
