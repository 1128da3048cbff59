"""Run the tool calls of one model message: concurrently, within their time, results in the calls' order."""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chat.events import Event, ToolEnd, ToolProgress, ToolStart
from chat.ports import RawToolResult, Shrinker, Shrunk, SystemTools, ToolFailed, ToolGateway
from chat.providers.base import ToolCall, ToolResult
from mcp_server.codes import TOOL_SENTENCES, ResultOutcome, ToolCode
from mcp_server.renamed import no_such_tool

Json = Any
Emit = Callable[[Event], None]
log = logging.getLogger(__name__)
CITATIONS_SHOWN = 60


@dataclass(frozen=True)
class ToolFacts:
    """What the dispatcher must know of a tool: who it asks, its title, its noise policy."""

    title: str
    platform: str
    noise: str | None = None


@dataclass(frozen=True)
class Done:
    """A finished call: what the model reads, and the event that tells about it."""

    result: ToolResult
    event: ToolEnd


class Dispatcher:
    """Runs calls against the tool server and BURP's own tools."""

    def __init__(
        self,
        *,
        gateway: ToolGateway,
        system_tools: SystemTools,
        shrinker: Shrinker,
        tools: Mapping[str, ToolFacts],
        timeout_s: float,
        max_parallel: int,
    ) -> None:
        self._gateway = gateway
        self._system_tools = system_tools
        self._shrinker = shrinker
        self._tools = tools
        self._timeout_s = timeout_s
        self._max_parallel = max_parallel

    async def run(self, calls: Sequence[ToolCall], step: int, emit: Emit, finished: dict[str, Done]) -> None:
        """Run all calls; each one that ends is put into `finished` under its id.

        A caller that cancels this finds there what was done by then.
        """
        slots = asyncio.Semaphore(self._max_parallel)

        async def one(call: ToolCall) -> None:
            async with slots:
                emit(self.start_event(call, step))
                done = await self._run_one(call, step, emit)
                finished[call.id] = done
                emit(done.event)

        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(one(call))

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
            if call.problem:
                raw = _refused(ToolCode.TOOL_INVALID_ARGUMENTS, call.problem)
            elif call.name in self._system_tools:
                answer = await self._system_tools.call(call.name, call.arguments)
                raw, references = RawToolResult(answer.envelope), answer.tool_references
            elif call.name in self._tools:
                raw = await self._ask(call, emit)
            else:
                raw = _refused(ToolCode.TOOL_UNKNOWN, no_such_tool(call.name, self._tools))
        except ToolFailed as error:
            raw = _refused(ToolCode(error.code), error.message)
        except Exception as error:
            # One broken call must not take its siblings and the turn with it.
            log.exception("tool call %s failed", call.name)
            raw = _refused(ToolCode.INTERNAL, f"{type(error).__name__}: {error}")
        shrunk = await self._shrunk(call, raw)
        return _done(call, step, raw, shrunk, time.monotonic() - started, references)

    async def _ask(self, call: ToolCall, emit: Emit) -> RawToolResult:
        def on_progress(message: str) -> None:
            emit(ToolProgress(call_id=call.id, message=message))

        return await self._gateway.call(call.name, call.arguments, timeout_s=self._timeout_s, on_progress=on_progress)

    async def _shrunk(self, call: ToolCall, raw: RawToolResult) -> Shrunk:
        data = raw.envelope.get("data")
        noise = self._tools[call.name].noise if call.name in self._tools else None
        if data is None or call.name in self._system_tools:
            size = len(_compact(raw.envelope).encode())
            return Shrunk("inline", _compact(data), size, size)
        return await self._shrinker.shrink(data, tool=call.name, noise=noise)


def cancelled(call: ToolCall, step: int, by: str) -> Done:
    """Return the result of a call that was stopped before it ended."""
    raw = _refused(ToolCode.TOOL_CANCELLED, f"cancelled: {by}")
    return _done(call, step, raw, Shrunk("inline", "null", 0, 0), 0.0, ())


def _refused(code: ToolCode, message: str) -> RawToolResult:
    error = {"code": code.value, "message": message, "next_step": TOOL_SENTENCES[code]}
    return RawToolResult({"outcome": ResultOutcome.FAILED.value, "error": error})


def _done(
    call: ToolCall, step: int, raw: RawToolResult, shrunk: Shrunk, seconds: float, references: tuple[str, ...]
) -> Done:
    envelope, meta = raw.envelope, raw.meta
    failed = envelope["outcome"] == ResultOutcome.FAILED
    error = envelope.get("error") or {}
    fetched_at = str(meta.get("burp/fetched_at") or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    text = f"[fetched_at: {fetched_at}]\n{_model_text(envelope, shrunk)}"
    event = ToolEnd(
        step=step,
        call_id=call.id,
        tool=call.name,
        ok=not failed,
        outcome=str(envelope["outcome"]),
        seconds=round(seconds, 3),
        error_code=str(error.get("code", "")),
        message=str(error.get("message", "")),
        note=_note(envelope, shrunk),
        total=envelope.get("total"),
        returned=envelope.get("returned"),
        bytes_before=raw.bytes or shrunk.bytes_before,
        bytes_after=len(text.encode()),
        pipeline=shrunk.how,
        artifact_id=shrunk.artifact_id,
        fetched_at=fetched_at,
        citations=list(meta.get("burp/citations", []))[:CITATIONS_SHOWN],
        requests=list(meta.get("burp/requests", [])),
    )
    return Done(ToolResult(call.id, call.name, text, is_error=failed, tool_references=references), event)


def _note(envelope: Mapping[str, Json], shrunk: Shrunk) -> str:
    return " ".join(part for part in (envelope.get("note"), shrunk.warning) if part)


def _model_text(envelope: Mapping[str, Json], shrunk: Shrunk) -> str:
    """Return the compact JSON that the model reads, with the data as the pipeline left it."""
    rest = {name: value for name, value in envelope.items() if name != "data"}
    if shrunk.warning:
        rest["note"] = _note(envelope, shrunk)
    if envelope.get("data") is None:
        return _compact(rest)
    if shrunk.how == "stored":
        return _compact({**rest, "artifact_id": shrunk.artifact_id, "preview": shrunk.text})
    # The data is already JSON text: it is put in as it is, not parsed and written again.
    if shrunk.artifact_id:
        rest["artifact_id"] = shrunk.artifact_id
    opening = _compact(rest)[:-1]
    return f'{opening},"data":{shrunk.text}}}'


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
