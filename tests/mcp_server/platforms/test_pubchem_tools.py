"""PubChem: structures as names, pages with sources, tables that must fit the question, searches, comparisons."""

import json
from typing import Any

import pytest

from mcp_server.platforms.pubchem import platform, structures
from mcp_server.platforms.pubchem.base import IDENTITY
from mcp_server.platforms.pubchem.names import recognised
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.pubchem_cases import (
    ASSAY,
    CONFORMER,
    EGFR,
    NEIGHBOUR,
    NO_HEADING,
    NOT_FOUND,
    PAPER,
    PATHWAY,
    SDQ,
    VENDOR,
    activity,
    compound,
    exists,
    gone,
    ids,
    information,
    properties,
    results,
    said,
    table,
    view,
)

Json = Any
UNREADABLE = Played({"Fault": {"Code": "PUGREST.BadRequest", "Message": "Unable to standardize the structure"}}, 400)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("aspirin", "name"),
        ("50-78-2", "name"),
        ("benzo[a]pyrene", "name"),
        ("CC(=O)OC1=CC=CC=C1C(=O)O", "smiles"),
        ("C[C@H](N)C(=O)O", "smiles"),
        ("InChI=1S/CH4/h1H4", "inchi"),
        ("bsynrymutxbxsq-uhfffaoysa-n", "inchikey"),
    ],
)
def test_the_kind_of_a_name_is_recognised(text: str, kind: str) -> None:
    assert recognised(text) == kind


@pytest.mark.parametrize(
    ("arguments", "path", "form"),
    [
        ({"name": "CC(=O)O"}, "/compound/smiles/cids/JSON", "smiles=CC%28%3DO%29O"),
        ({"name": "InChI=1S/CH4/h1H4"}, "/compound/inchi/cids/JSON", "inchi=InChI%3D1S%2FCH4%2Fh1H4"),
        ({"name": "CCO", "form": "smiles"}, "/compound/smiles/cids/JSON", "smiles=CCO"),
    ],
)
async def test_a_structure_is_posted(arguments: dict[str, str], path: str, form: str) -> None:
    upstream = FakeUpstream({path: ids("CID", 176), "/JSON": properties(compound(176, "Acetic Acid"))})
    result = await call(platform, upstream, "resolve_compound", **arguments)
    assert (result.content["data"][0]["CID"], upstream.requests[0].text) == (176, form)


async def test_an_unreadable_structure_is_an_error_of_the_argument() -> None:
    upstream = FakeUpstream({"/compound/smiles/cids/JSON": UNREADABLE})
    result = await call(platform, upstream, "resolve_compound", name="not=a=structure")
    assert (result.content["error"]["code"], result.content["error"]["argument"]) == ("tool_invalid_arguments", "name")
    similar = FakeUpstream({"/smiles/property": UNREADABLE, "": UNREADABLE})
    searched = await call(platform, similar, "search_by_similarity", smiles="not=a=structure")
    assert searched.content["error"]["argument"] == "smiles"


async def test_more_than_fifty_compounds_are_posted() -> None:
    cids = [str(number) for number in range(1, 61)]
    upstream = FakeUpstream(
        {"/compound/cid/property/Title,XLogP/JSON": properties({"CID": 1, "Title": "x", "XLogP": 1})}
    )
    result = await call(platform, upstream, "get_compound_properties", cids=cids, properties=["XLogP", "Title"])
    assert (upstream.requests[0].text or "").startswith("cid=1%2C2%2C3")
    assert (result.content["total"], result.content["returned"]) == (60, 1)


async def test_external_ids_are_grouped_and_named_once() -> None:
    sections = [
        {"TOCHeading": "CAS", "Information": [said("78-96-6"), said("78-96-6", number=2)]},
        {"TOCHeading": "ChEMBL ID", "Information": [said("CHEMBL326602")]},
    ]
    page = {"Record": {"RecordNumber": 4, "RecordTitle": "x", "Section": [{"TOCHeading": "O", "Section": sections}]}}
    result = await call(platform, FakeUpstream({"/4/JSON": Played(page)}), "get_external_ids", cid="4")
    assert result.content["data"]["ids"] == {"CAS": ["78-96-6"], "ChEMBL ID": ["CHEMBL326602"]}


