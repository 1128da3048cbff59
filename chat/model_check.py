"""Ask each configured model for one token, and say in words what is wrong where that fails."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from uuid import uuid4

from django.conf import settings

from chat.bookings import TurnLedger, WithoutTurn
from chat.config import ModelRow
from chat.ports import SpendRefused
from chat.providers.base import ModelFailure, ModelReply, ModelRequest, Provider, UserEntry
from chat.providers.registry import create_provider
from chat.providers.troubles import Trouble
from usage.money import format_usd
from usage.pricing import UnknownPrice

CHECK = "Reply with the word yes."
CONTEXT_VERSION = "check"
AT_ONCE = 4
# A service that has not begun to answer by then is of no use to somebody who waits for an answer.
WITHIN_S = 60.0

WORDS = {
    Trouble.WRONG_KEY: "the key in {variable} was not accepted: check it, or make a new one",
    Trouble.NOT_ALLOWED: "the account of {variable} may not use this model: ask the service for access",
    Trouble.NO_CREDIT: "the account of {variable} has no money left, or has reached a limit of its own",
    Trouble.NO_SUCH_MODEL: "the service knows no model {model!r}: correct `model` in burp.toml",
    Trouble.RATE_LIMITED: "the service limits how often this account may ask: try again later",
    Trouble.OVERLOADED: "the service is overloaded: try again later",
    Trouble.UNREACHABLE: "{address} could not be reached: check the network, a proxy, or `base_url` in burp.toml",
    Trouble.REFUSED_REQUEST: "the service refused the request, though it is of the plainest kind: see its words",
    Trouble.OTHER: "the call failed: see the words",
}


@dataclass(frozen=True)
class Check:
    """What became of one model. `trouble` is empty where it answered; `words` are for people."""

    row: ModelRow
    trouble: str
    words: str
    seconds: float = 0.0
    cost_pico_usd: int = 0

    @property
    def is_good(self) -> bool:
        """Whether the model answered."""
        return not self.trouble


async def check_models(rows: Sequence[ModelRow], *, user_id: int) -> list[Check]:
    """Check the models, a few at a time; what that costs is booked as `user_id`'s."""
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(row: ModelRow) -> Check:
        async with limit:
            return await check_model(row, user_id=user_id)

    async with asyncio.TaskGroup() as group:
        checks = [group.create_task(one(row)) for row in rows]
    return [check.result() for check in checks]


async def check_model(row: ModelRow, *, user_id: int) -> Check:
    """Ask a model for one token."""
    service = settings.BURP.chat.service(row)
    if not service.is_usable:
        return Check(row, Trouble.NO_KEY, f"no key: set {service.key_variable} in the environment")
    began = time.monotonic()
    try:
        provider = create_provider(row, service)
        try:
            async with asyncio.timeout(WITHIN_S):
                cost = await _asked(provider, row, user_id)
        finally:
            await provider.aclose()
    except ModelFailure as failure:
        return Check(row, failure.trouble, f"{_words(row, failure.trouble)} ({failure.message})", _since(began))
    except (SpendRefused, UnknownPrice) as refusal:
        return Check(row, "not_asked", f"not asked: {refusal}")
    except TimeoutError:
        return Check(row, Trouble.UNREACHABLE, f"no answer within {WITHIN_S:g} s", _since(began))
    seconds = _since(began)
    return Check(row, "", f"answers ({seconds:.1f} s, {format_usd(cost)})", seconds, cost)


async def _asked(provider: Provider, row: ModelRow, user_id: int) -> int:
    """Make the call as any other: reserved before, booked after. Return its cost."""
    ledger = TurnLedger(
        WithoutTurn(),
        user_id=user_id,
        session_id=uuid4(),
        turn_id=uuid4(),
        model_key=row.key,
        effort=row.default_effort,
        provider=row.provider,
    )
    request = ModelRequest(row.model, "", (), (UserEntry(CHECK),), CONTEXT_VERSION, 1, row.default_effort)
    reservation = await ledger.reserve(1, provider.worst_case(request))
    outcome, usage, estimated = "check_failed", None, True
    try:
        async with aclosing(provider.stream(request)) as stream:
            async for event in stream:
                if isinstance(event, ModelReply):
                    outcome, usage, estimated = event.stop_reason, event.usage, False
    except ModelFailure as failure:
        outcome, usage, estimated = failure.outcome.value, failure.usage, failure.estimated
        raise
    finally:
        used = provider.partial()[1] if usage is None else usage
        cost = await ledger.settle(reservation, used, outcome, estimated=estimated)
    return cost


def _words(row: ModelRow, trouble: Trouble) -> str:
    service = settings.BURP.chat.service(row)
    address = service.base_url or f"the service {service.name!r}"
    return WORDS[trouble].format(variable=service.key_variable or "the configuration", model=row.model, address=address)


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)
