"""One drug: its id, mechanisms, indications, warnings and metabolism, and all of them on one page."""

import re
from collections.abc import Awaitable, Sequence

from mcp_server.args import ChemblId, DrugName, Limit, Offset
from mcp_server.envelope import Answer, Citation, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError
from mcp_server.http.together import together
from mcp_server.platforms.chembl.families import (
    FORM_FIELDS,
    Family,
    by_parent,
    family_of,
    form_row,
    forms_of,
    grouped_warnings,
    no_molecule,
    parent_of,
    with_withdrawal,
)
from mcp_server.platforms.chembl.service import (
    REFERENCES_SHOWN,
    Json,
    MinPhase,
    check_all,
    cite_molecule,
    cite_target,
    collection,
    kept,
    next_page,
    number,
    one_of,
    platform,
    record,
)

NAMES_MAX = 5
CHEMBL_ID = re.compile(r"CHEMBL\d+", re.IGNORECASE)
INCHI_KEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]", re.IGNORECASE)
MECHANISM_FIELDS = (
    "mec_id", "mechanism_of_action", "action_type", "target_chembl_id", "direct_interaction", "disease_efficacy",
    "max_phase", "mechanism_comment", "selectivity_comment", "binding_site_comment",
)  # fmt: skip
METABOLISM_FIELDS = (
    "met_id", "substrate_chembl_id", "substrate_name", "metabolite_chembl_id", "metabolite_name", "met_conversion",
    "enzyme_name", "target_chembl_id", "organism", "tax_id", "met_comment", "drug_chembl_id",
)  # fmt: skip


async def _named(api: Api, drug_name: str) -> tuple[str, list[Json], int]:
    """Find molecules by exact preferred name, else by exact synonym, else by text; say which."""
    exact = {"pref_name": "pref_name__iexact", "synonym": "molecule_synonyms__molecule_synonym__iexact"}
    for matched_as, filter_name in exact.items():
        parameters = {filter_name: drug_name, "only": FORM_FIELDS, "limit": 20}
        found, total = await collection(api, "molecule", "molecules", parameters)
        if found:
            return matched_as, found, total
    parameters = {"q": drug_name, "only": FORM_FIELDS, "limit": NAMES_MAX}
    found, total = await collection(api, "molecule/search", "molecules", parameters)
    return "text", found, total


async def _by_id(api: Api, query: str) -> tuple[str, Family | None]:
    """Look up a ChEMBL id or an InChIKey, which ChEMBL takes in its place."""
    if CHEMBL_ID.fullmatch(query):
        return "chembl_id", await family_of(api, query.upper())
    molecule = await record(api, f"/molecule/{query.upper()}.json", {"only": FORM_FIELDS})
    return "inchi_key", await family_of(api, molecule["molecule_chembl_id"]) if molecule else None


@platform.tool(
    core=True,
    example={"drug_name": "clopidogrel"},
    asks=(
        "brand name to generic name",
        "CHEMBL id of a medicine",
        "what is Gleevec",
        "research code to drug",
        "INN, trade name, synonym of a drug",
    ),
)
async def resolve_drug(api: Api, drug_name: DrugName) -> Answer:
    """Find the ChEMBL id of a drug by name, brand or code: the parent first, with salts, phase and withdrawal. For ids
    in many databases use myvariant__chem_resolve, for any chemical pubchem__resolve_compound.
    """
    if CHEMBL_ID.fullmatch(drug_name) or INCHI_KEY.fullmatch(drug_name):
        matched_as, family = await _by_id(api, drug_name)
        if family is None:
            return await no_molecule(api, drug_name.upper())
        return _resolved(drug_name, matched_as, [await with_withdrawal(api, family)], family.citations, "")
    matched_as, hits, total = await _named(api, drug_name)
    if not hits:
        return empty(f"ChEMBL has no molecule called {drug_name!r}.", {"query": drug_name, "molecules": []})
    if matched_as == "text":
        note = f"No molecule is called {drug_name!r} exactly; these are the nearest of {total} by text."
        return _resolved(drug_name, matched_as, [form_row(h) for h in hits], [cite_molecule(h) for h in hits], note)
    parents = list(dict.fromkeys(parent_of(hit) for hit in hits))
    molecules, citations = [], []
    for parent_id in parents[:NAMES_MAX]:
        forms = await forms_of(api, parent_id)
        family = Family(parent_id, tuple(forms or [form_row(hit) for hit in hits if parent_of(hit) == parent_id]))
        molecules.append(await with_withdrawal(api, family))
        citations += family.citations
    note = f"{len(parents)} different drugs carry this name: choose one." if len(parents) > 1 else ""
    return _resolved(drug_name, matched_as, molecules, citations, note, total=len(parents))


def _resolved(
    query: str,
    matched_as: str,
    molecules: list[Json],
    citations: Sequence[Citation],
    note: str,
    total: int | None = None,
) -> Answer:
    data = {"query": query, "matched_as": matched_as, "molecules": molecules}
    return rows(molecules, total=total, note=note, data=data, citations=citations)