@pytest.mark.parametrize("nothing", [NOT_FOUND, information(CID=2244), information(CID=2244, RegistryID=[])])
async def test_a_missing_list_an_empty_list_and_a_404_are_the_same(nothing: Played) -> None:
    upstream = FakeUpstream({"/xrefs/RegistryID/JSON": nothing, **exists(2244)})
    result = await call(platform, upstream, "get_external_ids", cid="2244", kind="RegistryID")
    assert result.content["outcome"] == "empty"


async def test_cross_references_come_in_pages_of_a_stable_order() -> None:
    answer = information(CID=2244, RegistryID=["CHEMBL25", "CHEBI:15365", "AB-1"])
    upstream = FakeUpstream({"/xrefs/RegistryID/JSON": answer})
    result = await call(platform, upstream, "get_external_ids", cid="2244", kind="RegistryID", limit=2)
    assert result.content["data"]["ids"] == ["AB-1", "CHEBI:15365"]
    assert (result.content["total"], result.content["next"]) == (3, {"offset": 2})


@pytest.mark.parametrize("fault", [NO_HEADING, Played({"Fault": {"Code": "PUGVIEW.BadRequest", "Message": "x"}}, 400)])
async def test_an_unknown_heading_answers_with_the_list(fault: Played) -> None:
    upstream = FakeUpstream({"?heading=Usage": fault, "/index/compound/784/JSON": view(784, "Uses")})
    result = await call(platform, upstream, "get_compound_section", cid="784", heading="Usage")
    assert result.content["outcome"] == "empty"
    assert result.content["data"]["headings"] == ["Outer", "Uses"]


async def test_without_a_heading_all_are_listed() -> None:
    upstream = FakeUpstream({"/index/compound/784/JSON": view(784, "Uses")})
    result = await call(platform, upstream, "get_compound_section", cid="784")
    assert (result.content["outcome"], result.content["total"]) == ("data", 2)


async def test_a_statement_of_two_sources_stands_once() -> None:
    rows = [said("159.4 °C"), said("159.4 °C", number=2), {"Value": {"Number": [1.5], "Unit": "mg/mL"}}]
    upstream = FakeUpstream({"/241/JSON": view(241, "Mechanism of Action", *rows)})
    data = (await call(platform, upstream, "get_pharmacology", cid="241", part="mechanism")).content["data"]
    assert data["rows"] == [
        {"heading": "Mechanism of Action", "text": "159.4 °C", "sources": ["HSDB", "EU"]},
        {"heading": "Mechanism of Action", "text": "1.5", "sources": [], "unit": "mg/mL"},
    ]


@pytest.mark.parametrize(("part", "heading"), [("adme", "Absorption%2C"), ("metabolism", "Metabolism%2FMetabolites")])
async def test_commas_and_slashes_in_headings_are_encoded(part: str, heading: str) -> None:
    upstream = FakeUpstream({"/241/JSON": view(241, "x", said("text"))})
    await call(platform, upstream, "get_pharmacology", cid="241", part=part)
    assert f"?heading={heading}" in upstream.requests[0].url


async def test_a_page_of_another_compound_is_refused() -> None:
    upstream = FakeUpstream({"/241/JSON": view(242, "x", said("text"))})
    result = await call(platform, upstream, "get_pharmacology", cid="241")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_hazards_are_read_by_source_with_the_names_of_the_pictograms() -> None:
    marks = [
        {"Start": n, "Length": 1, "Type": "Icon", "Extra": name} for n, name in enumerate(("Oxidizer", "Irritant"))
    ]
    pictures = {"StringWithMarkup": [{"String": "   ", "Markup": marks}]}
    both = [{"ReferenceNumber": n, "Name": "Pictogram(s)", "Value": pictures} for n in (1, 2)]
    hazard = {"StringWithMarkup": [{"String": "H271: May cause fire"}, {"String": "H302: Harmful if swallowed"}]}
    rows = [
        *both,
        said("Danger", "Signal"),
        said("Danger", "Signal", 2),
        {"ReferenceNumber": 1, "Name": "GHS Hazard Statements", "Value": hazard},
        {"ReferenceNumber": 2, "Name": "GHS Hazard Statements", "Value": hazard},
        said("P210, P220", "Precautionary Statement Codes", 2),
        said("Not all reports agree.", "Note", 2),
    ]
    upstream = FakeUpstream({"/784/JSON": view(784, "GHS Classification", *rows)})
    first, second = (await call(platform, upstream, "get_safety_ghs", cid="784")).content["data"]["classifications"]
    assert first == {
        "sources": ["HSDB"],
        "pictograms": "Oxidizer, Irritant",
        "signal_word": "Danger",
        "hazard_statements": ["H271: May cause fire", "H302: Harmful if swallowed"],
    }
    assert (second["precautionary_codes"], second["notes"]) == ("P210, P220", ["Not all reports agree."])


