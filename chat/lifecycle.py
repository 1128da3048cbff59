"""What has to happen when this process starts to serve and when it is told to end.

Whoever owns something that must not be torn down in the middle registers here; the servers call
`start` and `drain`. Both servers reach `drain` before they close connections, so a running turn can
still tell its readers how it ended.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

Callback = Callable[[], Awaitable[None]]

# Whoever supervises the process waits 10 s before it kills. What is left is for streams to close.
DRAIN_S = 5.0
LEAST_S = 0.5

log = logging.getLogger(__name__)


class Lifecycle:
    """The callbacks of one process."""

    def __init__(self, *, drain_s: float = DRAIN_S) -> None:
        self._drain_s = drain_s
        self._at_start: list[Callback] = []
        self._at_shutdown: list[Callback] = []
        self._drain: asyncio.Task[None] | None = None

    def on_start(self, callback: Callback) -> Callback:
        """Call `callback` when the process begins to serve."""
        self._at_start.append(callback)
        return callback

    def on_shutdown(self, callback: Callback) -> Callback:
        """Call `callback` when the process is told to end: the last one registered comes first."""
        self._at_shutdown.append(callback)
        return callback

    def is_draining(self) -> bool:
        """Tell whether the process is ending: nothing new may begin."""
        return self._drain is not None

    async def start(self) -> None:
        """Run the start callbacks. One that fails is logged: what it should have started starts at first use."""
        for callback in self._at_start:
            await _run(callback, None)

    async def drain(self) -> None:
        """Run the shutdown callbacks once, within a bound; who calls again waits for the same run."""
        if self._drain is None:
            self._drain = asyncio.create_task(self._run_all(), name="drain")
        await asyncio.shield(self._drain)

    async def _run_all(self) -> None:
        """Give each callback its share of the time that is left, so that one that hangs costs no other its turn."""
        deadline = time.monotonic() + self._drain_s
        waiting = list(reversed(self._at_shutdown))
        while waiting:
            share_s = (deadline - time.monotonic()) / len(waiting)
            await _run(waiting.pop(0), max(LEAST_S, share_s))


async def _run(callback: Callback, within_s: float | None) -> None:
    name = getattr(callback, "__qualname__", repr(callback))
    try:
        async with asyncio.timeout(within_s):
            await callback()
    except TimeoutError:
        log.error("%s did not end within %.1f s", name, within_s or 0)
    except Exception:
        log.exception("%s failed", name)


_process = Lifecycle()
on_start = _process.on_start
on_shutdown = _process.on_shutdown
is_draining = _process.is_draining
start = _process.start
drain = _process.drain
