"""`about_sources`: terms, release and state of every database, one that is down among them."""

from typing import Any

import pytest

from mcp_server.config import ServerConfig
from mcp_server.http.breaker import FAILURES_TO_OPEN
from mcp_server.http.errors import UpstreamUnavailable
from mcp_server.registry import discover
from mcp_server.server import ToolServer
from tests.mcp_server.played import Played

PLATFORMS = discover()
RELEASES: dict[str, tuple[Any, dict[str, str], str]] = {
    "cbioportal": ({"portalVersion": "7.0.3", "dbVersion": "2.14.5"}, {}, "portal 7.0.3, database 2.14.5"),
    "chembl": ({"chembl_db_version": "ChEMBL_37", "chembl_release_date": "2026-05-01"}, {}, "ChEMBL_37 (2026-05-01)"),
    "clinicaltrials": ({"apiVersion": "2.0.5", "dataTimestamp": "2026-09-11T09:00:04"}, {}, "2026-09-11T09:00:04"),
    "clinvar": (
        {"einforesult": {"dbinfo": [{"dbname": "clinvar", "dbbuild": "Build260929-0200.1"}]}},
        {},
        "Build260929-0200.1",
    ),
    "ensembl": ({"releases": [115]}, {}, "115"),
    "opentargets": ({"data": {"meta": {"dataVersion": {"year": "26", "month": "06"}}}}, {}, "26.06"),
    "reactome": ("97", {"content_type": "text/plain"}, "97"),
    "uniprot": ({"results": []}, {"x_uniprot_release": "2026_01"}, "2026_01"),
}


async def about(played: Any, **arguments: Any) -> dict[str, Any]:
    server = ToolServer(PLATFORMS, ServerConfig(upstreams="live"), played)
    envelope = await server.call("about_sources", arguments)
    content: dict[str, Any] = envelope.content
    return content


@pytest.mark.parametrize("platform", RELEASES)
async def test_the_release_is_read_from_the_source(platform: str) -> None:
    body, headers, release = RELEASES[platform]
    content = await about(Played().answer("", body, **headers), platform=platform)
    (facts,) = content["data"]
    assert (facts["platform"], facts["release"]) == (platform, release)


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
async def test_every_source_states_its_terms(platform: Any) -> None:
    content = await about(Played().answer("", "gone", 404), platform=platform.name)
    (facts,) = content["data"]
    for name in ("licence", "provider", "homepage", "attribution", "cite", "limits", "documentation"):
        assert len(facts[name]) > 3, name
    assert facts["release"] is None
    assert len(facts["release_note"]) > 20
    assert facts["tools"] == len(platform.tools)


def test_share_alike_sources_are_named() -> None:
    assert sorted(p.name for p in PLATFORMS if p.source and p.source.share_alike) == ["cbioportal", "chembl", "clinpgx"]


async def test_the_state_of_a_source_that_is_left_alone_can_be_seen() -> None:
    server = ToolServer(PLATFORMS, ServerConfig(upstreams="live"), Played().answer("/info/data", {"releases": [115]}))
    for _ in range(FAILURES_TO_OPEN):
        server.breakers.note(UpstreamUnavailable("grch37.rest.ensembl.org", "HTTP 503"))
    envelope = await server.call("about_sources", {"platform": "ensembl"})
    hosts = envelope.content["data"][0]["hosts"]
    assert hosts["rest.ensembl.org"]["state"] == "closed"
    assert (hosts["grch37.rest.ensembl.org"]["state"], hosts["grch37.rest.ensembl.org"]["failures"]) == ("open", 5)


@pytest.mark.parametrize(("arguments", "named"), [({"platform": "drugbank"}, "platform"), ({"source": "x"}, "source")])
async def test_an_unknown_source_is_refused_with_the_known_ones(arguments: dict[str, str], named: str) -> None:
    content = await about(Played(), **arguments)
    assert content["error"]["argument"] == named
    assert "known: " in content["error"]["message"]


def test_it_is_listed_among_the_tools_and_is_no_core_tool() -> None:
    listed = {tool.name: tool for tool in ToolServer(PLATFORMS, ServerConfig()).listing()}
    tool = listed["about_sources"]
    assert tool.meta is not None and "burp/core" not in tool.meta
    assert list(listed) == sorted(listed)
