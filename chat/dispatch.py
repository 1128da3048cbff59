"""Run the tool calls of one model message: concurrently, each within its time, results in the calls' order.

A call goes out only if its arguments are whole and fit the tool's schema. One that says the same as
an earlier call of the turn is answered from that call's result.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chat.arguments import ArgumentCheck, as_error
from chat.events import Event, ToolProgress, ToolStart
from chat.ports import RawToolResult, Shrinker, Shrunk, SystemTools, ToolFailed, ToolGateway
from chat.providers.base import ToolCall
from chat.results import Done, cancelled, compact, done, refused, repeated
from chat.step_size import fit_step
from mcp_server.codes import ToolCode
from mcp_server.renamed import no_such_tool

__all__ = ["Dispatcher", "Done", "ToolFacts", "cancelled"]

Json = Any
Emit = Callable[[Event], None]
log = logging.getLogger(__name__)
ANY_ARGUMENTS: Mapping[str, Json] = {"type": "object"}
STEP_MAX_TOKENS = 24_000


@dataclass(frozen=True)
class ToolFacts:
    """What the dispatcher must know of a tool: who it asks, its title, its noise policy, its arguments.

    `off` says why it must not be called at present.
    """

    title: str
    platform: str
    noise: str | None = None
    schema: Mapping[str, Json] = field(default_factory=lambda: ANY_ARGUMENTS)
    example: Mapping[str, Json] = field(default_factory=dict)
    normalised: tuple[str, ...] = ()
    off: str = ""

    @cached_property
    def check(self) -> ArgumentCheck:
        """The check of the tool's arguments."""
        return ArgumentCheck(self.schema, self.example, frozenset(self.normalised))


@dataclass
class _Asked:
    """A call of this turn; `done` once it has ended."""

    ended: asyncio.Event = field(default_factory=asyncio.Event)
    done: Done | None = None


