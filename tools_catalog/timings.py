"""How the calls of this process went, counted by tool and hour until somebody stores them: numbers, no arguments."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from asgiref.sync import sync_to_async
from django.db import DatabaseError

from mcp_server.codes import ResultOutcome, ToolCode
from tools_catalog.call_counts import CallCount
from tools_catalog.services import tool_calls_book

log = logging.getLogger(__name__)

# What the caller did wrong, or an operator wanted, is no fault of the tool; nor is what the snapshot lacks.
NO_FAULT = frozenset(
    {
        ToolCode.TOOL_UNKNOWN,
        ToolCode.TOOL_INVALID_ARGUMENTS,
        ToolCode.TOOL_CANCELLED,
        ToolCode.PLATFORM_OFF,
        ToolCode.NOT_IN_SNAPSHOT,
    }
)


def is_fault(outcome: str, code: str) -> bool:
    """Whether a call counts as one that the tool or its database failed."""
    return outcome == ResultOutcome.FAILED and code not in NO_FAULT


@dataclass
class Timings:
    """Counts since the last `store`."""

    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _counts: dict[tuple[str, datetime], CallCount] = field(default_factory=dict)

    def note(self, tool: str, seconds: float, *, failed: bool) -> None:
        """Count a call."""
        hour = self.clock().replace(minute=0, second=0, microsecond=0)
        self._counts.setdefault((tool, hour), CallCount(tool, hour)).add(seconds, failed=failed)

    async def store(self) -> None:
        """Add what was counted to the stored hours. What can't be stored is lost: nothing waits for it."""
        counts, self._counts = [*self._counts.values()], {}
        if not counts:
            return
        try:
            await sync_to_async(tool_calls_book)(counts)
        except DatabaseError:
            log.warning("the timings of %d tools could not be stored", len(counts), exc_info=True)


_timings = Timings()


def get_timings() -> Timings:
    """Return the counts of this process."""
    return _timings
