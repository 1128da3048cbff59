"""What a client of the protocol gets: pages, progress, results that conform, and faults that stay in their call."""

import asyncio
import json
import math
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError

from mcp_server.config import ServerConfig
from mcp_server.envelope import Answer, Citation, empty, unknown_id
from mcp_server.http.rate_limit import Rate
from mcp_server.protocol import LINES, protocol_server
from mcp_server.server import ToolServer
from mcp_server.tool import Platform

WAIT_S = 5.0
RESULTS: dict[str, Any] = {
    "data": {"names": ["Skipper"]},
    "empty": empty("no hamster of this colour"),
    "unknown": unknown_id("H9", "this hamster was renamed", "H10"),
    "part": Answer([1, 2], total=9, returned=2, next={"offset": 2}, note="two of nine"),
    "surrogate": {"name": "\ud83d half a pair"},
    "label": Answer({"name": "Skipper"}, citations=[Citation("pmid", "1", "half a pair \ud83d")]),
    "nan": {"weight": math.nan},
    "object": {"path": Path("burrow")},
    "large": {"text": "x" * (LINES.message_max_bytes // 2)},
    "spooled": {"text": "ä" * 200_000},
}


class Hold:
    """A call that hangs until it is cancelled."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def __call__(self) -> None:
        self.entered.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


def tool_server(hold: Hold | None = None, **config: Any) -> ToolServer:
    """Give tools that answer whatever they are asked to."""
    hamsters = Platform("hamsters", "Hamsters", "https://hamsters.example", "https://hamsters.example", "CC0", Rate(5))

    @hamsters.tool(example={"what": "data"})
    async def get_result(api: Any, what: str) -> Any:
        """Get one of the results."""
        if what == "broken":
            raise KeyError("colour")
        if what == "held":
            assert hold is not None
            await hold()
        if what == "progress":
            for attempt in range(3):
                api.progress(f"attempt {attempt + 2} of 4")
        return RESULTS.get(what, {})

    return ToolServer([hamsters], ServerConfig(**config), None, [])


@asynccontextmanager
async def connected(tools: ToolServer, mode: Any = "auto", **options: Any) -> AsyncIterator[Client]:
    """Give a client, which checks each result against the schema of its tool."""
    async with Client(protocol_server(tools, **options), mode=mode) as client:
        yield client


async def result_of(client: Client, what: str) -> types.CallToolResult:
    return await client.call_tool("hamsters__get_result", {"what": what})


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("data", {"outcome": "data", "data": {"names": ["Skipper"]}}),
        ("empty", {"outcome": "empty", "data": None, "total": 0, "returned": 0, "note": "no hamster of this colour"}),
        (
            "unknown",
            {
                "outcome": "unknown_id",
                "data": {"identifier": "H9", "replacement": "H10"},
                "note": "this hamster was renamed",
            },
        ),
        (
            "part",
            {
                "outcome": "data",
                "data": [1, 2],
                "total": 9,
                "returned": 2,
                "next": {"offset": 2},
                "note": "two of nine",
            },
        ),
        ("surrogate", {"outcome": "data", "data": {"name": "? half a pair"}}),
        ("nan", {"outcome": "data", "data": {"weight": None}}),
        ("object", {"outcome": "data", "data": {"path": "burrow"}}),
    ],
)
async def test_text_and_structured_content_say_the_same_and_conform(what: str, content: Any) -> None:
    async with connected(tool_server()) as client:
        listed = (await client.list_tools()).tools[0]
        result = await result_of(client, what)
    assert not result.is_error and result.structured_content == content
    assert json.loads(result.content[0].text) == content  # type: ignore[union-attr]
    Draft202012Validator(listed.output_schema).validate(result.structured_content)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("hamsters__get_result", {"what": "broken"}, "internal"),
        ("hamsters__get_result", {"colour": "brown"}, "tool_invalid_arguments"),
        ("hamsters__get_result", {}, "tool_invalid_arguments"),
        ("hamsters__get_result", {"what": 7}, "tool_invalid_arguments"),
        ("no__such_tool", {}, "tool_unknown"),
    ],
)
async def test_a_failed_call_is_a_result_and_hurts_no_other(name: str, arguments: Any, code: str) -> None:
    async with connected(tool_server()) as client:
        listed = (await client.list_tools()).tools[0]
        failed = await client.call_tool(name, arguments)
        well = await result_of(client, "data")
    assert failed.is_error and failed.structured_content is not None
    assert failed.structured_content["error"]["code"] == code
    Draft202012Validator(listed.output_schema).validate(failed.structured_content)
    assert not well.is_error


@pytest.mark.case("C047")
async def test_a_result_that_is_too_large_ends_its_own_call_with_a_clear_error() -> None:
    async with connected(tool_server()) as client:
        large = await result_of(client, "large")
        well = await result_of(client, "data")
    assert large.is_error and large.structured_content is not None
    error = large.structured_content["error"]
    assert error["code"] == "tool_result_too_large" and "7,864,357 bytes" in error["message"]
    assert "fewer" in error["next_step"]
    assert not well.is_error


async def test_a_large_result_lies_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    folder = tmp_path / "var" / "spool"
    async with connected(tool_server(spool_dir=folder)) as client:
        listed = (await client.list_tools()).tools[0]
        result = await result_of(client, "spooled")
    content, meta = result.structured_content, result.meta
    assert content is not None and meta is not None and not result.is_error
    assert content == {"outcome": "data", "spooled": meta["burp/spooled"]}
    assert json.loads(result.content[0].text) == content  # type: ignore[union-attr]
    Draft202012Validator(listed.output_schema).validate(content)
    assert "spooled" in (listed.output_schema or {})["properties"]
    (path,) = folder.iterdir()
    assert meta["burp/spooled"] == {"path": str(path), "bytes": path.stat().st_size, "data_at": 25}
    assert path.read_bytes()[25:27] == b'{"'
    assert json.loads(path.read_text()) == {"outcome": "data", "data": RESULTS["spooled"]}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_where_no_file_can_be_written_the_whole_result_is_sent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "spool").write_text("no folder")
    async with connected(tool_server(spool_dir=tmp_path / "spool")) as client:
        result = await result_of(client, "spooled")
    assert result.structured_content == {"outcome": "data", "data": RESULTS["spooled"]}
    assert "can't be handed over" in caplog.text


async def test_half_a_character_in_what_is_cited_does_not_end_the_connection() -> None:
    async with connected(tool_server()) as client:
        result = await result_of(client, "label")
        assert not (await result_of(client, "data")).is_error
    assert result.meta is not None and result.meta["burp/citations"][0]["label"] == "half a pair ?"


async def test_without_a_spool_folder_the_whole_result_is_sent_and_no_file_is_spoken_of() -> None:
    async with connected(tool_server()) as client:
        listed = (await client.list_tools()).tools[0]
        result = await result_of(client, "spooled")
    assert result.structured_content == {"outcome": "data", "data": RESULTS["spooled"]}
    assert "spooled" not in (listed.output_schema or {})["properties"]


async def test_progress_is_told_in_order_and_before_the_result() -> None:
    told: list[tuple[float, str | None]] = []

    async def progress(number: float, total: float | None, message: str | None) -> None:
        told.append((number, message))

    async with connected(tool_server()) as client:
        await client.call_tool("hamsters__get_result", {"what": "progress"}, progress_callback=progress)
        assert told == [(1, "attempt 2 of 4"), (2, "attempt 3 of 4"), (3, "attempt 4 of 4")]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_cancelled_call_ends_in_the_server(mode: str) -> None:
    hold = Hold()
    async with connected(tool_server(hold), mode) as client:
        call = asyncio.create_task(result_of(client, "held"))
        await asyncio.wait_for(hold.entered.wait(), WAIT_S)
        call.cancel()
        await asyncio.wait_for(hold.cancelled.wait(), WAIT_S)
        assert not (await result_of(client, "data")).is_error


@pytest.mark.parametrize("page_size", [1, 2, 3, 4, 5])
async def test_all_tools_are_listed_once_over_all_pages(page_size: int) -> None:
    many = Platform("many", "Many", "https://many.example", "https://many.example", "CC0", Rate(5))
    for name in ("get_a", "get_b", "get_c", "get_d"):

        async def function(api: Any) -> Any:
            """Get it."""

        function.__name__ = name
        many.tool(example={})(function)
    names: list[str] = []
    async with connected(ToolServer([many], ServerConfig(), None, []), page_size=page_size) as client:
        cursor, pages = None, 0
        while cursor is not None or not pages:
            page = await client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            cursor, pages = page.next_cursor, pages + 1
            assert len(page.tools) <= page_size
    assert names == ["many__get_a", "many__get_b", "many__get_c", "many__get_d"]
    assert pages == -(-4 // page_size)


@pytest.mark.parametrize("cursor", ["", "2", "no__such_tool", "x" * 10_000])
async def test_a_cursor_that_nobody_gave_is_refused_as_the_protocol_wants(cursor: str) -> None:
    async with connected(tool_server()) as client:
        with pytest.raises(MCPError, match="was not given by this server") as caught:
            await client.list_tools(cursor=cursor)
        assert caught.value.error.code == types.INVALID_PARAMS
        assert len(caught.value.error.message) < 200
        assert (await client.list_tools()).next_cursor is None