class Dispatcher:
    """Runs the calls of one turn against the tool server and BURP's own tools."""

    def __init__(
        self,
        *,
        gateway: ToolGateway,
        system_tools: SystemTools,
        shrinker: Shrinker,
        tools: Mapping[str, ToolFacts],
        timeout_s: float,
        max_parallel: int,
        step_max_tokens: int = STEP_MAX_TOKENS,
    ) -> None:
        self._gateway = gateway
        self._system_tools = system_tools
        self._shrinker = shrinker
        self._tools = tools
        self._timeout_s = timeout_s
        self._max_parallel = max_parallel
        self._step_max_tokens = step_max_tokens
        self._asked: dict[str, _Asked] = {}

    async def run(self, calls: Sequence[ToolCall], step: int, emit: Emit, finished: dict[str, Done]) -> None:
        """Run all calls; each one that ends is put into `finished` under its id.

        A caller that cancels this finds there what was done by then.
        """
        slots = asyncio.Semaphore(self._max_parallel)

        async def one(call: ToolCall) -> None:
            key = _same(call)
            earlier = self._asked.get(key)
            asked = self._asked.setdefault(key, _Asked())
            if earlier is not None and earlier.done is None:
                # Its twin in this message is on the way: waiting for it takes no slot.
                await earlier.ended.wait()
            async with slots:
                emit(self.start_event(call, step))
                if earlier is not None and earlier.done is not None:
                    finished[call.id] = repeated(call, step, earlier.done)
                else:
                    finished[call.id] = asked.done = await self._run_one(call, step, emit)
                    asked.ended.set()
                emit(finished[call.id].event)

        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(one(call))
        for key in map(_same, calls):
            asked = self._asked.get(key)
            if asked is not None and asked.done is not None and not asked.done.event.ok:
                # What failed may be tried again in a later step.
                del self._asked[key]

    async def fit(self, finished: dict[str, Done]) -> list[Event]:
        """Exchange the largest results of a step for their artifacts until all of them fit; return what to tell."""
        exchanged = await fit_step([*finished.values()], max_tokens=self._step_max_tokens, store=self._stored)
        if not exchanged:
            return []
        for asked in self._asked.values():
            if asked.done is not None and asked.done.event.call_id in exchanged:
                asked.done = exchanged[asked.done.event.call_id][0]
        finished |= {call_id: smaller for call_id, (smaller, _) in exchanged.items()}
        return [event for _, event in exchanged.values()]

    async def keep(self, data: Json, tool: str) -> str:
        """Store what a tool brought, whole; return the artifact's id."""
        return (await self._stored(data, tool)).artifact_id

    async def _stored(self, data: Json, tool: str) -> Shrunk:
        noise = self._tools[tool].noise if tool in self._tools else None
        return await self._shrinker.store(data, tool=tool, noise=noise)

    def start_event(self, call: ToolCall, step: int) -> ToolStart:
        """Return the event that announces a call."""
        facts = self._tools.get(call.name, ToolFacts(call.name, "BURP"))
        return ToolStart(
            step=step,
            call_id=call.id,
            tool=call.name,
            title=facts.title,
            platform=facts.platform,
            arguments=call.arguments,
        )

    async def _run_one(self, call: ToolCall, step: int, emit: Emit) -> Done:
        started = time.monotonic()
        references: tuple[str, ...] = ()
        try:
            async with asyncio.timeout(self._timeout_s):
                raw, references = await self._answered(call, emit)
        except ToolFailed as error:
            raw = refused(ToolCode(error.code), error.message)
        except TimeoutError:
            raw = refused(ToolCode.TOOL_TIMEOUT, f"no result within {self._timeout_s:g} s")
        except Exception as error:
            # One broken call must not take its siblings and the turn with it.
            log.exception("tool call %s failed", call.name)
            raw = refused(ToolCode.INTERNAL, f"{type(error).__name__}: {error}")
        shrunk = await self._shrunk(call, raw)
        return done(call, step, raw, shrunk, time.monotonic() - started, references)

    async def _answered(self, call: ToolCall, emit: Emit) -> tuple[RawToolResult, tuple[str, ...]]:
        """Return what a call brings, and the tools that it found."""
        if call.problem:
            return refused(ToolCode.TOOL_INVALID_ARGUMENTS, call.problem), ()
        is_own = call.name in self._system_tools
        facts = self._tools.get(call.name)
        if facts is None and not is_own:
            return refused(ToolCode.TOOL_UNKNOWN, no_such_tool(call.name, self._tools)), ()
        if facts is not None and facts.off:
            return refused(ToolCode.PLATFORM_OFF, facts.off), ()
        if facts is not None and (problems := facts.check.problems(call.arguments)):
            return refused(ToolCode.TOOL_INVALID_ARGUMENTS, **as_error(problems)), ()
        if is_own:
            answer = await self._system_tools.call(call.name, call.arguments)
            return RawToolResult(answer.envelope), answer.tool_references
        return await self._ask(call, emit), ()

    async def _ask(self, call: ToolCall, emit: Emit) -> RawToolResult:
        def on_progress(message: str) -> None:
            emit(ToolProgress(call_id=call.id, message=message))

        return await self._gateway.call(call.name, call.arguments, timeout_s=self._timeout_s, on_progress=on_progress)

    async def _shrunk(self, call: ToolCall, raw: RawToolResult) -> Shrunk:
        data = raw.envelope.get("data")
        noise = self._tools[call.name].noise if call.name in self._tools else None
        if data is None or call.name in self._system_tools:
            size = len(compact(raw.envelope).encode())
            return Shrunk("inline", compact(data), size, size)
        return await self._shrinker.shrink(data, tool=call.name, noise=noise)


def _same(call: ToolCall) -> str:
    """Return what is equal for calls that ask the same; a call that must not run is like no other."""
    if call.problem:
        return f"{call.id} {call.problem}"
    given = {name: value for name, value in call.arguments.items() if value is not None}
    return f"{call.name} {json.dumps(given, sort_keys=True)}"
