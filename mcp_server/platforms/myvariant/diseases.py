"""One disease's identifiers in many vocabularies, from MyDisease.info."""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from mcp_server.args import Offset, look_up_form
from mcp_server.envelope import Answer, empty, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.myvariant.base import (
    DISEASES,
    filled,
    first_text,
    is_any,
    platform,
    search,
    texts,
    values,
)
from mcp_server.tool import Arg, Cite

Json = Any

_HOST = "mydisease.info"
# More than are shown: the service does not rank an exact name above a longer one.
LOOKED_AT = 200
# MyDisease gives MONDO's name as `label`.
_LABELS = ("mondo.label", "disease_ontology.name")
_SYNONYMS = ("mondo.synonym.exact", "disease_ontology.synonyms.exact")
_LOOSE = ("mondo.synonym.related", "mondo.synonym.broad", "mondo.synonym.narrow")
_FIELDS = (
    "mondo.label", "mondo.definition", "mondo.synonym", "mondo.xrefs", "mondo.parents", "disease_ontology.name",
    "disease_ontology.doid", "disease_ontology.def", "disease_ontology.synonyms", "disease_ontology.xrefs",
    "umls.umls", "umls.mesh.preferred", "umls.nci.preferred", "umls.snomed.preferred",
)  # fmt: skip
# The cross-reference's name here, and where it stands. The Disease Ontology's SNOMED field carries its date.
_XREFS = {
    "doid": ("mondo.xrefs.doid", "disease_ontology.doid"),
    "omim": ("mondo.xrefs.omim", "disease_ontology.xrefs.omim", "disease_ontology.xrefs.mim"),
    "mesh": ("mondo.xrefs.mesh", "disease_ontology.xrefs.mesh", "umls.mesh.preferred"),
    "umls": ("mondo.xrefs.umls", "disease_ontology.xrefs.umls_cui", "umls.umls"),
    "icd10": ("mondo.xrefs.icd10cm", "mondo.xrefs.icd10", "mondo.xrefs.icd10who", "disease_ontology.xrefs.icd10",
              "disease_ontology.xrefs.icd10cm"),
    "icd11": ("mondo.xrefs.icd11",),
    "icd9": ("mondo.xrefs.icd9", "disease_ontology.xrefs.icd9", "disease_ontology.xrefs.icd9cm"),
    "ncit": ("mondo.xrefs.ncit", "disease_ontology.xrefs.ncit", "disease_ontology.xrefs.nci"),
    "orphanet": ("mondo.xrefs.orphanet", "disease_ontology.xrefs.ordo"),
    "efo": ("mondo.xrefs.efo", "disease_ontology.xrefs.efo"),
    "snomed": ("mondo.xrefs.sctid",),
    "medgen": ("mondo.xrefs.medgen",),
    "gard": ("mondo.xrefs.gard", "disease_ontology.xrefs.gard"),
    "icdo": ("mondo.xrefs.icdo", "disease_ontology.xrefs.icdo"),
    "meddra": ("mondo.xrefs.meddra",),
    "oncotree": ("mondo.xrefs.oncotree",),
    "nord": ("mondo.xrefs.nord",),
    "nando": ("mondo.xrefs.nando",),
}  # fmt: skip
_ID_FORMS = (
    (r"(MONDO)[:_](\d{7})", "mondo", "MONDO:{}"),
    (r"(DOID)[:_](\d+)", "doid", "DOID:{}"),
    (r"(OMIM|MIM)[:_ ]?(\d{6})", "omim", "{}"),
    (r"(MESH)[:_ ]?([CD]\d+)", "mesh", "{}"),
    (r"(UMLS|UMLS_CUI)[:_ ]?(C\d{7})", "umls", "{}"),
    (r"()(C\d{7})", "umls", "{}"),
    (r"(ORPHANET|ORPHA|ORDO)[:_ ]?(\d+)", "orphanet", "{}"),
    (r"(EFO)[:_](\d{7})", "efo", "EFO:{}"),
    (r"(NCIT)[:_ ]?(C\d+)", "ncit", "{}"),
    (r"(ICD-?10(?:CM|-CM)?)[:_ ]?([A-Z]\d[0-9A-Z](?:\.[0-9A-Z]+)?)", "icd10", "{}"),
    (r"()([A-Z]\d\d\.[0-9A-Z]+)", "icd10", "{}"),
    (r"(ICD-?11)[:_ ]?([0-9A-Z]{4}(?:\.[0-9A-Z]+)?)", "icd11", "{}"),
    (r"(SNOMED|SNOMEDCT|SCTID)[:_ ]?(\d+)", "snomed", "{}"),
    (r"(GARD)[:_ ]?(\d+)", "gard", "{}"),
)

Query = Annotated[
    str,
    Arg("Name or id: MONDO:…, DOID:…, OMIM:…, MESH:…, C… (UMLS), ICD10:…, ORPHA:…, EFO:…, NCIT:….", "Marfan syndrome",
        normalise=look_up_form),
]  # fmt: skip
DiseaseLimit = Annotated[int, Arg("How many diseases to return at most.", minimum=1, maximum=50)]


