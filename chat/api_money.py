"""The API's side of money: which models can be asked and what they cost, and what the caller has spent."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from chat.model_choices import options
from usage.budgets import Standing, budget_standing
from usage.selectors import Dimension, usage_report
from usage.tables import as_json

router = Router()


class ModelOption(Schema):
    """A model that can be asked. `estimate_pico_usd` is, by effort, what most questions cost: from, to."""

    key: str
    label: str
    provider: str
    context_window: int
    efforts: list[str]
    default_effort: str
    estimate_pico_usd: dict[str, tuple[int, int]]


class Models(Schema):
    """The models that can be asked, with what is used when nothing is chosen."""

    default_model: str
    turn_budget_pico_usd: int
    models: list[ModelOption]


class Cap(Schema):
    """How much of a cap is used; `spent_pico_usd` holds what running calls have reserved."""

    scope: str
    limit_pico_usd: int
    spent_pico_usd: int
    resets_at: datetime | None


class Spent(Schema):
    """What the caller spent, all in all and by what was asked for. Tokens by price tier."""

    caps: list[Cap]
    since: datetime | None
    until: datetime | None
    total: dict[str, int]
    by: dict[str, list[dict[str, Any]]]


class Span(Schema):
    """Which days (UTC, both included) and which groups are wanted."""

    since: date | None = None
    until: date | None = None
    by: list[Dimension] = Field(default=[Dimension.DAY, Dimension.MODEL])


@router.get("/models", response=Models, summary="List the models that can be asked")
async def model_list(request: HttpRequest) -> dict[str, Any]:
    """Tell models, their efforts, and what questions with them usually cost."""
    found = await sync_to_async(options)()
    return {
        "default_model": settings.BURP.chat.default_model,
        "turn_budget_pico_usd": settings.BURP.usage.budgets.turn_pico_usd,
        "models": [option.as_json() for option in found],
    }


@router.get("/usage", response=Spent, summary="Tell what you spent")
async def usage(request: HttpRequest, span: Query[Span]) -> dict[str, Any]:
    """Sum the caller's part of the ledger; the same numbers as on the usage page."""
    user_id = int(request.auth.pk)  # type: ignore[attr-defined]
    report = await sync_to_async(usage_report)(
        by=span.by,
        user_id=user_id,
        since=_midnight(span.since) if span.since else None,
        until=_midnight(span.until + timedelta(days=1)) if span.until else None,
    )
    caps = await sync_to_async(budget_standing)(user_id=user_id)
    return {"caps": [_cap(standing) for standing in caps], **as_json(report)}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(tzinfo=UTC))


def _cap(standing: Standing) -> dict[str, Any]:
    return {
        "scope": standing.scope,
        "limit_pico_usd": standing.limit_pico_usd,
        "spent_pico_usd": standing.spent_pico_usd,
        "resets_at": standing.resets_at,
    }
