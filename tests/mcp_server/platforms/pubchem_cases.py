"""What each tool of PubChem is asked by its example, and what PubChem answers: a hit, nothing, an unknown number."""

from dataclasses import dataclass, field
from typing import Any

from mcp_server.platforms.pubchem import platform
from mcp_server.platforms.pubchem.base import IDENTITY
from tests.mcp_server.platforms.fake_upstream import Played

Json = Any

TOOLS = {tool.function.__name__: tool for tool in platform.tools}
NOT_FOUND = Played({"Fault": {"Code": "PUGREST.NotFound", "Message": "No CID found"}}, 404)
NO_HEADING = Played({"Fault": {"Code": "PUGVIEW.NotFound", "Message": "No data found"}}, 404)
SDQ = "/sdq/sdqagent.cgi"


@dataclass(frozen=True)
class Case:
    """The answers to a tool's example; None where an outcome cannot be."""

    tool: str
    hit: dict[str, Any]
    nothing: dict[str, Any] | None
    unknown: dict[str, Any] | None
    arguments: dict[str, Json] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Json]:
        """The arguments of the call."""
        return self.arguments or dict(TOOLS[self.tool].example)


def compound(cid: int, title: str = "x", **more: Json) -> Json:
    """Return a row of properties."""
    return {"CID": cid, "Title": title, "SMILES": "C", "ConnectivitySMILES": "C", "MolecularWeight": "180.16", **more}


def properties(*found: Json) -> Played:
    """Return an answer with properties."""
    return Played({"PropertyTable": {"Properties": list(found)}})


def exists(cid: int) -> dict[str, Any]:
    """Return the look-up that tells a compound without data from a number that nobody has."""
    return {f"/compound/cid/{cid}/property/{IDENTITY}/JSON": properties(compound(cid))}


def gone(cid: int) -> dict[str, Any]:
    """Return the same look-up for a number that nobody has."""
    return dict.fromkeys(exists(cid), NOT_FOUND)


def ids(name: str, *found: Json) -> Played:
    """Return a list of ids."""
    return Played({"IdentifierList": {name: list(found)}})


def information(**fields: Json) -> Played:
    """Return an answer about one compound."""
    return Played({"InformationList": {"Information": [fields]}})


def said(text: str, name: str = "", number: int = 1, **more: Json) -> Json:
    """Return one statement of a page."""
    row = {"ReferenceNumber": number, "Value": {"StringWithMarkup": [{"String": text}]}, **more}
    return row | ({"Name": name} if name else {})


def view(cid: int, heading: str, *statements: Json, title: str = "x") -> Played:
    """Return a page cut to one heading, with two sources."""
    section = {"TOCHeading": heading, "Description": "about it", "Information": list(statements)}
    sources = [{"ReferenceNumber": 1, "SourceName": "HSDB"}, {"ReferenceNumber": 2, "SourceName": "EU"}]
    return Played(
        {"Record": {"RecordType": "CID", "RecordNumber": cid, "RecordTitle": title,
                    "Section": [{"TOCHeading": "Outer", "Section": [section]}], "Reference": sources}}
    )  # fmt: skip


def table(*found: Json, total: int | None = None) -> Played:
    """Return rows of a table."""
    count = len(found) if total is None else total
    return Played({"SDQOutputSet": [{"status": {"code": 0}, "totalCount": count, "rows": list(found)}]})


def results(*cells: list[str]) -> Played:
    """Return the result table of an assay."""
    columns = ["AID", "SID", "CID", "Activity Outcome", "Target GeneID", "Activity Value [uM]", "Activity Name"]
    return Played({"Table": {"Columns": {"Column": columns}, "Row": [{"Cell": row} for row in cells]}})


def activity(cid: int, gene: str = "2099", value: str = "21.8724", **more: Json) -> Json:
    """Return one bioactivity."""
    row = {"aid": "743069", "cid": str(cid), "activity": "Active", "acname": "Potency", "acvalue": value}
    return {**row, "targetname": "ESR1", "geneid": gene, "repacxn": "P03372", "taxid": "9606", "pmid": "", **more}


