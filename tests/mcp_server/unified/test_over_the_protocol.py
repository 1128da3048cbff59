"""The unified tools as a client of the protocol sees them."""

import json
from typing import Any

import mcp_types as types
import stamina
from mcp import Client

from mcp_server.protocol import protocol_server
from tests.mcp_server.unified.sources import TRIALS, Sources, server
from tests.mcp_server.unified.test_search import ALL_HOSTS, BRAF_MELANOMA, CANCER

Json = Any


async def called(sources: Sources, tool: str, told: list[str] | None = None, **arguments: Json) -> types.CallToolResult:
    """Call a tool through the protocol, in memory."""

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        if told is not None and message:
            told.append(message)

    with stamina.set_testing(True):
        async with Client(protocol_server(server(sources))) as client:
            return await client.call_tool(tool, arguments, progress_callback=progress)


def text_of(result: types.CallToolResult) -> Json:
    (part,) = result.content
    assert isinstance(part, types.TextContent)
    return json.loads(part.text)


async def test_a_search_is_one_text_of_json_and_the_same_as_structured_content() -> None:
    told: list[str] = []
    result = await called(Sources(down=CANCER | {TRIALS}), "search", told, query=BRAF_MELANOMA)
    assert not result.is_error and text_of(result) == result.structured_content
    assert set(text_of(result)) == {"results", "_meta"} and text_of(result)["_meta"]["status"] == "partial"
    assert {"article: ok", "trial: error"} <= set(told)


async def test_where_nobody_answered_the_call_is_an_error_with_no_results() -> None:
    result = await called(Sources(down=ALL_HOSTS), "search", query=BRAF_MELANOMA)
    assert result.is_error and text_of(result)["results"] == [] and text_of(result)["_meta"]["status"] == "failed"


async def test_a_query_that_is_not_understood_is_an_error_at_its_place() -> None:
    result = await called(Sources(), "search", query='gene:"BRAF')
    assert result.is_error and text_of(result)["error"]["code"] == "E_UNTERMINATED_QUOTE"
    assert text_of(result)["error"]["position"] == 5


async def test_a_record_is_opened_in_the_form_of_fetch() -> None:
    result = await called(Sources(), "fetch", id="GENE:673")
    assert set(text_of(result)) == {"id", "title", "text", "url", "metadata", "_meta"}
    assert text_of(result) == result.structured_content
