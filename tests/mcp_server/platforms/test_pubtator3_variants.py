"""PubTator3: variants in the literature by LitVar, where ids need encoding and a list is no JSON."""

from typing import Any

import pytest

from mcp_server.platforms.pubtator3 import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.pubtator3_cases import (
    LOOKUP,
    NO_ENTITY,
    PUBLICATIONS,
    SUMMARIES,
    V600E,
    entity_row,
    refused,
    summaries,
)

Json = Any
NAMES = "/variant/autocomplete/"
OF_GENE = "/variant/search/gene/"


async def test_a_variant_has_its_ids_gene_and_number_of_articles() -> None:
    result = await call(platform, FakeUpstream({NAMES: Played([V600E])}), "find_literature_variant", query="BRAF V600E")
    assert result.content["data"]["variants"] == [
        {
            "litvar_id": "litvar@rs113488022##",
            "rsid": "rs113488022",
            "gene": ["BRAF"],
            "name": "p.V600E",
            "hgvs": "p.V600E",
            "articles": 21820,
            "significance": ["pathogenic", "drug-response"],
        }
    ]
    (cited,) = result.meta["burp/citations"]
    assert cited["url"] == "https://www.ncbi.nlm.nih.gov/research/litvar2/docsum?variant=litvar%40rs113488022%23%23"


async def test_a_variant_without_rsid_and_significance_is_a_row_too() -> None:
    bare = {"_id": "litvar@#673#p.F12V", "gene": ["BRAF"], "name": "p.F12V", "pmids_count": 1}
    result = await call(platform, FakeUpstream({NAMES: Played([bare])}), "find_literature_variant", query="BRAF F12V")
    assert result.content["data"]["variants"][0] == {
        "litvar_id": "litvar@#673#p.F12V", "gene": ["BRAF"], "name": "p.F12V", "articles": 1,
    }  # fmt: skip


async def test_an_rsid_is_that_variant_or_unknown_never_a_longer_number() -> None:
    longer = {**V600E, "_id": "litvar@rs1134880221##", "rsid": "rs1134880221"}
    found = await call(
        platform, FakeUpstream({NAMES: Played([longer, V600E])}), "find_literature_variant", query="RS113488022"
    )
    assert [row["rsid"] for row in found.content["data"]["variants"]] == ["rs113488022"]
    lost = await call(platform, FakeUpstream({NAMES: Played([longer])}), "find_literature_variant", query="rs113488022")
    assert lost.content["outcome"] == "unknown_id" and "litvar@rs1134880221##" in lost.content["note"]


@pytest.mark.parametrize("variant", ["rs113488022", "RS113488022", "rs113488022##", "litvar@rs113488022##"])
async def test_every_spelling_of_an_id_asks_for_the_whole_encoded_id(variant: str) -> None:
    upstream = FakeUpstream({PUBLICATIONS: Played({"pmids": []})})
    await call(platform, upstream, "get_variant_publications", variant=variant)
    assert upstream.requests[0].url == (
        "https://www.ncbi.nlm.nih.gov/research/litvar2-api/variant/get/litvar%40rs113488022%23%23/publications"
    )


async def test_articles_come_newest_first_in_parts_with_titles_of_those_shown() -> None:
    record = {
        "uid": "34865163", "title": "On <i>BRAF</i>.", "source": "Lancet", "pubdate": "2021 Dec",
        "authors": [{"name": "Doe J"}, {"name": "Roe R"}],
        "articleids": [{"idtype": "doi", "value": "10.1000/x"}, {"idtype": "pmc", "value": "PMC1"}],
    }  # fmt: skip
    body = {"pmids": [32768003, 34865163, 27656207], "pmcids": ["PMC1"], "pmids_count": 3}
    upstream = FakeUpstream({PUBLICATIONS: Played(body), SUMMARIES: summaries(record)})
    result = await call(platform, upstream, "get_variant_publications", variant="rs113488022", limit=2)
    assert result.content["data"] == {
        "litvar_id": "litvar@rs113488022##",
        "articles_in_pmc": 1,
        "articles": [
            {
                "pmid": "34865163",
                "title": "On BRAF.",
                "first_author": "Doe J",
                "journal": "Lancet",
                "pubdate": "2021 Dec",
                "doi": "10.1000/x",
                "pmcid": "PMC1",
            },
            {"pmid": "32768003"},
        ],
    }
    assert (result.content["total"], result.content["next"]) == (3, {"offset": 2})
    assert "no record of 32768003" in result.content["note"]
    assert "id=34865163,32768003" in upstream.asked[1]


