"""Sections of a compound's page: safety, toxicity, pharmacology, medicine, measured properties, any other."""

from typing import Annotated, Any, Literal

from mcp_server.args import Offset, PubchemCid
from mcp_server.envelope import Answer, empty
from mcp_server.http.client import Api
from mcp_server.platforms.pubchem.base import COMPOUND, RowLimit, no_compound, nothing_about, page, platform
from mcp_server.platforms.pubchem.tables import Table, table_answer
from mcp_server.platforms.pubchem.views import headings_of, section_of, statements
from mcp_server.tool import Arg

Json = Any

# Long quotations of the papers behind a statement.
NO_REFERENCES = "del(.rows[]?.reference)"
TEXTS = (".CID", ".rows[].heading", ".rows[].text", ".rows[].sources[]")
ACUTE = ("organism", "testtype", "route", "dose", "effect", "reference")
GHS = {
    "Pictogram(s)": "pictograms",
    "Signal": "signal_word",
    "GHS Hazard Statements": "hazard_statements",
    "Precautionary Statement Codes": "precautionary_codes",
}
TOXICITY = {
    "human": "Human Toxicity Excerpts",
    "animal": "Non-Human Toxicity Values",
    "carcinogenicity": "Evidence for Carcinogenicity",
    "ecotoxicity": "Ecotoxicity Values",
    "all": "Toxicological Information",
}
PHARMACOLOGY = {
    "all": "Pharmacology and Biochemistry",
    "mechanism": "Mechanism of Action",
    "adme": "Absorption, Distribution and Excretion",
    "metabolism": "Metabolism/Metabolites",
    "half_life": "Biological Half-Life",
    "human_metabolite": "Human Metabolite Information",
    "classes": "MeSH Pharmacological Classification",
}
MEDICINE = {
    "all": "Drug and Medication Information",
    "indications": "Drug Indication",
    "uses": "Therapeutic Uses",
    "warnings": "Drug Warnings",
    "classes": "Drug Classes",
    "orange_book": "FDA Orange Book",
    "product_codes": "FDA National Drug Code Directory",
}


