"""Measured activities: rows, the strongest compounds of a target, the targets of a compound."""

import statistics
from collections.abc import Iterable
from typing import Annotated

from mcp_server.args import ChemblId, Limit, Offset
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.chembl.families import Family, family_of, no_molecule
from mcp_server.platforms.chembl.service import (
    PAGE_ROWS,
    AssayType,
    ChemblAssayId,
    ChemblTargetId,
    Json,
    Organism,
    StandardType,
    at_least,
    check,
    check_all,
    cite,
    cite_target,
    collection,
    next_page,
    nothing,
    number_or_text,
    platform,
)
from mcp_server.tool import Arg

PAGES_READ = 5
TARGETS_ASKED = 100
ACTIVITY_FIELDS = (
    "activity_id,molecule_chembl_id,molecule_pref_name,parent_molecule_chembl_id,target_chembl_id,target_pref_name,"
    "target_organism,assay_chembl_id,assay_description,assay_type,assay_variant_accession,assay_variant_mutation,"
    "standard_type,standard_relation,standard_value,standard_units,standard_text_value,pchembl_value,action_type,"
    "activity_comment,data_validity_comment,potential_duplicate,document_chembl_id,document_year,canonical_smiles"
)
SUMMED_FIELDS = (
    "activity_id,molecule_chembl_id,molecule_pref_name,parent_molecule_chembl_id,target_chembl_id,target_pref_name,"
    "target_organism,standard_type,standard_relation,pchembl_value,assay_variant_mutation"
)
# What may be ranked: exact values, each once, without a known fault.
CLEAN = {"standard_relation": "=", "potential_duplicate": 0, "data_validity_comment__isnull": "true"}
MinPchembl = Annotated[
    float, Arg("Lowest pChEMBL (negative decimal logarithm of the molar value).", 7, minimum=0, maximum=15)
]


def _activity(row: Json) -> Json:
    # A missing value stays null: it was not measured as a number.
    numbers = {name: number_or_text(row.get(name)) for name in ("pchembl_value", "standard_value")}
    return {**{name: value for name, value in row.items() if value not in (None, "", [])}, **numbers}


def _cited(found: Iterable[Json]) -> list[Citation]:
    cited: list[Citation] = []
    for row in found:
        if row.get("molecule_chembl_id"):
            cited.append(Citation("chembl", row["molecule_chembl_id"], row.get("molecule_pref_name") or ""))
        if row.get("target_chembl_id"):
            cited.append(cite_target(row["target_chembl_id"], row.get("target_pref_name")))
        if row.get("document_chembl_id"):
            cited.append(cite("DOCUMENT", row["document_chembl_id"]))
    return list({citation.identifier: citation for citation in cited}.values())


