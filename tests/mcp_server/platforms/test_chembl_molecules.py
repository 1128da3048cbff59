"""ChEMBL's compounds and measurements: filters that must hold, ids that are of another kind, cut lists."""

import json
from typing import Any
from urllib.parse import unquote

import pytest

from mcp_server.platforms.chembl import platform
from tests.mcp_server.played import Played, call

ASPIRIN, HEPARANASE, COMPOUND = "CHEMBL25", "CHEMBL3921", "CHEMBL324340"
ABSENT = "CHEMBL999999999"


def page(key: str, *found: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    """Return one page of a collection."""
    return {key: list(found), "page_meta": {"total_count": len(found) if total is None else total}}


def molecule(chembl_id: str, name: str | None = None, parent: str = "", **facts: Any) -> dict[str, Any]:
    """Return a molecule as the short field list brings it."""
    hierarchy = {"molecule_chembl_id": chembl_id, "parent_chembl_id": parent or chembl_id}
    return {"molecule_chembl_id": chembl_id, "pref_name": name, "molecule_hierarchy": hierarchy, **facts}


def activity(number: int, pchembl: str | None, **facts: Any) -> dict[str, Any]:
    """Return an activity row."""
    return {
        "activity_id": number,
        "molecule_chembl_id": COMPOUND,
        "parent_molecule_chembl_id": COMPOUND,
        "molecule_pref_name": None,
        "target_chembl_id": HEPARANASE,
        "target_pref_name": "Heparanase",
        "target_organism": "Homo sapiens",
        "standard_type": "IC50",
        "pchembl_value": pchembl,
        "standard_value": "2500.0",
        **facts,
    }


def entry(chembl_id: str, kind: str, status: str = "ACTIVE") -> dict[str, Any]:
    """Return what the look-up of ids says."""
    return {"chembl_id": chembl_id, "entity_type": kind, "status": status, "last_active": 34}


FORMS = page("molecules", molecule(COMPOUND))
# Each list that is asked for by an id: the tool, its argument, its resource, its key, the kind of id.
BY_ID = [
    ("get_structural_alerts", "chembl_id", "compound_structural_alert", "compound_structural_alerts", "molecule"),
    ("get_bioactivities", "target_chembl_id", "activity", "activities", "target"),
    ("get_bioactivities", "assay_chembl_id", "activity", "activities", "assay"),
    ("get_target_potent_compounds", "target_chembl_id", "activity", "activities", "target"),
    ("get_target_relations", "target_chembl_id", "target_relation", "target_relations", "target"),
    ("search_assays", "target_chembl_id", "assay", "assays", "target"),
]
KINDS = {"molecule": "COMPOUND", "target": "TARGET", "assay": "ASSAY", "document": "DOCUMENT"}
each_list_by_id = pytest.mark.parametrize(("tool", "argument", "resource", "key", "kind"), BY_ID)


@each_list_by_id
async def test_a_record_without_rows_is_empty(tool: str, argument: str, resource: str, key: str, kind: str) -> None:
    played = Played().answer(f"/{resource}.json", page(key))
    played.answer("/chembl_id_lookup/CHEMBL7.json", entry("CHEMBL7", KINDS[kind]))
    envelope = await call(platform, played, tool, **{argument: "CHEMBL7"})
    assert envelope.content["outcome"] == "empty"
    assert "CHEMBL7" in envelope.content["note"]


@each_list_by_id
async def test_an_id_without_record_is_unknown(tool: str, argument: str, resource: str, key: str, kind: str) -> None:
    played = Played().answer(f"/{resource}.json", page(key)).answer("/chembl_id_lookup/", "", status=404)
    envelope = await call(platform, played, tool, **{argument: ABSENT})
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["note"] == f"ChEMBL has no {kind} {ABSENT}."


@each_list_by_id
@pytest.mark.case("C021")
async def test_rows_of_another_record_are_refused(tool: str, argument: str, resource: str, key: str, kind: str) -> None:
    ids = dict.fromkeys(("molecule_chembl_id", "target_chembl_id", "assay_chembl_id"), "CHEMBL8")
    played = Played().answer(f"/{resource}.json", page(key, ids, total=18552))
    envelope = await call(platform, played, tool, **{argument: "CHEMBL7"})
    assert envelope.content["error"]["code"] == "upstream_bad_response"
    assert "CHEMBL7" in envelope.content["error"]["message"]


@pytest.mark.parametrize(
    ("tool", "argument", "resource", "kind"),
    [
        ("get_target", "target_chembl_id", "target", "target"),
        ("get_assay", "assay_chembl_id", "assay", "assay"),
        ("get_document", "document_chembl_id", "document", "document"),
    ],
)
@pytest.mark.parametrize(
    ("found", "status", "words"),
    [
        ("", 404, f" {ABSENT}."),
        (entry(ABSENT, "CELL"), 200, "record of type CELL"),
        (None, 200, "its last release was 34"),
    ],
    ids=["never given", "another kind", "retired"],
)
async def test_an_id_says_why_it_has_no_record(
    tool: str, argument: str, resource: str, kind: str, found: Any, status: int, words: str
) -> None:
    found = entry(ABSENT, KINDS[kind], "INACTIVE") if found is None else found
    played = Played().answer(f"/{resource}/{ABSENT}.json", "", status=404)
    played.answer(f"/chembl_id_lookup/{ABSENT}.json", found, status=status)
    envelope = await call(platform, played, tool, **{argument: ABSENT})
    assert envelope.content["outcome"] == "unknown_id"
    assert words in envelope.content["note"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_molecule_forms", {"chembl_id": ABSENT}),
        ("get_metabolism", {"chembl_id": ABSENT}),
        ("drug_dossier", {"chembl_id": ABSENT}),
        ("get_selectivity_profile", {"chembl_id": ABSENT}),
        ("get_bioactivities", {"molecule_chembl_id": ABSENT}),
    ],
)
@pytest.mark.parametrize(
    ("found", "status", "words"),
    [
        ("", 404, f"no molecule {ABSENT}"),
        (entry(ABSENT, "TARGET"), 200, "record of type TARGET"),
        (entry(ABSENT, "COMPOUND", "INACTIVE"), 200, "its last release was 34"),
        ({"error_message": "refused"}, 400, f"no molecule {ABSENT}"),
    ],
    ids=["never given", "another kind", "retired", "no reason to be had"],
)
async def test_an_unknown_molecule_is_unknown(
    tool: str, arguments: dict[str, Any], found: Any, status: int, words: str
) -> None:
    played = Played().answer("/molecule.json", page("molecules")).answer(f"/molecule/{ABSENT}.json", "", status=404)
    played.answer(f"/chembl_id_lookup/{ABSENT}.json", found, status=status)
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["outcome"] == "unknown_id"
    assert words in envelope.content["note"]


