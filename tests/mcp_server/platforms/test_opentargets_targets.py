"""Open Targets on genes: filters, rankings and summaries made here, human genes, mouse models, honest counts."""

from typing import Any

import pytest

from mcp_server.platforms.opentargets import platform
from tests.mcp_server.platforms.opentargets_answers import answer, arguments, example, played, sent
from tests.mcp_server.played import Played, call

EGFR = {"id": "ENSG00000146648", "approvedSymbol": "EGFR"}


async def run(tool: str, **others: Any) -> dict[str, Any]:
    """Call a tool on its example's answer and return the content."""
    envelope = await call(platform, played(example(tool)), tool, **arguments(tool, **others))
    return envelope.content


async def test_many_names_keep_their_order_and_say_how_each_fits() -> None:
    play = played(example("search_entities_batch"))
    envelope = await call(
        platform, play, "search_entities_batch", terms=["P53", "CFTR", "NOTAREALGENEXYZ"], entity_types=["target"]
    )
    mappings = envelope.content["data"]["mappings"]
    assert [(each["term"], [(hit["id"], hit["match"]) for hit in each["hits"]]) for each in mappings] == [
        ("P53", [("ENSG00000141510", "synonym")]),
        ("CFTR", [("ENSG00000001626", "name")]),
        ("NOTAREALGENEXYZ", []),
    ]
    assert (envelope.content["total"], envelope.content["returned"]) == (3, 2)
    assert envelope.content["data"]["missing"] == ["NOTAREALGENEXYZ"]
    assert mappings[0]["hits"][0]["object"]["species"] == "Homo sapiens"
    assert sent(play) == {"terms": ["P53", "CFTR", "NOTAREALGENEXYZ"], "entityNames": ["target"]}


async def test_a_term_with_a_greek_letter_is_looked_up_by_the_letters_name() -> None:
    play = played(answer(mapIds={"total": 0, "mappings": []}))
    await call(platform, play, "search_entities_batch", terms=["β-catenin", "β-catenin"])
    assert sent(play) == {"terms": ["beta-catenin"], "entityNames": ["target", "disease", "drug"]}


async def test_more_hits_than_shown_are_counted() -> None:
    hits = [{"id": f"CHEMBL{n}", "entity": "drug", "name": f"D{n}", "score": 1, "object": None} for n in range(5)]
    body = answer(mapIds={"total": 5, "mappings": [{"term": "D9", "hits": hits}]})
    envelope = await call(platform, played(body), "search_entities_batch", terms=["D9"])
    (mapping,) = envelope.content["data"]["mappings"]
    assert (len(mapping["hits"]), mapping["hitCount"]) == (3, 5)
    assert "By text only" in envelope.content["note"]


async def test_unknown_genes_among_known_ones_are_listed() -> None:
    content = await run("get_targets_batch")
    assert [each["approvedSymbol"] for each in content["data"]["targets"]] == ["EGFR"]
    assert content["data"]["missing"] == ["ENSG00000000000"]
    assert content["data"]["targets"][0]["tractability"] == [
        {"label": "Approved Drug", "modality": "SM", "value": True}
    ]
    assert (content["total"], content["returned"]) == (2, 1)


async def test_tractability_is_told_by_modality_with_what_was_not_met_counted() -> None:
    content = await run("get_target_druggability")
    assert content["data"]["tractability"] == {"SM": ["Approved Drug"], "AB": ["Approved Drug"], "PR": []}
    assert content["data"]["assessed"] == 4
    assert content["data"]["target"] == {**EGFR, "species": "Homo sapiens"}


async def test_a_safety_event_cites_its_paper() -> None:
    envelope = await call(
        platform, played(example("get_target_safety")), "get_target_safety", ensembl_id="ENSG00000146648.15"
    )
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["ENSG00000146648", "22663011"]
    assert "eventId" not in envelope.content["data"]["rows"][0]


async def test_levels_are_ranked_within_each_measurement() -> None:
    content = await run("get_target_expression", tissue=None)
    assert [(row["datatypeId"], row["median"]) for row in content["data"]["rows"]] == [
        ("bulk rna-seq", 2.5),
        ("bulk rna-seq", 0.1),
        ("scrna-seq", 0.4),
    ]
    assert (content["total"], content["returned"]) == (3, 3)


