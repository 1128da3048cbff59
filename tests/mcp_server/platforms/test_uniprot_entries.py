"""UniProt: tools that read parts of one entry, each over its four outcomes, and what each makes of the parts."""

from typing import Any

import pytest

from mcp_server.platforms.uniprot import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.uniprot_entries import (
    DELETED,
    MISSING,
    RELEASE,
    comment,
    disease,
    entry,
    feature,
    reference,
)

Json = Any

CHANGE = {"alternativeSequence": {"originalSequence": "V", "alternativeSequences": ["E"]}}
# The tool, a part of an entry that it finds, and where that part stands in its data.
TOOLS = {
    "get_function": (entry(comments=[comment("FUNCTION", "Protein kinase.")]), "comments"),
    "get_disease_involvement": (entry(comments=[disease("Noonan syndrome 7", "DI-03174", "NS7")]), "diseases"),
    "get_localization_and_expression": (entry(comments=[comment("TISSUE SPECIFICITY", "Brain.")]), "comments"),
    "get_go_terms": (entry(uniProtKBCrossReferences=[reference("GO", "GO:0004672", GoTerm="F:kinase")]), "terms"),
    "get_drug_links": (entry(uniProtKBCrossReferences=[reference("ChEMBL", "CHEMBL5145")]), "links"),
    "get_cross_references": (entry(uniProtKBCrossReferences=[reference("HGNC", "HGNC:1097")]), "crossReferences"),
    "get_structures": (entry(uniProtKBCrossReferences=[reference("PDB", "1UWH", Method="X-ray")]), "structures"),
    "get_isoforms": (
        entry(comments=[{"commentType": "ALTERNATIVE PRODUCTS", "isoforms": [{"isoformIds": ["P15056-1"]}]}]),
        "isoforms",
    ),
    "get_mutagenesis": (entry(features=[feature("Mutagenesis", 600, **CHANGE)]), "mutations"),
    "get_features": (entry(features=[feature("Domain", 457, 717, "Protein kinase")]), "features"),
    "get_variants": (entry(features=[feature("Natural variant", 600, **CHANGE)]), "variants"),
}
each_tool = pytest.mark.parametrize("tool", TOOLS)


@each_tool
async def test_a_part_of_an_entry_comes_with_gene_species_release_and_page(tool: str) -> None:
    found, part = TOOLS[tool]
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(found, headers=RELEASE)})
    result = await call(platform, upstream, tool, accession="p15056")
    assert result.content["outcome"] == "data"
    shown = result.content["data"]
    assert shown[part]
    assert (shown["geneName"], shown["organism"], shown["taxonId"]) == ("BRAF", "Homo sapiens", 9606)
    assert result.meta["burp/release"] == "2026_03"
    assert result.meta["burp/citations"][0]["url"] == "https://www.uniprot.org/uniprotkb/P15056/entry"
    # Whole entries are up to megabytes.
    assert len(upstream.asked) == 1 and "fields=accession," in upstream.asked[0]


@each_tool
async def test_an_entry_without_the_part_is_empty_and_says_so(tool: str) -> None:
    result = await call(platform, FakeUpstream({"/uniprotkb/P15056": Played(entry())}), tool, accession="P15056")
    assert (result.content["outcome"], result.content["total"]) == ("empty", 0)
    assert "P15056 (BRAF_HUMAN) has no " in result.content["note"]


@each_tool
@pytest.mark.parametrize("answer", [MISSING, Played(DELETED)], ids=["nobody has it", "deleted"])
async def test_an_accession_without_an_entry_is_unknown(tool: str, answer: Played) -> None:
    result = await call(platform, FakeUpstream({"/uniprotkb/A0A008APQ8": answer}), tool, accession="A0A008APQ8")
    assert result.content["outcome"] == "unknown_id"
    assert result.content["data"] == {"identifier": "A0A008APQ8"}


@each_tool
async def test_a_failing_source_is_a_failure(tool: str) -> None:
    broken = FakeUpstream({"/uniprotkb/P15056": Played("<html>oops</html>", 500)})
    result = await call(platform, broken, tool, accession="P15056")
    assert result.content["error"]["code"] == "upstream_unavailable"


@each_tool
async def test_an_entry_of_another_protein_is_refused(tool: str) -> None:
    other = entry("P00533", "EGFR", secondaryAccessions=["O00688"])
    result = await call(platform, FakeUpstream({"/uniprotkb/P15056": Played(other)}), tool, accession="P15056")
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "asked for P15056, it answered with P00533" in result.content["error"]["message"]


