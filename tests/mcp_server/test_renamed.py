"""A model that learned a tool's former name is told which tool answers now."""

import pytest

from mcp_server.config import ServerConfig
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.registry import discover, tools_by_name
from mcp_server.renamed import SUCCESSORS, near_names, no_such_tool
from mcp_server.server import ToolServer
from mcp_server.unified import TOOLS as UNIFIED

KNOWN = {*tools_by_name(discover()), *(tool.name for tool in UNIFIED)}


def test_no_former_name_is_in_use_and_every_successor_is() -> None:
    assert not KNOWN & set(SUCCESSORS)
    assert set(SUCCESSORS.values()) <= KNOWN


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("pubmed__find_citing_articles", "europepmc__get_citations"),
        ("opentargets__map_ids", "opentargets__search_entities_batch"),
        ("cbioportal__search_studies", "cbioportal__search_cancer_studies"),
        ("reactome__get_version", "about_sources"),
    ],
)
async def test_the_server_names_the_tool_that_took_the_place_of_a_former_one(former: str, now: str) -> None:
    server = ToolServer(discover(), ServerConfig(), SnapshotTransport((PACKAGED,)))
    error = (await server.call(former, {})).content["error"]
    assert error["code"] == "tool_unknown"
    assert error["message"] == f"there is no tool {former!r} any more: {now} has taken its place."


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("lookup_gene", "ensembl__lookup_gene"),
        ("mcp__burp__ensembl__lookup_gene", "ensembl__lookup_gene"),
        ("ensembl.lookup_gene", "ensembl__lookup_gene"),
        ("find_citing_articles", "europepmc__get_citations"),
        ("pubmed__search_article", "pubmed__search_articles"),
        ("clinvar__get_drug_mechanisms", "chembl__get_drug_mechanisms"),
    ],
)
def test_a_wrong_name_is_answered_with_the_tool_that_is_meant(wrong: str, meant: str) -> None:
    assert near_names(wrong, KNOWN)[0] == meant
    assert meant in no_such_tool(wrong, KNOWN)


def test_a_name_like_no_other_has_no_near_names() -> None:
    assert no_such_tool("zzz", KNOWN) == "there is no tool 'zzz'."


def test_a_successor_that_is_not_offered_is_not_named() -> None:
    message = no_such_tool("ensembl__get_taxonomy", {"uniprot__get_protein"})
    assert "uniprot__search_taxonomy" not in message
