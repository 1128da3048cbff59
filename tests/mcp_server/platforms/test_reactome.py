"""Reactome: pathways of a protein, members of a pathway, and the many meanings of its 404."""

from typing import Any

import pytest

from mcp_server.platforms.reactome import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any
NOT_FOUND = Played({"code": 404, "reason": "NOT_FOUND", "messages": ["No entries found"], "targets": []}, 404)


async def test_pathways_of_a_protein_are_cited() -> None:
    rows = [
        {
            "dbId": 111448,
            "stId": "R-HSA-111448",
            "displayName": "Activation of NOXA and translocation to mitochondria",
            "schemaClass": "Pathway",
            "speciesName": "Homo sapiens",
            "isInDisease": False,
            "hasDiagram": True,
        }
    ]
    upstream = FakeUpstream({"/data/mapping/UniProt/P04637/pathways?species=9606": Played(rows)})
    result = await call(platform, upstream, "map_identifier_to_pathways", identifier="P04637")
    assert result.content["data"] == [
        {
            "stId": "R-HSA-111448",
            "displayName": "Activation of NOXA and translocation to mitochondria",
            "speciesName": "Homo sapiens",
            "schemaClass": "Pathway",
            "isInDisease": False,
        }
    ]
    assert result.meta["burp/citations"][0]["url"] == "https://reactome.org/content/detail/R-HSA-111448"


async def test_identifier_without_pathways_differs_from_an_unknown_one() -> None:
    upstream = FakeUpstream(
        {
            "/data/mapping/UniProt/P11111/pathways": NOT_FOUND,
            "/data/mapping/UniProt/P22222/pathways": NOT_FOUND,
            "/references/mapping/P11111": Played([{"dbId": 1}]),
            "/references/mapping/P22222": NOT_FOUND,
        }
    )
    known = await call(platform, upstream, "map_identifier_to_pathways", identifier="P11111")
    unknown = await call(platform, upstream, "map_identifier_to_pathways", identifier="P22222")
    assert (known.content["outcome"], unknown.content["outcome"]) == ("empty", "unknown_id")


PATHWAY = {
    "dbId": 5633007,
    "stId": "R-HSA-5633007",
    "displayName": "Regulation of TP53 Activity",
    "schemaClass": "Pathway",
    "speciesName": "Homo sapiens",
    "isInDisease": False,
    "compartment": [{"displayName": "nucleoplasm"}],
    "goBiologicalProcess": {"accession": "1901796", "displayName": "regulation of signal transduction by p53"},
    "summation": [{"text": "First<br>second &amp; <i>third</i>.<p>Levels p < 0.05 stay."}],
    "literatureReference": [
        {"title": "Modes of p53 regulation", "year": 2009, "pubMedIdentifier": 19450511, "dbId": 1}
    ],
    "hasEvent": [{"stId": "R-HSA-6804756", "displayName": "Phosphorylation", "schemaClass": "Pathway"}, 5633007],
}


async def test_pathway_is_read_without_markup_and_bare_numbers() -> None:
    upstream = FakeUpstream({"/data/query/R-HSA-5633007": Played(PATHWAY)})
    result = await call(platform, upstream, "get_pathway", reactome_id="r-hsa-5633007")
    data = result.content["data"]
    assert data["summation"] == "First second & third. Levels p < 0.05 stay."
    assert data["goBiologicalProcess"] == "GO:1901796 regulation of signal transduction by p53"
    assert data["compartments"] == ["nucleoplasm"]
    assert data["hasEvent"] == [{"stId": "R-HSA-6804756", "displayName": "Phosphorylation", "schemaClass": "Pathway"}]
    assert data["literatureReference"] == [
        {"title": "Modes of p53 regulation", "year": 2009, "pubMedIdentifier": 19450511}
    ]


def protein(accession: str, shown: str) -> Json:
    return {
        "stId": f"uniprot:{accession}",
        "identifier": accession,
        "schemaClass": "ReferenceGeneProduct",
        "displayName": shown,
    }


PARTICIPANTS = [
    {"peDbId": 1, "displayName": "TP53 [nucleoplasm]", "refEntities": [protein("P04637", "UniProt:P04637 TP53")]},
    {
        "peDbId": 2,
        "displayName": "TP53:MDM2 [cytosol]",
        "refEntities": [
            protein("P04637", "UniProt:P04637 TP53"),
            protein("Q00987", "UniProt:Q00987 MDM2"),
            protein("F1MQV7", "UniProt:F1MQV7"),
        ],
    },
    {
        "peDbId": 3,
        "displayName": "ATP [nucleoplasm]",
        "refEntities": [{"stId": "chebi:30616", "identifier": "30616", "displayName": "ATP(4-) [ChEBI:30616]"}],
    },
]


