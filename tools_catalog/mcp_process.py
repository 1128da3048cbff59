"""The managed tool server: one child process that is started, watched, restarted and ended here.

One owner task enters and leaves the SDK's client; everybody else only calls. When the child dies, calls in
flight fail at once with `ToolServerDown` and are never repeated here; calls that come while it restarts wait
within their own budget. A child that hangs is killed: see `tools_catalog.pulse`.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost

from tools_catalog.calls import (
    OnProgress,
    RawToolResult,
    ToolCallError,
    ToolCallFailed,
    ToolResultTooLarge,
    ToolServerDown,
    ToolTimeout,
    call_request,
    check_arguments,
    finished,
    progress_callback,
    translated_errors,
)
from tools_catalog.catalog import RawTool
from tools_catalog.pulse import ANSWER_S, EVERY_S, Pulse
from tools_catalog.spool import prepare_spool
from tools_catalog.stdio import ChildPipe, failure_text

__all__ = [
    "McpProcess",
    "OnProgress",
    "ProcessState",
    "RawToolResult",
    "ToolCallError",
    "ToolCallFailed",
    "ToolResultTooLarge",
    "ToolServerDown",
    "ToolTimeout",
]

Json = Any
log = logging.getLogger(__name__)

START_S = 30.0
LIST_S = 30.0
# The longest regular end: flush, stdin, SIGTERM, SIGKILL.
STOP_S = 10.0
BACKOFF_FIRST_S = 0.2
BACKOFF_MAX_S = 30.0
# A child that lived this long was healthy: its death starts the backoff anew.
HEALTHY_S = 30.0
# So many failed starts in a row, and calls no longer wait for the next one.
FAILING_AFTER = 3
PAGES_MAX = 100


@dataclass(frozen=True)
class ProcessState:
    """What an operator wants to know. `word`: stopped, starting, ready, restarting or failing; `since` when (Unix)."""

    word: str = "stopped"
    generation: int = 0
    pid: int | None = None
    last_error: str = ""
    stderr: tuple[str, ...] = ()
    since: float = 0.0


@dataclass
class _Connection:
    """A child that is ready for calls, and when it became so."""

    client: Client
    pipe: ChildPipe
    pulse: Pulse
    since: float = field(default_factory=time.monotonic)


class McpProcess:
    """One tool server. All methods belong to the event loop that called `start`."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        spool_dir: Path | None = None,
        *,
        cwd: Path | None = None,
        label: str = "tool server",
        start_timeout_s: float = START_S,
        on_change: Callable[[], Awaitable[None]] | None = None,
        on_state: Callable[[], None] | None = None,
        pulse_every_s: float = EVERY_S,
        pulse_answer_s: float = ANSWER_S,
    ) -> None:
        """`on_change` is awaited when the tool list may have changed: a notice of the server, or a restart.

        `on_state` is called whenever the state is another one.
        """
        self._command = list(command)
        self._env = dict(env) | ({"BURP_SPOOL_DIR": str(spool_dir.resolve())} if spool_dir else {})
        self._spool_dir = spool_dir
        self._cwd = cwd
        self._label = label
        self._start_timeout_s = start_timeout_s
        self._on_change = on_change
        self._on_state = on_state
        self._pulse_s = (pulse_every_s, pulse_answer_s)
        self._connection: _Connection | None = None
        self._pipe: ChildPipe | None = None
        self._owner: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._lost = asyncio.Event()
        self._changed = asyncio.Event()
        self._settled = asyncio.Event()
        self._word = "stopped"
        self._generation = 0
        self._failures = 0
        self._last_error = ""
        self._since = time.time()

    @property
    def state(self) -> ProcessState:
        """What is going on."""
        pipe = self._pipe
        stderr = tuple(pipe.stderr_tail) if pipe else ()
        pid = pipe.pid if pipe and self._word == "ready" else None
        return ProcessState(self._word, self._generation, pid, self._last_error, stderr, self._since)

    @property
    def is_running(self) -> bool:
        """Whether a child is kept alive: it may be ready, or on its way to be."""
        return self._owner is not None and not self._owner.done() and not self._stopping.is_set()

    async def start(self) -> None:
        """Start the child and wait until it answers. Raises `ToolServerDown` when its first start fails."""
        if not self.is_running:
            self._stopping.clear()
            self._word, self._failures = "starting", 0
            self._owner = asyncio.create_task(self._own(), name=f"{self._label} owner")
        while self._word in ("starting", "restarting"):
            await self._settled.wait()
        if self._word != "ready":
            raise ToolServerDown(self._down_message())

    async def stop(self) -> None:
        """End the child and wait for it, within `STOP_S`."""
        self._stopping.set()
        owner = self._owner
        if owner is None:
            return
        if self._connection is None and self._pipe is not None:
            # Not yet of any use: nothing is lost by ending it at once.
            self._pipe.kill()
        await asyncio.wait([owner], timeout=STOP_S)
        if not owner.done():
            log.error("%s did not end in %.0f s; killing it", self._label, STOP_S)
            if self._pipe is not None:
                self._pipe.kill()
            owner.cancel()
            await asyncio.wait([owner], timeout=STOP_S)
        self._owner = None

    async def list_tools(self) -> list[RawTool]:
        """Return all tools, all pages. Raises `ToolCallError`."""
        deadline = time.monotonic() + LIST_S
        connection = await self._ready(deadline)
        tools: list[RawTool] = []
        cursor: str | None = None
        with translated_errors(f"listing the tools took over {LIST_S:g} s"):
            async with asyncio.timeout(deadline - time.monotonic()):
                for _ in range(PAGES_MAX):
                    page = await connection.client.list_tools(cursor=cursor)
                    tools += [_raw_tool(tool) for tool in page.tools]
                    cursor = page.next_cursor
                    if cursor is None:
                        return tools
        raise ToolCallFailed(f"{self._label} lists its tools on over {PAGES_MAX} pages")

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Json],
        *,
        timeout_s: float,
        on_progress: OnProgress | None = None,
        conversation: str = "",
        platforms_off: Mapping[str, str] | None = None,
        unread: bool = False,
    ) -> RawToolResult:
        """Call a tool. `on_progress` gets the server's messages while it works.

        With `unread`, the data of a large result comes as JSON in bytes.

        `conversation` keeps what a tool remembers between calls apart from that of other conversations.
        `platforms_off` are databases that must not be asked, by key, with the reason.
        `timeout_s` includes the wait for a restart. Raises `ToolCallError`; cancelling the caller's task
        cancels the call in the child as well.
        """
        deadline = time.monotonic() + timeout_s
        check_arguments(arguments)
        connection = await self._ready(deadline)
        # Not `call_tool`: that lists all tools again for each name it has not seen, to check declared outputs.
        request = call_request(name, arguments, conversation, platforms_off)
        try:
            with translated_errors(f"no result within {timeout_s:g} s"):
                result = await connection.client.session.send_request(
                    request,
                    types.CallToolResult,
                    request_read_timeout_seconds=max(0.001, deadline - time.monotonic()),
                    progress_callback=progress_callback(on_progress) if on_progress else None,
                )
        except ToolTimeout:
            connection.pulse.doubt()
            raise
        connection.pulse.beat()
        return await finished(result, self._spool_dir, unread=unread)

    # --- the owner task --------------------------------------------------------------------

    async def _own(self) -> None:
        """Keep one child alive until `stop`."""
        try:
            while not self._stopping.is_set():
                await self._live_once()
                if not self._stopping.is_set():
                    await self._back_off()
        finally:
            self._connection = None
            self._set_word("stopped")

    async def _live_once(self) -> None:
        """Start a child, serve until it is lost or no longer wanted, and see it ended."""
        self._lost.clear()
        self._pipe = pipe = ChildPipe(
            self._command, env=self._env, cwd=self._cwd, label=self._label, on_closed=self._on_closed
        )
        try:
            if self._spool_dir is not None:
                await asyncio.to_thread(prepare_spool, self._spool_dir)
            with anyio.fail_after(self._start_timeout_s) as limit:
                client = Client(pipe, cache=None, message_handler=self._on_message)
                async with client:
                    limit.deadline = float("inf")
                    lost_because = await self._serve(_Connection(client, pipe, Pulse(*self._pulse_s)))
        except TimeoutError:
            self._note_failure(failure_text(pipe, TimeoutError(f"no answer within {self._start_timeout_s:g} s")))
        except Exception as error:
            # Whatever went wrong with one child, the next one gets its chance.
            self._note_failure(failure_text(pipe, error))
        else:
            if not self._stopping.is_set():
                self._note_failure(lost_because or f"the process ended by itself, exit code {pipe.exit_code}")
        finally:
            self._connection = None

    async def _serve(self, connection: _Connection) -> str:
        """Let calls in until the child is lost or no longer wanted; return why it had to be killed, if it had to."""
        self._generation += 1
        self._connection = connection
        log.info("%s is ready, pid %s, generation %d", self._label, connection.pipe.pid, self._generation)
        self._set_word("ready")
        if self._generation > 1:
            self._changed.set()
        silent = asyncio.create_task(connection.pulse.lost(connection.client))
        waits: list[asyncio.Task[Any]] = [asyncio.create_task(event.wait()) for event in (self._stopping, self._lost)]
        followers = [
            asyncio.create_task(self._listen(connection.client)),
            asyncio.create_task(self._announce_changes()),
        ]
        try:
            await asyncio.wait([*waits, silent], return_when=asyncio.FIRST_COMPLETED)
            if self._lost.is_set() or self._stopping.is_set():
                return ""
            connection.pipe.kill()
            return silent.result()
        finally:
            self._connection = None
            if time.monotonic() - connection.since > HEALTHY_S:
                self._failures = 0
            for task in (*waits, silent, *followers):
                task.cancel()
            await asyncio.wait([*waits, silent, *followers])

    async def _listen(self, client: Client) -> None:
        """Follow the server's notices that its tool list changed."""
        # A server of an older version, or one that offers no such notices, is used without them.
        with suppress(ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
            async with client.listen(tools_list_changed=True) as subscription:
                async for _ in subscription:
                    self._changed.set()

    async def _announce_changes(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._on_change is not None:
                try:
                    await self._on_change()
                except Exception:
                    # The old list stays in use; the child is not to blame for it.
                    log.exception("%s: the new tool list could not be taken over", self._label)

    async def _back_off(self) -> None:
        """Wait before the next start, longer after each failure in a row."""
        wait_s = min(BACKOFF_MAX_S, BACKOFF_FIRST_S * 2 ** max(0, self._failures - 1))
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s * random.uniform(0.75, 1.0)):
                await self._stopping.wait()

    def _note_failure(self, text: str) -> None:
        if self._stopping.is_set():
            return
        self._failures += 1
        self._last_error = text
        log.warning("%s: %s (failure %d in a row)", self._label, text, self._failures)
        first_start_failed = self._generation == 0
        self._set_word("failing" if first_start_failed or self._failures >= FAILING_AFTER else "restarting")

    def _on_closed(self) -> None:
        """Take the connection away before anybody hears of the death, so that the next call waits for a new one."""
        self._connection = None
        if self._word == "ready":
            self._set_word("restarting")
        self._lost.set()

    async def _on_message(self, message: IncomingMessage) -> None:
        # Sessions of older protocol versions hear of changes only here.
        if isinstance(message, types.ToolListChangedNotification):
            self._changed.set()

    def _set_word(self, word: str) -> None:
        """Change the state and wake all who wait for that."""
        if word != self._word:
            self._word, self._since = word, time.time()
        if self._on_state is not None:
            self._on_state()
        self._settled.set()
        self._settled = asyncio.Event()

    # --- calls -----------------------------------------------------------------------------

    async def _ready(self, deadline: float) -> _Connection:
        """Return the connection, waiting for a restart until `deadline`."""
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                while self._connection is None:
                    if self._word in ("stopped", "failing"):
                        raise ToolServerDown(self._down_message())
                    await self._settled.wait()
                return self._connection
        except TimeoutError:
            raise ToolServerDown(self._down_message()) from None

    def _down_message(self) -> str:
        return f"{self._label} is {self._word}" + (f": {self._last_error}" if self._last_error else "")


def _raw_tool(tool: types.Tool) -> RawTool:
    return RawTool(tool.name, tool.title or "", tool.description or "", tool.input_schema, dict(tool.meta or {}))
