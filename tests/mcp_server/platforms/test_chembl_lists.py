"""ChEMBL's lists of drugs, targets, assays and documents: filters that hold, withdrawals named, dossiers in parts."""

from typing import Any

import pytest

from mcp_server.platforms.chembl import platform
from tests.mcp_server.played import Played, call

IVACAFTOR, CFTR, LAPATINIB = "CHEMBL2010601", "CHEMBL4051", "CHEMBL554"


def page(key: str, *found: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    """Return one page of a collection."""
    return {key: list(found), "page_meta": {"total_count": len(found) if total is None else total}}


def molecule(chembl_id: str, name: str, **facts: Any) -> dict[str, Any]:
    """Return a molecule as the short field list brings it."""
    hierarchy = {"molecule_chembl_id": chembl_id, "parent_chembl_id": chembl_id}
    return {"molecule_chembl_id": chembl_id, "pref_name": name, "molecule_hierarchy": hierarchy, **facts}


def indication(chembl_id: str, phase: str, efo_id: str = "MONDO:0009061", term: str = "cystic fibrosis") -> Any:
    """Return an indication row."""
    ids = {"molecule_chembl_id": chembl_id, "parent_molecule_chembl_id": chembl_id}
    return {**ids, "efo_id": efo_id, "efo_term": term, "max_phase_for_ind": phase, "indication_refs": []}


async def test_a_disease_id_is_asked_for_as_chembl_writes_it() -> None:
    played = Played().answer("/drug_indication.json", page("drug_indications", indication(IVACAFTOR, "4.0"), total=9))
    played.answer("/molecule.json", page("molecules", molecule(IVACAFTOR, "IVACAFTOR", max_phase="4.0")))
    envelope = await call(platform, played, "find_drugs_by_indication", disease_id="MONDO_0009061", limit=1)
    asked = played.query()
    assert (asked["efo_id"], asked["max_phase_for_ind__gte"]) == ("MONDO:0009061", "4")
    drug = envelope.content["data"]["drugs"][0]
    assert (drug["pref_name"], drug["max_phase_for_ind"], drug["efo_term"]) == ("IVACAFTOR", 4.0, "cystic fibrosis")
    assert (envelope.content["total"], envelope.content["next"]) == (9, {"offset": 1})


@pytest.mark.case("C023")
async def test_withdrawn_drugs_of_a_disease_are_named() -> None:
    rows = page("drug_indications", indication("CHEMBL122", "4.0", "EFO:0002609", "rheumatoid arthritis"))
    played = Played().answer("efo_term__icontains=arthritis", rows)
    played.answer("/molecule.json", page("molecules", molecule("CHEMBL122", "ROFECOXIB", withdrawn_flag=True)))
    envelope = await call(platform, played, "find_drugs_by_indication", disease_name="arthritis")
    assert envelope.content["note"] == "Withdrawn from a market: ROFECOXIB."


@pytest.mark.case("C023")
@pytest.mark.parametrize(("flag", "withdrawn"), [("0", False), ("1", True), (0, False), (None, False)])
async def test_a_withdrawal_written_as_text_is_read_as_meant(flag: Any, withdrawn: bool) -> None:
    terazosin = molecule("CHEMBL611", "TERAZOSIN", withdrawn_flag=flag, usan_stem="-azosin", max_phase="4.0")
    played = Played().answer("/molecule.json", page("molecules", terazosin))
    envelope = await call(platform, played, "search_approved_drugs", usan_stem="-azosin")
    assert envelope.content["data"][0]["withdrawn_flag"] is withdrawn
    assert ("TERAZOSIN" in envelope.content.get("note", "")) is withdrawn


async def test_a_disease_without_drug_is_empty() -> None:
    played = Played().answer("/drug_indication.json", page("drug_indications"))
    envelope = await call(platform, played, "find_drugs_by_indication", disease_name="progeria")
    assert envelope.content["outcome"] == "empty"
    assert "phase 4 or more for progeria" in envelope.content["note"]


@pytest.mark.case("C021")
@pytest.mark.parametrize(
    ("tool", "arguments", "resource", "key", "stray"),
    [
        (
            "find_drugs_by_indication",
            {"disease_id": "EFO_0000001"},
            "drug_indication",
            "drug_indications",
            indication(IVACAFTOR, "4.0"),
        ),
        (
            "find_drugs_by_indication",
            {"disease_id": "MONDO_0009061"},
            "drug_indication",
            "drug_indications",
            indication(IVACAFTOR, "2.0"),
        ),
        (
            "search_approved_drugs",
            {"atc_code": "C02"},
            "molecule",
            "molecules",
            molecule("CHEMBL25", "ASPIRIN", max_phase="4.0", atc_classifications=["N02BA01"]),
        ),
        (
            "search_approved_drugs",
            {"approved_from_year": 2020},
            "molecule",
            "molecules",
            molecule("CHEMBL2", "PRAZOSIN", max_phase="4.0", first_approval=1976),
        ),
        ("search_approved_drugs", {"usan_stem": "-tinib"}, "molecule", "molecules", molecule("CHEMBL2", "PRAZOSIN")),
        ("search_approved_drugs", {"name_contains": "tinib"}, "molecule", "molecules", molecule("CHEMBL2", "PRAZOSIN")),
        ("get_atc_class", {"atc_code": "C02"}, "atc_class", "atc", {"level2": "N02", "level5": "N02BA01"}),
        ("get_atc_class", {"name_contains": "azosin"}, "atc_class", "atc", {"who_name": "aspirin"}),
        ("search_assays", {"text": "microsome"}, "assay", "assays", {"description": "something else"}),
        (
            "search_assays",
            {"target_chembl_id": CFTR, "min_confidence": 8},
            "assay",
            "assays",
            {"target_chembl_id": CFTR, "confidence_score": 0},
        ),
        ("search_assays", {"cell_chembl_id": "CHEMBL3307686"}, "assay", "assays", {"cell_chembl_id": None}),
        ("get_document", {"pmid": "16019946"}, "document", "documents", {"pubmed_id": 1}),
        ("get_document", {"doi": "10.1080/x"}, "document", "documents", {"doi": "10.1080/y"}),
        (
            "search_biology_terms",
            {"kind": "tissue", "name": "blood"},
            "tissue",
            "tissues",
            {"pref_name": "Liver", "tissue_chembl_id": "CHEMBL1"},
        ),
        ("get_binding_sites", {"name_contains": "kinase"}, "binding_site", "binding_sites", {"site_name": "GABA site"}),
        (
            "find_drugs_by_target",
            {"target_chembl_id": CFTR, "action_type": "OPENER"},
            "mechanism",
            "mechanisms",
            {"target_chembl_id": CFTR, "action_type": "INHIBITOR"},
        ),
    ],
)
async def test_a_filter_that_was_ignored_is_a_failure(
    tool: str, arguments: dict[str, Any], resource: str, key: str, stray: dict[str, Any]
) -> None:
    played = Played().answer(f"/{resource}.json", page(key, stray, total=2_900_000))
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["outcome"] == "failed", envelope.content
    assert envelope.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    ("tool", "arguments", "resource", "key", "outcome"),
    [
        ("search_approved_drugs", {"usan_stem": "-nosuch"}, "molecule", "molecules", "empty"),
        ("get_atc_class", {"atc_code": "Z99"}, "atc_class", "atc", "unknown_id"),
        ("get_atc_class", {"name_contains": "nosuch"}, "atc_class", "atc", "empty"),
        ("search_assays", {"text": "nosuch"}, "assay", "assays", "empty"),
        ("get_document", {"pmid": "1"}, "document", "documents", "empty"),
        ("search_biology_terms", {"kind": "cell_line", "name": "nosuch"}, "cell_line", "cell_lines", "empty"),
        ("get_binding_sites", {"name_contains": "nosuch"}, "binding_site", "binding_sites", "empty"),
        ("get_protein_class", {"name": "nosuch"}, "protein_classification/search", "protein_classifications", "empty"),
        ("resolve_target", {"target_name": "nosuch"}, "target/search", "targets", "empty"),
    ],
)
async def test_no_row_is_empty_with_a_reason(
    tool: str, arguments: dict[str, Any], resource: str, key: str, outcome: str
) -> None:
    played = Played().answer(f"/{resource}.json", page(key))
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["outcome"] == outcome
    assert envelope.content["note"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_approved_drugs", {}),
        ("search_assays", {"assay_type": "B"}),
        ("get_atc_class", {"atc_code": "C02", "name_contains": "azosin"}),
        ("get_atc_class", {"atc_code": "C0"}),
        ("get_document", {"pmid": "16019946", "doi": "10.1080/x"}),
        ("get_protein_class", {}),
        ("get_binding_sites", {"site_id": 2, "name_contains": "kinase"}),
        ("search_biology_terms", {"kind": "cell_line", "ontology_id": "UBERON:0000178"}),
        ("find_drugs_by_indication", {}),
        ("drug_dossier", {"chembl_id": LAPATINIB, "drug_name": "lapatinib"}),
    ],
)
async def test_arguments_that_contradict_are_refused_before_anything_is_asked(
    tool: str, arguments: dict[str, Any]
) -> None:
    error = (await call(platform, Played(), tool, **arguments)).content["error"]
    assert error["code"] == "tool_invalid_arguments"
    assert error["argument"] in arguments or not arguments or tool == "search_assays"


