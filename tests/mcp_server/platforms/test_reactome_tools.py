"""Reactome: kinds of record, bare numbers, groups of twenty, tokens, trees, other species, joined pages."""

from typing import Any

import pytest

from mcp_server.platforms.reactome import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.reactome_cases import (
    ATP,
    CHECKPOINTS,
    CYCLE,
    EXPRESSION,
    GLYCOLYSIS_STEP,
    MAIN_SPECIES,
    NOT_FOUND,
    NOXA,
    PUMA,
    REPAIR,
    TOKEN,
    TP53_ACTIVITY,
    WORM,
    analysed,
    event,
    search_hit,
    search_hits,
)

Json = Any


@pytest.mark.parametrize(
    ("tool", "kind", "right"),
    [
        ("get_pathway", "Reaction", "get_reaction"),
        ("get_pathway", "Complex", "get_entity"),
        ("get_reaction", "TopLevelPathway", "get_pathway"),
        ("get_reaction", "SimpleEntity", "get_entity"),
        ("get_entity", "Pathway", "get_pathway"),
        ("get_entity", "BlackBoxEvent", "get_reaction"),
        ("get_pathway_citation", "Reaction", "get_reaction"),
        ("get_pathway_model", "ChemicalDrug", "get_entity"),
    ],
)
async def test_a_record_of_another_kind_names_the_right_tool(tool: str, kind: str, right: str) -> None:
    upstream = FakeUpstream({"/R-HSA-5696021": Played(event("R-HSA-5696021", "x", kind))})
    result = await call(platform, upstream, tool, reactome_id="R-HSA-5696021")
    assert result.content["error"]["code"] == "tool_invalid_arguments"
    assert f"reactome__{right}" in result.content["error"]["message"]


@pytest.mark.parametrize("tool", ["get_pathway", "get_diagram_image", "get_pathway_citation"])
async def test_another_record_than_the_one_asked_for_is_refused(tool: str) -> None:
    upstream = FakeUpstream({"/data/query/R-HSA-69620": Played(TP53_ACTIVITY)})
    result = await call(platform, upstream, tool, reactome_id="R-HSA-69620")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_a_version_behind_an_id_is_ignored() -> None:
    upstream = FakeUpstream({"/data/query/R-HSA-5633007": Played(TP53_ACTIVITY)})
    result = await call(platform, upstream, "get_pathway", reactome_id="r-hsa-5633007.6")
    assert result.content["data"]["stIdVersion"] == "R-HSA-5633007.6"


async def test_relations_are_brought_on_request() -> None:
    disease = {"displayName": "cystic fibrosis", "identifier": "1485", "databaseName": "DOID"}
    full = {**TP53_ACTIVITY, "disease": [disease], "precedingEvent": [CHECKPOINTS], "normalPathway": CYCLE}
    upstream = FakeUpstream({"/data/query/enhanced/R-HSA-5633007": Played(full)})
    result = await call(platform, upstream, "get_pathway", reactome_id="R-HSA-5633007", with_relations=True)
    data = result.content["data"]
    assert data["disease"] == [disease]
    assert data["precedingEvent"][0]["stId"] == "R-HSA-69620"
    assert data["normalPathway"][0]["stId"] == "R-HSA-1640170"


async def test_a_molecule_that_takes_part_twice_is_counted() -> None:
    upstream = FakeUpstream({"/enhanced/v2/R-HSA-5696021": Played(GLYCOLYSIS_STEP)})
    data = (await call(platform, upstream, "get_reaction", reactome_id="R-HSA-5696021")).content["data"]
    assert data["input"] == [
        {"stId": "R-ALL-113582", "displayName": "ADP [cytosol]", "schemaClass": "SimpleEntity", "count": 2}
    ]
    assert data["catalystActivity"][0]["activity"] == "GO:0043843 ADP-specific"
    assert "fetchIncomingRelationships=false&summariseReferenceEntity=true" in upstream.asked[0]


async def test_an_entity_keeps_its_reference_and_leaves_probe_ids_out() -> None:
    upstream = FakeUpstream({"/enhanced/R-ALL-29358": Played({**ATP, "otherIdentifier": ["A_1", "A_2"]})})
    data = (await call(platform, upstream, "get_entity", reactome_id="R-ALL-29358")).content["data"]
    assert (data["referenceEntity"]["identifier"], data["compartments"]) == ("30616", ["nucleoplasm"])
    assert "otherIdentifier" not in data