def _mechanism(row: Json, family: Family) -> Json:
    short = {name: row[name] for name in MECHANISM_FIELDS if row.get(name) is not None}
    short["mechanism_refs"] = (row.get("mechanism_refs") or [])[:REFERENCES_SHOWN]
    if row.get("variant_sequence"):
        # The whole protein sequence hangs here.
        short["variant_sequence"] = {k: v for k, v in row["variant_sequence"].items() if k != "sequence"}
    form_id = row["molecule_chembl_id"]
    return {**short, "molecule_chembl_id": form_id, "molecule_pref_name": family.name(form_id)}


async def _mechanisms(api: Api, family: Family) -> list[Json]:
    found = await by_parent(api, "mechanism", "mechanisms", family.parent_id, "mec_id")
    return [_mechanism(row, family) for row in found]


def _cited_targets(mechanisms: Sequence[Json]) -> list[Citation]:
    targets = dict.fromkeys(row["target_chembl_id"] for row in mechanisms if row.get("target_chembl_id"))
    return [cite_target(target_id) for target_id in targets]


@platform.tool(
    example={"chembl_id": "CHEMBL554"},
    asks=(
        "how does a drug work",
        "mode of action, MoA",
        "what does this medicine target",
        "which protein does it inhibit or activate",
    ),
)
async def get_drug_mechanisms(api: Api, chembl_id: ChemblId) -> Answer:
    """List a drug's curated mechanisms of action and targets, collected over parent and salts, naming the form. With
    Ensembl ids of the targets and the drug's stage: opentargets__get_drug_info.
    """
    family = await family_of(api, chembl_id)
    if family is None:
        return await no_molecule(api, chembl_id)
    mechanisms = await _mechanisms(api, family)
    return rows(
        mechanisms,
        note="" if mechanisms else f"ChEMBL has no curated mechanism for {chembl_id} or its other forms.",
        data={"molecule_chembl_id": chembl_id, **family.facts, "mechanisms": mechanisms},
        citations=[*family.citations, *_cited_targets(mechanisms)],
    )


def _indication(row: Json, family: Family) -> Json:
    references = []
    for reference in row.get("indication_refs") or []:
        # One reference packs up to a hundred trial numbers.
        ids = reference["ref_id"].split(",")
        references.append({"ref_type": reference["ref_type"], "ref_ids": ids[:REFERENCES_SHOWN], "count": len(ids)})
    terms = {name: row.get(name) for name in ("efo_id", "efo_term", "mesh_id", "mesh_heading")}
    return {
        **terms,
        "max_phase_for_ind": number(row.get("max_phase_for_ind")),
        "molecule_chembl_id": row["molecule_chembl_id"],
        "molecule_pref_name": family.name(row["molecule_chembl_id"]),
        "indication_refs": references,
    }


async def _indications(api: Api, family: Family) -> list[Json]:
    found = await by_parent(api, "drug_indication", "drug_indications", family.parent_id, "drugind_id")
    return sorted((_indication(row, family) for row in found), key=lambda row: -(row["max_phase_for_ind"] or -2))


