"""PubTator3: entities of abstracts and full texts, and sentences by meaning."""

from typing import Any

import pytest

from mcp_server.platforms.pubtator3 import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.pubtator3_cases import (
    EXPORT,
    FLAHERTY,
    MAP2K7,
    TRAMETINIB,
    document,
    export,
    mention,
    passage,
    refused,
)

Json = Any
PMC_EXPORT = "/publications/pmc_export/biocjson"
VARIANT = {
    "accession": "@VARIANT_p.V600E_BRAF_human", "name": "p.V600E", "database": "litvar", "hgvs": "p.V600E",
    "normalized_id": "rs113488022##", "rsid": "rs113488022", "gene_ids": [673], "clingen_id": "CA123643",
    "species_id": 9606,
}  # fmt: skip


def cystic() -> Json:
    """Return a full text with sections, tables and references."""
    gene = mention("HNF1B", 2000, "Gene", "6928", accession="@GENE_HNF1B", name="HNF1B", normalized_id=6928)
    return document(
        "32574212",
        passage("Cystic kidney diseases", section_type="TITLE", type="front"),
        passage("An abstract.", section_type="ABSTRACT", type="abstract"),
        passage("Introduction", section_type="INTRO", type="title_1"),
        passage("HNF1B is a cause.", gene, section_type="INTRO", type="paragraph"),
        passage("HNF1B HNF1B", gene, section_type="TABLE", type="table"),
        passage("HNF1B paper", gene, section_type="REF", type="ref"),
        _id="32574212|PMC7310724",
        id="7310724",
        pmid="32574212",
        pmcid="PMC7310724",
    )


async def test_entities_are_counted_once_each_with_the_words_that_were_read_so() -> None:
    result = await call(platform, FakeUpstream({EXPORT: export(FLAHERTY)}), "get_annotations", article_ids=["22663011"])
    (article,) = result.content["data"]["articles"]
    assert [(row["id"], row["mentions"], row["texts"]) for row in article["entities"]] == [
        (MAP2K7, 2, ["MEK"]),
        ("@GENE_BRAF", 1, ["BRAF"]),
        (TRAMETINIB, 1, ["trametinib"]),
    ]
    assert article["entities"][0] == {
        "type": "gene",
        "id": MAP2K7,
        "name": "MAP2K7",
        "db": "ncbi_gene",
        "db_id": "5609",
        "mentions": 2,
        "texts": ["MEK"],
        "sections": {"TITLE": 1, "ABSTRACT": 1},
    }
    assert article["relations"][0]["type"] == "negative_correlate"
    assert (article["is_full_text"], article["mentions_without_record"]) == (False, 0)
    assert "Machine-extracted" in result.content["note"]
    assert result.meta["burp/citations"][0]["url"] == "https://pubmed.ncbi.nlm.nih.gov/22663011/"


async def test_variants_cell_lines_and_species_keep_their_own_numbers() -> None:
    text = passage(
        "V600E in 16-HBE of patients",
        mention("V600E", 0, "Variant", "tmVar:p|SUB|V|600|E", **VARIANT),
        mention("16-HBE", 9, "CellLine", "CVCL:0112", accession=None, normalized_id="0112", database="cvcl"),
        mention("patients", 19, "Species", "9606", accession=None, normalized_id=9606, database="ncbi_taxonomy"),
        type="abstract",
    )
    upstream = FakeUpstream({EXPORT: export(document("28483577", text))})
    result = await call(platform, upstream, "get_annotations", article_ids=["PMID: 28483577"])
    variant, cells, species = result.content["data"]["articles"][0]["entities"]
    assert variant["rsid"] == "rs113488022" and variant["ncbi_gene_ids"] == ["673"]
    assert (variant["clingen_id"], variant["taxon"]) == ("CA123643", "9606")
    assert (cells["db_id"], species["db_id"]) == ("0112", "9606")


async def test_mentions_without_a_record_are_counted_but_are_no_entities() -> None:
    text = passage(
        "cigarette smoke and NHBE and x",
        mention("cigarette smoke", 0, "Chemical", "-", valid=False, normalized_id=None),
        {**mention("NHBE", 20, "Disease", ""), "infons": {"type": "Disease", "valid": False, "normalized_id": None}},
        type="abstract",
    )
    upstream = FakeUpstream({EXPORT: export(document("28483577", text))})
    result = await call(platform, upstream, "get_annotations", article_ids=["28483577"])
    (article,) = result.content["data"]["articles"]
    assert (article["entities"], article["mentions_without_record"]) == ([], 2)


async def test_kinds_limit_entities_and_relations() -> None:
    upstream = FakeUpstream({EXPORT: export(FLAHERTY)})
    result = await call(platform, upstream, "get_annotations", article_ids=["22663011"], types=["chemical"])
    (article,) = result.content["data"]["articles"]
    assert [row["id"] for row in article["entities"]] == [TRAMETINIB]
    assert [(row["source"], row["target"]) for row in article["relations"]] == [(TRAMETINIB, MAP2K7)]


async def test_a_number_that_was_left_out_without_a_word_is_named() -> None:
    upstream = FakeUpstream({EXPORT: export(FLAHERTY)})
    result = await call(platform, upstream, "get_annotations", article_ids=["22663011", "99999999"])
    assert result.content["outcome"] == "data"
    assert result.content["data"]["not_found"] == ["99999999"]
    assert "99999999" in result.content["note"]