ASSAY = {"AID": 743069, "Name": "qHTS assay to identify antagonists of ER-alpha", "SourceName": "Tox21",
         "Target": [{"Accession": "P03372", "Name": "estrogen receptor"}], "CIDCountAll": 7671}  # fmt: skip
CONFORMER = {
    "PC_Compounds": [{
        "id": {"id": {"cid": 4}}, "atoms": {"aid": [1, 2], "element": [8, 7]},
        "bonds": {"aid1": [1], "aid2": [2], "order": [1]},
        "coords": [{"conformers": [{"x": [1.5903, -1.9942], "y": [-0.8258, 0.1028], "z": [0.0378, -0.1015], "data": [
            {"urn": {"label": "Conformer", "name": "ID"}, "value": {"sval": "0000000400000001"}}]}]}],
    }]
}  # fmt: skip
PATHWAY = {"pwacc": "PathBank:SMP0002032", "name": "Glutathione Metabolism III", "source": "PathBank",
           "taxname": "Escherichia coli", "taxid": "562", "cids": [4, 313], "geneids": [944881]}  # fmt: skip
PAPER = {"pmids": [40581877], "prefdoi": "10.1007/s10482-025-02114-8", "articletitle": "Description of a bacterium",
         "articlejourname": "Antonie van Leeuwenhoek", "articlepubdate": "2025-06-28"}  # fmt: skip
NEIGHBOUR = {
    "ID_1": {"CID": 4}, "ID_2": {"MeSH": "D005183"},
    "Evidence": {"ChemicalDiseaseNeighbor": {
        "NeighborName": "Failure to Thrive", "ArticleCount": "1", "CooccurrenceScore": "2553",
        "Article": [{"PMID": 8431960, "Title": "Molecular cloning", "PublicationDate": "1993-02-01"}]}},
}  # fmt: skip
EGFR = {"GeneID": 1956, "Symbol": "EGFR", "Name": "epidermal growth factor receptor", "TaxonomyID": 9606,
        "Taxonomy": "Homo sapiens (human)", "Synonym": ["ERBB", "HER1"]}  # fmt: skip
VENDOR = {"SID": 184014556, "SourceName": "Vitas-M Laboratory", "RegistryID": "BBL027685"}
SUBSTANCE = {
    "PC_Substances": [{
        "sid": {"id": 144212021, "version": 1}, "source": {"db": {"name": "Tox21", "source_id": {"str": "Tox21_1"}}},
        "synonyms": ["1-amino-2-propanol"], "compound": [{"id": {"type": 1, "id": {"cid": 4}}}],
    }]
}  # fmt: skip


def page_part(tool: str, cid: int, heading: str) -> Case:
    """Return the case of a tool that reads one heading of the page."""
    where = f"/data/compound/{cid}/JSON?heading={heading}"
    return Case(tool, {where: view(cid, heading, said("Some text"))},
                {where: NO_HEADING, **exists(cid)}, {where: NO_HEADING, **gone(cid)})  # fmt: skip


def from_table(tool: str, cid: int, row: Json) -> Case:
    """Return the case of a tool that reads one table."""
    return Case(tool, {SDQ: table(row)}, {SDQ: table(), **exists(cid)}, {SDQ: table(), **gone(cid)})


NO_3D = {"/cid/4/conformers/JSON": NOT_FOUND, "/cid/4/record/JSON": NOT_FOUND}
SUMMARY = {"/synonyms/JSON": information(CID=5291, Synonym=["imatinib"]),
           "/description/JSON": information(CID=5291, Description="A drug.", DescriptionSourceName="ChEBI"),
           "?heading=ATC Code": view(5291, "ATC Code", said("L01EA01"))}  # fmt: skip