async def test_one_measured_property_is_picked_and_another_names_those_there_are() -> None:
    page = view(4, "Boiling Point", said("159.4 °C"))
    found = await call(platform, FakeUpstream({"/4/JSON": page}), "get_experimental_properties", cid="4")
    assert found.content["data"]["rows"][0]["text"] == "159.4 °C"
    other = await call(
        platform, FakeUpstream({"/4/JSON": page}), "get_experimental_properties", cid="4", property_name="pKa"
    )
    assert other.content["outcome"] == "empty" and "measured are: Boiling Point" in other.content["note"]


def question(upstream: FakeUpstream, number: int = 0) -> Json:
    """Return the question that a table was asked."""
    text = upstream.asked[number].partition("query=")[2]
    return json.loads(text)


async def test_filters_of_a_table_reach_it_and_rows_must_fit_them() -> None:
    upstream = FakeUpstream({SDQ: table(activity(4), total=406)})
    arguments = {"cid": "4", "outcome": "Active", "gene_id": "2099", "accession": "p03372"}
    result = await call(platform, upstream, "get_compound_bioactivity", **arguments, limit=1, offset=7)
    asked = question(upstream)
    assert asked["where"] == {"ands": [{"cid": "4"}, {"activity": "Active"}, {"geneid": "2099"}, {"repacxn": "P03372"}]}
    assert (asked["start"], asked["limit"], asked["order"]) == (8, 1, ["acvalue,asc"])
    assert (result.content["total"], result.content["next"]) == (406, {"offset": 8})
    wrong = FakeUpstream({SDQ: table(activity(4, "1956"))})
    refused = await call(platform, wrong, "get_compound_bioactivity", **arguments)
    assert refused.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    "answer",
    [
        Played({"SDQOutputSet": [{"status": {"code": 1, "error": "no such collection"}}]}),
        Played({"other": 1}),
    ],
)
async def test_an_error_inside_a_table_is_a_failure(answer: Played) -> None:
    result = await call(platform, FakeUpstream({SDQ: answer}), "get_toxicity", cid="4")
    assert result.content["outcome"] == "failed"


async def test_acute_doses_are_read_without_markup() -> None:
    row = {"cid": "4", "organism": "mammal", "testtype": "LD50", "dose": "&gt;1 gm/kg", "effect": ""}
    result = await call(platform, FakeUpstream({SDQ: Played([row])}), "get_toxicity", cid="4")
    assert result.content["data"]["rows"] == [{"organism": "mammal", "testtype": "LD50", "dose": ">1 gm/kg"}]


async def test_targets_carry_their_best_value() -> None:
    rows = [activity(5291, "25", "0.5"), activity(5291, "25", "0.025"), activity(5291, "", "0.001"),
            activity(5291, "3815", "0.1"), activity(5291, "207", "50"), activity(5291, "999", "")]  # fmt: skip
    upstream = FakeUpstream({SDQ: table(*rows, total=7)})
    result = await call(platform, upstream, "get_compound_targets", cid="5291", max_um=10.0)
    targets = result.content["data"]["targets"]
    assert [(row["geneid"], row["best_um"], row["rows"]) for row in targets] == [("25", 0.025, 2), ("3815", 0.1, 1)]
    assert "From 6 of 7 active rows" in result.content["note"]
    assert {"activity": "Active"} in question(upstream)["where"]["ands"]