@pytest.mark.parametrize("tool", ["find_similar_compounds", "find_substructure"])
async def test_an_unknown_molecule_has_no_structure_to_search_with(tool: str) -> None:
    played = Played().answer(f"/{ABSENT}", "", status=404).answer("/chembl_id_lookup/", "", status=404)
    assert (await call(platform, played, tool, chembl_id=ABSENT)).content["outcome"] == "unknown_id"


@pytest.mark.case("C021")
async def test_filters_of_a_search_hold_for_every_row() -> None:
    stray = molecule("CHEMBL8", molecule_type="Antibody", max_phase="4.0")
    played = Played().answer("/molecule.json", page("molecules", stray))
    envelope = await call(platform, played, "search_molecules", molecule_type="Small molecule")
    assert "asked for molecule_type Small molecule, got a row of Antibody" in envelope.content["error"]["message"]
    heavy = molecule("CHEMBL8", molecule_properties={"mw_freebase": "512.10"})
    played = Played().answer("/molecule.json", page("molecules", heavy))
    envelope = await call(platform, played, "search_molecules", mw_max=500)
    assert envelope.content["error"]["code"] == "upstream_bad_response"


async def test_filters_reach_the_request_and_numbers_are_numbers() -> None:
    properties = {"mw_freebase": "383.41", "num_ro5_violations": 0, "full_molformula": "C19H21N5O4"}
    prazosin = molecule("CHEMBL2", "PRAZOSIN", max_phase="4.0", molecule_properties=properties)
    played = Played().answer("/molecule.json", page("molecules", prazosin, total=90))
    envelope = await call(platform, played, "search_molecules", max_phase=4, mw_max=400, ro5_max=0, limit=1, offset=3)
    asked = played.query()
    assert (asked["max_phase"], asked["molecule_properties__mw_freebase__lte"], asked["offset"]) == ("4", "400", "3")
    assert asked["molecule_properties__num_ro5_violations__lte"] == "0"
    assert envelope.content["data"][0]["molecule_properties"] == {
        "mw_freebase": 383.41,
        "num_ro5_violations": 0,
        "full_molformula": "C19H21N5O4",
    }
    assert (envelope.content["total"], envelope.content["next"]) == (90, {"offset": 4})