async def test_another_article_than_asked_for_is_a_bad_response() -> None:
    upstream = FakeUpstream({EXPORT: export(FLAHERTY)})
    result = await call(platform, upstream, "get_annotations", article_ids=["12345"])
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_a_refusal_for_another_reason_is_no_unknown_number() -> None:
    upstream = FakeUpstream({EXPORT: refused("Too many PMIDs")})
    result = await call(platform, upstream, "get_annotations", article_ids=["12345"])
    assert result.content["error"]["code"] == "upstream_refused"


async def test_a_full_text_is_read_by_section_without_tables_and_references() -> None:
    upstream = FakeUpstream({f"{EXPORT}?pmids=32574212&full=true": export(cystic())})
    result = await call(platform, upstream, "get_annotations", article_ids=["32574212"], full_text=True)
    (article,) = result.content["data"]["articles"]
    assert article["pmcid"] == "PMC7310724" and article["is_full_text"]
    assert article["sections"] == {"TITLE": 1, "ABSTRACT": 1, "INTRO": 2}
    assert article["sections_left_out"] == {"TABLE": 1, "REF": 1}
    assert article["entities"][0]["sections"] == {"INTRO": 1}


async def test_named_sections_are_read_even_tables_and_what_is_missing_is_told() -> None:
    upstream = FakeUpstream({f"{PMC_EXPORT}?pmcids=PMC7310724": export(cystic())})
    result = await call(
        platform, upstream, "get_annotations", article_ids=["pmc7310724"], sections=["Tables", "Discussion"]
    )
    (article,) = result.content["data"]["articles"]
    assert article["sections"] == {"TABLE": 1} and article["entities"][0]["sections"] == {"TABLE": 1}
    assert "No article has a section DISCUSS; there are ABSTRACT, INTRO" in result.content["note"]
    assert result.meta["burp/citations"][0]["identifier"] == "32574212"


async def test_an_article_without_open_full_text_says_that_only_the_abstract_was_read() -> None:
    upstream = FakeUpstream({EXPORT: export(FLAHERTY)})
    result = await call(platform, upstream, "get_annotations", article_ids=["22663011"], full_text=True)
    assert "No open-access full text of 22663011" in result.content["note"]


@pytest.mark.parametrize("unknown", [refused("Could not retrieve publications"), export()], ids=["refused", "nothing"])
async def test_a_pmc_number_that_nobody_has_is_unknown(unknown: Played) -> None:
    result = await call(platform, FakeUpstream({PMC_EXPORT: unknown}), "get_annotations", article_ids=["PMC999999999"])
    assert result.content["outcome"] == "unknown_id"


async def test_more_than_three_full_texts_are_refused() -> None:
    ids = ["PMC1000", "PMC1001", "PMC1002", "PMC1003"]
    result = await call(platform, FakeUpstream({}), "get_annotations", article_ids=ids)
    assert result.content["error"]["argument"] == "article_ids"


async def test_the_word_none_is_no_pmc_number_and_the_titles_note_may_hold_one() -> None:
    noted = document("20516115", passage("A title", type="title", **{"article-id_pmc": "PMC3040717"}))
    upstream = FakeUpstream({EXPORT: export(noted, FLAHERTY)})
    result = await call(platform, upstream, "get_annotations", article_ids=["22663011", "20516115"])
    first, second = result.content["data"]["articles"]
    assert (first["pmid"], first.get("pmcid")) == ("22663011", None)
    assert (second["pmid"], second["pmcid"]) == ("20516115", "PMC3040717")


def sentence(number: int, **more: Json) -> Json:
    return {"pmid": number, "pmcid": None, "text": f"Sentence {number}.", "score": 1 - number / 1000, **more}


async def test_sentences_name_their_entities_and_their_paper() -> None:
    row = sentence(
        30850150, text="CCHS and Hirschsprung disease (HD).", section="abstract",
        annotations=["0|4|disease|MESH:C536209", "9|20|disease|MESH:D006627", "31|2|disease|MESH:D006627"],
    )  # fmt: skip
    upstream = FakeUpstream({"/passages/?query=Hirschsprung&rerank=true": Played([row])})
    result = await call(platform, upstream, "search_sentences", query="Hirschsprung", level="passages")
    (found,) = result.content["data"]["sentences"]
    assert found["entities"] == [
        {"type": "disease", "id": "MESH:C536209", "text": "CCHS"},
        {"type": "disease", "id": "MESH:D006627", "text": "Hirschsprung disease"},
    ]
    assert (found["pmid"], found["section"]) == ("30850150", "abstract")
    assert result.meta["burp/citations"][0]["url"] == "https://pubmed.ncbi.nlm.nih.gov/30850150/"


async def test_the_best_hundred_sentences_come_in_parts_and_are_said_to_be_no_more() -> None:
    upstream = FakeUpstream({"/sentences/": Played([sentence(number) for number in range(1, 101)])})
    first = await call(platform, upstream, "search_sentences", query="a statement", limit=60)
    rest = await call(platform, upstream, "search_sentences", query="a statement", limit=60, **first.content["next"])
    pmids = [row["pmid"] for part in (first, rest) for row in part.content["data"]["sentences"]]
    assert pmids == [str(number) for number in range(1, 101)]
    assert "best 100 only" in first.content["note"] and "next" not in rest.content


async def test_an_annotation_of_another_form_is_a_bad_response() -> None:
    upstream = FakeUpstream({"/sentences/": Played([sentence(1, annotations=["disease:MESH:D006627"])])})
    result = await call(platform, upstream, "search_sentences", query="a statement")
    assert result.content["error"]["code"] == "upstream_bad_response"