@platform.tool(
    example={"cid": "784", "heading": "Reactive Group"},
    cites=COMPOUND,
    noise=NO_REFERENCES,
    keep=TEXTS,
    asks=(
        "section of the PubChem page by heading",
        "uses and manufacturing of a chemical",
        "regulatory status, EPA lists",
        "PUG View heading",
        "is the chemical allowed by law",
    ),
)
async def get_compound_section(
    api: Api,
    cid: PubchemCid,
    heading: Annotated[
        str | None,
        Arg(
            "Heading, e.g. Regulatory Information, Uses, Classification, ATC Code; without it all headings are listed.",
            "Reactive Group",
        ),
    ] = None,
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Any section of PubChem's compound page by heading (regulatory lists, uses, classification …), with sources; an
    unknown heading answers with the list. Own tools: get_safety_ghs, get_toxicity, get_pharmacology.

    CID, Title, rows: [{heading, name, text, unit, sources, reference}]; or headings: [name].
    """
    if heading is not None:
        record = await section_of(api, cid, heading)
        if record is not None:
            return _statements(cid, record, limit, offset, f"The section {heading!r} holds no text.")
    headings = await headings_of(api, cid)
    if headings is None:
        return no_compound(cid)
    data = {"CID": cid, "headings": headings}
    if heading is None:
        return Answer(data, total=len(headings), returned=len(headings), note="Ask for one of these headings.")
    return empty(f"Compound {cid} has no section {heading!r}; its headings are listed.", data)


@platform.tool(
    example={"cid": "784"},
    cites=COMPOUND,
    asks=(
        "is a chemical flammable or corrosive",
        "hazard pictograms, H and P statements",
        "safety data sheet",
        "lab handling precautions",
        "can it explode, burn or irritate the skin",
    ),
)
async def get_safety_ghs(api: Api, cid: PubchemCid) -> Answer:
    """GHS hazard classification of a compound by CID, for handling in the laboratory: pictograms, signal word, hazard
    statements, precautionary codes, by source. Doses and harm to health: get_toxicity.

    CID, Title, classifications: [{sources, pictograms, signal_word, hazard_statements, precautionary_codes, notes}].
    """
    record = await section_of(api, cid, "GHS Classification")
    if record is None:
        note = f"PubChem holds no GHS classification of compound {cid}."
        return await nothing_about(api, cid, note, {"CID": cid, "classifications": []})
    found = _classifications(record)
    wrap = {"CID": cid, "Title": record.get("RecordTitle")}
    note = "Sources may disagree; each stands for itself." if len(found) > 1 else ""
    return page(found, max(len(found), 1), wrap=wrap, under="classifications", note=note)


@platform.tool(
    example={"cid": "4", "kind": "ld50"},
    cites=COMPOUND,
    noise="del(.rows[]?.reference)",
    keep=(
        ".CID",
        ".rows[].organism",
        ".rows[].route",
        ".rows[].testtype",
        ".rows[].dose",
        ".rows[].effect",
    ),
    asks=(
        "LD50 of a substance",
        "how poisonous is it",
        "lethal dose in rats",
        "carcinogenic, acute toxicity",
        "harm to the environment",
        "how deadly is it",
    ),
)
async def get_toxicity(
    api: Api,
    cid: PubchemCid,
    kind: Annotated[
        Literal["ld50", "human", "animal", "carcinogenicity", "ecotoxicity", "all"],
        Arg("ld50 for a table of acute doses; the others for texts with sources."),
    ] = "ld50",
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Toxicity of a compound by CID: LD50 doses by organism and route, or texts on human, animal, carcinogenic and
    environmental effects. Laboratory hazard classes: get_safety_ghs; side effects: opentargets__get_drug_safety.

    CID, rows: [{organism, testtype, route, dose, effect, reference}] or [{heading, text, sources}].
    """
    if kind == "ld50":
        table = Table("chemidplus", ACUTE, {"cid": cid})
        note = f"PubChem holds no acute toxicity values of compound {cid}."
        return await table_answer(api, table, limit, offset, cid=cid, under="rows", nothing=note)
    return await _part(api, cid, TOXICITY[kind], limit, offset)


@platform.tool(
    example={"cid": "241", "part": "mechanism"},
    cites=COMPOUND,
    noise=NO_REFERENCES,
    keep=TEXTS,
    asks=(
        "half-life of a drug",
        "ADME, absorption and excretion",
        "pharmacokinetics text",
        "bioavailability, clearance, protein binding",
        "how long does it stay in the body",
        "how is it taken up and got rid of by the body",
    ),
)
async def get_pharmacology(
    api: Api,
    cid: PubchemCid,
    part: Annotated[
        Literal["all", "mechanism", "adme", "metabolism", "half_life", "human_metabolite", "classes"],
        Arg("Which part of the pharmacology."),
    ] = "all",
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Pharmacology texts of a compound by CID: mechanism of action, absorption and excretion, metabolites, half-life,
    with sources. Curated mechanisms as data: chembl__get_drug_mechanisms; enzyme steps: chembl__get_metabolism.

    CID, Title, rows: [{heading, name, text, unit, sources, reference}].
    """
    return await _part(api, cid, PHARMACOLOGY[part], limit, offset)


@platform.tool(
    example={"cid": "2349", "part": "classes"},
    cites=COMPOUND,
    noise=NO_REFERENCES,
    keep=TEXTS,
    asks=(
        "what is on the label",
        "therapeutic uses and contraindications",
        "Orange Book, drug classes",
        "prescribing information, boxed warning text",
        "what does the leaflet say about use",
    ),
)
async def get_drug_label_texts(
    api: Api,
    cid: PubchemCid,
    part: Annotated[
        Literal["all", "indications", "uses", "warnings", "classes", "orange_book", "product_codes"],
        Arg("Which part of the drug information."),
    ] = "all",
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Texts of labels and drug lists that PubChem holds for a CID: indications, therapeutic uses, warnings, drug
    classes, Orange Book entries. For a drug's stage and targets use opentargets__get_drug_info.

    CID, Title, rows: [{heading, name, text, unit, sources, reference}].
    """
    return await _part(api, cid, MEDICINE[part], limit, offset)


@platform.tool(
    example={"cid": "4", "property_name": "Boiling Point"},
    cites=COMPOUND,
    noise=NO_REFERENCES,
    keep=TEXTS,
    asks=(
        "melting point, boiling point of a compound",
        "solubility in water",
        "pKa, density, vapour pressure",
        "is it soluble",
        "measured physical properties",
        "at which temperature does it melt or boil",
    ),
)
async def get_experimental_properties(
    api: Api,
    cid: PubchemCid,
    property_name: Annotated[
        str | None, Arg("Only this property, e.g. Melting Point, Solubility, LogP.", "Boiling Point")
    ] = None,
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Measured properties of a compound by CID: melting and boiling point, solubility, pKa, logP, density, with
    sources. Computed ones: get_compound_properties.

    CID, Title, rows: [{heading, text, unit, sources, reference}].
    """
    heading = "Experimental Properties"
    record = await section_of(api, cid, heading)
    if record is None:
        note = f"PubChem holds no measured properties of compound {cid}."
        return await nothing_about(api, cid, note, {"CID": cid, "rows": []})
    rows = statements(record)
    chosen = [row for row in rows if property_name is None or row["heading"].lower() == property_name.lower()]
    names = ", ".join(dict.fromkeys(row["heading"] for row in rows))
    note = "" if chosen else f"Compound {cid} has no measured {property_name}; measured are: {names}."
    wrap = {"CID": cid, "Title": record.get("RecordTitle")}
    return page(chosen, limit, offset, wrap=wrap, under="rows", note=note)


async def _part(api: Api, cid: str, heading: str, limit: int, offset: int) -> Answer:
    record = await section_of(api, cid, heading)
    if record is None:
        note = f"PubChem's page of compound {cid} has no section {heading!r}."
        return await nothing_about(api, cid, note, {"CID": cid, "rows": []})
    return _statements(cid, record, limit, offset, f"The section {heading!r} holds no text.")


def _statements(cid: str, record: Json, limit: int, offset: int, nothing: str) -> Answer:
    rows = statements(record)
    wrap = {"CID": cid, "Title": record.get("RecordTitle")}
    return page(rows, limit, offset, wrap=wrap, under="rows", note="" if rows else nothing)


def _classifications(record: Json) -> list[Json]:
    """Return one row for each source: its statements stand one after the other, each with the source's number."""
    found: dict[Json, Json] = {}
    names = {one.get("ReferenceNumber"): one.get("SourceName") for one in record.get("Reference") or []}
    for number in names:
        part = {**record, "Section": _only(record.get("Section") or [], number)}
        row: Json = {}
        for statement in statements(part):
            key = GHS.get(statement.get("name", ""))
            if key:
                row[key] = statement["text"].split("\n") if key == "hazard_statements" else statement["text"]
            else:
                row.setdefault("notes", []).append(statement["text"])
        if row:
            found.setdefault(repr(sorted(row.items())), {"sources": [], **row})["sources"].append(names[number])
    return list(found.values())


def _only(sections: list[Json], number: Json) -> list[Json]:
    """Return the sections with the information of one source."""
    return [
        {
            **section,
            "Section": _only(section.get("Section") or [], number),
            "Information": [row for row in section.get("Information") or [] if row.get("ReferenceNumber") == number],
        }
        for section in sections
    ]