@pytest.mark.parametrize(
    ("filters", "found"),
    [({"tissue": "Kidney"}, 2), ({"tissue": "T cell"}, 1), ({"tissue": "kidney", "datatype": "scRNA-seq"}, 1)],
)
async def test_expression_is_filtered_by_place_and_measurement(filters: dict[str, str], found: int) -> None:
    content = await run("get_target_expression", **{"tissue": None, **filters})
    assert content["total"] == found == len(content["data"]["rows"])


async def test_a_filter_that_fits_no_row_names_the_measurements() -> None:
    content = await run("get_target_expression", tissue=None, datatype="proteomics")
    assert content["outcome"] == "empty"
    assert content["note"] == "None of the 3 rows fits the filter; measurements listed: bulk rna-seq, scrna-seq."


async def test_expression_beyond_what_is_read_is_said() -> None:
    row = example("get_target_expression")["data"]["target"]["baselineExpression"]["rows"][0]
    target = {"id": "ENSG00000169194", "approvedSymbol": "IL13"}
    pages = [answer(target={**target, "baselineExpression": {"count": 5000, "rows": [row]}}) for _ in range(3)]
    play = played(*pages)
    envelope = await call(platform, play, "get_target_expression", ensembl_id="ENSG00000169194")
    assert [sent(play, n)["index"] for n in range(3)] == [0, 1, 2]
    assert envelope.content["note"] == "Only the first 3 of 5000 rows were ranked."
    assert envelope.content["total"] == 5000


async def test_interactions_pass_source_and_score_on_and_cite_partners() -> None:
    play = played(example("get_target_interactions"))
    envelope = await call(platform, play, "get_target_interactions", **arguments("get_target_interactions"))
    assert sent(play) == {
        "ensemblId": "ENSG00000169194",
        "source": "string",
        "threshold": 0.9,
        "index": 0,
        "size": 2,
    }
    assert (envelope.content["total"], envelope.content["next"]) == (40, {"offset": 2})
    assert [cited["label"] for cited in envelope.meta["burp/citations"]] == ["IL13", "IL13RA2", "IL13RA1"]
    assert envelope.content["data"]["rows"][0]["speciesB"]["scientificName"] == "Homo sapiens"


async def test_filters_that_are_not_given_are_not_sent() -> None:
    play = played(example("get_target_interactions"))
    await call(platform, play, "get_target_interactions", ensembl_id="ENSG00000169194")
    assert set(sent(play)) == {"ensemblId", "index", "size"}


async def test_dependency_is_told_by_tissue_and_leaves_missing_effects_out() -> None:
    content = await run("get_target_essentiality", tissue=None)
    assert content["data"]["tissues"] == [
        {
            "tissueId": "UBERON_0002367",
            "tissueName": "prostate gland",
            "screens": 2,
            "medianEffect": -0.6717,
            "dependent": 1,
        },
        {"tissueId": None, "tissueName": "craniocervical region", "screens": 1, "medianEffect": None, "dependent": 0},
    ]
    assert content["data"]["isEssential"] is False and "screens" not in content["data"]


async def test_single_screens_come_for_a_tissue_strongest_first() -> None:
    content = await run("get_target_essentiality", limit=1)
    assert [screen["cellLineName"] for screen in content["data"]["screens"]] == ["WPE1-NA22"]
    assert (content["total"], content["returned"], content["next"]) == (2, 1, {"offset": 1})


async def test_an_unknown_tissue_answers_with_the_tissues() -> None:
    content = await run("get_target_essentiality", tissue="moon")
    assert content["outcome"] == "empty"
    assert content["note"] == "No tissue fits; there are craniocervical region, prostate gland."


async def test_mouse_models_are_counted_and_their_gene_is_named() -> None:
    content = await run("get_target_mouse_phenotypes")
    assert content["data"]["modelSpecies"] == "Mus musculus"
    (row,) = content["data"]["rows"]
    assert (row["mouseGene"], row["modelCount"], row["literature"]) == ("Pcsk9", 2, ["15805190"])


async def test_prioritisation_factors_are_numbers() -> None:
    content = await run("get_target_prioritisation")
    assert content["data"]["factors"] == {"geneticConstraint": -0.713, "hasPocket": 1.0}