async def test_drugs_of_a_target_are_kept_by_action_and_phase() -> None:
    rows = [
        {"target_chembl_id": CFTR, "action_type": "INHIBITOR", "molecule_chembl_id": "CHEMBL2108184", "max_phase": 4},
        {"target_chembl_id": CFTR, "action_type": "INHIBITOR", "molecule_chembl_id": "CHEMBL8", "max_phase": 1},
    ]
    played = Played().answer("/mechanism.json", page("mechanisms", *rows))
    played.answer("/molecule.json", page("molecules", molecule("CHEMBL2108184", "CROFELEMER", max_phase="4.0")))
    envelope = await call(
        platform, played, "find_drugs_by_target", target_chembl_id=CFTR, action_type="inhibitor", min_phase=4
    )
    assert played.query()["action_type"] == "INHIBITOR"
    assert [drug["pref_name"] for drug in envelope.content["data"]["drugs"]] == ["CROFELEMER"]
    assert envelope.content["total"] == 1


async def test_indications_below_the_wanted_phase_are_left_out() -> None:
    found = page("drug_indications", indication(IVACAFTOR, "2.0"))
    played = Played().answer("/molecule.json", page("molecules", molecule(IVACAFTOR, "IVACAFTOR")))
    played.answer("/drug_indication.json", found)
    envelope = await call(platform, played, "get_drug_indications", chembl_id=IVACAFTOR, min_phase=4)
    assert envelope.content["note"] == f"None of the 1 indications of {IVACAFTOR} reached phase 4."