async def test_participants_are_listed_once_each() -> None:
    upstream = FakeUpstream({"/data/participants/R-HSA-5633007": Played(PARTICIPANTS)})
    result = await call(platform, upstream, "get_pathway_participants", reactome_id="R-HSA-5633007")
    members = result.content["data"]["participants"]
    assert [(row["identifier"], row["database"], row["geneName"]) for row in members] == [
        ("P04637", "uniprot", "TP53"),
        ("Q00987", "uniprot", "MDM2"),
        ("F1MQV7", "uniprot", None),
        ("30616", "chebi", None),
    ]
    assert (result.content["total"], result.content["returned"]) == (4, 4)
    assert result.meta["burp/citations"][0]["identifier"] == "R-HSA-5633007"


async def test_participants_page_by_page_and_of_an_empty_pathway() -> None:
    upstream = FakeUpstream(
        {"/data/participants/R-HSA-1": Played(PARTICIPANTS), "/data/participants/R-HSA-2": Played([])}
    )
    first = await call(platform, upstream, "get_pathway_participants", reactome_id="R-HSA-1", limit=3)
    assert (first.content["returned"], first.content["next"]) == (3, {"offset": 3})
    rest = await call(platform, upstream, "get_pathway_participants", reactome_id="R-HSA-1", limit=3, offset=3)
    assert [row["identifier"] for row in rest.content["data"]["participants"]] == ["30616"]
    assert "next" not in rest.content
    empty = await call(platform, upstream, "get_pathway_participants", reactome_id="R-HSA-2")
    assert empty.content["outcome"] == "empty"


@pytest.mark.parametrize("tool", ["get_pathway", "get_pathway_participants"])
async def test_record_nobody_has_and_a_broken_service(tool: str) -> None:
    for played, outcome in ((NOT_FOUND, "unknown_id"), (Played("<html>502</html>", 502), "failed")):
        upstream = FakeUpstream({"/R-HSA-99999999": played})
        result = await call(platform, upstream, tool, reactome_id="R-HSA-99999999")
        assert result.content["outcome"] == outcome


@pytest.mark.case("C038")
@pytest.mark.parametrize(
    ("tool", "argument"),
    [("get_pathway", "reactome_id"), ("get_pathway_participants", "reactome_id")],
)
async def test_error_text_with_status_200_is_no_record(tool: str, argument: str) -> None:
    text = "Error in exporter: No operations allowed after connection closed."
    upstream = FakeUpstream({"/R-HSA-5683177": Played(text)})
    result = await call(platform, upstream, tool, **{argument: "R-HSA-5683177"})
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "connection closed" in result.content["error"]["message"]


async def test_search_keeps_its_filters_and_cleans_the_hits() -> None:
    hit = {
        "stId": "R-HSA-109581",
        "name": '<span class="highlighting" >Apoptosis</span>',
        "exactType": "Pathway",
        "species": ["Homo sapiens"],
        "isDisease": False,
        "summation": '<span class="highlighting" >Apoptosis</span> is a distinct form of cell death. ' + "More. " * 60,
    }
    found = {"results": [{"typeName": "Pathway", "entries": [hit]}], "numberOfMatches": 12}
    upstream = FakeUpstream({"/search/query": Played(found)})
    result = await call(platform, upstream, "search", query="apoptosis", types=["Pathway", "Reaction"], limit=3)
    assert upstream.asked == [
        "ContentService/search/query?query=apoptosis&species=Homo sapiens&types=Pathway&types=Reaction&cluster=true"
        "&rows=3&Start row=0&Force filters=true"
    ]
    (row,) = result.content["data"]
    assert (row["stId"], row["name"]) == ("R-HSA-109581", "Apoptosis")
    assert row["summation"].startswith("Apoptosis is a distinct form") and row["summation"].endswith("…")
    assert (result.content["total"], result.content["returned"]) == (12, 1)


async def test_search_without_hits_and_with_a_fault() -> None:
    silent = FakeUpstream({"/search/query": NOT_FOUND, "/search/spellcheck": NOT_FOUND, "/search/suggest": NOT_FOUND})
    nothing = await call(platform, silent, "search", query="zzzznotaterm")
    assert (nothing.content["outcome"], nothing.content["data"]) == ("empty", [])
    fault = await call(platform, FakeUpstream({"/search/query": Played("x", 500)}), "search", query="TP53")
    assert fault.content["error"]["code"] == "upstream_unavailable"
