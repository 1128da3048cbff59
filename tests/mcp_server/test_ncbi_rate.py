"""Many calls at once over the databases of NCBI: one rate for all of them, and every call succeeds."""

import asyncio
import json
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from mcp_server.config import ServerConfig
from mcp_server.http.snapshot import PACKAGED
from mcp_server.registry import discover
from mcp_server.server import ToolServer
from tests.upstreams.server import FakeUpstreams

EACH = 6
ALLOWED_WITH_KEY = 10
RECORDS = ("pubmed/get_articles__22663011.json", "clinvar/get_variant_summaries__13961.json")


@pytest.fixture
async def upstreams() -> AsyncIterator[FakeUpstreams]:
    async with FakeUpstreams() as fake:
        yield fake
        fake.verify()


@pytest.mark.case("C041")
async def test_twelve_calls_over_pubmed_and_clinvar_all_succeed_within_the_rate(upstreams: FakeUpstreams) -> None:
    calls = []
    for name in RECORDS:
        record = json.loads((PACKAGED / name).read_text(encoding="utf-8"))
        address, response = urlsplit(record["request"]["url"]), record["response"]
        body = response["text"] if "text" in response else response["json"]
        method = record["request"]["method"]
        upstreams.play(address.netloc, address.path, body, method=method, times=EACH)
        asked = record["asked_by"][0]
        calls += [(asked["tool"], asked["arguments"])] * EACH
    config = ServerConfig(upstreams="live", gateway=upstreams.url, ncbi_api_key="a-key-of-the-tests")
    server = ToolServer(discover(), config)
    try:
        outcomes = await together(server, calls)
    finally:
        await server.aclose()
    assert outcomes == ["data"] * (2 * EACH)
    times = [arrival.at_s for arrival in upstreams.arrivals]
    busiest = max(sum(start <= time < start + 1 for time in times) for start in times)
    assert busiest <= ALLOWED_WITH_KEY


async def together(server: ToolServer, calls: list[tuple[str, dict[str, object]]]) -> list[str]:
    """Make all calls at once and return their outcomes."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(server.call(name, arguments)) for name, arguments in calls]
    return [task.result().content["outcome"] for task in tasks]
