"""Standard input and output as pipes of the event loop, for the protocol alone.

The SDK reads and writes them in threads, three changes of thread a call. Pipes need none. As in the
SDK, the real descriptors are moved away first: what anything prints goes to stderr, and whoever reads
stdin finds it empty.
"""

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, cast

from mcp.server.stdio import stdio_server

LINE_MAX_BYTES = 64 * 1024 * 1024


class _Lines:
    """The lines of a pipe, as the SDK wants to read them."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._reader.readline():
            yield line.decode("utf-8", errors="replace")


class _Output:
    """A pipe that is written to, as the SDK wants to write it."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        self._writer.write(text.encode())

    async def flush(self) -> None:
        await self._writer.drain()


@asynccontextmanager
async def protocol_streams() -> AsyncIterator[tuple[Any, Any]]:
    """Give the protocol's two streams; files and terminals, which are no pipes, are left to the SDK."""
    if not (_is_pipe(0) and _is_pipe(1)):
        async with stdio_server() as streams:
            yield streams
        return
    lines, output = await _pipes()
    serving = cast(AbstractAsyncContextManager[tuple[Any, Any]], stdio_server(cast(Any, lines), cast(Any, output)))
    async with serving as streams:
        yield streams


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


async def _pipes() -> tuple[_Lines, _Output]:
    loop = asyncio.get_running_loop()
    private_in, private_out = os.dup(0), os.dup(1)
    reader = asyncio.StreamReader(limit=LINE_MAX_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(private_in, "rb", 0))
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop=loop), os.fdopen(private_out, "wb", 0)
    )
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return _Lines(reader), _Output(asyncio.StreamWriter(transport, protocol, None, loop))