@pytest.mark.parametrize("arguments", [{}, {"query": "aspirin", "max_phase": 4}], ids=["nothing", "words and filters"])
async def test_words_and_filters_are_not_joined(arguments: dict[str, Any]) -> None:
    envelope = await call(platform, Played(), "search_molecules", **arguments)
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"


async def test_a_text_search_says_that_it_is_fuzzy() -> None:
    played = Played().answer("/molecule/search.json?q=aspirin", page("molecules", molecule(ASPIRIN), total=2417))
    envelope = await call(platform, played, "search_molecules", query="aspirin")
    assert "2417 hits" in envelope.content["note"]


@pytest.mark.parametrize("tool", ["get_molecules_batch", "get_admet_properties"])
async def test_a_batch_keeps_the_order_and_names_unknown_ids(tool: str) -> None:
    known = page("molecules", molecule("CHEMBL192", "SILDENAFIL"), molecule(ASPIRIN, "ASPIRIN"))
    played = Played().answer("/molecule.json", known)
    envelope = await call(platform, played, tool, chembl_ids=[ASPIRIN, "chembl192", ABSENT])
    data = envelope.content["data"]
    assert [row["molecule_chembl_id"] for row in data["molecules"]] == [ASPIRIN, "CHEMBL192"]
    assert data["unknown_ids"] == [ABSENT]
    assert played.query()["molecule_chembl_id__in"] == f"{ASPIRIN},CHEMBL192,{ABSENT}"


@pytest.mark.parametrize("tool", ["get_molecules_batch", "get_admet_properties"])
async def test_a_batch_of_unknown_ids_only_is_unknown(tool: str) -> None:
    played = Played().answer("/molecule.json", page("molecules"))
    assert (await call(platform, played, tool, chembl_ids=[ABSENT])).content["outcome"] == "unknown_id"


@pytest.mark.case("C021")
async def test_a_batch_never_holds_what_was_not_asked_for() -> None:
    played = Played().answer("/molecule.json", page("molecules", molecule("CHEMBL8"), total=2_900_000))
    envelope = await call(platform, played, "get_molecules_batch", chembl_ids=[ASPIRIN])
    assert envelope.content["error"]["code"] == "upstream_bad_response"


async def test_a_batch_refuses_more_than_it_can_ask() -> None:
    envelope = await call(platform, Played(), "get_molecules_batch", chembl_ids=[f"CHEMBL{n}" for n in range(51)])
    assert envelope.content["error"]["argument"] == "chembl_ids"


async def test_a_biologic_has_no_properties() -> None:
    antibody = molecule("CHEMBL1201585", "TRASTUZUMAB", molecule_properties=None)
    played = Played().answer("/molecule.json", page("molecules", antibody))
    envelope = await call(platform, played, "get_admet_properties", chembl_ids=["CHEMBL1201585"])
    assert envelope.content["data"]["molecules"][0]["molecule_properties"] is None


async def test_an_inchi_key_finds_its_drug() -> None:
    key = "BSYNRYMUTXBXSQ-UHFFFAOYSA-N"
    played = Played().answer(f"/molecule/{key}.json", molecule(ASPIRIN, "ASPIRIN"))
    played.answer("/molecule.json", page("molecules", molecule(ASPIRIN, "ASPIRIN")))
    data = (await call(platform, played, "resolve_drug", drug_name=key.lower())).content["data"]
    assert (data["matched_as"], data["molecules"][0]["parent_chembl_id"]) == ("inchi_key", ASPIRIN)


