"""The MCP side of the tool server: list tools, call one, and put its result, whole or as a file, on the wire."""

import asyncio
import os
import uuid
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Envelope, compact
from mcp_server.server import VERSION, ToolServer
from mcp_server.unified.tool import OUTCOME

Json = Any
CONVERSATION = "burp/conversation"
SPOOLED = "burp/spooled"
# What a result that lies in a file still says of itself.
COUNTS = ("total", "returned", "next", "note")
SESSION_HEADER = "mcp-session-id"
INSTRUCTIONS = (
    "Biomedical databases behind one server. Resolve names to identifiers first, then ask by identifier. "
    "Every result says whether it holds data, nothing, an unknown identifier, or a failure, and cites its records."
)


def protocol_server(tools: ToolServer) -> Server:
    """Return the protocol's server over the tools; over pipes, one for each connection."""
    handlers = _Handlers(tools)
    return Server(
        "burp",
        version=VERSION,
        title="BURP biomedical databases",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
    )


class _Handlers:
    """What the protocol's server asks of the tools."""

    def __init__(self, tools: ToolServer) -> None:
        self._tools = tools
        self._connection = uuid.uuid4().hex

    async def list_tools(
        self, context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """List all tools on one page."""
        return types.ListToolsResult(tools=self._tools.listing())

    async def call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Call a tool; whatever it does, the answer is a result."""
        async with _ProgressSender(context) as progress:
            envelope = await self._tools.call(
                params.name, params.arguments or {}, progress, conversation=self._conversation(context)
            )
        return self._result(envelope)

    def _conversation(self, context: ServerRequestContext) -> str:
        """Tell conversations apart: by the session, and within it by what the client says."""
        session = self._connection if context.request is None else context.request.headers.get(SESSION_HEADER, "")
        named = str((context.meta or {}).get(CONVERSATION) or "")
        # Without a session and a name nobody could ever come back to what was kept.
        return "/".join(part for part in (session, named) if part) or uuid.uuid4().hex

    def _result(self, envelope: Envelope) -> types.CallToolResult:
        text = compact(envelope.content)
        content, meta = envelope.content, dict(envelope.meta)
        config = self._tools.config
        if config.spool_dir and len(encoded := text.encode()) > config.spool_over_bytes:
            meta[SPOOLED] = _spooled(encoded, config.spool_dir)
            content = _without_data(envelope, meta[SPOOLED])
            text = compact(content)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=content,
            is_error=envelope.is_error,
            _meta=meta,
        )


def _spooled(content: bytes, folder: Path) -> dict[str, Json]:
    """Write a result to a file that only its owner may read, and return the reference to it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{uuid.uuid4().hex}.json"
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
    return {"path": str(path), "bytes": len(content)}


def _without_data(envelope: Envelope, reference: Json) -> dict[str, Json]:
    """Return what is left of a result whose data lies in a file: the outcome, the counts, and where it lies."""
    outcome = envelope.meta.get(OUTCOME) or envelope.content.get("outcome") or ResultOutcome.DATA.value
    kept = {name: envelope.content[name] for name in COUNTS if name in envelope.content}
    return {"outcome": outcome, **kept, "spooled": reference}


class _ProgressSender:
    """Sends progress messages of a call in their order, without holding up the call."""

    def __init__(self, context: ServerRequestContext) -> None:
        self._context = context
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, message: str) -> None:
        self._queue.put_nowait(message)

    async def __aenter__(self) -> "_ProgressSender":
        self._task = asyncio.create_task(self._send())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _send(self) -> None:
        number = 0
        while True:
            message = await self._queue.get()
            number += 1
            await self._context.session.report_progress(number, None, message)
