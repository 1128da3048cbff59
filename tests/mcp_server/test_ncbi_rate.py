"""Many calls at once over the databases of NCBI: one rate for all of them, and every call succeeds."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from mcp_server.config import ServerConfig
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.http.snapshot import PACKAGED
from mcp_server.registry import discover
from mcp_server.server import ToolServer
from mcp_server.tool import Platform
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


async def test_a_key_does_not_hasten_a_platform_that_takes_none(upstreams: FakeUpstreams) -> None:
    host = "eutils.ncbi.nlm.nih.gov"
    keyed, keyless = Rate(20, group="ncbi", with_key=1000), Rate(20, group="ncbi")
    platforms = [platform_of("keyed", host, keyed), platform_of("keyless", host, keyless)]
    for platform in platforms:
        upstreams.play(host, f"/{platform.name}/thing", {"ok": True}, times=EACH)
    config = ServerConfig(upstreams="live", gateway=upstreams.url, ncbi_api_key="a-key-of-the-tests")
    server = ToolServer(platforms, config)
    try:
        outcomes = await together(server, [(f"{p.name}__get_thing", {}) for p in platforms for _ in range(EACH)])
    finally:
        await server.aclose()
    assert outcomes == ["data"] * (2 * EACH)
    times = {p.name: [one.at_s for one in upstreams.arrivals if f"/{p.name}/" in one.path] for p in platforms}
    assert max(times["keyless"]) - min(times["keyless"]) >= (EACH - 1) * 0.05 * 0.9
    assert max(times["keyed"]) < max(times["keyless"]), "those with the key do not wait for the others"


def platform_of(name: str, host: str, rate: Rate) -> Platform:
    """Return a platform with one tool that asks once."""
    platform = Platform(name, title=name, base_url=f"https://{host}/{name}", docs="", licence="", rate=rate)

    @platform.tool(example={})
    async def get_thing(api: Api) -> Any:
        """Get the thing. Returns it."""
        return await api.get("/thing")

    return platform


async def together(server: ToolServer, calls: list[tuple[str, dict[str, object]]]) -> list[str]:
    """Make all calls at once and return their outcomes."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(server.call(name, arguments)) for name, arguments in calls]
    return [task.result().content["outcome"] for task in tasks]