async def test_similar_compounds_come_with_their_similarity_as_a_number() -> None:
    found = page(
        "molecules", molecule("CHEMBL3833404", similarity="88.88"), molecule("CHEMBL1697753", similarity="100")
    )
    played = Played().answer("/similarity/CC%28%3DO%29Oc1ccccc1C%28%3DO%29O/70.json", found)
    envelope = await call(platform, played, "find_similar_compounds", smiles="CC(=O)Oc1ccccc1C(=O)O")
    assert [row["similarity"] for row in envelope.content["data"]["molecules"]] == [100.0, 88.88]


@pytest.mark.case("C021")
async def test_less_similar_compounds_than_asked_for_are_refused() -> None:
    played = Played().answer("/similarity/", page("molecules", molecule("CHEMBL8", similarity="41.2")))
    envelope = await call(platform, played, "find_similar_compounds", chembl_id=ASPIRIN)
    assert envelope.content["error"]["code"] == "upstream_bad_response"


async def test_a_structure_with_a_slash_does_not_go_into_the_path() -> None:
    smiles = "F/C=C/F"
    played = Played().answer("/substructure.json", page("molecules", molecule("CHEMBL8")))
    envelope = await call(platform, played, "find_substructure", smiles=smiles)
    request = played.requests[0]
    assert (request.method, request.headers["X-HTTP-Method-Override"]) == ("POST", "GET")
    pairs = dict(json.loads(json.dumps(request.body)))
    assert (unquote(pairs["smiles"]), pairs["limit"]) == (smiles, 20)
    assert envelope.content["outcome"] == "data"


async def test_a_structure_that_chembl_cannot_read_is_refused_in_its_own_words() -> None:
    played = Played().answer("/substructure/", {"error_message": "not a valid structure: C(C"}, status=400)
    error = (await call(platform, played, "find_substructure", smiles="C(C")).content["error"]
    assert error["code"] == "upstream_refused"
    assert "not a valid structure" in error["message"]


@pytest.mark.parametrize("mode", ["flexmatch", "connectivity"])
async def test_a_structure_is_matched_as_asked(mode: str) -> None:
    played = Played().answer("/molecule.json", page("molecules", molecule("CHEMBL1431", "METFORMIN")))
    await call(platform, played, "find_exact_structure", smiles="CN(C)C(=N)N=C(N)N", mode=mode)
    assert played.query()[f"molecule_structures__canonical_smiles__{mode}"] == "CN(C)C(=N)N=C(N)N"


@pytest.mark.parametrize(("total", "outcome"), [(0, "empty"), (2_900_000, "failed")], ids=["none", "the whole table"])
async def test_one_structure_is_never_the_whole_table(total: int, outcome: str) -> None:
    found = [molecule("CHEMBL8")] if total else []
    played = Played().answer("/molecule.json", page("molecules", *found, total=total))
    envelope = await call(platform, played, "find_exact_structure", smiles="CCO")
    assert envelope.content["outcome"] == outcome


async def test_activities_of_a_molecule_are_asked_for_by_its_parent() -> None:
    played = Played().answer("/molecule.json", FORMS).answer("/activity.json", page("activities", activity(1, "5.60")))
    envelope = await call(
        platform,
        played,
        "get_bioactivities",
        molecule_chembl_id=COMPOUND,
        target_chembl_id=HEPARANASE,
        standard_type="IC50",
        target_organism="Homo sapiens",
    )
    asked = played.query(1)
    assert (asked["parent_molecule_chembl_id"], asked["target_chembl_id"]) == (COMPOUND, HEPARANASE)
    assert (asked["standard_type"], asked["target_organism"]) == ("IC50", "Homo sapiens")
    assert (asked["order_by"], asked["pchembl_value__isnull"]) == ("-pchembl_value", "false")
    row = envelope.content["data"]["activities"][0]
    assert (row["pchembl_value"], row["standard_value"], row["target_organism"]) == (5.6, 2500.0, "Homo sapiens")