CASES = [
    Case("resolve_compound", {"/name/aspirin/cids/JSON": ids("CID", 2244),
                              "/JSON": properties(compound(2244, "Aspirin"))},
         {"/name/aspirin/cids/JSON": NOT_FOUND}, None),
    Case("autocomplete",
         {"/autocomplete/compound/aspirn/json?limit=5": Played({"dictionary_terms": {"compound": ["aspirin"]}})},
         {"/aspirn/json": Played({"status": {"code": 0}, "total": 0})}, None),
    Case("get_compound_synonyms", {"/cid/2244/synonyms/JSON": information(CID=2244, Synonym=["aspirin"])},
         {"/synonyms/JSON": NOT_FOUND, **exists(2244)}, {"/synonyms/JSON": NOT_FOUND, **gone(2244)}),
    page_part("get_external_ids", 4, "Other Identifiers"),
    Case("get_compound_properties", {"/JSON": properties(compound(2244, "Aspirin"))}, None, {"/JSON": NOT_FOUND}),
    Case("assess_drug_likeness", {"/JSON": properties(compound(3672, "Ibuprofen", XLogP=3.5))}, None,
         {"/JSON": NOT_FOUND}),
    Case("get_compound_summary", {**SUMMARY, "?heading": NO_HEADING,
                                  "/JSON": properties(compound(5291, "Imatinib"))}, None, {"/JSON": NOT_FOUND}),
    Case("get_compound_3d", {"/cid/4/conformers/JSON": information(CID=4, ConformerID=["0000000400000001"]),
                             "/cid/4/record/JSON?record_type=3d": Played(CONFORMER)},
         {**NO_3D, **exists(4)}, {**NO_3D, **gone(4)}),
    Case("get_compound_image_url", exists(3385), None, gone(3385)),
    Case("get_compound_section", {"/784/JSON?heading=Reactive Group": view(784, "Reactive Group", said("Oxidizing"))},
         {"/data/compound/784/JSON": NO_HEADING, "/index/compound/784/JSON": view(784, "Uses")},
         {"/data/compound/784/JSON": NO_HEADING, "/index/compound/784/JSON": NO_HEADING}),
    Case("get_safety_ghs", {"/784/JSON?heading=GHS Classification": view(
             784, "GHS Classification", said("Danger", "Signal"), title="Hydrogen Peroxide")},
         {"/data/compound/784/JSON": NO_HEADING, **exists(784)}, {"/data/compound/784/JSON": NO_HEADING, **gone(784)}),
    from_table("get_toxicity", 4, {"cid": "4", "organism": "rat", "testtype": "LD50", "dose": "1715 mg/kg"}),
    page_part("get_pharmacology", 241, "Mechanism of Action"),
    page_part("get_drug_label_texts", 2349, "Drug Classes"),
    Case("get_experimental_properties",
         {"?heading=Experimental Properties": view(4, "Boiling Point", said("159.4 °C"))},
         {"?heading=Experimental Properties": NO_HEADING, **exists(4)},
         {"?heading=Experimental Properties": NO_HEADING, **gone(4)}),
    from_table("get_compound_bioactivity", 4, activity(4)),
    from_table("get_compound_targets", 5291, activity(5291, "25", "0.025", targetname="ABL1")),
    Case("compare_compounds",
         {"/JSON": properties(compound(2244, "Aspirin"), compound(3672, "Ibuprofen")),
          f'{SDQ}?"cid":"2244"': table(activity(2244, "5742")), f'{SDQ}?"cid":"3672"': table(activity(3672, "5742"))},
         None, {"/JSON": NOT_FOUND}),
    Case("get_assay", {"/aid/743069/summary/JSON": Played({"AssaySummaries": {"AssaySummary": [ASSAY]}})}, None,
         {"/aid/743069/summary/JSON": NOT_FOUND}),
    Case("search_assays_by_target", {"/target/genesymbol/ESR1/aids/JSON": ids("AID", 743069)},
         {"/aids/JSON": NOT_FOUND, "/gene/genesymbol/ESR1/summary/JSON": Played({"GeneSummaries": {}})},
         {"/aids/JSON": NOT_FOUND, "/gene/genesymbol/ESR1/summary/JSON": NOT_FOUND}),
    Case("get_assay_results",
         {"/aid/1851/concise/JSON": results(["1851", "1", "2244", "Active", "1565", "12.6", "Potency"])},
         {"/concise/JSON": NOT_FOUND,
          "/summary/JSON": Played({"AssaySummaries": {"AssaySummary": [{"AID": 1851, "Name": "CYP panel"}]}})},
         {"/concise/JSON": NOT_FOUND, "/summary/JSON": NOT_FOUND}),
    Case("get_gene_summary",
         {"/gene/genesymbol/EGFR/summary/JSON": Played({"GeneSummaries": {"GeneSummary": [EGFR]}})}, None,
         {"/gene/genesymbol/EGFR/summary/JSON": NOT_FOUND}),
    Case("search_by_similarity",
         {"?Threshold=90&MaxRecords=3": properties(compound(2244, "Aspirin"))},
         {"?Threshold=90&MaxRecords=3": NOT_FOUND, **exists(2244)},
         {"?Threshold=90&MaxRecords=3": NOT_FOUND, **gone(2244)}),
    Case("search_by_substructure", {"?MaxRecords=3": properties(compound(2244, "Aspirin"))},
         {"?MaxRecords=3": NOT_FOUND, **exists(2244)}, {"?MaxRecords=3": NOT_FOUND, **gone(2244)}),
    Case("search_by_formula", {"?AllowOtherElements=false&MaxRecords=3": properties(compound(2244, "Aspirin"))},
         {"?AllowOtherElements=false&MaxRecords=3": NOT_FOUND}, None),
    Case("get_related_compounds", {"/cids/JSON?cids_type=parent": ids("CID", 2244, 517180), **exists(517180)},
         {"/cids/JSON": ids("CID", 2244), **exists(2244)}, {"/cids/JSON": NOT_FOUND, **gone(2244)}),
    from_table("get_drug_interactions", 2244, {"cid": "2244", "cid2": "54678486", "name2": "Warfarin"}),
    from_table("get_pathways_of_compound", 4, PATHWAY),
    Case("get_pathway",
         {"/data/pathway/PathBank:SMP0002032/JSON": Played({"Record": {
             "RecordType": "Pathway", "RecordAccession": "SMP0002032", "RecordTitle": "Glutathione Metabolism III"}}),
          "SMP0002032/cids/JSON": information(CID=[4, 313]), "SMP0002032/geneids/JSON": NOT_FOUND,
          "SMP0002032/accessions/JSON": NOT_FOUND},
         None, {"/data/pathway/PathBank:SMP0002032/JSON": NO_HEADING}),
    from_table("get_literature", 4, PAPER),
    from_table("get_patents", 2244, {"publicationnumber": "US-1234567-A", "title": "A process"}),
    Case("get_cooccurrences",
         {"/link_db_server.cgi?type=ChemicalDiseaseNeighbor": Played({"LinkDataSet": {"LinkData": [NEIGHBOUR]}})},
         {"/link_db_server.cgi": Played({"LinkDataSet": {}}), **exists(4)},
         {"/link_db_server.cgi": Played({"LinkDataSet": {}}), **gone(4)}),
    Case("get_substance", {"/substance/sid/144212021/JSON": Played(SUBSTANCE)}, None,
         {"/substance/sid/144212021/JSON": NOT_FOUND}),
    Case("get_vendors_and_sources",
         {"/categories/compound/4/JSON": Played({"SourceCategories": {
             "RecordNumber": 4, "Categories": [{"Category": "Chemical Vendors", "Sources": [VENDOR]}]}})},
         {"/categories/compound/4/JSON": NO_HEADING, **exists(4)},
         {"/categories/compound/4/JSON": NO_HEADING, **gone(4)}),
]  # fmt: skip
