"""The MCP side of the tool server: list tools, call one, and put its result, whole or as a file, on the wire.

Whatever a call does, its answer is a result of that call: one that is too large to be carried, or that holds
what no JSON can say, ends that call alone.
"""

import asyncio
import json
import logging
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic_core import to_json

from mcp_server.codes import ResultOutcome, ToolCode
from mcp_server.envelope import Envelope, failure
from mcp_server.server import VERSION, ToolServer
from mcp_server.unified.tool import OUTCOME

Json = Any
log = logging.getLogger(__name__)
CONVERSATION = "burp/conversation"
CONVERSATION_MAX_CHARACTERS = 200
# Databases that an operator has switched off, each with the reason.
PLATFORMS_OFF = "burp/platforms_off"
SPOOLED = "burp/spooled"
DATA_KEY = b',"data":'
# All on one page: many clients ask for no second one.
PAGE_SIZE = 1_000
CURSOR_SHOWN = 40
# Below that no result comes near any limit, whatever it cites.
MEASURED_FROM_BYTES = 64 * 1024
# What a result that lies in a file still says of itself.
COUNTS = ("total", "returned", "next", "note")
SESSION_HEADER = "mcp-session-id"
INSTRUCTIONS = (
    "Biomedical databases behind one server. Resolve names to identifiers first, then ask by identifier. "
    "Every result says whether it holds data, nothing, an unknown identifier, or a failure, and cites its records."
)


@dataclass(frozen=True)
class Wire:
    """What a transport carries in one message. `escapes` says that it writes nothing but ASCII."""

    message_max_bytes: int
    escapes: bool = False

    def carries(self, result: types.CallToolResult, encoded: bytes) -> bool:
        """Tell whether a result fits, which stands in its message twice, as data and as text."""
        if len(encoded) < MEASURED_FROM_BYTES:
            return True
        message = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        size = len(json.dumps(message)) if self.escapes else len(_encoded(message))
        return size <= self.message_max_bytes


# Readers of lines set a limit; BURP's own reads no more than 16 MiB.
LINES = Wire(15 * 1024 * 1024)
# The MCP SDK for Python reads events of no more than 1 MiB.
EVENTS = Wire(1024 * 1024 - 8 * 1024, escapes=True)


def protocol_server(tools: ToolServer, wire: Wire = LINES, *, page_size: int = PAGE_SIZE) -> Server:
    """Return the protocol's server over the tools; over pipes, one for each connection."""
    handlers = _Handlers(tools, wire, page_size)
    return Server(
        "burp",
        version=VERSION,
        title="BURP biomedical databases",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=handlers.input_schema,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
    )


