"""ChEMBL: parents and salts joined, filters that were ignored, pages that are no records, withdrawn drugs."""

from typing import Any

import pytest

from mcp_server.platforms.chembl import platform
from tests.mcp_server.played import Played, call

AFATINIB, DIMALEATE = "CHEMBL1173655", "CHEMBL2105712"
EGFR, ERBB2 = "CHEMBL203", "CHEMBL1824"
HTML = "<!doctype html><html><head><style>b{}</style></head><body><h1>Error: 500</h1>Something has gone wrong</body>"


def page(key: str, *found: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    """Return one page of a collection."""
    return {key: list(found), "page_meta": {"total_count": len(found) if total is None else total}}


def molecule(chembl_id: str, name: str, parent: str = "", **facts: Any) -> dict[str, Any]:
    """Return a molecule as the short field list brings it."""
    hierarchy = {"molecule_chembl_id": chembl_id, "parent_chembl_id": parent or chembl_id}
    return {"molecule_chembl_id": chembl_id, "pref_name": name, "molecule_hierarchy": hierarchy, **facts}


def mechanism(form: str, parent: str, target: str, text: str, **facts: Any) -> dict[str, Any]:
    """Return a mechanism row."""
    ids = {"molecule_chembl_id": form, "parent_molecule_chembl_id": parent, "target_chembl_id": target}
    return {**ids, "mechanism_of_action": text, "action_type": "INHIBITOR", **facts}


FORMS = page(
    "molecules",
    molecule(DIMALEATE, "AFATINIB DIMALEATE", AFATINIB, max_phase="4.0", withdrawn_flag=False),
    molecule(AFATINIB, "AFATINIB", max_phase="2.0", withdrawn_flag=False),
)
NO_FORMS = page("molecules")


@pytest.mark.case("C022")
@pytest.mark.parametrize("asked", [AFATINIB, DIMALEATE], ids=["parent", "salt"])
async def test_mechanisms_are_collected_over_parent_and_salt(asked: str) -> None:
    rows = [
        mechanism(DIMALEATE, AFATINIB, EGFR, "EGFR inhibitor"),
        mechanism(DIMALEATE, AFATINIB, ERBB2, "erbB-2 inhibitor", variant_sequence={"mutation": "x", "sequence": "MA"}),
    ]
    played = Played()
    if asked == DIMALEATE:
        played.answer("/molecule.json", NO_FORMS)
        played.answer(f"/molecule/{DIMALEATE}.json", molecule(DIMALEATE, "AFATINIB DIMALEATE", AFATINIB))
    played.answer("/molecule.json", FORMS).answer("/mechanism.json", page("mechanisms", *rows))
    envelope = await call(platform, played, "get_drug_mechanisms", chembl_id=asked)
    data = envelope.content["data"]
    assert (data["molecule_chembl_id"], data["parent_chembl_id"], data["pref_name"]) == (asked, AFATINIB, "AFATINIB")
    assert data["max_phase_over_forms"] == 4.0
    assert [(form["molecule_chembl_id"], form["max_phase"], form["is_parent"]) for form in data["forms"]] == [
        (AFATINIB, 2.0, True),
        (DIMALEATE, 4.0, False),
    ]
    assert [row["molecule_pref_name"] for row in data["mechanisms"]] == ["AFATINIB DIMALEATE"] * 2
    assert data["mechanisms"][1]["variant_sequence"] == {"mutation": "x"}
    assert played.query(len(played.requests) - 1) == {
        "parent_molecule_chembl_id": AFATINIB,
        "order_by": "mec_id",
        "limit": "1000",
    }
    assert [cited["url"] for cited in envelope.meta["burp/citations"]][-1].endswith(f"/explore/target/{ERBB2}")


@pytest.mark.case("C021")
@pytest.mark.parametrize(
    ("tool", "resource", "key"),
    [
        ("get_drug_mechanisms", "mechanism", "mechanisms"),
        ("get_drug_indications", "drug_indication", "drug_indications"),
        ("get_drug_warnings", "drug_warning", "drug_warnings"),
    ],
)
async def test_rows_of_another_drug_are_refused(tool: str, resource: str, key: str) -> None:
    stray = mechanism("CHEMBL25", "CHEMBL25", "CHEMBL221", "Cyclooxygenase inhibitor")
    played = Played().answer("/molecule.json", FORMS).answer(f"/{resource}.json", page(key, stray, total=18552))
    envelope = await call(platform, played, tool, chembl_id=AFATINIB)
    assert envelope.content["error"]["code"] == "upstream_bad_response"
    assert AFATINIB in envelope.content["error"]["message"]


@pytest.mark.case("C021")
async def test_forms_of_another_drug_are_refused() -> None:
    played = Played().answer("/molecule.json", page("molecules", molecule("CHEMBL25", "ASPIRIN"), total=2_900_000))
    envelope = await call(platform, played, "get_drug_mechanisms", chembl_id=AFATINIB)
    assert envelope.content["error"]["code"] == "upstream_bad_response"


FAMILY_TOOLS = ["get_drug_mechanisms", "get_drug_indications", "get_drug_warnings"]
RESOURCES = {"get_drug_mechanisms": "mechanism", "get_drug_indications": "drug_indication"}


@pytest.mark.parametrize("tool", FAMILY_TOOLS)
async def test_a_drug_without_rows_is_empty_and_names_its_forms(tool: str) -> None:
    resource = RESOURCES.get(tool, "drug_warning")
    played = Played().answer("/molecule.json", FORMS).answer(f"/{resource}.json", page(f"{resource}s"))
    envelope = await call(platform, played, tool, chembl_id=AFATINIB)
    assert (envelope.content["outcome"], envelope.content["total"]) == ("empty", 0)
    assert AFATINIB in envelope.content["note"]
    assert len(envelope.content["data"]["forms"]) == 2


@pytest.mark.parametrize("tool", FAMILY_TOOLS)
async def test_an_unknown_molecule_is_no_empty_list(tool: str) -> None:
    played = Played().answer("/molecule.json", NO_FORMS).answer("/molecule/CHEMBL999999999.json", "", status=404)
    played.answer("/chembl_id_lookup/CHEMBL999999999.json", "", status=404)
    envelope = await call(platform, played, tool, chembl_id="CHEMBL999999999")
    assert envelope.content["outcome"] == "unknown_id"


async def test_a_404_with_a_page_is_a_fault_and_not_an_unknown_molecule() -> None:
    played = Played().answer("/molecule/CHEMBL25.json", HTML, status=404)
    envelope = await call(platform, played, "get_molecule", chembl_id="CHEMBL25")
    assert envelope.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C020")
@pytest.mark.parametrize("tool", platform.tools, ids=lambda tool: tool.function.__name__)
async def test_a_page_where_json_was_promised_is_a_failure_in_plain_words(tool: Any) -> None:
    played = Played().answer("/chembl/api/data/", HTML)
    envelope = await call(platform, played, tool.function.__name__, **tool.example)
    error = envelope.content["error"]
    assert error["code"] == "upstream_bad_response"
    assert "Error: 500" in error["message"]
    assert "<" not in error["message"]


@pytest.mark.case("C020")
async def test_a_service_that_stays_broken_is_unavailable(no_backoff: None) -> None:
    played = Played()
    for _ in range(4):
        played.answer("/molecule.json", HTML, status=500)
    envelope = await call(platform, played, "resolve_drug", drug_name="lapatinib")
    assert envelope.content["error"]["code"] == "upstream_unavailable"


async def test_a_name_is_resolved_to_the_parent_with_its_salts() -> None:
    by_name = page("molecules", molecule(AFATINIB, "AFATINIB", max_phase="2.0"))
    played = Played().answer("pref_name__iexact=afatinib", by_name)
    played.answer(f"molecule_hierarchy__parent_chembl_id={AFATINIB}", FORMS)
    envelope = await call(platform, played, "resolve_drug", drug_name=" afatinib ")
    data = envelope.content["data"]
    assert (data["query"], data["matched_as"]) == ("afatinib", "pref_name")
    assert (data["molecules"][0]["parent_chembl_id"], data["molecules"][0]["max_phase_over_forms"]) == (AFATINIB, 4.0)
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == [AFATINIB, DIMALEATE]


async def test_a_brand_of_parent_and_salt_is_one_drug() -> None:
    hits = page(
        "molecules",
        molecule("CHEMBL192", "SILDENAFIL"),
        molecule("CHEMBL1737", "SILDENAFIL CITRATE", "CHEMBL192"),
    )
    played = Played().answer("pref_name__iexact", NO_FORMS).answer("molecule_synonym__iexact=viagra", hits)
    played.answer("parent_chembl_id=CHEMBL192", hits)
    envelope = await call(platform, played, "resolve_drug", drug_name="viagra")
    assert envelope.content["data"]["matched_as"] == "synonym"
    assert [drug["pref_name"] for drug in envelope.content["data"]["molecules"]] == ["SILDENAFIL"]


async def test_a_fuzzy_hit_is_never_taken_for_the_drug() -> None:
    near = page("molecules", molecule("CHEMBL554", "LAPATINIB"), total=2417)
    played = Played().answer("pref_name__iexact", NO_FORMS).answer("synonym__iexact", NO_FORMS)
    played.answer("/molecule/search.json?q=lapatinb", near)
    envelope = await call(platform, played, "resolve_drug", drug_name="lapatinb")
    assert envelope.content["data"]["matched_as"] == "text"
    assert "No molecule is called 'lapatinb' exactly" in envelope.content["note"]


async def test_a_name_nobody_carries_is_empty() -> None:
    played = Played().answer("pref_name__iexact", NO_FORMS).answer("synonym__iexact", NO_FORMS)
    played.answer("/molecule/search.json", NO_FORMS)
    envelope = await call(platform, played, "resolve_drug", drug_name="xyzzynib")
    assert envelope.content["outcome"] == "empty"
    assert "'xyzzynib'" in envelope.content["note"]


async def test_an_id_given_as_a_name_is_looked_up_as_an_id() -> None:
    played = Played().answer("parent_chembl_id=CHEMBL999999999", NO_FORMS)
    played.answer("/molecule/CHEMBL999999999.json", "", status=404)
    played.answer("/chembl_id_lookup/CHEMBL999999999.json", "", status=404)
    envelope = await call(platform, played, "resolve_drug", drug_name="chembl999999999")
    assert envelope.content["outcome"] == "unknown_id"


def withdrawal(term: str, text: str) -> dict[str, Any]:
    """Return a row of one withdrawal."""
    return {
        "warning_type": "Withdrawn",
        "warning_class": "hepatotoxicity",
        "warning_year": 2000,
        "warning_country": "United States",
        "warning_description": text,
        "efo_term": term,
        "molecule_chembl_id": "CHEMBL408",
        "parent_molecule_chembl_id": "CHEMBL408",
        "warning_refs": [{"ref_id": text, "ref_type": "FDA", "ref_url": "https://example.org"}],
    }


TROGLITAZONE = page("molecules", molecule("CHEMBL408", "TROGLITAZONE", max_phase="4.0", withdrawn_flag=True))
BOXED = {"warning_type": "Black Box Warning", "warning_country": None, "parent_molecule_chembl_id": "CHEMBL408"}
WARNINGS = page("drug_warnings", BOXED, withdrawal("hepatitis", "one"), withdrawal("liver failure", "two"))


@pytest.mark.case("C023")
@pytest.mark.parametrize("tool", ["resolve_drug", "get_molecule"])
async def test_a_withdrawn_drug_of_phase_4_says_when_and_why(tool: str) -> None:
    played = Played()
    if tool == "resolve_drug":
        played.answer("pref_name__iexact", TROGLITAZONE)
        arguments = {"drug_name": "troglitazone"}
    else:
        played.answer("/molecule/CHEMBL408.json", TROGLITAZONE["molecules"][0])
        arguments = {"chembl_id": "CHEMBL408"}
    played.answer("parent_chembl_id=CHEMBL408", TROGLITAZONE).answer("/drug_warning.json", WARNINGS)
    data = (await call(platform, played, tool, **arguments)).content["data"]
    family = data["molecules"][0] if tool == "resolve_drug" else data["family"]
    assert (family["max_phase_over_forms"], family["withdrawn_flag"]) == (4.0, True)
    assert [(one["warning_year"], one["warning_country"], one["warning_classes"]) for one in family["withdrawals"]] == [
        (2000, "United States", ["hepatotoxicity"])
    ]


async def test_one_withdrawal_in_many_rows_is_told_once_and_first() -> None:
    played = Played().answer("/molecule.json", TROGLITAZONE).answer("/drug_warning.json", WARNINGS)
    envelope = await call(platform, played, "get_drug_warnings", chembl_id="CHEMBL408")
    withdrawn, boxed = envelope.content["data"]["drug_warnings"]
    assert (withdrawn["efo_terms"], withdrawn["warning_descriptions"]) == (
        ["hepatitis", "liver failure"],
        ["one", "two"],
    )
    assert (withdrawn["warning_ref_count"], boxed["warning_type"]) == (2, "Black Box Warning")


async def test_a_molecule_keeps_names_and_structure_without_the_molfile() -> None:
    synonyms = [{"molecule_synonym": f"name {n % 20}", "syn_type": "INN"} for n in range(40)]
    structures = {"canonical_smiles": "C", "molfile": "RDKit 2D"}
    record = molecule(AFATINIB, "AFATINIB", molecule_structures=structures, molecule_synonyms=synonyms, max_phase="2.0")
    played = Played().answer(f"/molecule/{AFATINIB}.json", record).answer("/molecule.json", FORMS)
    data = (await call(platform, played, "get_molecule", chembl_id=AFATINIB)).content["data"]
    assert data["molecule_structures"] == {"canonical_smiles": "C"}
    assert (len(data["molecule_synonyms"]), data["molecule_synonym_count"], data["max_phase"]) == (15, 20, 2.0)
    assert data["family"]["max_phase_over_forms"] == 4.0


async def test_an_antibody_without_structure_is_a_record() -> None:
    record = molecule("CHEMBL1201585", "TRASTUZUMAB", molecule_structures=None, molecule_synonyms=[])
    played = Played().answer("/molecule/CHEMBL1201585.json", record).answer("/molecule.json", page("molecules", record))
    envelope = await call(platform, played, "get_molecule", chembl_id="CHEMBL1201585")
    assert envelope.content["outcome"] == "data"


async def test_indications_come_by_phase_with_few_of_many_trials() -> None:
    trials = ",".join(f"NCT{n:08}" for n in range(103))
    base = {"parent_molecule_chembl_id": AFATINIB, "molecule_chembl_id": DIMALEATE}
    reference = {"ref_type": "ClinicalTrials", "ref_id": trials}
    found = page(
        "drug_indications",
        {**base, "efo_term": "sinusitis", "max_phase_for_ind": "0.5", "indication_refs": []},
        {**base, "efo_term": "lung cancer", "max_phase_for_ind": "4.0", "indication_refs": [reference]},
        {**base, "efo_term": "pain", "max_phase_for_ind": "-1.0", "indication_refs": []},
    )
    played = Played().answer("/molecule.json", FORMS).answer("/drug_indication.json", found)
    envelope = await call(platform, played, "get_drug_indications", chembl_id=AFATINIB, limit=2)
    shown = envelope.content["data"]["drug_indications"]
    assert [(row["efo_term"], row["max_phase_for_ind"]) for row in shown] == [("lung cancer", 4.0), ("sinusitis", 0.5)]
    assert (shown[0]["indication_refs"][0]["count"], len(shown[0]["indication_refs"][0]["ref_ids"])) == (103, 5)
    assert (envelope.content["total"], envelope.content["next"]) == (3, {"offset": 2})


async def test_drugs_of_a_target_come_by_phase_and_withdrawals_are_named() -> None:
    rows = [mechanism(id, id, ERBB2, "erbB-2 inhibitor") for id in ("CHEMBL1", "CHEMBL2", "CHEMBL3")]
    known = page(
        "molecules",
        molecule("CHEMBL1", "ONE", max_phase="2.0"),
        molecule("CHEMBL2", "TWO", "CHEMBL9", max_phase="4.0", withdrawn_flag=True),
    )
    played = Played().answer(f"/mechanism.json?target_chembl_id={ERBB2}", page("mechanisms", *rows))
    played.answer("molecule_chembl_id__in=CHEMBL1%2CCHEMBL2%2CCHEMBL3", known)
    envelope = await call(platform, played, "find_drugs_by_target", target_chembl_id=ERBB2)
    drugs = envelope.content["data"]["drugs"]
    assert [(drug["molecule_chembl_id"], drug["parent_chembl_id"]) for drug in drugs] == [
        ("CHEMBL2", "CHEMBL9"),
        ("CHEMBL1", "CHEMBL1"),
        ("CHEMBL3", None),
    ]
    assert envelope.content["note"] == "Withdrawn from a market: TWO."


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [(200, {"target_chembl_id": ERBB2, "pref_name": "ERBB2"}, "empty"), (404, "", "unknown_id")],
    ids=["known target", "unknown target"],
)
async def test_no_drug_and_no_target_are_told_apart(status: int, body: Any, outcome: str) -> None:
    played = Played().answer("/mechanism.json", page("mechanisms"))
    played.answer(f"/target/{ERBB2}.json", body, status=status)
    envelope = await call(platform, played, "find_drugs_by_target", target_chembl_id=ERBB2)
    assert envelope.content["outcome"] == outcome