@platform.tool(
    example={"chembl_id": "CHEMBL2010601"},
    asks=(
        "what is this drug used for",
        "diseases treated with a medicine",
        "approved uses and investigational uses",
        "label indications of a drug",
    ),
)
async def get_drug_indications(
    api: Api, chembl_id: ChemblId, min_phase: MinPhase | None = None, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """List diseases a drug is approved for (phase 4) or studied in, over parent and salts, highest phase first, with
    references. In stage words with linked reports: opentargets__get_drug_diseases.
    """
    family = await family_of(api, chembl_id)
    if family is None:
        return await no_molecule(api, chembl_id)
    found = await _indications(api, family)
    ordered = [row for row in found if min_phase is None or (row["max_phase_for_ind"] or -2) >= min_phase]
    shown = ordered[offset : offset + limit]
    note = ""
    if not ordered:
        note = f"ChEMBL lists no indication for {chembl_id} or its other forms."
        note = f"None of the {len(found)} indications of {chembl_id} reached phase {min_phase:g}." if found else note
    return rows(
        shown,
        total=len(ordered),
        next=next_page(offset, len(shown), len(ordered)),
        note=note,
        data={"molecule_chembl_id": chembl_id, **family.facts, "drug_indications": shown},
        citations=family.citations,
    )


async def _warnings(api: Api, family: Family) -> list[Json]:
    return grouped_warnings(await by_parent(api, "drug_warning", "drug_warnings", family.parent_id, "warning_id"))


@platform.tool(
    example={"chembl_id": "CHEMBL122"},
    asks=(
        "why was a drug pulled from the market",
        "black box warning",
        "withdrawn because of toxicity",
        "is the medicine banned",
    ),
)
async def get_drug_warnings(api: Api, chembl_id: ChemblId) -> Answer:
    """List a drug's withdrawals and boxed warnings: year, country, reason, class, over parent and salts. Side effects
    reported after approval: opentargets__get_drug_safety; of one trial: clinicaltrials__get_study_adverse_events.
    """
    family = await family_of(api, chembl_id)
    if family is None:
        return await no_molecule(api, chembl_id)
    groups = await _warnings(api, family)
    return rows(
        groups,
        note="" if groups else f"ChEMBL lists no withdrawal or boxed warning for {chembl_id} or its other forms.",
        data={"molecule_chembl_id": chembl_id, **family.facts, "drug_warnings": groups},
        citations=family.citations,
    )


def _metabolic_step(row: Json) -> Json:
    references = row.get("metabolism_refs") or []
    step = kept(row, *METABOLISM_FIELDS)
    return {**step, "metabolism_refs": references[:REFERENCES_SHOWN], "metabolism_ref_count": len(references)}


@platform.tool(
    example={"chembl_id": "CHEMBL25"},
    asks=(
        "how is a drug broken down",
        "metabolites and the CYP enzyme that makes them",
        "biotransformation, metabolic pathway of a drug",
        "which enzyme metabolises it",
        "what does the liver turn the drug into",
    ),
)
async def get_metabolism(api: Api, chembl_id: ChemblId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """List the metabolic steps of a drug as data: substrate, enzyme, conversion, metabolite and organism. Steps are
    collected over parent and salts. For half-life and texts use PubChem, for genes ClinPGx.
    """
    family = await family_of(api, chembl_id)
    if family is None:
        return await no_molecule(api, chembl_id)
    ids = [form["molecule_chembl_id"] for form in family.forms]
    parameters = {"drug_chembl_id__in": ",".join(ids), "order_by": "met_id", "limit": limit, "offset": offset}
    found, total = await collection(api, "metabolism", "metabolisms", parameters)
    check_all(found, "drug_chembl_id", " or ".join(ids), lambda value: value in ids)
    steps = [_metabolic_step(row) for row in found]
    return rows(
        steps,
        total=total,
        next=next_page(offset, len(steps), total),
        note="" if steps else f"ChEMBL lists no metabolic step of {chembl_id} or its other forms.",
        data={"molecule_chembl_id": chembl_id, "parent_chembl_id": family.parent_id, "metabolisms": steps},
        citations=family.citations,
    )


async def _part(asked: Awaitable[list[Json]], limit: int) -> dict[str, Json]:
    """Return one list of the dossier with its own status, so that one failure does not hide the others."""
    try:
        found = await asked
    except UpstreamError as error:
        return {"status": "failed", "message": str(error), "rows": []}
    shown = found[:limit]
    status = "complete" if len(shown) == len(found) else "cut"
    return {"status": status, "total": len(found), "returned": len(shown), "rows": shown}


async def _one_family(api: Api, drug_name: str) -> Family | Answer:
    """Return the one drug of this name, or the answer that says why there is not one."""
    matched_as, hits, _ = await _named(api, drug_name)
    if not hits:
        return empty(f"ChEMBL has no molecule called {drug_name!r}.", {"query": drug_name, "candidates": []})
    parents = list(dict.fromkeys(parent_of(hit) for hit in hits))
    candidates = [form_row(hit) for hit in hits]
    data = {"query": drug_name, "candidates": candidates}
    if matched_as == "text":
        return empty(f"No molecule is called {drug_name!r}: if a candidate is meant, ask by its ChEMBL id.", data)
    if len(parents) > 1:
        return rows(candidates, note=f"{len(parents)} drugs are called {drug_name!r}: ask by ChEMBL id.", data=data)
    forms = await forms_of(api, parents[0])
    return Family(parents[0], tuple(forms or [form_row(hit) for hit in hits]))


@platform.tool(
    example={"chembl_id": "CHEMBL554"},
    asks=(
        "tell me everything about a medicine",
        "drug overview, fact sheet, profile",
        "summary of a drug with uses, mechanism and warnings",
        "briefing on a medicine",
    ),
)
async def drug_dossier(
    api: Api, chembl_id: ChemblId | None = None, drug_name: DrugName | None = None, limit: Limit = 20
) -> Answer:
    """Get one overview of a drug: forms, phase, mechanisms, indications and warnings, each list with its own status.
    First choice for "tell me about this drug". Give one of id and name; `limit` cuts each list.
    """
    if one_of(chembl_id=chembl_id, drug_name=drug_name) == "chembl_id":
        family = await family_of(api, chembl_id or "")
        if family is None:
            return await no_molecule(api, chembl_id or "")
    else:
        found = await _one_family(api, drug_name or "")
        if isinstance(found, Answer):
            return found
        family = found
    parts = dict(
        zip(
            ("mechanisms", "indications", "warnings"),
            await together(
                _part(asked, limit)
                for asked in (_mechanisms(api, family), _indications(api, family), _warnings(api, family))
            ),
            strict=True,
        )
    )
    failed = [name for name, part in parts.items() if part["status"] == "failed"]
    return Answer(
        {**family.facts, **parts},
        note=f"ChEMBL did not answer for {', '.join(failed)}: nothing is known about them here." if failed else "",
        citations=[*family.citations, *_cited_targets(parts["mechanisms"]["rows"])],
    )
