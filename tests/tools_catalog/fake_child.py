"""A tool server with every fault that a child process can have, for the tests of its parent.

Started as a script. `FAKE_*` variables say how it misbehaves as a whole; each tool misbehaves in one call.
"""

import asyncio
import json
import os
import random
import signal
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

# The protocol moves descriptor 1 away; this one still leads to the parent.
WIRE = os.dup(1)
BUS = InMemorySubscriptionBus()
NAMES = [
    "echo",
    "die",
    "leave",
    "stall",
    "hang",
    "sleep",
    "big",
    "junk",
    "progress",
    "spool",
    "environment",
    "change",
    "bare",
]
DYNAMIC: list[str] = []


def _tool(name: str, **meta: Any) -> types.Tool:
    properties = {"text": {"type": "string"}, "milliseconds": {"type": "integer"}, "size": {"type": "integer"}}
    items = list(properties.items())
    random.shuffle(items)
    return types.Tool(
        name=f"debug__{name}",
        title=f"Debug: {name}",
        description=f"Do {name}.",
        input_schema={"properties": dict(items), "type": "object"},
        _meta={"burp/platform": "Debug", "burp/core": name == "echo", "burp/noise": None, "burp/example": {}} | meta,
    )


def _bad_tools() -> list[types.Tool]:
    top = {"type": "object", "properties": {}, "anyOf": [{"required": ["pmid"]}, {"required": ["doi"]}]}
    return [
        types.Tool(name="debug__either", description="Needs one of two.", input_schema=top),
        types.Tool(name="open-targets.search", description="Has a dot.", input_schema={"type": "object"}),
    ]


async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    tools = [_tool(name) for name in [*NAMES, *DYNAMIC]]
    if os.environ.get("FAKE_BAD_TOOLS"):
        tools += _bad_tools()
    if os.environ.get("FAKE_PAGES"):
        start = int((params and params.cursor) or 0)
        following = str(start + 5) if start + 5 < len(tools) else None
        return types.ListToolsResult(tools=tools[start : start + 5], next_cursor=following)
    random.shuffle(tools)
    return types.ListToolsResult(tools=tools)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    arguments = params.arguments or {}
    action = params.name.removeprefix("debug__")
    if action in FAULTS:
        await FAULTS[action](context, arguments)
    if action == "bare":
        return types.CallToolResult(content=[types.TextContent(type="text", text="no envelope")])
    if action == "spool":
        return _spooled(arguments)
    data: Any = arguments.get("text", "")
    if action == "big":
        data = "ä" * (arguments["size"] // 2)
    if action == "environment":
        data = dict(os.environ)
    return _result({"outcome": "data", "data": data})


async def _die(context: Any, arguments: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def _leave(context: Any, arguments: dict[str, Any]) -> None:
    os._exit(1)


async def _stall(context: Any, arguments: dict[str, Any]) -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        if arguments.get("text"):
            os.close(os.open(arguments["text"], os.O_CREAT))
        raise


async def _hang(context: Any, arguments: dict[str, Any]) -> None:
    # Not only this call: the whole process answers nothing any more.
    time.sleep(3600)  # noqa: ASYNC251 - that is the fault


async def _sleep(context: Any, arguments: dict[str, Any]) -> None:
    await asyncio.sleep(arguments["milliseconds"] / 1000)


async def _junk(context: Any, arguments: dict[str, Any]) -> None:
    os.write(WIRE, bytes.fromhex(arguments["text"]))


async def _progress(context: Any, arguments: dict[str, Any]) -> None:
    await context.session.report_progress(1, None, "waiting for a rate limit")
    await asyncio.sleep(0.05)


async def _change(context: Any, arguments: dict[str, Any]) -> None:
    DYNAMIC.append(arguments["text"])
    await BUS.publish(ToolsListChanged())


FAULTS = {
    "die": _die,
    "leave": _leave,
    "stall": _stall,
    "hang": _hang,
    "sleep": _sleep,
    "junk": _junk,
    "progress": _progress,
    "change": _change,
}


def _spooled(arguments: dict[str, Any]) -> types.CallToolResult:
    folder = Path(os.environ["BURP_SPOOL_DIR"])
    path = folder / (arguments.get("text") or f"{uuid.uuid4().hex}.json")
    path.write_text(json.dumps({"outcome": "data", "data": "x" * arguments["size"]}))
    meta = {
        "burp/spooled": {"path": str(path), "bytes": path.stat().st_size},
        "burp/fetched_at": "2026-11-30T12:00:00Z",
    }
    return types.CallToolResult(content=[types.TextContent(type="text", text="spooled")], _meta=meta)


def _result(envelope: dict[str, Any]) -> types.CallToolResult:
    text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    content = [types.TextContent(type="text", text=text)] if len(text) < 100_000 else []
    return types.CallToolResult(content=content, structured_content=envelope, _meta={"burp/citations": []})


async def main() -> None:
    server = Server(
        "fake", on_list_tools=list_tools, on_call_tool=call_tool, on_subscriptions_listen=ListenHandler(BUS)
    )
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    print("a warning on stderr", file=sys.stderr, flush=True)
    if os.environ.get("FAKE_EXIT"):
        sys.exit("ImportError: no module named nonsense")
    if os.environ.get("FAKE_SILENT"):
        time.sleep(3600)
    if banner := os.environ.get("FAKE_BANNER"):
        os.write(WIRE, banner.encode())
    if os.environ.get("FAKE_STUBBORN"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    asyncio.run(main())
    if os.environ.get("FAKE_STUBBORN"):
        time.sleep(3600)