async def test_without_pubmed_the_numbers_still_stand_and_the_note_says_why() -> None:
    upstream = FakeUpstream({PUBLICATIONS: Played({"pmids": [1, 2], "pmids_count": 5}), SUMMARIES: Played("no", 503)})
    result = await call(platform, upstream, "get_variant_publications", variant="rs113488022")
    assert result.content["data"]["articles"] == [{"pmid": "2"}, {"pmid": "1"}]
    assert "Titles are missing: eutils.ncbi.nlm.nih.gov (HTTP 503)" in result.content["note"]
    assert "LitVar counts 5 articles and lists 2" in result.content["note"]


async def test_an_answer_about_half_of_the_id_is_a_bad_response() -> None:
    upstream = FakeUpstream({PUBLICATIONS: refused("Variant not found: litvar@rs113488022")})
    result = await call(platform, upstream, "get_variant_publications", variant="rs113488022")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_variants_of_a_gene_are_read_line_by_line_most_articles_first() -> None:
    lines = (
        "{'_id': 'litvar@rs9648696##', 'pmids_count': 28, 'rsid': 'rs9648696'}\n"
        "{'_id': 'litvar@rs113488022##', 'pmids_count': 21820, 'rsid': 'rs113488022'}\n"
        "\n"
        "{'_id': \"litvar@#673#c.5'UTR\", 'pmids_count': 1}\n"
    )
    upstream = FakeUpstream({f"{OF_GENE}BRAF": Played(lines)})
    result = await call(platform, upstream, "list_gene_variants_in_literature", gene_symbol="braf", limit=2)
    assert [row["articles"] for row in result.content["data"]["variants"]] == [21820, 28]
    assert (result.content["total"], result.content["next"]) == (3, {"offset": 2})
    rest = await call(platform, upstream, "list_gene_variants_in_literature", gene_symbol="BRAF", offset=2)
    assert rest.content["data"]["variants"] == [
        {"litvar_id": "litvar@#673#c.5'UTR", "name": "c.5'UTR", "articles": 1},
    ]


@pytest.mark.parametrize(
    "body",
    [
        "__import__('os').system('true')",
        "{'_id': open('x')}",
        "{'pmids_count': 3}",
        '[{"_id": "litvar@rs1##"}',
        "(" * 5000,
    ],
    ids=["call", "call inside", "no id", "cut", "deep"],
)
async def test_a_line_that_is_no_plain_variant_is_never_run_but_a_bad_response(body: str) -> None:
    upstream = FakeUpstream({f"{OF_GENE}BRAF": Played(body)})
    result = await call(platform, upstream, "list_gene_variants_in_literature", gene_symbol="BRAF")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_an_everyday_name_of_a_gene_leads_to_its_symbol() -> None:
    row = entity_row("@GENE_ERBB2", "ERBB2", "ncbi_gene", "2064", synonym="HER2")
    found = Played("{'_id': 'litvar@rs1136201##', 'pmids_count': 300, 'rsid': 'rs1136201'}")
    upstream = FakeUpstream({f"{OF_GENE}HER2": Played(""), f"{OF_GENE}ERBB2": found, LOOKUP: Played([row])})
    result = await call(platform, upstream, "list_gene_variants_in_literature", gene_symbol="HER2")
    assert (result.content["data"]["gene_symbol"], result.content["data"]["species"]) == ("ERBB2", "Homo sapiens")
    assert "HER2 is a synonym" in result.content["note"]


async def test_a_gene_that_nobody_knows_is_unknown_and_near_ones_are_named() -> None:
    row = entity_row("@GENE_BRAFP1", "BRAFP1", "ncbi_gene", "286494")
    for answers, words in ((NO_ENTITY, "knows a gene"), ({LOOKUP: Played([row])}, "Near symbols: BRAFP1")):
        upstream = FakeUpstream({f"{OF_GENE}BRAFX": Played(""), **answers})
        result = await call(platform, upstream, "list_gene_variants_in_literature", gene_symbol="BRAFX")
        assert result.content["outcome"] == "unknown_id" and words in result.content["note"]