async def test_approved_drugs_are_filtered_by_year_and_class() -> None:
    prazosin = molecule("CHEMBL2", "PRAZOSIN", max_phase="4.0", first_approval=1976, atc_classifications=["C02CA01"])
    played = Played().answer("/molecule.json", page("molecules", prazosin))
    envelope = await call(
        platform, played, "search_approved_drugs", atc_code="c02", approved_from_year=1970, approved_to_year=1980
    )
    asked = played.query()
    assert (asked["max_phase"], asked["atc_classifications__level5__startswith"]) == ("4", "C02")
    assert (asked["first_approval__gte"], asked["first_approval__lte"]) == ("1970", "1980")
    assert envelope.content["data"][0]["pref_name"] == "PRAZOSIN"


@pytest.mark.parametrize(("code", "level"), [("C", 1), ("C02", 2), ("C02C", 3), ("C02CA", 4), ("c02ca01", 5)])
async def test_a_code_is_asked_for_on_its_level(code: str, level: int) -> None:
    row = {f"level{n}": "C02CA01"[:width] for n, width in enumerate((1, 3, 4, 5, 7), 1)}
    played = Played().answer("/atc_class.json", page("atc", {**row, "who_name": "prazosin"}))
    envelope = await call(platform, played, "get_atc_class", atc_code=code)
    assert played.query()[f"level{level}"] == code.upper()
    assert envelope.meta["burp/citations"][0]["identifier"] == "C02CA01"