async def test_constraint_keeps_bounds() -> None:
    content = await run("get_target_constraint")
    assert content["data"]["rows"][0]["oeUpper"] == 1.1


async def test_papers_about_several_things_carry_the_filtered_count_and_a_cursor() -> None:
    play = played(example("get_entity_literature"))
    envelope = await call(
        platform,
        play,
        "get_entity_literature",
        entity_id="ensg00000001626.17",
        with_ids=["mondo:0009061"],
        end_year=2024,
    )
    assert sent(play) == {"id": "ENSG00000001626", "ids": ["MONDO_0009061"], "endYear": 2024}
    assert (envelope.content["total"], envelope.content["next"]) == (9000, {"cursor": "abc"})
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["ENSG00000001626", "36842301"]


@pytest.mark.parametrize(
    ("entity_id", "operation", "root"),
    [("CHEMBL554", "DrugLiterature", "drug"), ("EFO:0000305", "DiseaseLiterature", "disease")],
)
async def test_the_id_tells_what_kind_of_record_is_asked_for(entity_id: str, operation: str, root: str) -> None:
    play = played(answer(**{root: None}))
    envelope = await call(platform, play, "get_entity_literature", entity_id=entity_id)
    assert play.requests[0].body["operationName"] == operation
    assert envelope.content["outcome"] == "unknown_id"


async def test_years_in_the_wrong_order_are_refused() -> None:
    envelope = await call(
        platform, Played(), "get_entity_literature", entity_id="CHEMBL554", start_year=2024, end_year=2020
    )
    assert envelope.content["error"]["argument"] == "end_year"


async def test_neighbours_say_their_kind_and_a_full_list_says_so() -> None:
    content = await run("get_similar_entities", limit=2)
    assert [(row["entity"], row["name"]) for row in content["data"]["rows"]] == [
        ("drug", "TRASTUZUMAB"),
        ("drug", "LAPATINIB"),
    ]
    assert "raise limit" in content["note"]
    assert "note" not in await run("get_similar_entities", limit=5)


@pytest.mark.parametrize(
    ("text", "operation", "sent_text"),
    [
        ('{ target(ensemblId: "X") { id } }', "Own", 'query Own { target(ensemblId: "X") { id } }'),
        ("query($a: Int) { x }", "Own", "query Own ($a: Int) { x }"),
        ("query Mine {\n a # why\n b }", "Mine", "query Mine { a b }"),
        (
            '{ search(queryString: "#1 mutation") { total } }',
            "Own",
            'query Own { search(queryString: "#1 mutation") { total } }',
        ),
    ],
    ids=["anonymous", "with variables", "with a comment", "with words in quotes"],
)
async def test_a_query_of_ones_own_is_named_and_sent(text: str, operation: str, sent_text: str) -> None:
    play = played(answer(target=EGFR))
    envelope = await call(platform, play, "run_graphql_query", query=text)
    assert play.requests[0].body == {"operationName": operation, "query": sent_text, "variables": {}}
    assert envelope.content["data"]["target"] == EGFR
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["ENSG00000146648"]


@pytest.mark.parametrize(
    "text", ["mutation { drop }", "{ __schema { types { name } } }", "fragment F on Target { id }"]
)
async def test_a_query_that_reads_no_records_is_refused_before_asking(text: str) -> None:
    envelope = await call(platform, Played(), "run_graphql_query", query=text)
    assert envelope.content["error"]["argument"] == "query"


@pytest.mark.case("C002")
@pytest.mark.parametrize(
    ("query", "match"),
    [("HER2", "synonym"), ("HER-2", "synonym"), ("her2/neu", "synonym"), ("erbb2", "name"), ("HER3", "text")],
)
async def test_an_everyday_name_is_no_mere_text_hit(query: str, match: str) -> None:
    erbb2 = {
        "id": "ENSG00000141736",
        "entity": "target",
        "name": "ERBB2",
        "object": {
            "__typename": "Target",
            "approvedSymbol": "ERBB2",
            "symbolSynonyms": [{"label": "NEU"}, {"label": "HER2"}],
        },
    }
    play = played(answer(search={"total": 1, "hits": [erbb2]}))
    envelope = await call(platform, play, "search_entities", query=query, entity_types=["target"])
    assert [hit["match"] for hit in envelope.content["data"]["hits"]] == [match]