async def test_compounds_are_compared_by_the_targets_they_share() -> None:
    upstream = FakeUpstream(
        {
            "/JSON": properties(compound(2244), compound(3672)),
            f'{SDQ}?"cid":"2244"': table(activity(2244, "5742", "1.0"), activity(2244, "1")),
            f'{SDQ}?"cid":"3672"': table(activity(3672, "5742", "2.5")),
        }
    )
    data = (await call(platform, upstream, "compare_compounds", cids=["2244", "3672", "999999999"])).content["data"]
    assert [(row["geneid"], row["best_um"]) for row in data["shared_targets"]] == [("5742", {"2244": 1.0, "3672": 2.5})]
    assert data["missing"] == ["999999999"]
    alone = await call(platform, FakeUpstream({}), "compare_compounds", cids=["2244", "02244"])
    assert alone.content["error"]["argument"] == "cids"


async def test_rules_are_judged_with_their_values_and_unknown_ones_left_open() -> None:
    small = compound(1, MolecularWeight="206.28", XLogP=3.5, HBondDonorCount=1, HBondAcceptorCount=2,
                     TPSA=37.3, RotatableBondCount=4)  # fmt: skip
    big = compound(
        2, MolecularWeight="853.9", HBondDonorCount=4, HBondAcceptorCount=14, TPSA=221, RotatableBondCount=14
    )
    upstream = FakeUpstream({"/JSON": properties(small, big)})
    data = (await call(platform, upstream, "assess_drug_likeness", cids=["1", "2"])).content["data"]
    first, second = ({row["rule"]: row for row in one["rules"]} for one in data["compounds"])
    assert [first[name]["passed"] for name in ("Lipinski", "Veber", "Egan")] == [True, True, True]
    assert first["Rule of three (fragments)"]["violations"] == ["XLogP 3.5 is not at most 3"]
    assert second["Lipinski"]["passed"] is False and second["Lipinski"]["not_judged"] == ["XLogP"]
    assert second["Lipinski"]["violations"] == [
        "MolecularWeight 853.9 is not at most 500",
        "HBondAcceptorCount 14 is not at most 10",
    ]


async def test_a_value_that_is_missing_is_never_a_pass() -> None:
    upstream = FakeUpstream({"/JSON": properties(compound(1))})
    data = (await call(platform, upstream, "assess_drug_likeness", cids=["1"])).content["data"]
    assert {row["rule"]: row["passed"] for row in data["compounds"][0]["rules"]} == {
        "Lipinski": None, "Veber": None, "Egan": None, "Rule of three (fragments)": None,
    }  # fmt: skip


async def test_a_structure_in_space_has_its_atoms_and_is_of_the_compound() -> None:
    listed = information(CID=4, ConformerID=["0000000400000001", "0000000400000002"])
    upstream = FakeUpstream({"/conformers/JSON": listed, "/0000000400000001/JSON": Played(CONFORMER)})
    found = await call(platform, upstream, "get_compound_3d", cid="4", conformer_id="0000000400000001")
    data = found.content["data"]
    assert data["atoms"][0] == {"element": "O", "x": 1.5903, "y": -0.8258, "z": 0.0378}
    assert (data["bonds"], data["conformer_id"], len(data["conformer_ids"])) == ([[1, 2, 1]], "0000000400000001", 2)
    other = await call(platform, FakeUpstream({}), "get_compound_3d", cid="5", conformer_id="0000000400000001")
    assert other.content["error"]["argument"] == "conformer_id"


async def test_a_flat_drawing_is_no_structure_in_space() -> None:
    (record,) = CONFORMER["PC_Compounds"]
    flat = {**record, "coords": [{"conformers": [{"x": [1.0, 2.0], "y": [0.0, 0.0]}]}]}
    upstream = FakeUpstream({"/conformers/JSON": NOT_FOUND, "/record/JSON": Played({"PC_Compounds": [flat]})})
    result = await call(platform, upstream, "get_compound_3d", cid="4")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("4\n  x\n\nM  END\n> <PUBCHEM_COMPOUND_CID>\n4\n\n$$$$", "data"),
        ("4\n  x\n\nM  END\n> <PUBCHEM_COMPOUND_CID>\n5\n\n$$$$", "failed"),
        ("Error: no structure", "failed"),
    ],
)
async def test_a_structure_file_is_checked(text: str, outcome: str) -> None:
    upstream = FakeUpstream({"/conformers/JSON": NOT_FOUND, "/record/SDF?record_type=3d": Played(text)})
    result = await call(platform, upstream, "get_compound_3d", cid="4", file_format="sdf")
    assert result.content["outcome"] == outcome