@platform.tool(
    example={"molecule_chembl_id": "CHEMBL324340", "target_chembl_id": "CHEMBL3921"},
    noise="del(.activities[]?.canonical_smiles)",
    keep=(
        ".activities[].activity_id",
        ".activities[].molecule_chembl_id",
        ".activities[].target_chembl_id",
        ".activities[].assay_chembl_id",
        ".activities[].standard_relation",
        ".activities[].standard_value",
        ".activities[].standard_units",
        ".activities[].pchembl_value",
    ),
    asks=(
        "half maximal inhibitory concentration of a compound",
        "IC50 values against a kinase",
        "binding affinity Kd, Ki, EC50 measurements",
        "potency of an inhibitor in nM",
        "how strongly does it bind",
        "how tightly does a compound bind its target",
    ),
)
async def get_bioactivities(
    api: Api,
    molecule_chembl_id: ChemblId | None = None,
    target_chembl_id: ChemblTargetId | None = None,
    assay_chembl_id: ChemblAssayId | None = None,
    standard_type: StandardType | None = None,
    min_pchembl: MinPchembl | None = None,
    assay_type: AssayType | None = None,
    target_organism: Organism | None = None,
    ranked: Annotated[
        bool, Arg("True: rows with pChEMBL, strongest first. False: rows without, e.g. % or text.")
    ] = True,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List measured activities (IC50, Ki, EC50 …) of a molecule (all its forms), a target, an assay or a pair,
    strongest first. A relation of > or < is a bound, not a value. For the best compounds of a target use
    get_target_potent_compounds, for a compound get_selectivity_profile.
    """
    if not (molecule_chembl_id or target_chembl_id or assay_chembl_id):
        raise InvalidArguments("molecule_chembl_id", "give a molecule, a target or an assay", "CHEMBL553")
    if min_pchembl is not None and not ranked:
        raise InvalidArguments("min_pchembl", "rows that are not ranked have no pChEMBL value")
    parent_id = None
    if molecule_chembl_id:
        family = await family_of(api, molecule_chembl_id)
        if family is None:
            return await no_molecule(api, molecule_chembl_id)
        parent_id = family.parent_id
    wanted = {
        "parent_molecule_chembl_id": parent_id,
        "target_chembl_id": target_chembl_id,
        "assay_chembl_id": assay_chembl_id,
        "standard_type": standard_type,
        "assay_type": assay_type,
        "target_organism": target_organism,
    }
    parameters = {
        **wanted,
        "pchembl_value__gte": min_pchembl,
        "pchembl_value__isnull": "false" if ranked else "true",
        "order_by": "-pchembl_value" if ranked else "activity_id",
        "only": ACTIVITY_FIELDS,
        "limit": limit,
        "offset": offset,
    }
    found, total = await collection(api, "activity", "activities", parameters)
    _check_activities(found, wanted, min_pchembl)
    if not total and not parent_id:
        kind, known_id = ("target", target_chembl_id) if target_chembl_id else ("assay", assay_chembl_id)
        return await nothing(api, known_id or "", kind, _no_activity(wanted, ranked))
    activities = [_activity(row) for row in found]
    return rows(
        activities,
        total=total,
        next=next_page(offset, len(activities), total),
        note="" if activities else _no_activity(wanted, ranked),
        data={"molecule_chembl_id": molecule_chembl_id, "parent_chembl_id": parent_id, "activities": activities},
        citations=_cited(activities),
    )


def _no_activity(wanted: dict[str, Json], ranked: bool) -> str:
    asked = ", ".join(f"{name} {value}" for name, value in wanted.items() if value)
    other = "ranked=false lists rows without pChEMBL." if ranked else "ranked=true lists rows with pChEMBL."
    return f"ChEMBL has no such activity for {asked}. {other}"


def _check_activities(found: list[Json], wanted: dict[str, Json], min_pchembl: float | None) -> None:
    for name, value in wanted.items():
        if value:
            check(found, name, value)
    if min_pchembl is not None:
        check_all(found, "pchembl_value", f"of at least {min_pchembl:g}", at_least(min_pchembl))


async def _all_activities(api: Api, wanted: dict[str, Json], min_pchembl: float) -> tuple[list[Json], int]:
    """Read up to five pages of clean activities, the strongest first; return them and how many there are."""
    parameters = {
        **wanted,
        **CLEAN,
        "pchembl_value__gte": min_pchembl,
        "pchembl_value__isnull": "false",
        "order_by": "-pchembl_value",
        "only": SUMMED_FIELDS,
    }
    found, total = await collection(api, "activity", "activities", parameters)
    _check_activities(found, wanted, min_pchembl)
    offsets = range(PAGE_ROWS, min(total, PAGES_READ * PAGE_ROWS), PAGE_ROWS)
    pages = await together(
        collection(api, "activity", "activities", {**parameters, "offset": offset}) for offset in offsets
    )
    for page, _ in pages:
        _check_activities(page, wanted, min_pchembl)
        found = found + page
    # A page boundary may repeat a row: many share one value.
    return list({row["activity_id"]: row for row in found}.values()), total


def _summary(found: list[Json]) -> dict[str, Json]:
    values = [float(row["pchembl_value"]) for row in found]
    return {
        "best_pchembl": max(values),
        "median_pchembl": round(statistics.median(values), 2),
        "activity_count": len(values),
        "standard_types": sorted({str(row.get("standard_type")) for row in found}),
        "variants": sorted({row["assay_variant_mutation"] for row in found if row.get("assay_variant_mutation")}),
    }


def _grouped(found: list[Json], field: str) -> dict[str, list[Json]]:
    groups: dict[str, list[Json]] = {}
    for row in found:
        groups.setdefault(row[field], []).append(row)
    return groups


def _cut_note(found: list[Json], total: int) -> str:
    return f"Only the {len(found)} strongest of {total} activities were read. " if len(found) < total else ""


@platform.tool(
    example={"target_chembl_id": "CHEMBL3921", "standard_type": "IC50", "min_pchembl": 5},
    asks=(
        "strongest inhibitors of a protein",
        "best ligands, hits and lead compounds for a target",
        "nanomolar binders of a kinase",
        "most active molecules known",
    ),
)
async def get_target_potent_compounds(
    api: Api,
    target_chembl_id: ChemblTargetId,
    standard_type: StandardType = "IC50",
    min_pchembl: MinPchembl = 7,
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """List the most potent compounds measured on a target, one row a parent: best and median pChEMBL, count. Exact
    values of one type only, duplicates and doubtful rows left out. For approved drugs of a target use
    find_drugs_by_target, for single rows get_bioactivities.
    """
    wanted = {"target_chembl_id": target_chembl_id, "standard_type": standard_type}
    found, total = await _all_activities(api, wanted, min_pchembl)
    if not found:
        note = f"ChEMBL has no exact {standard_type} of pChEMBL {min_pchembl:g} or more on {target_chembl_id}."
        return await nothing(api, target_chembl_id, "target", note)
    compounds = [
        {
            "parent_chembl_id": parent_id,
            "pref_name": next((row["molecule_pref_name"] for row in group if row.get("molecule_pref_name")), None),
            "molecule_chembl_ids": sorted({row["molecule_chembl_id"] for row in group}),
            **_summary(group),
        }
        for parent_id, group in _grouped(found, "parent_molecule_chembl_id").items()
    ]
    compounds.sort(key=lambda compound: -compound["best_pchembl"])
    shown = compounds[offset : offset + limit]
    target = {name: found[0].get(name) for name in ("target_chembl_id", "target_pref_name", "target_organism")}
    return rows(
        shown,
        total=len(compounds),
        next=next_page(offset, len(shown), len(compounds)),
        note=f"{_cut_note(found, total)}Ranked by the best of several measurements: look at median and count too.",
        data={**target, **wanted, "activity_total": total, "activities_read": len(found), "compounds": shown},
        citations=[
            cite_target(target_chembl_id, target["target_pref_name"]),
            *(Citation("chembl", row["parent_chembl_id"], row["pref_name"] or "") for row in shown),
        ],
    )


async def _target_types(api: Api, target_ids: list[str]) -> dict[str, str]:
    chunks = [target_ids[start : start + TARGETS_ASKED] for start in range(0, len(target_ids), TARGETS_ASKED)]
    fields = "target_chembl_id,target_type"
    pages = await together(
        collection(api, "target", "targets", {"target_chembl_id__in": ",".join(chunk), "only": fields})
        for chunk in chunks
    )
    return {target["target_chembl_id"]: target["target_type"] for page, _ in pages for target in page}


@platform.tool(
    example={"chembl_id": "CHEMBL324340"},
    asks=(
        "off-targets of a compound",
        "which other kinases does it hit",
        "is this inhibitor selective",
        "polypharmacology, promiscuity of a molecule",
    ),
)
async def get_selectivity_profile(
    api: Api, chembl_id: ChemblId, min_pchembl: MinPchembl = 5, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """List the human single-protein targets a compound hits in assays: best and median pChEMBL, count, types.
    Collected over parent and salts, exact values only. For the curated targets of a drug use get_drug_mechanisms.
    """
    family = await family_of(api, chembl_id)
    if family is None:
        return await no_molecule(api, chembl_id)
    wanted = {"parent_molecule_chembl_id": family.parent_id, "target_organism": "Homo sapiens"}
    found, total = await _all_activities(api, wanted, min_pchembl)
    if not found:
        note = f"ChEMBL has no exact pChEMBL of {min_pchembl:g} or more for {chembl_id} on a human target."
        return empty(note, {"parent_chembl_id": family.parent_id, "targets": []})
    groups = _grouped(found, "target_chembl_id")
    types = await _target_types(api, list(groups))
    targets = [
        {
            **{name: group[0].get(name) for name in ("target_chembl_id", "target_pref_name", "target_organism")},
            **_summary(group),
        }
        for target_id, group in groups.items()
        if types.get(target_id) == "SINGLE PROTEIN"
    ]
    targets.sort(key=lambda target: -target["best_pchembl"])
    return _profile(family, chembl_id, targets, len(groups) - len(targets), limit, offset, _cut_note(found, total))


def _profile(
    family: Family, chembl_id: str, targets: list[Json], others: int, limit: int, offset: int, cut: str
) -> Answer:
    shown = targets[offset : offset + limit]
    note = f"{cut}Ki, Kd, IC50 and EC50 stand together: compare within one type."
    if others:
        note += f" {others} complexes, cell lines and other targets are not single proteins and were left out."
    return rows(
        shown,
        total=len(targets),
        next=next_page(offset, len(shown), len(targets)),
        note=note,
        data={
            "molecule_chembl_id": chembl_id,
            "parent_chembl_id": family.parent_id,
            "pref_name": family.name(family.parent_id),
            "targets": shown,
        },
        citations=[
            *family.citations,
            *(cite_target(target["target_chembl_id"], target["target_pref_name"]) for target in shown),
        ],
    )
