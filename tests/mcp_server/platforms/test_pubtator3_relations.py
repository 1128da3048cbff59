"""PubTator3: relations of an entity, and the articles and sentences behind one."""

from typing import Any

import pytest

from mcp_server.platforms.pubtator3 import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.pubtator3_cases import (
    CFS,
    EXPORT,
    FLAHERTY,
    FLAHERTY_HIT,
    LOOKUP,
    MAP2K7,
    NO_ENTITY,
    RELATIONS,
    SEARCH,
    TRAMETINIB,
    document,
    entity_row,
    export,
    hit,
    hits,
    mention,
    passage,
    relation,
)

Json = Any


def related(kind: str, source: str, target: str, publications: int) -> Json:
    return {"type": kind, "source": source, "target": target, "publications": publications}


ROWS = [
    related("cause", CFS, "@VARIANT_p.A1156T_SCN4A_human", 2),
    related("associate", CFS, "@GENE_RNASEL", 22),
    related("treat", "@CHEMICAL_Hydrocortisone", CFS, 47),
    related("treat", "@CHEMICAL_coenzyme_Q10", CFS, 21),
]


async def test_relations_come_with_the_most_articles_first_and_in_parts() -> None:
    upstream = FakeUpstream({RELATIONS: Played(ROWS)})
    first = await call(platform, upstream, "find_relations", entity=CFS, limit=3)
    assert [row["publications"] for row in first.content["data"]["relations"]] == [47, 22, 21]
    assert (first.content["total"], first.content["next"]) == (4, {"offset": 3})
    assert "Machine-extracted" in first.content["note"]
    rest = await call(platform, upstream, "find_relations", entity=CFS, limit=3, **first.content["next"])
    assert [row["publications"] for row in rest.content["data"]["relations"]] == [2]
    assert "next" not in rest.content
    assert upstream.asked[0] == f"research/pubtator3-api/relations?e1={CFS}"


async def test_type_and_kind_are_asked_for_and_held_against_the_rows() -> None:
    upstream = FakeUpstream({RELATIONS: Played(ROWS)})
    result = await call(
        platform, upstream, "find_relations", entity=CFS, relation="treat", target_type="chemical", limit=1
    )
    assert upstream.asked == [f"research/pubtator3-api/relations?e1={CFS}&type=treat&e2=chemical"]
    assert result.content["total"] == 2, "rows that the service should have left out do not count"


async def test_a_filter_that_lets_only_others_through_is_a_bad_response() -> None:
    upstream = FakeUpstream({RELATIONS: Played(ROWS[:2])})
    result = await call(platform, upstream, "find_relations", entity=CFS, relation="prevent")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_relations_of_another_entity_are_a_bad_response() -> None:
    upstream = FakeUpstream({RELATIONS: Played(ROWS)})
    result = await call(platform, upstream, "find_relations", entity="@DISEASE_Melanoma")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_an_exact_name_is_taken_for_its_id() -> None:
    rows = [entity_row(CFS, "Fatigue Syndrome Chronic", "ncbi_mesh", "D015673", synonym="Chronic Fatigue Syndrome")]
    upstream = FakeUpstream({LOOKUP: Played(rows), RELATIONS: Played(ROWS)})
    result = await call(platform, upstream, "find_relations", entity="chronic fatigue syndrome")
    assert result.content["data"]["entity"] == CFS


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "ids that may be meant: none"),
        ([entity_row("@GENE_BRAFP1", "BRAFP1", "ncbi_gene", "286494")], "is not the exact name.*@GENE_BRAFP1"),
        (
            [
                entity_row("@GENE_ACE", "ACE", "ncbi_gene", "1636"),
                entity_row("@CHEMICAL_ace", "ace", "ncbi_mesh", "C1"),
            ],
            "names several entities.*@GENE_ACE, @CHEMICAL_ace",
        ),
    ],
    ids=["nobody", "near", "several"],
)
async def test_a_name_in_doubt_is_refused_with_what_may_be_meant(rows: Json, why: str) -> None:
    upstream = FakeUpstream({LOOKUP: Played(rows)})
    result = await call(platform, upstream, "find_relations", entity="ace")
    assert result.content["error"]["argument"] == "entity"
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(result.content["error"]["message"])


@pytest.mark.parametrize("entity", ["@GENE_672", "@DISEASE_MESH:D015673", "@gene_BRAF", "@GENE_"])
async def test_ids_that_no_list_spells_so_are_refused(entity: str) -> None:
    result = await call(platform, FakeUpstream({}), "find_relations", entity=entity)
    assert result.content["error"]["code"] == "tool_invalid_arguments"
    assert "find_entity" in result.content["error"]["message"]