def step(drug: str) -> dict[str, Any]:
    """Return a metabolic step."""
    references = [{"ref_type": "DOI", "ref_id": str(n)} for n in range(7)]
    return {"drug_chembl_id": drug, "enzyme_name": "UGT1A6", "organism": None, "metabolism_refs": references}


async def test_metabolism_is_collected_over_forms() -> None:
    forms = page("molecules", molecule("CHEMBL25", "ASPIRIN"))
    played = Played().answer("/molecule.json", forms).answer("/metabolism.json", page("metabolisms", step("CHEMBL25")))
    envelope = await call(platform, played, "get_metabolism", chembl_id="CHEMBL25")
    row = envelope.content["data"]["metabolisms"][0]
    assert (row["enzyme_name"], row["metabolism_ref_count"], len(row["metabolism_refs"])) == ("UGT1A6", 7, 5)
    played = Played().answer("/molecule.json", forms).answer("/metabolism.json", page("metabolisms", step("CHEMBL9")))
    envelope = await call(platform, played, "get_metabolism", chembl_id="CHEMBL25")
    assert envelope.content["error"]["code"] == "upstream_bad_response"


def dossier(**failing: int) -> Played:
    """Play the four answers of a dossier."""
    mechanism = {
        "molecule_chembl_id": LAPATINIB,
        "parent_molecule_chembl_id": LAPATINIB,
        "mechanism_of_action": "erbB-2 inhibitor",
        "target_chembl_id": "CHEMBL1824",
    }
    rows = [indication(LAPATINIB, phase) for phase in ("2.0", "4.0")]
    played = Played().answer("/mechanism.json", page("mechanisms", mechanism))
    played.answer("/drug_indication.json", page("drug_indications", *rows))
    return played.answer("/drug_warning.json", page("drug_warnings"), status=failing.get("warnings", 200))


async def test_each_list_of_a_dossier_has_its_own_status() -> None:
    played = dossier(warnings=400).answer("/molecule.json", page("molecules", molecule(LAPATINIB, "LAPATINIB")))
    envelope = await call(platform, played, "drug_dossier", chembl_id=LAPATINIB, limit=1)
    data = envelope.content["data"]
    states = {name: data[name]["status"] for name in ("mechanisms", "indications", "warnings")}
    assert states == {"mechanisms": "complete", "indications": "cut", "warnings": "failed"}
    assert (data["indications"]["total"], data["indications"]["rows"][0]["max_phase_for_ind"]) == (2, 4.0)
    assert envelope.content["note"].startswith("ChEMBL did not answer for warnings")


async def test_a_dossier_finds_its_drug_by_name() -> None:
    lapatinib = page("molecules", molecule(LAPATINIB, "LAPATINIB"))
    played = dossier().answer("pref_name__iexact=lapatinib", lapatinib).answer("parent_chembl_id", lapatinib)
    envelope = await call(platform, played, "drug_dossier", drug_name="lapatinib")
    assert envelope.content["data"]["pref_name"] == "LAPATINIB"
    assert "note" not in envelope.content


async def test_a_dossier_never_takes_a_fuzzy_hit_for_the_drug() -> None:
    played = Played().answer("pref_name__iexact", page("molecules")).answer("synonym__iexact", page("molecules"))
    played.answer("/molecule/search.json", page("molecules", molecule(LAPATINIB, "LAPATINIB"), total=2417))
    envelope = await call(platform, played, "drug_dossier", drug_name="lapatinb")
    assert envelope.content["outcome"] == "empty"
    assert envelope.content["data"]["candidates"][0]["pref_name"] == "LAPATINIB"