@pytest.mark.case("C010")
@pytest.mark.case("C013")
@each_tool
async def test_former_accessions_and_isoforms_are_explained(tool: str) -> None:
    upstream = FakeUpstream({"/uniprotkb/Q13878": Played(TOOLS[tool][0] | {"secondaryAccessions": ["Q13878"]})})
    result = await call(platform, upstream, tool, accession="Q13878-2")
    assert "Q13878 was merged into P15056" in result.content["note"]
    assert "not to Q13878-2" in result.content["note"]


async def test_a_deleted_entry_names_its_reason_and_its_sequence() -> None:
    upstream = FakeUpstream({"/uniprotkb/A0A008APQ8": Played(DELETED)})
    result = await call(platform, upstream, "get_function", accession="A0A008APQ8")
    assert "Not part of a reference proteome" in result.content["note"]
    assert "UniParc UPI0000054276" in result.content["note"]


async def test_diseases_with_and_without_a_name_are_told_apart() -> None:
    unnamed = {"commentType": "DISEASE", "note": {"texts": [{"value": "Defects are found in cancers."}]}}
    found = entry(
        comments=[disease("Noonan syndrome 7", "DI-03174", "NS7"), unnamed, comment("ALLERGEN", "Causes it.")]
    )
    result = await call(
        platform, FakeUpstream({"/uniprotkb/P15056": Played(found)}), "get_disease_involvement", accession="P15056"
    )
    assert [row["diseaseAccession"] for row in result.content["data"]["diseases"]] == ["DI-03174"]
    assert result.content["data"]["diseases"][0]["note"] == "Caused by variants of this gene."
    assert [row["commentType"] for row in result.content["data"]["otherComments"]] == ["DISEASE", "ALLERGEN"]
    assert {row["url"] for row in result.meta["burp/citations"]} == {
        "https://www.uniprot.org/uniprotkb/P15056/entry",
        "https://www.uniprot.org/diseases/DI-03174",
    }


async def test_go_terms_are_split_into_aspect_and_evidence() -> None:
    rows = [
        reference("GO", "GO:0005789", GoTerm="C:endoplasmic reticulum membrane", GoEvidenceType="TAS:Reactome"),
        reference("GO", "GO:0004672", GoTerm="F:protein kinase activity", GoEvidenceType="IDA:UniProtKB"),
    ]
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(entry(uniProtKBCrossReferences=rows))})
    result = await call(platform, upstream, "get_go_terms", accession="P15056", aspect="component")
    assert result.content["data"]["terms"] == [
        {
            "id": "GO:0005789",
            "term": "endoplasmic reticulum membrane",
            "aspect": "component",
            "evidence": "TAS",
            "source": "Reactome",
        }
    ]
    assert upstream.asked[0].endswith(",go_c")


STRUCTURES = entry(
    uniProtKBCrossReferences=[
        reference("PDB", "1UWH", Method="X-ray", Resolution="2.95 A", Chains="A/B=448-722"),
        reference("PDB", "6NYB", Method="EM", Resolution="4.10 A", Chains="A=1-766"),
        reference("PDB", "3NY5", Method="X-ray", Resolution="1.99 A", Chains="A=153-237"),
        reference("PDB", "2L05", Method="NMR", Resolution="-", Chains="A=149-232"),
        reference("AlphaFoldDB", "P15056", Description="-"),
    ]
)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["3NY5", "1UWH", "6NYB", "2L05"]),
        ({"method": "cryo-EM"}, ["6NYB"]),
        ({"method": "x-ray", "max_resolution": 2.5}, ["3NY5"]),
        ({"max_resolution": 4.1}, ["3NY5", "1UWH", "6NYB"]),
        ({"limit": 1, "offset": 1}, ["1UWH"]),
    ],
    ids=["sharpest first", "by an everyday word", "both filters", "none without resolution", "a page"],
)
async def test_structures_are_filtered_and_sorted(arguments: Json, found: list[str]) -> None:
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(STRUCTURES)})
    result = await call(platform, upstream, "get_structures", accession="P15056", **arguments)
    assert [row["id"] for row in result.content["data"]["structures"]] == found
    assert result.content["data"]["alphaFold"] == ["P15056"]


async def test_a_filter_that_no_structure_meets_names_the_methods_there_are() -> None:
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(STRUCTURES)})
    result = await call(platform, upstream, "get_structures", accession="P15056", method="neutron")
    assert result.content["outcome"] == "empty"
    assert "0 of 4 PDB entries meet the filter; methods there are: EM, NMR, X-ray" in result.content["note"]