async def test_a_variant_without_relations_is_empty_since_no_look_up_knows_its_id() -> None:
    upstream = FakeUpstream({RELATIONS: Played([])})
    result = await call(platform, upstream, "find_relations", entity="@VARIANT_p.V600R_BRAF_human", relation="cause")
    assert result.content["outcome"] == "empty"
    assert "relation of type cause" in result.content["note"]


async def test_evidence_names_relation_score_and_the_sentences_with_both() -> None:
    upstream = FakeUpstream({SEARCH: hits(FLAHERTY_HIT, count=12), EXPORT: export(FLAHERTY)})
    result = await call(
        platform, upstream, "get_relation_evidence", entity_1=TRAMETINIB, entity_2=MAP2K7, relation="inhibit", limit=1
    )
    assert result.content["data"] == {
        "entity_1": TRAMETINIB,
        "entity_2": MAP2K7,
        "relation": "inhibit",
        "count": 12,
        "articles": [
            {
                "pmid": "22663011",
                "title": "Improved survival with MEK inhibition in BRAF-mutated melanoma.",
                "journal": "Anticancer Res",
                "date": "2012-07-12",
                "relations": [
                    {
                        "type": "negative_correlate",
                        "source": TRAMETINIB,
                        "target": MAP2K7,
                        "class": "Negative_Correlation",
                        "score": 0.9988,
                    }
                ],
                "sentences": [{"section": "ABSTRACT", "text": "trametinib is MEK's inhibitor."}],
            }
        ],
    }
    assert (result.content["total"], result.content["next"]) == (12, {"offset": 1})
    assert f"text=relations:inhibit|{TRAMETINIB}|{MAP2K7}" in upstream.asked[0]


async def test_a_relation_of_the_full_text_only_shows_the_snippet_of_the_search() -> None:
    alone = document("1", passage("A title", type="title"), passage("Nothing of both.", offset=8, type="abstract"))
    upstream = FakeUpstream({SEARCH: hits(hit(1, "A title", marked="in the <m>text</m>")), EXPORT: export(alone)})
    result = await call(platform, upstream, "get_relation_evidence", entity_1=TRAMETINIB, entity_2=MAP2K7)
    (article,) = result.content["data"]["articles"]
    assert (article["relations"], article["sentences"], article["snippet"]) == ([], [], "in the text")


async def test_an_article_that_the_export_does_not_have_is_told() -> None:
    upstream = FakeUpstream({SEARCH: hits(hit(2, "Another"), FLAHERTY_HIT), EXPORT: export(FLAHERTY)})
    result = await call(platform, upstream, "get_relation_evidence", entity_1=TRAMETINIB, entity_2=MAP2K7)
    assert [row.get("abstract_annotated") for row in result.content["data"]["articles"]] == [False, None]
    assert result.content["returned"] == 2


async def test_evidence_of_an_entity_with_itself_is_refused() -> None:
    result = await call(platform, FakeUpstream({}), "get_relation_evidence", entity_1=MAP2K7, entity_2=MAP2K7)
    assert result.content["error"]["argument"] == "entity_2"


async def test_no_evidence_for_two_known_entities_is_empty_and_the_unknown_one_is_named() -> None:
    known = [entity_row(TRAMETINIB, "trametinib", "ncbi_mesh", "C560077")]
    upstream = FakeUpstream({SEARCH: hits(), f"{LOOKUP}?query=trametinib": Played(known), **NO_ENTITY})
    result = await call(platform, upstream, "get_relation_evidence", entity_1=TRAMETINIB, entity_2="@GENE_MEKK99")
    assert result.content["outcome"] == "unknown_id"
    assert result.content["data"]["identifier"] == "@GENE_MEKK99"


async def test_mentions_are_found_by_their_words_where_offsets_do_not_fit() -> None:
    far = document(
        "5",
        passage(
            "The drug trametinib blocks MEK. It was given twice.",
            mention("trametinib", 999, "Chemical", "MESH:C560077", accession=TRAMETINIB),
            mention("MEK", 999, "Gene", "5609", accession=MAP2K7),
            type="abstract",
        ),
        relations=[relation("Negative_Correlation", "0.7", TRAMETINIB, MAP2K7)],
    )
    upstream = FakeUpstream({SEARCH: hits(hit(5, "T")), EXPORT: export(far)})
    result = await call(platform, upstream, "get_relation_evidence", entity_1=TRAMETINIB, entity_2=MAP2K7)
    (article,) = result.content["data"]["articles"]
    assert article["sentences"] == [{"section": "ABSTRACT", "text": "The drug trametinib blocks MEK."}]
    assert article["relations"][0]["type"] == "negative_correlation", "without the short list, in the article's words"
