"""The loop's ports, filled in: ledger, transcript, tool server, large-output pipeline."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async

from artifacts import inspect as artifact_inspect
from artifacts import pipeline, store
from artifacts.config import ArtifactLimits
from chat import services
from chat.lease import Lease
from chat.ports import Progress, RawToolResult, Shrunk, SpendRefused, ToolFailed
from chat.providers.base import AssistantEntry, Entry, TokenUsage
from chat.system_tools import FoundTool
from mcp_server.codes import ToolCode
from tools_catalog.calls import ToolCallError, ToolResultTooLarge, ToolServerDown, ToolTimeout
from tools_catalog.mcp_process import McpProcess
from tools_catalog.search import ToolSearch
from usage import budgets

Json = Any


class TurnLedger:
    """Books the model calls of one turn."""

    def __init__(
        self,
        *,
        user_id: int,
        session_id: UUID,
        turn_id: UUID,
        model_key: str,
        provider: str,
        effort: str = "",
        turn_limit_pico_usd: int | None = None,
        on_first_call: Callable[[TokenUsage], None] | None = None,
    ) -> None:
        self._on_first_call = on_first_call
        self._user_id = user_id
        self._session_id = session_id
        self._turn_id = turn_id
        self._model_key = model_key
        self._provider = provider
        self._effort = effort
        self._turn_limit_pico_usd = turn_limit_pico_usd

    async def reserve(self, step: int, worst_case: TokenUsage) -> str:
        """Reserve the worst case of a call."""
        try:
            reservation = await sync_to_async(budgets.budget_reserve)(
                user_id=self._user_id,
                session_id=self._session_id,
                turn_id=self._turn_id,
                step=step,
                model_key=self._model_key,
                worst_case=worst_case.as_dict(),
                turn_limit_pico_usd=self._turn_limit_pico_usd,
            )
        except budgets.BudgetExceeded as error:
            raise SpendRefused(error.outcome, str(error)) from error
        return str(reservation)

    async def settle(self, reservation: str, usage: TokenUsage, outcome: str, *, estimated: bool) -> int:
        """Book what was used; the booking is finished even if the turn is being torn down."""
        booking = sync_to_async(budgets.budget_settle)(
            reservation_id=UUID(reservation),
            tokens=usage.as_dict(),
            requests=dict(usage.tool_requests),
            provider=self._provider,
            effort=self._effort,
            outcome=outcome,
            estimated=estimated,
        )
        cost = await asyncio.shield(booking)
        if self._on_first_call is not None and not estimated:
            first, self._on_first_call = self._on_first_call, None
            await sync_to_async(first)(usage)
        return cost

    async def release(self, reservation: str) -> None:
        """Give back what was reserved for nothing."""
        await asyncio.shield(sync_to_async(budgets.budget_release)(reservation_id=UUID(reservation)))


class TurnTranscript:
    """Appends the entries of one turn."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._position = 0
        self._messages = 0

    async def append(self, entry: Entry) -> None:
        """Store one entry, even if the turn is being torn down. Raises `LeaseLost` if others have closed it."""
        await self._lease.ensure()
        self._position += 1
        self._messages += isinstance(entry, AssistantEntry)
        appending = sync_to_async(services.entry_append)(
            turn_id=self._lease.turn_id, position=self._position, entry=entry, step=self._messages
        )
        await asyncio.shield(appending)


class ServerGateway:
    """Calls tools in the MCP child process, for one session."""

    def __init__(self, process: McpProcess, *, session_id: UUID) -> None:
        self._process = process
        self._session_id = session_id

    async def call(
        self, name: str, arguments: dict[str, Json], *, timeout_s: float, on_progress: Progress
    ) -> RawToolResult:
        """Call a tool; a death or a time-out becomes `ToolFailed`."""
        try:
            result = await self._process.call(
                name,
                arguments,
                timeout_s=timeout_s,
                on_progress=on_progress,
                conversation=str(self._session_id),
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
            return str(
                store.artifact_save(content=content, session_id=self._session_id, owner_id=self._owner_id, tool=tool)
            )

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


def catalog_search(search: ToolSearch) -> Any:
    """Return the catalogue's search in the form that BURP's own tools use."""

    def find(query: str, limit: int) -> list[FoundTool]:
        hits = search.search(query, limit).hits
        tools = search.catalog.by_name
        return [FoundTool(hit.name, tools[hit.name].description, hit.why) for hit in hits]

    return find


def session_inspect(*, session_id: UUID, owner_id: int, limits: ArtifactLimits) -> Any:
    """Return the function that runs jq filters on an artifact of this session."""

    async def inspect(artifact_id: str, filters: Sequence[str]) -> str:
        return await sync_to_async(artifact_inspect.inspect, thread_sensitive=False)(
            artifact_id, filters, session_id=session_id, owner_id=owner_id, limits=limits
        )

    return inspect
