"""The MCP side of the tool server: list tools, call one, and put its result, whole or as a file, on the wire."""

import asyncio
import os
import uuid
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from mcp_server.envelope import Envelope, compact
from mcp_server.server import VERSION, ToolServer

Json = Any
CONVERSATION = "burp/conversation"
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
        config = self._tools.config
        text = compact(envelope.content)
        meta = dict(envelope.meta)
        content: Json = envelope.content
        size = len(text.encode())
        if config.spool_dir and size > config.spool_over_bytes:
            # Megabytes through the pipe cost more than their download; the parent reads the file.
            path = config.spool_dir / f"{uuid.uuid4().hex}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            os.chmod(path, 0o600)
            meta["burp/spooled"] = {"path": str(path), "bytes": size}
            content, text = None, f"The result of {size} bytes lies in the spool folder."
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=content,
            is_error=envelope.is_error,
            _meta=meta,
        )


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
