"""Conditions as ClinVar names them: MedGen concepts with their ids in other vocabularies."""

from typing import Annotated, Any
from xml.etree import ElementTree

from mcp_server.args import DiseaseName, Limit
from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.platforms.clinvar import entrez
from mcp_server.platforms.clinvar.base import platform
from mcp_server.tool import Arg, Cite

Json = Any

VOCABULARIES = {
    "MONDO": "mondo",
    "OMIM": "omim",
    "ORDO": "orphanet",
    "HPO": "hpo",
    "MSH": "mesh",
    "SNOMEDCT_US": "snomed",
}


@platform.tool(
    example={"condition": "Dent disease type 2"},
    cites=Cite("medgen", "[]", "cui", "title", url="https://www.ncbi.nlm.nih.gov/medgen/{id}"),
    noise="del(.[].names)",
    keep=(
        ".[].cui",
        ".[].uid",
        ".[].title",
        ".[].definition",
        ".[].xrefs",
    ),
    asks=(
        "MedGen concept id of a disease",
        "CUI of a condition, UMLS",
        "OMIM number of a syndrome",
        "disease name to ClinVar condition",
    ),
)
async def find_condition(
    api: Api,
    condition: DiseaseName,
    limit: Limit = 10,
    offset: Annotated[int, Arg("How many records to skip: `next` of an earlier result gives it.", minimum=0)] = 0,
) -> Answer:
    """Condition in words to MedGen concepts, the ids that ClinVar uses (CUI), with definition and MONDO, OMIM,
    Orphanet, HPO and MeSH ids; exact names first. Ids as Open Targets uses them: opentargets__search_entities; DOID,
    ICD, SNOMED: myvariant__disease_resolve.

    Rows: cui, uid, title, definition, semantic_type, exact (the words are one of its names), names, xrefs: {mondo,
    omim, orphanet, hpo, mesh, snomed: [ids]}.
    """
    found = await entrez.search(api, condition, limit, offset, db="medgen")
    unknown = entrez.unknown_words(found)
    total = int(found["count"])
    summaries, _ = await entrez.summaries(api, found["idlist"], db="medgen")
    concepts = [_concept(record, condition) for record in summaries]
    if not concepts:
        known = f" It does not know {', '.join(unknown)}." if unknown else ""
        return empty(f"MedGen has no concept for {condition!r}.{known}", data=[])
    concepts.sort(key=lambda row: not row["exact"])
    end = offset + len(found["idlist"])
    return rows(concepts, total=total, next={"offset": end} if end < total else None)


def _concept(record: Json, asked: str) -> Json:
    names, references = _names(record.get("conceptmeta") or "")
    title = record.get("title", "")
    words = asked.lower()
    merged = _text(record.get("merged"))
    row = {
        "cui": record.get("conceptid"),
        "uid": str(record["uid"]),
        "title": title,
        "definition": _text(record.get("definition")) or None,
        "semantic_type": _text(record.get("semantictype")) or None,
        "exact": words in (title.lower(), *(name.lower() for name in names)),
        "names": names,
        "xrefs": references,
    }
    return {**row, "merged_into": merged} if merged else row


def _names(meta: str) -> tuple[list[str], dict[str, list[str]]]:
    """Read the piece of XML that a summary holds as text: names, and ids by vocabulary."""
    try:
        root = ElementTree.fromstring(f"<meta>{meta}</meta>") if "<!" not in meta else None
    except ElementTree.ParseError:
        root = None
    names: dict[str, None] = {}
    references: dict[str, dict[str, None]] = {}
    for name in root.iterfind("Names/Name") if root is not None else ():
        if name.text:
            names.setdefault(name.text)
        vocabulary, identifier = VOCABULARIES.get(name.get("SAB", "")), name.get("SDUI") or name.get("CODE")
        if vocabulary and identifier:
            references.setdefault(vocabulary, {}).setdefault(identifier)
    return list(names), {vocabulary: list(ids) for vocabulary, ids in references.items()}


def _text(field: Json) -> str:
    """Return a field that stands alone or as `{value: …}`."""
    return str(field.get("value") or "") if isinstance(field, dict) else str(field or "")