@pytest.mark.case("C021")
async def test_drugs_of_another_target_are_refused() -> None:
    stray = mechanism("CHEMBL25", "CHEMBL25", "CHEMBL221", "Cyclooxygenase inhibitor")
    played = Played().answer("/mechanism.json", page("mechanisms", stray))
    envelope = await call(platform, played, "find_drugs_by_target", target_chembl_id=ERBB2)
    assert envelope.content["error"]["code"] == "upstream_bad_response"


def target(chembl_id: str, kind: str, accession: str, *symbols: tuple[str, str]) -> dict[str, Any]:
    """Return a target of one component."""
    synonyms = [{"component_synonym": name, "syn_type": syn_type} for name, syn_type in symbols]
    component = {"accession": accession, "relationship": kind, "target_component_synonyms": synonyms}
    component["target_component_xrefs"] = [{"xref_id": "1XMI"}] * 80
    return {
        "target_chembl_id": chembl_id,
        "pref_name": chembl_id,
        "target_type": kind,
        "organism": "Homo sapiens",
        "target_components": [component],
    }


CFTR = ("CFTR", "GENE_SYMBOL")


async def test_the_single_protein_comes_before_its_complexes() -> None:
    found = page(
        "targets",
        target("CHEMBL3885559", "PROTEIN-PROTEIN INTERACTION", "P13569", CFTR),
        target("CHEMBL4051", "SINGLE PROTEIN", "P13569", CFTR),
    )
    played = Played().answer("/target.json", found)
    envelope = await call(platform, played, "resolve_target", gene_symbol="cftr")
    assert [found["target_chembl_id"] for found in envelope.content["data"]["targets"]] == [
        "CHEMBL4051",
        "CHEMBL3885559",
    ]
    assert "xrefs" not in str(envelope.content)
    assert played.query()["organism"] == "Homo sapiens"


