"""The hold of this process on a running turn: renewed while the turn runs, looked at before each write.

A process that slept (a suspended machine, a stopped container) may wake up when others have long closed its turn,
and a new one runs. It must then write nothing more.
"""

from datetime import datetime
from uuid import UUID

from django.utils import timezone

from chat import services
from chat.database import in_database
from chat.models import Turn


class LeaseLost(Exception):
    """Others have closed the turn meanwhile."""


class Lease:
    """The lease of one turn."""

    def __init__(self, turn: Turn) -> None:
        self.turn_id: UUID = turn.pk
        self._until: datetime = turn.lease_until

    async def renew(self) -> bool:
        """Hold the turn for longer; return whether somebody asked it to stop. Raises `LeaseLost`."""
        renewed = await in_database(services.turn_renew)(turn_id=self.turn_id)
        if renewed is None:
            raise LeaseLost(f"turn {self.turn_id} was closed by others")
        self._until = renewed.lease_until
        return renewed.is_stop_requested

    async def ensure(self) -> None:
        """Return if this process may write for the turn. Raises `LeaseLost`.

        Costs nothing while the lease runs; one that ran out is renewed, unless somebody was faster.
        """
        if timezone.now() >= self._until:
            await self.renew()