@platform.tool(
    example={"query": "Marfan syndrome"},
    cites=Cite("mydisease", "[]", "id", "name", "https://monarchinitiative.org/{id}"),
    asks=(
        "ICD-10 code of a disease",
        "MONDO, DOID, MeSH, SNOMED codes for an illness",
        "Orphanet number",
        "translate disease ids",
        "synonyms of a disease",
        "one disease under all its codes",
    ),
)
async def disease_resolve(api: Api, query: Query, limit: DiseaseLimit = 5, offset: Offset = 0) -> Answer:
    """Disease name or id to all its cross-references: MONDO, DOID, OMIM, MeSH, UMLS, ICD, Orphanet, NCIT, SNOMED, EFO,
    with definition and synonyms. Ids as Open Targets uses them: opentargets__search_entities; MedGen for ClinVar:
    clinvar__find_condition.

    Rows, the best match first: id, name, matched_by (label, synonym, id, words), definition, xrefs by vocabulary,
    synonyms, parents.
    """
    kind, identifier = _read(query)
    clause = _id_clause(kind, identifier) if kind else is_any((*_LABELS, *_SYNONYMS, *_LOOSE), [query])
    parameters = {"q": clause, "fields": _FIELDS, "size": LOOKED_AT}
    hits, total = await search(api, parameters, base=DISEASES, host=_HOST)
    note = ""
    if not hits and not kind and len(words := _words(query)) > 1:
        parameters["q"] = " AND ".join(is_any((*_LABELS, *_SYNONYMS), [word]) for word in words)
        hits, total = await search(api, parameters, base=DISEASES, host=_HOST)
        note = f"Nothing is called {query!r}; these have all its words in their names." if hits else ""
    if not hits:
        words_of_it = f"MyDisease has no disease {query!r}."
        return unknown_id(query, words_of_it) if kind else empty(words_of_it, data=[])
    diseases = [_disease(hit, kind, query) for hit in hits]
    diseases.sort(key=lambda disease: ("id", "label", "synonym", "words").index(disease["matched_by"]))
    shown = diseases[offset : offset + limit]
    end = offset + len(shown)
    if total > len(diseases):
        note = f"{note} {total} match; the best {len(diseases)} were read.".strip()
    if not shown:
        note = f"{note} There are only {len(diseases)} to show; offset {offset} lies behind the last.".strip()
    following = {"offset": end} if shown and end < len(diseases) else None
    return Answer(shown, total=total, returned=len(shown), next=following, note=note)


def _read(query: str) -> tuple[str, str]:
    """Return the vocabulary of an id and the id as it is written there; empty for a name."""
    for pattern, kind, form in _ID_FORMS:
        if found := re.fullmatch(pattern, query, re.IGNORECASE):
            return kind, form.format(found[2].upper())
    return "", query


def _id_clause(kind: str, identifier: str) -> str:
    fields = ("_id", "mondo.mondo") if kind == "mondo" else _XREFS[kind]
    return is_any(fields, [identifier])


def _words(query: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", query)


def _disease(hit: Json, kind: str, query: str) -> dict[str, Json]:
    labels, synonyms = texts(hit, *_LABELS), texts(hit, *_SYNONYMS)
    xrefs = {name: _without_prefix(name, texts(hit, *paths)) for name, paths in _XREFS.items()}
    snomed = [text for xref in values(hit, "disease_ontology.xrefs") for text in _dated_snomed(xref)]
    xrefs["snomed"] = list(dict.fromkeys([*xrefs["snomed"], *snomed]))
    return filled(
        {
            "id": hit["_id"],
            # Where MONDO's label was not sent, its first exact synonym is mostly the same.
            "name": next(iter([*labels, *synonyms]), hit["_id"]),
            "matched_by": "id" if kind else _matched_by(query, labels, synonyms),
            "definition": first_text(hit, "mondo.definition", "disease_ontology.def"),
            "xrefs": filled(xrefs),
            "synonyms": synonyms,
            "parents": texts(hit, "mondo.parents"),
        }
    )


def _without_prefix(kind: str, found: Iterable[str]) -> list[str]:
    """Return ids in one spelling: the numbers of OMIM, MeSH, UMLS and others without their vocabulary's name."""
    if kind in ("doid", "icd11"):
        return list(found)
    if kind == "efo":
        return list(dict.fromkeys(f"EFO:{text.rpartition(':')[2]}" for text in found))
    return list(dict.fromkeys(text.rpartition(":")[2] for text in found))


def _dated_snomed(xref: Json) -> list[str]:
    names = [name for name in xref if name.startswith("snomedct")] if isinstance(xref, dict) else []
    return [text for name in names for text in texts(xref, name)]


def _matched_by(query: str, labels: Sequence[str], synonyms: Sequence[str]) -> str:
    wanted = query.lower()
    if wanted in map(str.lower, labels):
        return "label"
    return "synonym" if wanted in map(str.lower, synonyms) else "words"