async def test_a_name_of_several_drugs_gives_candidates_and_no_dossier() -> None:
    played = (
        Played()
        .answer("pref_name__iexact", page("molecules"))
        .answer("synonym__iexact", page("molecules", molecule("CHEMBL1", "ONE"), molecule("CHEMBL2", "TWO")))
    )
    envelope = await call(platform, played, "drug_dossier", drug_name="brand")
    assert envelope.content["note"] == "2 drugs are called 'brand': ask by ChEMBL id."
    assert [row["pref_name"] for row in envelope.content["data"]["candidates"]] == ["ONE", "TWO"]


COMPONENT = {
    "accession": "P13569",
    "component_id": 2370,
    "relationship": "SINGLE PROTEIN",
    "component_description": "CFTR protein",
    "target_component_synonyms": [
        {"component_synonym": "CFTR", "syn_type": "GENE_SYMBOL"},
        {"component_synonym": "5.6.1.6", "syn_type": "EC_NUMBER"},
    ],
    "target_component_xrefs": [{"xref_id": "1XMI", "xref_name": None, "xref_src_db": "PDB"}],
}
TARGET = {
    "target_chembl_id": CFTR,
    "pref_name": "CFTR protein",
    "target_type": "SINGLE PROTEIN",
    "organism": "Homo sapiens",
    "target_components": [COMPONENT],
}


async def test_a_target_says_species_and_proteins_and_more_on_demand() -> None:
    component = {
        "accession": "P13569",
        "sequence": "MQRSP",
        "organism": "Homo sapiens",
        "protein_classifications": [{"protein_classification_id": 7}],
    }
    played = Played().answer(f"/target/{CFTR}.json", TARGET)
    played.answer("accession__in=P13569", page("target_components", component))
    arguments = {"target_chembl_id": CFTR, "with_sequences": True, "with_cross_references": True}
    data = (await call(platform, played, "get_target", **arguments)).content["data"]
    protein = data["target_components"][0]
    assert (data["organism"], protein["gene_symbols"], protein["ec_numbers"]) == ("Homo sapiens", ["CFTR"], ["5.6.1.6"])
    assert (protein["sequence"], protein["protein_class_ids"]) == ("MQRSP", [7])
    assert protein["cross_references"] == [{"xref_src_db": "PDB", "xref_id": "1XMI"}]
    played = Played().answer(f"/target/{CFTR}.json", TARGET)
    envelope = await call(platform, played, "get_target", target_chembl_id=CFTR)
    assert "xref" not in str(envelope.content) and "sequence" not in str(envelope.content)
    assert {cited["identifier"] for cited in envelope.meta["burp/citations"]} == {CFTR, "P13569"}


async def test_related_targets_come_with_names() -> None:
    relation = {"target_chembl_id": CFTR, "related_target_chembl_id": "CHEMBL3885559", "relationship": "SUBSET OF"}
    complex_ = {"target_chembl_id": "CHEMBL3885559", "pref_name": "CFTR/GOPC", "organism": "Homo sapiens"}
    played = Played().answer("/target_relation.json", page("target_relations", relation))
    played.answer("/target.json", page("targets", complex_))
    envelope = await call(platform, played, "get_target_relations", target_chembl_id=CFTR)
    related = envelope.content["data"]["related_targets"][0]
    assert (related["relationship"], related["pref_name"]) == ("SUBSET OF", "CFTR/GOPC")


async def test_a_target_of_another_species_is_found_on_demand_only() -> None:
    rat = {**TARGET, "organism": "Rattus norvegicus"}
    played = Played().answer("/target.json", page("targets", rat))
    envelope = await call(platform, played, "resolve_target", gene_symbol="CFTR", organism="Rattus norvegicus")
    assert (envelope.content["outcome"], played.query()["organism"]) == ("data", "Rattus norvegicus")
    played = Played().answer("/target.json", page("targets", rat))
    envelope = await call(platform, played, "resolve_target", gene_symbol="CFTR")
    assert "asked for organism Homo sapiens" in envelope.content["error"]["message"]


