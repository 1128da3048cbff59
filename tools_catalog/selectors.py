"""Reads of the catalogue's tables, for pages and for operators."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Sum
from django.utils import timezone

from tools_catalog.call_counts import BOUNDS, LONGER, Day
from tools_catalog.models import Alarm, ContractCheck, PlatformSwitch, ServerState, ToolHour
from tools_catalog.reporting import EVERY_S

DAY = timedelta(hours=24)
SILENT_AFTER = timedelta(seconds=3 * EVERY_S)
COLUMNS = ("calls", "failures", "milliseconds", *BOUNDS, LONGER)


def days(tools: Iterable[str] | None = None) -> dict[str, Day]:
    """Return how the calls of the last day went, by tool; tools without a call are left out."""
    rows = ToolHour.objects.filter(hour__gt=timezone.now() - DAY)
    if tools is not None:
        rows = rows.filter(tool__in=[*tools])
    summed = rows.values("tool").annotate(**{f"sum_{name}": Sum(name) for name in COLUMNS})
    return {row["tool"]: _day(row) for row in summed.order_by()}


def _day(row: Mapping[str, Any]) -> Day:
    columns = {name: row[f"sum_{name}"] for name in (*BOUNDS, LONGER)}
    return Day(row["sum_calls"], row["sum_failures"], row["sum_milliseconds"], columns)


def last_checks() -> dict[str, list[ContractCheck]]:
    """Return the last contract checks by the database's key, live ones first."""
    found: dict[str, list[ContractCheck]] = {}
    for check in ContractCheck.objects.order_by("platform_key", "kind"):
        found.setdefault(check.platform_key, []).append(check)
    return found


@dataclass(frozen=True)
class ServerView:
    """A tool server as its process last said, and whether that process is still heard of."""

    state: ServerState
    is_silent: bool


def server_states() -> list[ServerView]:
    """Return the tool servers of all processes."""
    oldest = timezone.now() - SILENT_AFTER
    return [ServerView(state, state.seen_at < oldest) for state in ServerState.objects.all()]


def switches() -> dict[str, PlatformSwitch]:
    """Return all switches by the database's key."""
    return {switch.platform_key: switch for switch in PlatformSwitch.objects.select_related("changed_by")}


def alarms() -> list[Alarm]:
    """Return the alarms that nobody has dealt with, the latest first."""
    return list(Alarm.objects.all())
