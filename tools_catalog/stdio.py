"""The pipe to a tool server: starts the child process, carries messages, notices its end, and ends it.

Takes the place of the SDK's own stdio transport, which loses an answer that follows junk on one line, joins
long lines in quadratic time, passes the caller's environment on, and does not tell when the child is gone.
Enter and leave it in one task.
"""

import asyncio
import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from tools_catalog.framing import LINE_MAX_BYTES, LineSplitter, read_message, shown

log = logging.getLogger(__name__)

CHUNK_BYTES = 64 * 1024
# Time to send what was accepted before stdin closes.
FLUSH_S = 0.5
# Time to end by itself after stdin closed, then after SIGTERM; an unkillable process runs out the last one.
EXIT_S = 2.0
TERM_S = 2.0
KILL_S = 2.0
STDERR_LINE_BYTES = 2_000
STDERR_KEPT_LINES = 20
Received = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Received], MemoryObjectSendStream[SessionMessage]]


class ChildPipe:
    """One child process and the streams to and from it. `on_closed` is called once, when it can't answer any more."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path | None,
        label: str,
        on_closed: Callable[[], None],
        line_max_bytes: int = LINE_MAX_BYTES,
    ) -> None:
        self._command = list(command)
        self._env = dict(env)
        self._cwd = cwd
        self._label = label
        self._on_closed = on_closed
        self._line_max_bytes = line_max_bytes
        self._closed = False
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._session_ends: list[MemoryObjectReceiveStream[Received] | MemoryObjectSendStream[SessionMessage]] = []
        self.stderr_tail: deque[str] = deque(maxlen=STDERR_KEPT_LINES)

    @property
    def pid(self) -> int | None:
        """The child's process id, once it was started."""
        return self._process.pid if self._process else None

    @property
    def exit_code(self) -> int | None:
        """How the child ended; None while it runs."""
        return self._process.returncode if self._process else None

    async def __aenter__(self) -> Streams:
        """Start the child without a shell, in its own process group."""
        self._process = process = await asyncio.create_subprocess_exec(
            *self._command,
            env=self._env,
            cwd=self._cwd,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        to_session, from_child = anyio.create_memory_object_stream[Received](0)
        to_child, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        self._session_ends = [from_child, to_child]
        assert process.stdin and process.stdout and process.stderr
        self._tasks = [
            asyncio.create_task(self._read(process.stdout, to_session), name=f"{self._label} stdout"),
            asyncio.create_task(self._write(from_session, process.stdin), name=f"{self._label} stdin"),
            asyncio.create_task(self._read_stderr(process.stderr), name=f"{self._label} stderr"),
        ]
        return from_child, to_child

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the child within a bound, whatever it does, also when the caller is cancelled."""
        with anyio.CancelScope(shield=True):
            for end in self._session_ends:
                end.close()
            await self._stop()
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks)
        self._mark_closed()

    def kill(self) -> None:
        """Kill the child and its whole process group at once."""
        self._signal(signal.SIGKILL)

    async def _read(self, stdout: asyncio.StreamReader, to_session: MemoryObjectSendStream[Received]) -> None:
        splitter = LineSplitter(self._line_max_bytes)
        listening = True
        try:
            while chunk := await stdout.read(CHUNK_BYTES):
                # What comes after the session is gone is still read: a child that can't write can't end.
                for line in splitter.feed(chunk) if listening else ():
                    message = read_message(line, self._label)
                    if message is not None:
                        try:
                            await to_session.send(SessionMessage(message))
                        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                            listening = False
        finally:
            self._mark_closed()
            to_session.close()

    async def _write(
        self, from_session: MemoryObjectReceiveStream[SessionMessage], stdin: asyncio.StreamWriter
    ) -> None:
        try:
            async with from_session:
                async for item in from_session:
                    text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                    stdin.write(text.encode() + b"\n")
                    await stdin.drain()
        except (OSError, ValueError) as problem:
            log.warning("%s can't be written to (%s); ending it", self._label, problem)
            self.kill()

    async def _read_stderr(self, stderr: asyncio.StreamReader) -> None:
        splitter = LineSplitter(STDERR_LINE_BYTES)
        while chunk := await stderr.read(CHUNK_BYTES):
            for line in splitter.feed(chunk):
                self._note(line.head)
        for line in splitter.flush():
            self._note(line.head)

    def _note(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip()
        if text:
            self.stderr_tail.append(text)
            log.info("%s: %s", self._label, text)

    def _mark_closed(self) -> None:
        if not self._closed:
            self._closed = True
            self._on_closed()

    async def _stop(self) -> None:
        process = self._process
        assert process is not None and process.stdin is not None
        await asyncio.wait(self._tasks[1:2], timeout=FLUSH_S)
        process.stdin.close()
        with suppress(OSError):
            await process.stdin.wait_closed()
        if not await self._exited(EXIT_S):
            self._signal(signal.SIGTERM)
            if not await self._exited(TERM_S):
                self._signal(signal.SIGKILL)
                if not await self._exited(KILL_S):
                    log.error("%s (pid %d) can't be killed; leaving it behind", self._label, process.pid)
        # Whatever the child itself had started goes with it, and lets go of the pipes.
        self._signal(signal.SIGKILL)
        await asyncio.wait(self._tasks, timeout=KILL_S)

    async def _exited(self, timeout_s: float) -> bool:
        assert self._process is not None
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._process.wait()
        return self._process.returncode is not None

    def _signal(self, number: signal.Signals) -> None:
        # The group's number stays taken as long as one of its members lives, so it can't be somebody else's.
        with suppress(ProcessLookupError, PermissionError):
            if self._process is not None:
                os.killpg(self._process.pid, number)


def failure_text(pipe: ChildPipe, error: BaseException) -> str:
    """Say why a child could not be used: the error, its exit code, the last line that it wrote to stderr."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if pipe.exit_code is not None:
        text += f"; exit code {pipe.exit_code}"
    if pipe.stderr_tail:
        text += f"; last words: {shown(pipe.stderr_tail[-1].encode())}"
    return text
