"""Writes of the catalogue's tables: each one short and atomic."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from tools_catalog.call_counts import CallCount
from tools_catalog.models import Alarm, ContractCheck, PlatformSwitch, ServerState, ToolHour, TrialHour

FORGOTTEN_AFTER = timedelta(hours=1)
HOURS_KEPT = timedelta(days=30)


@dataclass(frozen=True)
class ServerReport:
    """What a process says of one of its tool servers."""

    upstreams: str
    word: str
    generation: int
    pid: int | None
    tools: int
    last_error: str
    since: datetime


@transaction.atomic
def alarm_raise(*, code: str, subject: str, text: str) -> Alarm:
    """Store an alarm for operators, or count it again."""
    now = timezone.now()
    alarm, is_new = Alarm.objects.get_or_create(
        code=code, subject=subject, defaults={"text": text, "first_at": now, "last_at": now}
    )
    if not is_new:
        Alarm.objects.filter(pk=alarm.pk).update(text=text, count=F("count") + 1, last_at=now)
        alarm.refresh_from_db()
    return alarm


@transaction.atomic
def platform_switch(*, platform_key: str, is_off: bool, reason: str = "", by_id: int | None = None) -> PlatformSwitch:
    """Switch a database off or on, in all processes."""
    words = " ".join(reason.split())[: PlatformSwitch._meta.get_field("reason").max_length]
    switch, _ = PlatformSwitch.objects.update_or_create(
        platform_key=platform_key, defaults={"is_off": is_off, "reason": words, "changed_by_id": by_id}
    )
    return switch


@transaction.atomic
def tool_calls_book(counts: Sequence[CallCount]) -> None:
    """Add calls to the hours that they belong to; forget hours of long ago."""
    for one in counts:
        columns = {"calls": one.calls, "failures": one.failures, "milliseconds": one.milliseconds, **one.columns}
        row, _ = ToolHour.objects.get_or_create(tool=one.tool, hour=one.hour)
        ToolHour.objects.filter(pk=row.pk).update(**{name: F(name) + number for name, number in columns.items()})
    ToolHour.objects.filter(hour__lt=timezone.now() - HOURS_KEPT).delete()


@transaction.atomic
def contract_checks_store(*, kind: str, checked_at: datetime, platforms: Mapping[str, Mapping[str, int]]) -> None:
    """Keep the last check of each database that was checked."""
    for platform_key, verdicts in platforms.items():
        ContractCheck.objects.update_or_create(
            platform_key=platform_key, kind=kind, defaults={"checked_at": checked_at, "verdicts": dict(verdicts)}
        )


@transaction.atomic
def trial_begin(*, user_id: int, most: int) -> bool:
    """Count a trial of a tool; tell whether the person had one left in this hour."""
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    TrialHour.objects.filter(hour__lt=hour - timedelta(days=1)).delete()
    row, _ = TrialHour.objects.get_or_create(user_id=user_id, hour=hour)
    return bool(TrialHour.objects.filter(pk=row.pk, calls__lt=most).update(calls=F("calls") + 1))


@transaction.atomic
def server_states_store(*, process: str, states: Sequence[ServerReport]) -> None:
    """Replace what a process had said of its tool servers; forget processes that went silent long ago."""
    now = timezone.now()
    ServerState.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()
    ServerState.objects.filter(process=process).exclude(upstreams__in=[one.upstreams for one in states]).delete()
    for one in states:
        ServerState.objects.update_or_create(
            process=process, upstreams=one.upstreams, defaults=asdict(one) | {"seen_at": now}
        )
