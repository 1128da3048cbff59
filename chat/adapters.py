"""The loop's ports, filled in: tool server, large-output pipeline, search."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import DatabaseError

from artifacts import inspect as artifact_inspect
from artifacts import pipeline, store
from artifacts.config import ArtifactLimits
from chat.ports import Progress, RawToolResult, Shrunk, ToolFailed
from chat.system_tools import CatalogSearch, FoundTool, FoundTools
from mcp_server.codes import ResultOutcome, ToolCode
from tools_catalog.calls import ToolCallError, ToolResultTooLarge, ToolServerDown, ToolTimeout
from tools_catalog.catalog import Catalog
from tools_catalog.mcp_process import McpProcess
from tools_catalog.search import ToolSearch
from tools_catalog.switches import Switches, switched_on
from tools_catalog.timings import Timings, is_fault

Json = Any


class ServerGateway:
    """Calls tools in the MCP child process, for one session or for none."""

    def __init__(
        self,
        process: McpProcess,
        *,
        session_id: UUID | None = None,
        switches: Switches | None = None,
        timings: Timings | None = None,
    ) -> None:
        """`switches` tells before each call which databases are switched off by now; `timings` counts the calls."""
        self._process = process
        self._session_id = session_id
        self._switches = switches
        self._timings = timings

    async def call(
        self, name: str, arguments: dict[str, Json], *, timeout_s: float, on_progress: Progress
    ) -> RawToolResult:
        """Call a tool; a death or a time-out becomes `ToolFailed`."""
        began = time.monotonic()
        try:
            result = await self._asked(name, arguments, timeout_s, on_progress)
        except ToolFailed as failed:
            self._note(name, began, is_fault(ResultOutcome.FAILED, failed.code))
            raise
        code = str((result.envelope.get("error") or {}).get("code", ""))
        self._note(name, began, is_fault(str(result.envelope["outcome"]), code))
        return result

    def _note(self, name: str, began: float, failed: bool) -> None:
        if self._timings is not None:
            self._timings.note(name, time.monotonic() - began, failed=failed)

    async def _asked(
        self, name: str, arguments: dict[str, Json], timeout_s: float, on_progress: Progress
    ) -> RawToolResult:
        try:
            result = await self._process.call(
                name,
                arguments,
                timeout_s=timeout_s,
                on_progress=on_progress,
                conversation=str(self._session_id or ""),
                platforms_off=await self._switches.off() if self._switches is not None else None,
                unread=True,
            )
        except ToolServerDown as error:
            raise ToolFailed(ToolCode.TOOL_SERVER_DOWN, str(error)) from error
        except ToolTimeout as error:
            raise ToolFailed(ToolCode.TOOL_TIMEOUT, str(error)) from error
        except ToolResultTooLarge as error:
            raise ToolFailed(ToolCode.TOOL_RESULT_TOO_LARGE, str(error)) from error
        except ToolCallError as error:
            raise ToolFailed(ToolCode.INTERNAL, str(error)) from error
        return RawToolResult(result.envelope, result.meta, result.bytes)


class SessionShrinker:
    """The large-output pipeline, with artifacts that belong to one session."""

    def __init__(self, *, session_id: UUID, owner_id: int, limits: ArtifactLimits) -> None:
        self._session_id = session_id
        self._owner_id = owner_id
        self._limits = limits

    async def shrink(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        """Reduce or store what is too large; heavy work runs in a thread."""
        return await self._reduced(data, tool, noise, self._limits)

    async def store(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        """Store data whatever its size."""
        return await self._reduced(data, tool, noise, replace(self._limits, inline_max_tokens=0))

    async def _reduced(self, data: Json, tool: str, noise: str | None, limits: ArtifactLimits) -> Shrunk:
        def store_content(content: bytes) -> str:
            try:
                artifact_id = store.artifact_save(
                    content=content, session_id=self._session_id, owner_id=self._owner_id, tool=tool
                )
            except DatabaseError as problem:
                # A busy database costs the artifact, not the turn: the pipeline knows no database.
                raise OSError(f"the database failed: {problem}") from problem
            return str(artifact_id)

        reduced = await sync_to_async(pipeline.reduce, thread_sensitive=False)(
            data, noise=noise, limits=limits, store=store_content
        )
        return Shrunk(
            how=reduced.how,
            text=reduced.text,
            bytes_before=reduced.bytes_before,
            bytes_after=reduced.bytes_after,
            artifact_id=reduced.artifact_id,
            warning=reduced.warning,
        )


def catalog_search(search: ToolSearch, catalog: Catalog) -> CatalogSearch:
    """Return the search in the form that BURP's own tools use, over what is switched on of the searched catalogue."""

    async def find(query: str, limit: int) -> FoundTools:
        found = await search.find(query, limit + sum(off.tools for off in catalog.off))
        hits, missed = switched_on(found.hits, catalog, limit)
        tools = [FoundTool(hit.name, catalog.by_name[hit.name].description, hit.why) for hit in hits]
        return FoundTools(tools, "; ".join(filter(None, [*map(str, missed), found.notice])))

    return find


def session_inspect(*, session_id: UUID, owner_id: int, limits: ArtifactLimits) -> Any:
    """Return the function that runs jq filters on an artifact of this session."""

    async def inspect(artifact_id: str, filters: Sequence[str]) -> str:
        return await sync_to_async(artifact_inspect.inspect, thread_sensitive=False)(
            artifact_id, filters, session_id=session_id, owner_id=owner_id, limits=limits
        )

    return inspect
