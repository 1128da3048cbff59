"""How much of the storage one person may take: the oldest results of other sessions make room for new ones."""

from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Sum

from artifacts.errors import QuotaExceeded
from artifacts.models import Artifact


class Room:
    """The storage of one person, seen from the session that wants to store something. A quota of 0 is no limit."""

    def __init__(self, owner_id: int, session_id: UUID, quota_bytes: int) -> None:
        self._own = Artifact.objects.filter(owner_id=owner_id)
        self._owner_id = owner_id
        self._session_id = session_id
        self._quota_bytes = quota_bytes

    def to_clear(self, needed: int) -> list[UUID]:
        """Return the artifacts that must go before so many bytes fit, the oldest first; none of this session."""
        excess = self._excess(needed)
        if excess <= 0:
            return []
        others = self._own.exclude(session_id=self._session_id).order_by("created_at")
        going: list[UUID] = []
        for pk, size in others.values_list("pk", "content__stored_bytes").iterator():
            if excess <= 0:
                break
            going.append(pk)
            excess -= size
        # What would not be enough is not deleted either.
        return going if excess <= 0 else []

    def check(self, needed: int) -> None:
        """Raise `QuotaExceeded` if so many bytes don't fit. Until the transaction ends, nobody else stores for them."""
        # Not against readers of the row: whoever points a foreign key at a user must not wait.
        get_user_model().objects.select_for_update(no_key=True).filter(pk=self._owner_id).first()
        if self._excess(needed) > 0:
            raise QuotaExceeded(
                f"your stored results would take more than the {self._quota_bytes:,} bytes that one person may store; "
                "delete sessions that you no longer need"
            )

    def _excess(self, needed: int) -> int:
        if not self._quota_bytes or not needed:
            return 0
        used = self._own.aggregate(used=Sum("content__stored_bytes"))["used"] or 0
        return int(used + needed - self._quota_bytes)