async def test_a_predicted_model_alone_is_data() -> None:
    found = entry(uniProtKBCrossReferences=[reference("AlphaFoldDB", "P15056")])
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(found)})
    result = await call(platform, upstream, "get_structures", accession="P15056")
    assert (result.content["outcome"], result.content["data"]["alphaFold"]) == ("data", ["P15056"])


async def test_cross_references_are_asked_by_the_names_people_use() -> None:
    found = entry(uniProtKBCrossReferences=[reference("PharmGKB", "PA25408", Description="-")])
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(found)})
    result = await call(
        platform,
        upstream,
        "get_cross_references",
        accession="P15056",
        databases=["OMIM", "ClinPGx", "Guide to PHARMACOLOGY", "MANE-Select", "GO"],
    )
    assert upstream.asked[0].endswith(",xref_mim,xref_pharmgkb,xref_guidetopharmacology,xref_mane-select,go")
    assert result.content["data"]["crossReferences"] == {"PharmGKB": [{"id": "PA25408"}]}


async def test_a_database_that_uniprot_refuses_is_the_arguments_fault() -> None:
    refusal = Played({"messages": ["Invalid fields parameter value 'xref_foo'"]}, 400)
    upstream = FakeUpstream({"/uniprotkb/P15056": refusal})
    result = await call(platform, upstream, "get_cross_references", accession="P15056", databases=["foo"])
    assert result.content["error"]["argument"] == "databases"
    assert "'xref_foo'" in result.content["error"]["message"]


PLACES = entry(
    features=[
        feature("Domain", 155, 227, "RBD"),
        feature("Active site", 576, description="Proton acceptor"),
        feature("Binding site", 483, ligand={"name": "ATP", "id": "ChEBI:CHEBI:30616"}),
        feature("Chain", None, 766),
        feature("Helix", 580, 590),
    ]
)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["Domain", "Active site", "Binding site", "Chain"]),
        ({"types": ["Active_Site", "helix"]}, ["Active site", "Helix"]),
        ({"start": 483, "end": 576}, ["Active site", "Binding site"]),
        ({"end": 200}, ["Domain"]),
        ({"start": 700}, ["Chain"]),
    ],
    ids=["no secondary structure", "types in any spelling", "a stretch", "only an end", "only a start"],
)
async def test_features_are_chosen_by_type_and_stretch(arguments: Json, found: list[str]) -> None:
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(PLACES)})
    result = await call(platform, upstream, "get_features", accession="P15056", **arguments)
    assert [row["type"] for row in result.content["data"]["features"]] == found


async def test_a_feature_keeps_its_ligand_and_its_doubt() -> None:
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(PLACES)})
    result = await call(platform, upstream, "get_features", accession="P15056", types=["binding site", "chain"])
    assert result.content["data"]["features"] == [
        {
            "type": "Binding site",
            "start": 483,
            "end": 483,
            "description": "",
            "ligand": {"name": "ATP", "id": "ChEBI:CHEBI:30616"},
        },
        {"type": "Chain", "end": 766, "uncertain": ["UNKNOWN"], "description": ""},
    ]


VARIANTS = entry(
    comments=[disease("Colorectal cancer", "DI-01359", "CRC")],
    features=[
        feature("Natural variant", 600, description="in CRC; also found in sarcoma; dbSNP:rs113488022", **CHANGE),
        feature(
            "Natural variant",
            600,
            description="in a lung sample",
            alternativeSequence={"originalSequence": "V", "alternativeSequences": ["D"]},
        ),
    ],
)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"change": "p.Val600Glu"}, ["E"]),
        ({"change": "v600d"}, ["D"]),
        ({"change": "V600K"}, []),
        ({"disease_only": True}, ["E"]),
    ],
    ids=["three letters", "lower case", "another change", "named disease"],
)
async def test_variants_are_chosen_by_change_and_disease(arguments: Json, found: list[str]) -> None:
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(VARIANTS)})
    result = await call(platform, upstream, "get_variants", accession="P15056", **arguments)
    assert [row["alternativeSequences"][0] for row in result.content["data"]["variants"]] == found
    assert ("cc_disease" in upstream.asked[0]) is ("disease_only" in arguments)


async def test_an_offset_behind_the_end_is_not_nothing_found() -> None:
    upstream = FakeUpstream({"/uniprotkb/P15056": Played(VARIANTS)})
    result = await call(platform, upstream, "get_variants", accession="P15056", offset=2)
    assert [result.content[name] for name in ("outcome", "total", "returned")] == ["data", 2, 0]
    assert result.content["data"]["variants"] == []
    assert "behind its end" in result.content["note"]