async def test_the_address_of_a_picture_is_built() -> None:
    result = await call(
        platform, FakeUpstream(exists(3385)), "get_compound_image_url", cid="03385", kind="3d", size=500
    )
    assert result.content["data"]["url"] == (
        "https://pubchem.ncbi.nlm.nih.gov/rest/pug/compound/cid/3385/PNG?record_type=3d&image_size=500x500"
    )


async def test_a_search_says_when_there_may_be_more() -> None:
    upstream = FakeUpstream(
        {"/smiles/property/": NOT_FOUND, f"/smiles/property/{IDENTITY}/JSON": properties(compound(1))}
    )
    full = await call(platform, upstream, "search_by_substructure", smiles="CCO", mode="contained_in", limit=1)
    assert "fastsuperstructure/smiles/" in upstream.asked[0] and upstream.requests[0].text == "smiles=CCO"
    assert "total" not in full.content and "at least 1" in full.content["note"]
    both = await call(platform, FakeUpstream({}), "search_by_similarity", smiles="CCO", cid="2244")
    neither = await call(platform, FakeUpstream({}), "search_by_similarity")
    assert both.content["error"]["argument"] == neither.content["error"]["argument"] == "smiles"


async def test_a_search_in_the_background_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structures, "POLL_WAITS_S", (0.0, 0.0, 0.0))
    waiting = Played({"Waiting": {"ListKey": "12345", "Message": "Your request is running"}}, 202)
    answers = {"/fastformula/C9H8O4": waiting, f"/fastformula/C9H8O4/property/{IDENTITY}/JSON": waiting}
    key = f"/listkey/12345/property/{IDENTITY}/JSON"
    done = FakeUpstream({**answers, key: [waiting, properties(compound(2244))]})
    assert (await call(platform, done, "search_by_formula", formula="C9H8O4")).content["outcome"] == "data"
    never = FakeUpstream({**answers, key: waiting})
    result = await call(platform, never, "search_by_formula", formula="C9H8O4")
    assert result.content["error"]["code"] == "upstream_unavailable"


async def test_a_structure_without_a_record_is_no_compound() -> None:
    unknown = properties({"CID": 0, "MolecularFormula": "C2H6O10"})
    upstream = FakeUpstream({f"/smiles/property/{IDENTITY}/JSON": unknown})
    result = await call(platform, upstream, "search_by_similarity", smiles="COOOOOOOOOOC")
    assert result.content["outcome"] == "empty"


async def test_results_of_an_assay_are_filtered_and_ordered() -> None:
    cells = [["1851", "1", "10", "Active", "1565", "12.6", "Potency"], ["1851", "2", "9", "Inactive", "1565", "", ""],
             ["1851", "3", "11", "Active", "1565", "0.5", "Potency"]]  # fmt: skip
    result = await call(platform, FakeUpstream({"/concise/JSON": results(*cells)}), "get_assay_results", aid="1851")
    rows = result.content["data"]["rows"]
    assert [(row["CID"], row["value_um"]) for row in rows] == [("11", 0.5), ("10", 12.6)]
    assert result.content["note"] == "2 of 3 rows are Active."
    other = await call(platform, FakeUpstream({"/concise/JSON": results(*cells)}), "get_assay_results", aid="1852")
    assert other.content["error"]["code"] == "upstream_bad_response"


async def test_the_protocol_of_an_assay_comes_on_request() -> None:
    described = {"PC_AssayContainer": [{"assay": {"descr": {"aid": {"id": 743069}, "protocol": ["Seed cells."]}}}]}
    upstream = FakeUpstream(
        {
            "/summary/JSON": Played({"AssaySummaries": {"AssaySummary": [ASSAY]}}),
            "/description/JSON": Played(described),
        }
    )
    result = await call(platform, upstream, "get_assay", aid="743069", with_protocol=True)
    assert result.content["data"]["Protocol"] == ["Seed cells."]