class _Handlers:
    """What the protocol's server asks of the tools."""

    def __init__(self, tools: ToolServer, wire: Wire, page_size: int) -> None:
        self._tools = tools
        self._wire = wire
        self._page_size = page_size
        self._connection = uuid.uuid4().hex

    @cached_property
    def _listed(self) -> dict[str, types.Tool]:
        return {tool.name: tool for tool in self._tools.listing()}

    def input_schema(self, name: str) -> Mapping[str, Json] | None:
        """Return the schema of a tool's arguments."""
        tool = self._listed.get(name)
        return tool.input_schema if tool else None

    async def list_tools(
        self, context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """List the tools after the cursor, which is the name of the last one that was listed."""
        names = list(self._listed)
        cursor = params.cursor if params else None
        if cursor is not None and cursor not in self._listed:
            raise MCPError(types.INVALID_PARAMS, f"the cursor {cursor[:CURSOR_SHOWN]!r} was not given by this server")
        first = 0 if cursor is None else names.index(cursor) + 1
        page = names[first : first + self._page_size]
        more = first + self._page_size < len(names)
        return types.ListToolsResult(
            tools=[self._listed[name] for name in page], next_cursor=page[-1] if more else None
        )

    async def call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Call a tool; whatever it does, the answer is a result."""
        async with _ProgressSender(context) as progress:
            envelope = await self._tools.call(
                params.name,
                params.arguments or {},
                progress,
                conversation=self._conversation(context),
                platforms_off=_platforms_off(context),
            )
        return self._result(envelope)

    def _conversation(self, context: ServerRequestContext) -> str:
        """Tell conversations apart: by the session, and within it by what the client says."""
        session = self._connection if context.request is None else context.request.headers.get(SESSION_HEADER, "")
        named = str((context.meta or {}).get(CONVERSATION) or "")[:CONVERSATION_MAX_CHARACTERS]
        # Without a session and a name nobody could ever come back to what was kept.
        return "/".join(part for part in (session, named) if part) or uuid.uuid4().hex

    def _result(self, envelope: Envelope) -> types.CallToolResult:
        envelope, encoded = _as_json(_data_last(envelope))
        config = self._tools.config
        if config.spool_dir and len(encoded) > config.spool_over_bytes:
            try:
                reference = _spooled(encoded, config.spool_dir) | _data_place(envelope, encoded)
                envelope = _handed_over(envelope, reference)
                encoded = _encoded(envelope.content)
            except OSError:
                log.exception("a result can't be handed over as a file; it is sent whole")
        result = _call_result(envelope, encoded)
        if self._wire.carries(result, encoded):
            return result
        envelope = _too_large(envelope, len(encoded))
        return _call_result(envelope, _encoded(envelope.content))


def _platforms_off(context: ServerRequestContext) -> dict[str, str]:
    named = (context.meta or {}).get(PLATFORMS_OFF)
    return {str(key): str(reason) for key, reason in named.items()} if isinstance(named, Mapping) else {}


def _as_json(envelope: Envelope) -> tuple[Envelope, bytes]:
    """Return an envelope that JSON can say, and its content in JSON.

    Half a surrogate pair from a database, or an object of a tool's own, would otherwise end the connection.
    """
    try:
        _encoded(envelope.meta)
        return envelope, _encoded(envelope.content)
    except ValueError:
        envelope = replace(envelope, content=_plain(envelope.content), meta=_plain(envelope.meta))
        return envelope, _encoded(envelope.content)


def _call_result(envelope: Envelope, encoded: bytes) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=encoded.decode())],
        structured_content=envelope.content,
        is_error=envelope.is_error,
        _meta=dict(envelope.meta),
    )


def _encoded(content: Json) -> bytes:
    """Return compact JSON: at five megabytes a fifth of the time that the standard library takes."""
    return to_json(content, inf_nan_mode="null")


def _spooled(content: bytes, folder: Path) -> dict[str, Json]:
    """Write a result to a file that only its owner may read, and return the reference to it."""
    # Megabytes through the pipe cost more than their download; the parent reads the file.
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{uuid.uuid4().hex}.json"
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
    return {"path": str(path), "bytes": len(content)}


def _data_last(envelope: Envelope) -> Envelope:
    """Return an envelope whose data is its last part, so that its place in the JSON is known."""
    if "data" not in envelope.content:
        return envelope
    rest = {name: value for name, value in envelope.content.items() if name != "data"}
    return replace(envelope, content={**rest, "data": envelope.content["data"]})


def _data_place(envelope: Envelope, encoded: bytes) -> dict[str, Json]:
    """Say where the data begins in an envelope's JSON: a reader can then take it without parsing it."""
    rest = {name: value for name, value in envelope.content.items() if name != "data"}
    begin = len(_encoded(rest)) - 1 + len(DATA_KEY)
    # An envelope of nothing but data has no comma before it.
    is_there = "outcome" in rest and encoded[begin - len(DATA_KEY) : begin] == DATA_KEY
    return {"data_at": begin} if is_there else {}


def _handed_over(envelope: Envelope, reference: Json) -> Envelope:
    """Return what is left of a result whose data lies in a file: the outcome, the counts, and where it lies."""
    outcome = envelope.meta.get(OUTCOME) or envelope.content.get("outcome") or ResultOutcome.DATA.value
    kept = {name: envelope.content[name] for name in COUNTS if name in envelope.content}
    content = {"outcome": outcome, **kept, "spooled": reference}
    return replace(envelope, content=content, meta={**envelope.meta, SPOOLED: reference})


def _too_large(envelope: Envelope, size: int) -> Envelope:
    message = f"the result has {size:,} bytes, more than can be carried to this client"
    content = failure(ToolCode.TOOL_RESULT_TOO_LARGE, message).content
    return Envelope(content, {**envelope.meta, "burp/citations": []})


def _plain(content: dict[str, Json]) -> dict[str, Json]:
    """Return content as JSON can say it: what has no such form is written out, broken characters are replaced."""
    text = json.dumps(content, ensure_ascii=False, default=str)
    plain: dict[str, Json] = json.loads(text.encode("utf-8", "replace"))
    return plain


class _ProgressSender:
    """Sends progress messages of a call in their order, without holding up the call."""

    def __init__(self, context: ServerRequestContext) -> None:
        self._context = context
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, message: str) -> None:
        self._queue.put_nowait(message)
        if self._task is None:
            self._task = asyncio.create_task(self._send())

    async def __aenter__(self) -> "_ProgressSender":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        """Send what is left before the result goes out; of a cancelled call nothing more is told."""
        if self._task is None:
            return
        self._queue.put_nowait(None)
        if kind is not None:
            self._task.cancel()
        await asyncio.wait([self._task])

    async def _send(self) -> None:
        number = 0
        while (message := await self._queue.get()) is not None:
            number += 1
            await self._context.session.report_progress(number, None, message)
