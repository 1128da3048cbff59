"""Answer the server's lifespan messages, and begin to drain at the signal, not after the connections closed.

Uvicorn sends `lifespan.shutdown` only when the open streams have ended, and they end only when the turns do.
So its signal handler is wrapped: draining starts first, then uvicorn goes on as usual. Daphne knows no
lifespan; `burp_site.server` does the same there.
"""

import asyncio
import signal
from types import FrameType
from typing import Any

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable

from chat import lifecycle

SIGNALS = (signal.SIGTERM, signal.SIGINT)
_tasks: set[asyncio.Task[None]] = set()


async def lifespan(receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Start with the server and end with it."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            drain_at_signal()
            await lifecycle.start()
            await send({"type": "lifespan.startup.complete"})
        else:
            await lifecycle.drain()
            await send({"type": "lifespan.shutdown.complete"})
            return


def drain_at_signal() -> None:
    """Wrap the handlers that the server installed."""
    loop = asyncio.get_running_loop()

    def begin() -> None:
        task = loop.create_task(lifecycle.drain())
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)

    for number in SIGNALS:
        handler: Any = signal.getsignal(number)
        if callable(handler):
            signal.signal(number, _first(begin, handler, loop))


def _first(begin: Any, handler: Any, loop: asyncio.AbstractEventLoop) -> Any:
    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(begin)
        handler(number, frame)

    return handle
