"""Try one tool out: checked, called and made small by the very code that answers a model, without a model.

Nothing is kept: no session, no transcript, no artifact.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings

from artifacts import pipeline
from artifacts.config import ArtifactLimits
from chat.adapters import ServerGateway
from chat.dispatch import Dispatcher, ToolFacts
from chat.events import ToolEnd
from chat.ports import Progress, RawToolResult, Shrunk, SystemAnswer
from chat.providers.base import ToolCall
from chat.results import Done
from tools_catalog.catalog import CatalogTool
from tools_catalog.mcp_process import McpProcess
from tools_catalog.switches import get_switches
from tools_catalog.timings import get_timings

Json = Any
RAW_MAX_CHARACTERS = 400_000
NOT_KEPT = "not-kept"
TRIAL_ID = "trial"


@dataclass(frozen=True)
class Trial:
    """What came of it: the text that a model would read, the server's own result, and the loop's event."""

    text: str
    raw: str
    end: ToolEnd
    seconds: float
    raw_left_out: int = 0


class _Gateway:
    """The way to the server, which remembers what came back."""

    def __init__(self, gateway: ServerGateway) -> None:
        self._gateway = gateway
        self.result: RawToolResult | None = None

    async def call(
        self, name: str, arguments: dict[str, Json], *, timeout_s: float, on_progress: Progress
    ) -> RawToolResult:
        self.result = await self._gateway.call(name, arguments, timeout_s=timeout_s, on_progress=on_progress)
        return self.result


class _Shrinker:
    """The pipeline, which stores nothing."""

    def __init__(self, limits: ArtifactLimits) -> None:
        self._limits = limits

    async def shrink(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        reduced = await sync_to_async(pipeline.reduce, thread_sensitive=False)(
            data, noise=noise, limits=self._limits, store=lambda content: NOT_KEPT
        )
        return Shrunk(
            how=reduced.how,
            text=reduced.text,
            bytes_before=reduced.bytes_before,
            bytes_after=reduced.bytes_after,
            artifact_id=reduced.artifact_id,
            warning=reduced.warning,
        )

    async def store(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        return await _Shrinker(replace(self._limits, inline_max_tokens=0)).shrink(data, tool=tool, noise=noise)


class _NoOwnTools:
    """BURP's own tools belong to sessions."""

    def __contains__(self, name: str) -> bool:
        return False

    async def call(self, name: str, arguments: dict[str, Json]) -> SystemAnswer:
        raise LookupError(name)


async def tried(process: McpProcess, tool: CatalogTool, arguments: Mapping[str, Json]) -> Trial:
    """Call a tool as the loop does; a failure is a result like any other."""
    chat = settings.BURP.chat
    row = chat.model(chat.default_model)
    gateway = _Gateway(ServerGateway(process, switches=get_switches(), timings=get_timings()))
    facts = ToolFacts(
        tool.title,
        tool.platform,
        tool.noise,
        schema=tool.input_schema,
        example=tool.example,
        normalised=tool.normalised,
    )
    dispatcher = Dispatcher(
        gateway=gateway,
        system_tools=_NoOwnTools(),
        shrinker=_Shrinker(replace(settings.BURP.artifacts, inline_max_tokens=row.inline_max_tokens)),
        tools={tool.name: facts},
        timeout_s=chat.turns.tool_timeout_s,
        max_parallel=1,
    )
    finished: dict[str, Done] = {}
    began = time.monotonic()
    await dispatcher.run([ToolCall(TRIAL_ID, tool.name, dict(arguments))], 1, lambda event: None, finished)
    seconds = time.monotonic() - began
    await get_timings().store()
    done = finished[TRIAL_ID]
    assert isinstance(done.event, ToolEnd)
    raw = await asyncio.to_thread(_raw_text, gateway.result)
    left_out = max(0, len(raw) - RAW_MAX_CHARACTERS)
    return Trial(done.result.text, raw[:RAW_MAX_CHARACTERS], done.event, seconds, left_out)


def _raw_text(result: RawToolResult | None) -> str:
    """Return what the server sent, for people; empty if it was not asked or did not answer."""
    if result is None:
        return ""
    envelope = dict(result.envelope)
    if isinstance(envelope.get("data"), bytes):
        envelope["data"] = json.loads(envelope["data"])
    return json.dumps({**envelope, "_meta": result.meta}, ensure_ascii=False, indent=2)