async def test_contained_events_are_filtered_counted_and_numbers_resolved() -> None:
    step = event("R-HSA-5672965", "RAF activation", "Reaction")
    answer = Played([step, 5672965, 4711, event("R-HSA-1", "inner"), event("R-HSA-2", "last", "BlackBoxEvent")])
    upstream = FakeUpstream({"/containedEvents": answer})
    everything = await call(platform, upstream, "get_contained_events", reactome_id="R-HSA-5673001", limit=3)
    assert [row.get("stId") for row in everything.content["data"]["events"]] == ["R-HSA-5672965"] * 2 + [None]
    assert everything.content["data"]["events"][2] == {"dbId": 4711}
    assert (everything.content["total"], everything.content["next"]) == (5, {"offset": 3})
    reactions = await call(
        platform, FakeUpstream({"/containedEvents": answer}), "get_contained_events",
        reactome_id="R-HSA-5673001", kind="reactions",
    )  # fmt: skip
    assert (reactions.content["total"], reactions.content["note"]) == (3, "3 of 5 contained events are reactions.")


async def test_participants_are_told_apart_by_kind() -> None:
    found = Played(
        [{"peDbId": 1, "refEntities": [{"stId": "uniprot:P04637"}, {"stId": "chebi:29105"}]},
         {"peDbId": 2, "refEntities": [{"stId": "pubchem.compound:469588"}]}]
    )  # fmt: skip
    for kind, count in (("all", 3), ("proteins", 1), ("chemicals", 2)):
        result = await call(
            platform, FakeUpstream({"/participants/R-HSA-5633007": found}), "get_pathway_participants",
            reactome_id="R-HSA-5633007", kind=kind,
        )  # fmt: skip
        assert result.content["total"] == count


