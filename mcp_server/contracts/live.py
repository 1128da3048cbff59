"""Ask every tool's database once for what its example names and once for nonsense, and report what has changed.

The example's answer is compared with the one on record: fields that the tool reads and that are gone, fields
that are new. Rate limits hold as always; `pause_s` is added between calls.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_server.codes import ResultOutcome, ToolCode
from mcp_server.config import ServerConfig
from mcp_server.contracts.nonsense import nonsense_arguments
from mcp_server.contracts.reading import Reading, ReadingServer
from mcp_server.envelope import Envelope
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.server import make_transport
from mcp_server.tool import Platform, ToolSpec

Json = Any
PAUSE_S = 0.5
# The service could not be asked: that says nothing about its answers.
UNREACHABLE = frozenset({ToolCode.UPSTREAM_UNAVAILABLE, ToolCode.UPSTREAM_RATE_LIMITED, ToolCode.TOOL_TIMEOUT})
HONEST_REFUSALS = frozenset({ToolCode.UPSTREAM_NOT_FOUND, ToolCode.UPSTREAM_REFUSED, ToolCode.TOOL_INVALID_ARGUMENTS})


@dataclass(frozen=True)
class Call:
    """One call and what came of it."""

    arguments: Mapping[str, Json]
    outcome: str
    code: str = ""
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Drift:
    """What two calls say about one tool.

    `verdict`: `same`, `drift` (fields are gone, or nonsense was taken for a record), `failed` (the example no
    longer works), `unreachable`.
    """

    tool: str
    verdict: str
    good: Call
    nonsense: Call | None = None
    gone: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def check_live(
    platforms: Iterable[Platform],
    config: ServerConfig,
    *,
    folders: Iterable[Path] = (),
    only: Iterable[str] = (),
    pause_s: float = PAUSE_S,
) -> list[Drift]:
    """Check the tools (`only` these, where given) against the services themselves."""
    platforms = list(platforms)
    records = SnapshotTransport((PACKAGED, *folders))
    offline = ReadingServer(platforms, ServerConfig(upstreams="snapshot"), records)
    transport = make_transport(platforms, config)
    live = ReadingServer(platforms, config, transport)
    wanted = frozenset(only)
    found: list[Drift] = []
    try:
        for name, tool in live.tools.items():
            if wanted and name not in wanted and tool.platform.name not in wanted:
                continue
            if found:
                await asyncio.sleep(pause_s)
            known, baseline = await offline.read(name, tool.example, records)
            found.append(await _drift(live, tool, known, baseline, pause_s))
    finally:
        await transport.aclose()
    return found


async def _drift(live: ReadingServer, tool: ToolSpec, known: Envelope, baseline: Reading, pause_s: float) -> Drift:
    good, reading = await _called(live, tool, tool.example)
    nonsense = None
    if (arguments := nonsense_arguments(tool)) is not None:
        await asyncio.sleep(pause_s)
        nonsense, _ = await _called(live, tool, arguments)
    gone = sorted((baseline.asked & baseline.present) - reading.present) if reading.watched else []
    new = sorted(set(reading.new) - baseline.present) if baseline.watched else []
    verdict, notes = _judged(good, nonsense, known, gone)
    return Drift(tool.name, verdict, good, nonsense, tuple(gone), tuple(reading.missing), tuple(new), tuple(notes))


async def _called(live: ReadingServer, tool: ToolSpec, arguments: Mapping[str, Json]) -> tuple[Call, Reading]:
    started = time.monotonic()
    envelope, reading = await live.read(tool.name, arguments, live.transport)
    error = envelope.content.get("error", {})
    seconds = round(time.monotonic() - started, 2)
    outcome = envelope.content["outcome"]
    return Call(dict(arguments), outcome, error.get("code", ""), error.get("message", ""), seconds), reading


def _judged(good: Call, nonsense: Call | None, known: Envelope, gone: list[str]) -> tuple[str, list[str]]:
    if good.code in UNREACHABLE:
        return "unreachable", [good.message]
    recorded = known.content["outcome"]
    if good.outcome != ResultOutcome.DATA and (good.outcome != recorded or good.outcome == ResultOutcome.FAILED):
        return "failed", [f"the example became {good.outcome} {good.code}: {good.message}".strip(": ")]
    notes = [f"{len(gone)} field(s) that the tool reads are gone"] if gone else []
    if nonsense and nonsense.outcome == ResultOutcome.DATA:
        notes.append("nonsense was answered with data")
    elif nonsense and nonsense.outcome == ResultOutcome.FAILED and nonsense.code not in HONEST_REFUSALS | UNREACHABLE:
        notes.append(f"nonsense became {nonsense.code}: {nonsense.message}")
    return ("drift" if notes else "same"), notes
