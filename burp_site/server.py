"""Run daphne so that it drains before it ends.

Daphne by itself cancels whatever is open as soon as it is told to stop, and sends no lifespan.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from daphne.server import Server  # installs the asyncio reactor, which the imports below must find
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from chat import lifecycle

# After the last event was sent a stream needs a moment to close by itself.
CLOSE_S = 0.5
WEBSOCKET_FOR_EVER_S = -1


class DrainingServer(Server):  # type: ignore[misc]
    """Daphne that ends its turns first and its connections second."""

    def kill_all_applications(self) -> Deferred[None]:
        """Drain, let the streams close, cancel the rest. The reactor waits for it before it stops."""
        return Deferred.fromFuture(asyncio.ensure_future(self._end()))

    async def _end(self) -> None:
        await lifecycle.drain()
        running = [details.get("application_instance") for details in self.connections.values()]
        tasks = [task for task in running if task and not task.done()]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=CLOSE_S)
        for task in late:
            task.cancel()
        await asyncio.wait(tasks, timeout=CLOSE_S)


def run(application: Any, *, host: str, port: int, on_ready: Callable[[int], None]) -> bool:
    """Serve until a signal comes, calling `on_ready` with the port. Return whether it could listen at all."""
    address = host.strip("[]").replace(":", r"\:")
    server = DrainingServer(
        application,
        endpoints=[f"tcp:port={port}:interface={address}"],
        websocket_timeout=WEBSOCKET_FOR_EVER_S,
        server_name="burp",
    )

    def started() -> None:
        asyncio.ensure_future(lifecycle.start())
        on_ready(server.listening_addresses[0][1])

    def begin() -> None:
        # Twisted listens without waiting: if it could, it does by now.
        if server.listening_addresses:
            reactor.callLater(0, started)  # type: ignore[arg-type]

    reactor.callWhenRunning(begin)
    server.run()
    return bool(server.listening_addresses)