async def test_rows_without_rank_are_listed_on_demand_and_stay_without_a_value() -> None:
    row = activity(1, None, standard_value=None, activity_comment="Not active")
    played = Played().answer("/activity.json", page("activities", row))
    envelope = await call(platform, played, "get_bioactivities", target_chembl_id=HEPARANASE, ranked=False)
    assert (played.query()["order_by"], played.query()["pchembl_value__isnull"]) == ("activity_id", "true")
    shown = envelope.content["data"]["activities"][0]
    assert (shown["pchembl_value"], shown["standard_value"], shown["activity_comment"]) == (None, None, "Not active")


@pytest.mark.parametrize(
    "arguments",
    [{}, {"target_chembl_id": HEPARANASE, "min_pchembl": 6, "ranked": False}],
    ids=["none", "contradiction"],
)
async def test_activities_need_something_to_be_of(arguments: dict[str, Any]) -> None:
    envelope = await call(platform, Played(), "get_bioactivities", **arguments)
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"


@pytest.mark.case("C021")
async def test_weaker_activities_than_asked_for_are_refused() -> None:
    played = Played().answer("/activity.json", page("activities", activity(1, "5.60")))
    envelope = await call(platform, played, "get_bioactivities", target_chembl_id=HEPARANASE, min_pchembl=7)
    assert "pchembl_value of at least 7" in envelope.content["error"]["message"]


async def test_measurements_of_one_compound_become_one_row() -> None:
    rows = [activity(1, "9.00"), activity(2, "7.00"), activity(2, "7.00"), activity(3, "8.50")]
    rows += [activity(4, "8.00", parent_molecule_chembl_id=ASPIRIN, molecule_chembl_id=ASPIRIN)]
    played = Played().answer("/activity.json", page("activities", *rows))
    envelope = await call(platform, played, "get_target_potent_compounds", target_chembl_id=HEPARANASE, limit=1)
    best = envelope.content["data"]["compounds"][0]
    assert (best["parent_chembl_id"], best["best_pchembl"], best["median_pchembl"], best["activity_count"]) == (
        COMPOUND,
        9.0,
        8.5,
        3,
    )
    assert (envelope.content["total"], envelope.content["next"]) == (2, {"offset": 1})
    asked = played.query()
    assert (asked["potential_duplicate"], asked["data_validity_comment__isnull"]) == ("0", "true")
    assert asked["standard_relation"] == "="


async def test_more_activities_than_are_read_are_told() -> None:
    played = Played()
    for number in range(5):
        played.answer("/activity.json", page("activities", activity(number, "9.00"), total=10_618))
    envelope = await call(platform, played, "get_target_potent_compounds", target_chembl_id=HEPARANASE)
    assert sorted(int(played.query(n).get("offset", 0)) for n in range(5)) == [0, 1000, 2000, 3000, 4000]
    assert envelope.content["note"].startswith("Only the 5 strongest of 10618 activities were read.")


async def test_a_profile_keeps_single_proteins_and_counts_the_others() -> None:
    rows = [activity(1, "6.00"), activity(2, "7.00", target_chembl_id="CHEMBL2095188")]
    types = [("CHEMBL3921", "SINGLE PROTEIN"), ("CHEMBL2095188", "PROTEIN FAMILY")]
    targets = [{"target_chembl_id": id, "target_type": kind} for id, kind in types]
    played = Played().answer("/molecule.json", FORMS).answer("/activity.json", page("activities", *rows))
    played.answer("/target.json", page("targets", *targets))
    envelope = await call(platform, played, "get_selectivity_profile", chembl_id=COMPOUND)
    assert [row["target_chembl_id"] for row in envelope.content["data"]["targets"]] == [HEPARANASE]
    assert "1 complexes, cell lines and other targets" in envelope.content["note"]


async def test_a_compound_without_strong_activity_has_an_empty_profile() -> None:
    played = Played().answer("/molecule.json", FORMS).answer("/activity.json", page("activities"))
    envelope = await call(platform, played, "get_selectivity_profile", chembl_id=COMPOUND, min_pchembl=9)
    assert envelope.content["outcome"] == "empty"
    assert "pChEMBL of 9 or more" in envelope.content["note"]