async def test_another_symbol_of_a_gene_finds_its_target() -> None:
    found = page("targets", target(ERBB2, "SINGLE PROTEIN", "P04626", ("HER2", "GENE_SYMBOL_OTHER")))
    played = Played().answer("syn_type=GENE_SYMBOL", page("targets")).answer("/target.json", found)
    envelope = await call(platform, played, "resolve_target", gene_symbol="HER2")
    assert envelope.content["data"]["targets"][0]["target_chembl_id"] == ERBB2


async def test_an_isoform_is_looked_up_by_its_protein() -> None:
    found = page("targets", target(ERBB2, "SINGLE PROTEIN", "P04626"))
    played = Played().answer("accession=P04626&", found)
    envelope = await call(platform, played, "resolve_target", uniprot_accession="P04626-1")
    assert envelope.content["outcome"] == "data"


async def test_a_gene_without_target_is_empty() -> None:
    played = Played().answer("/target.json", page("targets")).answer("/target.json", page("targets"))
    envelope = await call(platform, played, "resolve_target", gene_symbol="OR4F5")
    assert envelope.content["outcome"] == "empty"


@pytest.mark.case("C021")
async def test_targets_of_another_gene_are_refused() -> None:
    played = Played().answer("/target.json", page("targets", target("CHEMBL4051", "SINGLE PROTEIN", "P13569", CFTR)))
    envelope = await call(platform, played, "resolve_target", gene_symbol="ERBB2")
    assert envelope.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    "arguments", [{}, {"gene_symbol": "ERBB2", "uniprot_accession": "P04626"}], ids=["none", "both"]
)
async def test_a_target_needs_one_of_both_names(arguments: dict[str, str]) -> None:
    envelope = await call(platform, Played(), "resolve_target", **arguments)
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"