async def test_a_gene_is_asked_by_symbol_or_number_and_checked() -> None:
    summary = Played({"GeneSummaries": {"GeneSummary": [EGFR]}})
    by_alias = await call(
        platform, FakeUpstream({"/genesymbol/HER1/summary/JSON": summary}), "get_gene_summary", gene="her1"
    )
    assert by_alias.content["data"]["GeneID"] == 1956
    wrong = await call(platform, FakeUpstream({"/geneid/2064/summary/JSON": summary}), "get_gene_summary", gene="2064")
    assert wrong.content["error"]["code"] == "upstream_bad_response"
    concise = results(
        ["1", "1", "10", "Active", "1956", "3", "IC50"], ["2", "2", "11", "Active", "1956", "0.1", "IC50"]
    )
    upstream = FakeUpstream({"/genesymbol/EGFR/summary/JSON": summary, "/geneid/1956/concise/JSON": concise})
    result = await call(platform, upstream, "get_gene_summary", gene="EGFR", with_compounds=True, limit=1)
    assert [row["CID"] for row in result.content["data"]["compounds"]] == ["11"]
    assert (result.content["total"], result.content["next"]) == (2, {"offset": 1})


async def test_a_pathway_without_the_compound_is_refused() -> None:
    upstream = FakeUpstream({SDQ: table({**PATHWAY, "cids": [313]})})
    result = await call(platform, upstream, "get_pathways_of_compound", cid="4", source="PathBank")
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert {"source": "PathBank"} in question(upstream)["where"]["ands"]


async def test_papers_since_a_day_end_where_older_ones_begin() -> None:
    old = {**PAPER, "articlepubdate": "2019-01-01"}
    upstream = FakeUpstream({SDQ: table(PAPER, old, total=40)})
    result = await call(platform, upstream, "get_literature", cid="4", since="2025", limit=2)
    assert len(result.content["data"]["papers"]) == 1 and "next" not in result.content
    assert "1 of the 2 papers read" in result.content["note"]
    none = await call(platform, FakeUpstream({SDQ: table(old, total=1)}), "get_literature", cid="4", since="2025")
    assert none.content["outcome"] == "empty"


async def test_neighbours_are_ordered_and_their_numbers_read_from_text() -> None:
    weak = {**NEIGHBOUR, "ID_2": {"MeSH": "D000001"}, "Evidence": {"ChemicalDiseaseNeighbor": {"CooccurrenceScore": 9}}}
    answer = Played({"LinkDataSet": {"LinkData": [weak, NEIGHBOUR]}})
    result = await call(platform, FakeUpstream({"/link_db_server.cgi": answer}), "get_cooccurrences", cid="4", limit=1)
    (row,) = result.content["data"]["neighbours"]
    assert (row["id"], row["articles_count"], row["score"]) == ("D005183", 1, 2553)
    assert row["articles"][0]["pmid"] == "8431960" and result.content["next"] == {"offset": 1}
    other = await call(platform, FakeUpstream({"/link_db_server.cgi": answer}), "get_cooccurrences", cid="5")
    assert other.content["error"]["code"] == "upstream_bad_response"


async def test_an_unknown_category_of_sources_names_those_there_are() -> None:
    groups = [{"Category": "Chemical Vendors", "Sources": [VENDOR]}, {"Category": "Journal Publishers", "Sources": []}]
    answer = Played({"SourceCategories": {"RecordNumber": 4, "Categories": groups}})
    upstream = FakeUpstream({"/categories/compound/4/JSON": answer})
    result = await call(platform, upstream, "get_vendors_and_sources", cid="4", category="Shops")
    assert result.content["outcome"] == "empty"
    assert "Chemical Vendors, Journal Publishers" in result.content["note"]


async def test_food_interactions_are_read_from_the_page() -> None:
    upstream = FakeUpstream({"?heading=Drug-Food Interactions": view(2244, "Drug-Food Interactions", said("Take it"))})
    result = await call(platform, upstream, "get_drug_interactions", cid="2244", kind="food")
    assert result.content["data"]["rows"][0]["text"] == "Take it"
    none = FakeUpstream({"?heading": NO_HEADING, **gone(2244)})
    assert (await call(platform, none, "get_drug_interactions", cid="2244", kind="food")).content[
        "outcome"
    ] == "unknown_id"
