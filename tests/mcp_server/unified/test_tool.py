"""A tool that is no platform's: what it is given, and what becomes of its results and its faults."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from mcp_server.codes import ResultOutcome
from mcp_server.config import ServerConfig
from mcp_server.envelope import Citation, Envelope, InvalidArguments
from mcp_server.http.rate_limit import Rate
from mcp_server.protocol import CONVERSATION, protocol_server
from mcp_server.server import ToolServer
from mcp_server.tool import Platform
from mcp_server.unified.tool import Desk, OwnForm, UnifiedTool, own_form
from tests.mcp_server.played import Played

Work = Callable[[Desk, Mapping[str, Any]], Awaitable[Envelope]]
HAMSTERS = {"hamsters": ["Skipper"]}


def platform() -> Platform:
    """Return a database of hamsters with one tool."""
    hamsters = Platform("hamsters", "Hamsters", "https://hamsters.example", "https://hamsters.example", "CC0", Rate(5))

    @hamsters.tool(example={}, rows=".hamsters")
    async def list_all(api: Any) -> Any:
        """List all hamsters, with their names."""
        return await api.get("/all")

    return hamsters


def server(work: Work, played: Played | None = None, **config: Any) -> ToolServer:
    """Give the hamsters and one tool beside them, which does `work`."""

    def listed(platforms: Any) -> types.Tool:
        return types.Tool(name="ask", description=f"Ask {len(platforms)}.", input_schema={"type": "object"})

    settings = ServerConfig(upstreams="live", **config)
    return ToolServer([platform()], settings, played or Played(), [UnifiedTool("ask", listed, work)])


def test_it_is_listed_among_the_platforms_tools() -> None:
    async def work(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
        raise AssertionError("nobody calls it")

    listing = server(work).listing()
    assert [tool.name for tool in listing] == ["ask", "hamsters__list_all"]
    assert listing[0].description == "Ask 1."


async def test_a_platforms_tool_is_called_within_the_same_call_and_its_requests_are_told() -> None:
    async def work(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
        envelope = await desk.call_tool("hamsters__list_all", {})
        citation = Citation("pmid", "22663011")
        return own_form({"found": envelope.content["data"]}, desk, citations=[citation, citation], plan="all")

    played = Played().answer("/all", HAMSTERS)
    result = await server(work, played).call("ask", {})
    assert isinstance(result, OwnForm) and not result.is_error
    assert result.content == {"found": HAMSTERS}
    assert [request["url"] for request in result.meta["burp/requests"]] == ["https://hamsters.example/all"]
    assert [citation["identifier"] for citation in result.meta["burp/citations"]] == ["22663011"]
    assert (result.meta["burp/outcome"], result.meta["burp/plan"]) == ("data", "all")
    assert result.meta["burp/fetched_at"].endswith("Z")


async def test_a_failed_leg_is_an_envelope_and_its_requests_are_told_as_well() -> None:
    async def work(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
        missing = await desk.call_tool("hamsters__no_such_tool", {})
        refused = await desk.call_tool("hamsters__list_all", {"colour": "brown"})
        failed = await desk.call_tool("hamsters__list_all", {})
        codes = [leg.content["error"]["code"] for leg in (missing, refused, failed)]
        return own_form({"codes": codes}, desk, outcome=ResultOutcome.FAILED)

    played = Played().answer("/all", "gone", 404)
    result = await server(work, played).call("ask", {})
    assert result.is_error
    assert result.content == {"codes": ["tool_unknown", "tool_invalid_arguments", "upstream_not_found"]}
    assert [request["status"] for request in result.meta["burp/requests"]] == [404]


async def test_an_own_api_belongs_to_the_call() -> None:
    async def work(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
        data = await desk.api_for(desk.platforms[0], desk.trace).get("/all")
        return own_form(data, desk)

    result = await server(work, Played().answer("/all", HAMSTERS)).call("ask", {})
    assert result.content == HAMSTERS and len(result.meta["burp/requests"]) == 1


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (InvalidArguments("query", "what for?", "gene:BRAF"), "tool_invalid_arguments"),
        (RuntimeError("bang"), "internal"),
        (TimeoutError(), "tool_timeout"),
    ],
    ids=["refused", "broken", "late"],
)
async def test_what_it_raises_becomes_a_failed_envelope(fault: Exception, code: str) -> None:
    async def work(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
        raise fault

    result = await server(work).call("ask", {})
    assert result.is_error and result.content["outcome"] == "failed"
    assert result.content["error"]["code"] == code


async def test_it_ends_at_its_deadline_and_so_do_its_legs() -> None:
    class Silent(Played):
        async def send(self, request: Any) -> Any:
            await asyncio.Event().wait()

    async def work(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
        assert desk.deadline - time.monotonic() <= 0.3
        short = await desk.call_tool("hamsters__list_all", {}, within_s=0.01)
        assert short.content["error"]["code"] == "tool_timeout"
        return await desk.call_tool("hamsters__list_all", {})

    began = time.monotonic()
    result = await server(work, Silent(), tool_timeout_s=0.3).call("ask", {})
    assert time.monotonic() - began < 2
    assert result.content["error"]["code"] == "tool_timeout"


async def remember(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
    """Tell the conversation."""
    return own_form({"conversation": desk.conversation}, desk)


async def conversation(client: Client, name: str = "") -> str:
    """Ask which conversation a call belongs to."""
    meta: Any = {CONVERSATION: name} if name else None
    result = await client.call_tool("ask", {}, meta=meta)
    assert result.structured_content is not None
    return str(result.structured_content["conversation"])


async def test_all_calls_of_one_connection_are_one_conversation_unless_the_client_tells_them_apart() -> None:
    tools = server(remember)
    async with Client(protocol_server(tools)) as one, Client(protocol_server(tools)) as other:
        first = await conversation(one)
        assert first and await conversation(one) == first
        assert await conversation(other) != first
        named = await conversation(one, "a")
        assert named not in (first, "a") and await conversation(one, "a") == named
        assert await conversation(one, "b") != named
        assert await conversation(other, "a") != named