TREE = {
    "stId": "R-HSA-1640170", "name": "Cell Cycle", "type": "TopLevelPathway",
    "children": [
        {"stId": "R-HSA-69620", "name": "Cell Cycle Checkpoints", "type": "Pathway", "children": [
            {"stId": "R-HSA-69481", "name": "G2/M Checkpoints", "type": "Pathway"},
            {"stId": "R-HSA-3", "name": "a step", "type": "Reaction"}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("depth", "pathways_only", "shown", "hidden"),
    [(1, True, 1, 2), (2, True, 2, 1), (3, True, 3, None), (3, False, 4, None), (2, False, 2, 2)],
)
async def test_a_tree_is_cut_by_depth_and_says_what_it_hides(
    depth: int, pathways_only: bool, shown: int, hidden: int | None
) -> None:
    upstream = FakeUpstream({"/data/eventsHierarchy/9606": Played([TREE])})
    result = await call(platform, upstream, "get_pathway_hierarchy", depth=depth, pathways_only=pathways_only)
    assert result.content["returned"] == shown
    assert result.content["total"] == shown + (hidden or 0)
    assert result.content.get("note", "").startswith(f"{hidden} more" if hidden else "")
    assert result.content["data"]["species"] == "9606"


@pytest.mark.parametrize("name", ["mouse", "Mus musculus", "M. musculus", "10090"])
async def test_a_species_is_understood_as_people_write_it(name: str) -> None:
    upstream = FakeUpstream({"/data/eventsHierarchy/10090": Played([TREE])})
    result = await call(platform, upstream, "get_pathway_hierarchy", species=name)
    assert result.content["outcome"] == "data"


async def test_a_search_in_a_species_without_records_is_refused_with_the_list() -> None:
    result = await call(platform, FakeUpstream({}), "search", query="TP53", species="9598")
    assert result.content["error"]["argument"] == "species"
    assert "10090 Mus musculus" in result.content["error"]["message"]


async def test_rows_of_another_species_are_refused() -> None:
    for tool, arguments in (
        ("map_identifier_to_pathways", {"identifier": "P04637"}),
        ("get_pathways_for_entity", {"reactome_id": "R-HSA-69488"}),
        ("get_interactor_pathways", {"accession": "P04637"}),
    ):
        upstream = FakeUpstream({"/pathways": Played([WORM]), "/allForms": Played([WORM])})
        result = await call(platform, upstream, tool, **arguments)
        assert result.content["error"]["code"] == "upstream_bad_response", tool


async def test_a_misspelt_search_is_corrected_and_says_so() -> None:
    hit = search_hits(search_hit("R-HSA-109581", "Apoptosis"))
    upstream = FakeUpstream(
        {"/search/query?query=apoptsis": NOT_FOUND, "/search/spellcheck": Played(["apoptosis"]), "/search/query": hit}
    )
    result = await call(platform, upstream, "search", query="apoptsis")
    assert result.content["data"][0]["stId"] == "R-HSA-109581"
    assert result.content["note"] == "Nothing was found for 'apoptsis'; these are hits for 'apoptosis'."


async def test_a_search_goes_on_where_it_ended() -> None:
    entry = search_hit("R-HSA-109581", "Apoptosis", deleted=True, replacementStIds=["R-HSA-5357801"])
    group = {"typeName": "Pathway", "entriesCount": 25, "entries": [entry]}
    upstream = FakeUpstream({"/search/query": Played({"results": [group], "numberOfMatches": 25})})
    result = await call(platform, upstream, "search", query="apoptosis", limit=1, offset=7, compartments=["cytosol"])
    assert "compartments=cytosol" in upstream.asked[0] and "Start row=7" in upstream.asked[0]
    assert (result.content["total"], result.content["next"]) == (25, {"offset": 8})
    assert result.content["data"][0]["replacementStIds"] == ["R-HSA-5357801"]


async def test_many_ids_are_asked_in_groups_of_twenty() -> None:
    ids = [f"R-HSA-{number}" for number in range(1, 46)]
    answers = [Played([event(one, "x") for one in ids[start : start + 20]]) for start in (0, 20)]
    upstream = FakeUpstream({"/data/query/ids": [*answers, NOT_FOUND]})
    result = await call(platform, upstream, "get_objects_batch", reactome_ids=[*ids, ids[0]])
    assert [len((request.text or "").splitlines()) for request in upstream.requests] == [20, 20, 5]
    assert upstream.requests[0].headers["Content-Type"] == "text/plain"
    assert (result.content["total"], result.content["returned"]) == (45, 40)
    assert result.content["data"]["not_found"] == ids[40:]


async def test_a_counterpart_in_another_species_is_checked() -> None:
    wrong = Played({"R-HSA-5633007": event("R-HSA-5633007", "x")})
    upstream = FakeUpstream({"/species/main": MAIN_SPECIES, "/species/48892": wrong})
    result = await call(platform, upstream, "get_orthologous_event", reactome_ids=["R-HSA-5633007"], species="mouse")
    assert result.content["error"]["code"] == "upstream_bad_response"
    unknown = await call(
        platform, FakeUpstream({"/species/main": MAIN_SPECIES}), "compare_species", species="zebrafish"
    )
    assert "10090 Mus musculus" in unknown.content["error"]["message"]


async def test_an_analysis_sends_lines_and_shows_coverage_instead_of_ratio() -> None:
    upstream = FakeUpstream({"/identifiers/projection": analysed(REPAIR, EXPRESSION, found=188)})
    result = await call(platform, upstream, "analyze_identifiers", identifiers=["TP53", "ERBB2"], limit=2)
    assert upstream.requests[0].text == "#identifiers\nTP53\nERBB2"
    assert "pageSize=2&page=1&sortBy=ENTITIES_FDR&order=ASC&resource=TOTAL" in upstream.asked[0]
    data = result.content["data"]
    assert (data["pathways"][0]["coverage"], data["identifiers_not_found"]) == (0.0465, 1)
    assert "ratio" not in data["pathways"][0]
    assert result.content["next"] == {"token": TOKEN, "page": 2}


async def test_an_analysis_keeps_what_is_significant_and_counts_the_rest() -> None:
    weak = {**EXPRESSION, "entities": {**EXPRESSION["entities"], "fdr": 0.3}}
    upstream = FakeUpstream({"/identifiers/": analysed(REPAIR, weak, found=188, projection=False)})
    result = await call(platform, upstream, "analyze_identifiers", identifiers=["TP53"], projection=False, limit=2)
    assert [row["stId"] for row in result.content["data"]["pathways"]] == ["R-HSA-6796648"]
    assert result.content["note"] == "1 pathways have an FDR of at most 0.05; 188 were hit at all."
    assert "next" not in result.content


async def test_an_analysis_with_other_settings_than_asked_for_is_refused() -> None:
    upstream = FakeUpstream({"/identifiers/projection": analysed(REPAIR, includeDisease=True)})
    result = await call(platform, upstream, "analyze_identifiers", identifiers=["TP53"], include_disease=False)
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_values_behind_identifiers_are_sent_in_columns() -> None:
    upstream = FakeUpstream({"/identifiers/projection": analysed(REPAIR)})
    await call(platform, upstream, "analyze_identifiers", identifiers=["TP53 1.5;2", "ERBB2\t-0.3 4"])
    assert upstream.requests[0].text == "#identifiers\nTP53\t1.5\t2.0\nERBB2\t-0.3\t4.0"


@pytest.mark.parametrize("lines", [["TP53 1.5", "ERBB2"], ["breast cancer"]])
async def test_uneven_values_and_words_are_refused(lines: list[str]) -> None:
    result = await call(platform, FakeUpstream({}), "analyze_identifiers", identifiers=lines)
    assert result.content["error"]["argument"] == "identifiers"


@pytest.mark.parametrize("token", [TOKEN, "MjAyNjA5MjUxOTM5MzNfMTY="])
async def test_a_token_is_encoded_once(token: str) -> None:
    upstream = FakeUpstream({f"/token/{TOKEN}": analysed(REPAIR)})
    result = await call(platform, upstream, "get_analysis_page", token=token, max_size=500, species="human")
    assert result.content["outcome"] == "data"
    assert "species=9606&max=500" in upstream.asked[0]


async def test_an_expired_token_says_what_to_do() -> None:
    upstream = FakeUpstream({f"/token/{TOKEN}": Played({"code": 410, "reason": "GONE"}, 410)})
    result = await call(platform, upstream, "get_analysis_page", token=TOKEN)
    assert result.content["outcome"] == "unknown_id"
    assert "analyze_identifiers" in result.content["note"]


async def test_identifiers_that_found_nothing_are_listed() -> None:
    upstream = FakeUpstream({f"/token/{TOKEN}/notFound": Played([{"id": "NOTAGENE1"}])})
    result = await call(platform, upstream, "get_analysis_found", token=TOKEN)
    assert result.content["data"] == {"not_found": ["NOTAGENE1"]}


async def test_interactors_are_sorted_and_the_weak_are_counted() -> None:
    partners = [{"acc": f"P0000{n}", "score": score, "evidences": 1} for n, score in enumerate((0.4, 0.5, 0.9))]
    answer = Played({"entities": [{"acc": "Q13501", "interactors": partners}]})
    result = await call(platform, FakeUpstream({"/details": answer}), "get_interactors", accession="q13501")
    assert [row["score"] for row in result.content["data"]["interactors"]] == [0.9, 0.5]
    assert result.content["note"] == "2 of 3 partners have a score of 0.45 or more."
    other = await call(platform, FakeUpstream({"/details": answer}), "get_interactors", accession="P04637")
    assert other.content["error"]["code"] == "upstream_bad_response"


async def test_a_pathway_without_a_diagram_is_shown_in_its_ancestor() -> None:
    upstream = FakeUpstream(
        {"/query/R-HSA-69620": Played(CHECKPOINTS), "/R-HSA-69620/ancestors": Played([[CHECKPOINTS, CYCLE]])}
    )
    result = await call(platform, upstream, "get_diagram_image", reactome_id="R-HSA-69620", flag="TP53", token=TOKEN)
    data = result.content["data"]
    assert data["diagram_of"] == "R-HSA-1640170"
    assert data["url"] == (
        "https://reactome.org/ContentService/exporter/diagram/R-HSA-1640170.svg"
        f"?quality=7&flg=TP53&token={TOKEN}"
    )  # fmt: skip
    assert "no diagram of its own" in result.content["note"]


@pytest.mark.parametrize("line", [[CHECKPOINTS, CYCLE], [CYCLE, CHECKPOINTS]])
async def test_a_way_up_ends_at_the_top_in_either_order(line: list[Json]) -> None:
    upstream = FakeUpstream({"/R-HSA-69620/ancestors": Played([line])})
    result = await call(platform, upstream, "get_event_ancestors", reactome_id="R-HSA-69620")
    (lineage,) = result.content["data"]["lineages"]
    assert [row["stId"] for row in lineage] == ["R-HSA-69620", "R-HSA-1640170"]


async def test_a_reaction_has_a_picture_of_its_own() -> None:
    upstream = FakeUpstream({"/query/R-HSA-5696021": Played(GLYCOLYSIS_STEP)})
    result = await call(platform, upstream, "get_diagram_image", reactome_id="R-HSA-5696021", image_format="png")
    assert "/exporter/reaction/R-HSA-5696021.png?" in result.content["data"]["url"]


async def test_a_disease_without_pathways_is_still_named() -> None:
    diseases = Played([{"displayName": "cystic fibrosis"}, {"displayName": "asthma"}])
    upstream = FakeUpstream({"/search/query": NOT_FOUND, "/data/diseases": diseases})
    result = await call(platform, upstream, "get_disease_pathways", query="Cystic Fibrosis")
    assert result.content["outcome"] == "data"
    assert result.content["data"] == {"pathways": [], "diseases": [{"displayName": "cystic fibrosis"}]}


def protein_hit(accession: str, name: str) -> Json:
    return search_hit(f"R-HSA-{accession}", name, "ReferenceGeneProduct", referenceIdentifier=f"UniProt:{accession}")


async def test_the_page_of_a_gene_resolves_its_symbol_and_splits_disease_pathways() -> None:
    sick = {**PUMA, "isInDisease": True}
    upstream = FakeUpstream(
        {
            "/search/query": search_hits(protein_hit("P04637", "TP53"), protein_hit("Q12888", "TP53BP1")),
            "/mapping/UniProt/P04637/pathways": Played([NOXA, sick]),
            "/complexes/UniProt/P04637": Played([event("R-HSA-9", "tetramer", "Complex")]),
            "/P04637/details": Played({"entities": []}),
            "/R-HSA-111448/ancestors": Played([[NOXA, CYCLE]]),
            "/R-HSA-139915/ancestors": NOT_FOUND,
        }
    )
    data = (await call(platform, upstream, "gene_pathway_profile", gene="tp53")).content["data"]
    assert data["accession"] == "P04637"
    assert [row["stId"] for row in data["pathways"]] == ["R-HSA-111448"]
    assert [row["stId"] for row in data["disease_pathways"]] == ["R-HSA-139915"]
    assert data["top_level"] == [{"stId": "R-HSA-1640170", "displayName": "Cell Cycle"}]
    assert data["totals"]["complexes"] == 1


async def test_an_ambiguous_name_gives_candidates_and_an_unknown_one_nothing() -> None:
    two = search_hits(protein_hit("P11111", "ABC1"), protein_hit("P22222", "XYZ2"))
    result = await call(platform, FakeUpstream({"/search/query": two}), "gene_pathway_profile", gene="thing")
    assert [row["accession"] for row in result.content["data"]["candidates"]] == ["P11111", "P22222"]
    nobody = await call(platform, FakeUpstream({"/search/query": NOT_FOUND}), "gene_pathway_profile", gene="zzz")
    assert nobody.content["outcome"] == "empty"


async def test_shared_pathways_come_most_shared_and_smallest_first() -> None:
    upstream = FakeUpstream(
        {
            "/UniProt/P11111/pathways": Played([NOXA, PUMA, CHECKPOINTS]),
            "/UniProt/P22222/pathways": Played([NOXA, PUMA, CHECKPOINTS]),
            "/UniProt/P33333/pathways": Played([CHECKPOINTS]),
            "/UniProt/P44444/pathways": NOT_FOUND,
            "/R-HSA-111448/referenceEntities": Played([{}] * 9),
            "/R-HSA-139915/referenceEntities": Played([{}] * 3),
            "/R-HSA-69620/referenceEntities": Played([{}] * 99),
        }
    )
    names = ["P11111", "P22222", "P33333", "P44444"]
    result = await call(platform, upstream, "shared_pathways", identifiers=names)
    rows = result.content["data"]["pathways"]
    assert [(row["stId"], row["size"]) for row in rows] == [
        ("R-HSA-69620", 99),
        ("R-HSA-139915", 3),
        ("R-HSA-111448", 9),
    ]
    assert result.content["data"]["not_found"] == ["P44444"]
    alone = await call(platform, FakeUpstream({}), "shared_pathways", identifiers=["P11111", "P11111"])
    assert alone.content["error"]["argument"] == "identifiers"
