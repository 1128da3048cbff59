"""Writes of the catalogue's tables: each one short and atomic."""

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from tools_catalog.models import Alarm


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
