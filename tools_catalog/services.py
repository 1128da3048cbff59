"""Writes of the catalogue's tables: each one short and atomic."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from tools_catalog.models import Alarm, PlatformSwitch, ServerState

FORGOTTEN_AFTER = timedelta(hours=1)


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
def server_states_store(*, process: str, states: Sequence[ServerReport]) -> None:
    """Replace what a process had said of its tool servers; forget processes that went silent long ago."""
    now = timezone.now()
    ServerState.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()
    ServerState.objects.filter(process=process).exclude(upstreams__in=[one.upstreams for one in states]).delete()
    for one in states:
        ServerState.objects.update_or_create(
            process=process, upstreams=one.upstreams, defaults=asdict(one) | {"seen_at": now}
        )
