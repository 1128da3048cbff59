"""One drug's or compound's identifiers in many databases, from MyChem.info.

A search by words ranks packages of medicines above the compound, salts are records of their own that hold the
mechanism, and biologics are not merged across sources. So names are looked up in the fields that hold names,
records of one name are joined, and forms (`imatinib mesylate` of `imatinib`) are shown beside it.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from mcp_server.args import Offset, look_up_form
from mcp_server.envelope import Answer, Citation, empty, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.myvariant.base import (
    CHEMICALS,
    filled,
    first_text,
    is_any,
    platform,
    search,
    texts,
    values,
)
from mcp_server.tool import Arg

Json = Any

_HOST = "mychem.info"
LOOKED_AT = 100
_FIELDS = (
    "chembl.molecule_chembl_id", "chembl.pref_name", "chembl.molecule_type", "chembl.max_phase", "chembl.inchi_key",
    "chembl.drug_mechanisms.action_type", "chembl.drug_mechanisms.target_name",
    "chembl.drug_mechanisms.mechanism_of_action", "chembl.molecule_synonyms.molecule_synonym",
    "drugbank.id", "drugbank.name", "drugbank.synonyms", "drugbank.inchi_key", "unii.unii", "unii.display_name",
    "unii.preferred_term", "unii.inchikey", "pubchem.cid", "pubchem.inchikey", "chebi.id", "chebi.name", "gtopdb.name",
    "drugcentral.approval.agency", "drugcentral.approval.date",
)  # fmt: skip
_NAME_FIELDS = ("chembl.pref_name", "drugbank.name", "unii.display_name", "unii.preferred_term", "chebi.name")
_SYNONYM_FIELDS = ("drugbank.synonyms", "chembl.molecule_synonyms.molecule_synonym", "gtopdb.name")
_COMPOUND = "(_exists_:chembl OR _exists_:drugbank OR _exists_:unii OR _exists_:chebi OR _exists_:pubchem)"
_INCHIKEY = r"[A-Z]{14}-[A-Z]{10}-[A-Z]"
_ID_FORMS = (
    (rf"({_INCHIKEY})", ("_id", "chembl.inchi_key", "drugbank.inchi_key", "unii.inchikey", "pubchem.inchikey")),
    (r"(CHEMBL\d+)", ("chembl.molecule_chembl_id",)),
    (r"(DB\d{5})", ("drugbank.id",)),
    (r"(CHEBI:\d+)", ("chebi.id",)),
    (r"(?:PubChem )?CID:?\s?(\d+)", ("pubchem.cid",)),
    # Ten letters and digits with both in them; a name has no digits or is longer.
    (r"(?:UNII:?\s?)?((?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{10})", ("unii.unii",)),
)
_IDS = {
    "chembl_ids": ("chembl.molecule_chembl_id",),
    "drugbank_ids": ("drugbank.id",),
    "uniis": ("unii.unii",),
    "pubchem_cids": ("pubchem.cid",),
    "chebi_ids": ("chebi.id",),
    "inchikeys": ("chembl.inchi_key", "drugbank.inchi_key", "unii.inchikey", "pubchem.inchikey"),
}

Query = Annotated[
    str,
    Arg("Name, synonym, or ChEMBL, DrugBank, UNII, ChEBI, CID: or InChIKey id.", "imatinib", normalise=look_up_form),
]
ChemicalLimit = Annotated[int, Arg("How many compounds to return at most.", minimum=1, maximum=50)]


@platform.tool(
    example={"query": "imatinib"},
    noise="del(.[].synonyms[20:])",
    keep=(
        ".[].name",
        ".[].chembl_ids[]",
        ".[].drugbank_ids[]",
        ".[].uniis[]",
        ".[].pubchem_cids[]",
        ".[].chebi_ids[]",
        ".[].inchikeys[]",
        ".[].mechanisms[]",
    ),
    asks=(
        "DrugBank id of a drug",
        "CAS, UNII, ChEBI and PubChem ids at once",
        "cross-references of a medicine",
        "translate drug identifiers",
        "InChIKey to names",
    ),
)
async def chem_resolve(api: Api, query: Query, limit: ChemicalLimit = 5, offset: Offset = 0) -> Answer:
    """One drug or compound name or id to its ids in many databases: ChEMBL, DrugBank, UNII, PubChem, ChEBI, InChIKey,
    with mechanisms and salts. Only the ChEMBL id, parent first: chembl__resolve_drug; any structure to a CID:
    pubchem__resolve_compound.

    Rows, the best match first: name, matched_by, chembl_ids, drugbank_ids, uniis, pubchem_cids, chebi_ids, inchikeys,
    molecule_types, mechanisms [{action, target, mechanism, of}] (also those of its salts, named in `of`), approvals
    [{agency, date}] (the first of each agency, by DrugCentral), synonyms, records.
    """
    identifier, fields = _read(query)
    clause = is_any(fields, [identifier])
    parameters = {"q": f"{clause} AND {_COMPOUND}", "fields": _FIELDS, "size": LOOKED_AT}
    hits, total = await search(api, parameters, base=CHEMICALS, host=_HOST)
    records = [hit for hit in hits if _names(hit) or _ids(hit)]
    is_name = fields[0] in _NAME_FIELDS
    if not records:
        words = f"MyChem has no compound {query!r}."
        return empty(words, data=[]) if is_name else unknown_id(query, words)
    compounds = _compounds(records, identifier, is_name)
    shown = compounds[offset : offset + limit]
    end = offset + len(shown)
    is_whole = total <= len(hits)
    notes = [] if is_whole else [f"{total} records match; the first {len(hits)} were read."]
    if compounds[0]["matched_by"] == "words":
        notes.append(f"Nothing is called exactly {query!r}; these have it in their name.")
    if not shown:
        notes.append(f"There are only {len(compounds)}; offset {offset} lies behind the last.")
    return Answer(
        shown,
        total=len(compounds) if is_whole else None,
        returned=len(shown),
        next={"offset": end} if shown and end < len(compounds) else None,
        note=" ".join(notes),
        citations=[cited for compound in shown for cited in _citations(compound)],
    )


def _read(query: str) -> tuple[str, tuple[str, ...]]:
    """Return what to look for and the fields to look in."""
    for pattern, fields in _ID_FORMS:
        if found := re.fullmatch(pattern, query, re.IGNORECASE):
            return found[1].upper(), fields
    return query, (*_NAME_FIELDS, *_SYNONYM_FIELDS)


def _names(record: Json) -> list[str]:
    return texts(record, *_NAME_FIELDS)


def _ids(record: Json) -> dict[str, list[str]]:
    found = {kind: texts(record, *paths) for kind, paths in _IDS.items()}
    # The record's own id is often the only place where the InChIKey or the CHEBI number stands.
    own = record["_id"]
    kinds = {_INCHIKEY: "inchikeys", r"CHEMBL\d+": "chembl_ids", r"CHEBI:\d+": "chebi_ids"}
    for pattern, kind in kinds.items():
        if re.fullmatch(pattern, own) and own not in found[kind]:
            found[kind].append(own)
    return {kind: ids for kind, ids in found.items() if ids}


def _plain(name: str) -> str:
    return " ".join(look_up_form(name).lower().split())


def _compounds(records: Sequence[Json], identifier: str, is_name: bool) -> list[dict[str, Json]]:
    """Join records of one name; the compound asked for comes first, then its forms, then what has it in its name."""
    groups: dict[str, list[Json]] = {}
    for record in records:
        own = [_plain(name) for name in _names(record)]
        key = _plain(identifier) if is_name and _plain(identifier) in own else own[0] if own else record["_id"]
        groups.setdefault(key, []).append(record)
    joined = [_compound(key, group, identifier, is_name) for key, group in groups.items()]
    ranks = {"id": 0, "name": 0, "synonym": 1, "form": 2, "words": 3}
    joined.sort(key=lambda compound: ranks[compound["matched_by"]])
    if is_name and joined[0]["matched_by"] == "name":
        forms = [mechanism for other in joined[1:] if other["matched_by"] == "form" for mechanism in _said(other)]
        joined[0] = filled({**joined[0], "mechanisms": [*_said(joined[0]), *forms]})
    return joined


def _said(compound: Json) -> list[Json]:
    return list(compound.get("mechanisms") or [])


def _compound(key: str, group: Sequence[Json], identifier: str, is_name: bool) -> dict[str, Json]:
    ids: dict[str, list[str]] = {}
    for record in group:
        for kind, found in _ids(record).items():
            ids[kind] = list(dict.fromkeys([*ids.get(kind, []), *found]))
    name = next((name for record in group for name in _names(record)), group[0]["_id"])
    synonyms = [text for record in group for text in texts(record, *_SYNONYM_FIELDS)]
    return filled(
        {
            "name": name,
            "matched_by": _matched_by(key, synonyms, identifier) if is_name else "id",
            **ids,
            "molecule_types": list(dict.fromkeys(kind for one in group for kind in texts(one, "chembl.molecule_type"))),
            "mechanisms": [mechanism for record in group for mechanism in _mechanisms(record, name)],
            "approvals": _approvals(group),
            "synonyms": list(dict.fromkeys(synonyms)),
            "records": [record["_id"] for record in group],
        }
    )


def _matched_by(key: str, synonyms: Sequence[str], identifier: str) -> str:
    wanted = _plain(identifier)
    if key == wanted:
        return "name"
    if wanted in map(_plain, synonyms):
        return "synonym"
    return "form" if key.startswith(f"{wanted} ") else "words"


def _mechanisms(record: Json, name: str) -> list[dict[str, Json]]:
    form = first_text(record, "chembl.pref_name") or name
    return [
        filled(
            {
                "action": first_text(mechanism, "action_type"),
                "target": first_text(mechanism, "target_name"),
                "mechanism": first_text(mechanism, "mechanism_of_action"),
                "of": form,
                "chembl_id": first_text(record, "chembl.molecule_chembl_id"),
            }
        )
        for mechanism in values(record, "chembl.drug_mechanisms")
        if isinstance(mechanism, dict)
    ]


def _approvals(group: Sequence[Json]) -> list[dict[str, Json]]:
    """Return the day of the first approval by each agency, the earliest first; records of one name repeat them."""
    first: dict[str, str] = {}
    for record in group:
        for approval in values(record, "drugcentral.approval"):
            agency, date = first_text(approval, "agency"), first_text(approval, "date")
            if agency and date:
                first[agency] = min(date, first.get(agency, date))
    return [{"agency": agency, "date": date} for agency, date in sorted(first.items(), key=lambda one: one[1])]


def _citations(compound: Json) -> list[Citation]:
    """Return a page for each of a compound's records, as far as the databases have pages."""
    name = compound["name"]
    found = [Citation("chembl", chembl_id, name) for chembl_id in compound.get("chembl_ids", ())]
    found += [
        Citation("drugbank", drugbank_id, name, f"https://go.drugbank.com/drugs/{drugbank_id}")
        for drugbank_id in compound.get("drugbank_ids", ())
    ]
    found += [Citation("pubchem", cid, name) for cid in compound.get("pubchem_cids", ())]
    if not found:
        record = compound["records"][0]
        found.append(Citation("mychem", record, name, f"https://mychem.info/v1/chem/{record}"))
    return found