async def test_targets_found_by_words_are_filtered_here_and_counted() -> None:
    found = [{**TARGET, "target_chembl_id": f"CHEMBL{n}", "organism": species} for n, species in ((1, "Mus"), (2, ""))]
    played = Played().answer("/target/search.json?q=cftr", page("targets", *found, TARGET, total=41))
    envelope = await call(platform, played, "resolve_target", target_name="cftr")
    assert [target["target_chembl_id"] for target in envelope.content["data"]["targets"]] == [CFTR]
    assert "1 fit among the first 3 of 41" in envelope.content["note"]


async def test_levels_of_a_protein_family_keep_blanks_in_their_names() -> None:
    row = {"protein_class_id": 7, "protein_class_desc": "enzyme  protein kinase  tk", "class_level": 3}
    played = Played().answer("/protein_classification/7.json", row)
    envelope = await call(platform, played, "get_protein_class", protein_class_id=7)
    assert envelope.content["data"][0]["levels"] == ["enzyme", "protein kinase", "tk"]


@pytest.mark.parametrize(
    ("tool", "argument", "resource"),
    [
        ("get_protein_class", "protein_class_id", "protein_classification"),
        ("get_binding_sites", "site_id", "binding_site"),
    ],
)
async def test_a_number_without_record_is_unknown(tool: str, argument: str, resource: str) -> None:
    played = Played().answer(f"/{resource}/999.json", "", status=404)
    assert (await call(platform, played, tool, **{argument: 999})).content["outcome"] == "unknown_id"


@pytest.mark.parametrize(
    ("kind", "given", "field", "asked"),
    [
        ("cell_line", "CVCL:0417", "cellosaurus_id", "CVCL_0417"),
        ("cell_line", "EFO:0001213", "efo_id", "EFO_0001213"),
        ("tissue", "EFO_0000296", "efo_id", "EFO:0000296"),
        ("tissue", "uberon:0000178", "uberon_id", "UBERON:0000178"),
    ],
)
async def test_ontology_ids_are_written_as_each_list_has_them(kind: str, given: str, field: str, asked: str) -> None:
    names = {"cell_chembl_id": "CHEMBL1", "tissue_chembl_id": "CHEMBL1", "cell_name": "x", "pref_name": "x"}
    played = Played().answer(f"/{kind}.json", page(f"{kind}s", {**names, field: asked}))
    envelope = await call(platform, played, "search_biology_terms", kind=kind, ontology_id=given)
    assert played.query()[field] == asked
    assert envelope.meta["burp/citations"][0]["url"].endswith(f"/explore/{kind}/CHEMBL1")


async def test_a_document_is_found_by_its_paper() -> None:
    row = {"document_chembl_id": "CHEMBL1614631", "pubmed_id": 16019946, "doi": "10.1080/00498250400028197"}
    played = Played().answer("doi__iexact=10.1080%2F00498250400028197", page("documents", row))
    envelope = await call(platform, played, "get_document", doi="10.1080/00498250400028197")
    kinds = [(cited["kind"], cited["identifier"]) for cited in envelope.meta["burp/citations"]]
    assert ("pmid", "16019946") in kinds and envelope.content["outcome"] == "data"


@pytest.mark.parametrize(("status", "note"), [("ACTIVE", None), ("INACTIVE", "its last release was 28")])
async def test_an_id_says_what_it_is_and_whether_it_lives(status: str, note: str | None) -> None:
    row = {"chembl_id": "CHEMBL1", "entity_type": "COMPOUND", "status": status, "last_active": 28}
    played = Played().answer("/chembl_id_lookup/CHEMBL1.json", row)
    envelope = await call(platform, played, "lookup_chembl_id", chembl_id="chembl1")
    assert envelope.content["data"]["entity_type"] == "COMPOUND"
    assert (note or "") in envelope.content.get("note", "")


async def test_an_id_that_was_never_given_out_is_unknown() -> None:
    played = Played().answer("/chembl_id_lookup/", "", status=404)
    envelope = await call(platform, played, "lookup_chembl_id", chembl_id="CHEMBL999999999")
    assert envelope.content["outcome"] == "unknown_id"
