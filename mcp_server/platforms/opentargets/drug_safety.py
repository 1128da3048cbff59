"""Harm and individual response: warnings, reported side effects, pharmacogenomic variants."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import ChemblId, EnsemblGeneId, Limit, Offset, look_up_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, rows
from mcp_server.http.client import Api
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.queries import drugs as texts
from mcp_server.platforms.opentargets.service import cite, names_match, next_offset, platform, unknown, window
from mcp_server.tool import Arg

Json = Any

EVIDENCE_LEVELS = ("1A", "1B", "2A", "2B", "3", "4")
Levels = Annotated[
    list[Literal["1A", "1B", "2A", "2B", "3", "4"]] | None,
    Arg("Only these levels of evidence (1A is the strongest); without it all of them.", ["1A", "1B"]),
]


@platform.tool(
    example={"chembl_id": "CHEMBL122", "limit": 3},
    asks=(
        "side effects of a drug",
        "adverse reactions reported to FAERS",
        "pharmacovigilance signals",
        "boxed warnings",
        "is the medicine dangerous",
        "unwanted effects reported by patients",
    ),
)
async def get_drug_safety(api: Api, chembl_id: ChemblId, limit: Limit = 25, offset: Offset = 0) -> Answer:
    """List a drug's boxed and withdrawal warnings and the side effects (adverse events) reported significantly often to
    the FDA (FAERS). For the harm of hitting a gene use get_target_safety, for one trial's
    clinicaltrials__get_study_adverse_events.
    """
    index, size, skip = window(offset, limit)
    drug = await service.ask_record(api, "drug", "DrugSafety", texts.DRUG_SAFETY, chembl_id, index=index, size=size)
    if drug is None:
        return unknown("drug", chembl_id)
    found = drug["adverseEvents"]
    events = found["rows"][skip:]
    warnings = [service.without_nulls(warning) for warning in drug["drugWarnings"]]
    data = {
        "drug": {"id": drug["id"], "name": drug["name"]},
        "drugWarnings": warnings,
        "adverseEvents": {"count": found["count"], "criticalValue": found.get("criticalValue"), "rows": events},
    }
    notes = "" if warnings else "Open Targets lists no warning for this drug."
    if not events:
        notes = f"{notes} No adverse event is reported significantly often from row {offset} on.".strip()
    return Answer(
        data,
        ResultOutcome.DATA if warnings or events else ResultOutcome.EMPTY,
        total=found["count"],
        returned=len(events),
        next=next_offset(offset, len(events), found["count"]),
        note=notes,
        citations=[cite("drug", drug["id"], drug["name"])],
    )


def _strength(row: Json) -> int:
    level = row.get("evidenceLevel")
    return EVIDENCE_LEVELS.index(level) if level in EVIDENCE_LEVELS else len(EVIDENCE_LEVELS)


def _strongest(
    entity: str, owner: Json, found: Sequence[Json], fitting: Sequence[Json], limit: int, offset: int
) -> Answer:
    """Lay out pharmacogenomic rows, strongest evidence first."""
    ordered = sorted(fitting, key=_strength)
    shown = ordered[offset : offset + limit]
    rsids = sorted({row["variantRsId"] for row in shown if row.get("variantRsId")})
    note = ""
    if not ordered:
        note = f"Open Targets lists no pharmacogenomic variant for this {'gene' if entity == 'target' else 'drug'}."
        if found:
            levels = sorted({str(row.get("evidenceLevel")) for row in found})
            note = f"None of the {len(found)} rows fits the filter; levels listed: {', '.join(levels)}."
    name = owner.get("approvedSymbol") or owner["name"]
    return rows(
        shown,
        total=len(ordered),
        next=next_offset(offset, len(shown), len(ordered)),
        note=note,
        data={entity: owner, "count": len(found), "rows": shown},
        citations=[cite(entity, owner["id"], name), *(Citation("rsid", rsid) for rsid in rsids)],
    )


@platform.tool(
    example={"chembl_id": "CHEMBL1464"},
    asks=(
        "genetic variants that change how a drug works",
        "genotype effects on a medicine",
        "PGx of a drug by CHEMBL id",
    ),
)
async def get_drug_pharmacogenomics(
    api: Api, chembl_id: ChemblId, evidence_levels: Levels = None, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """List variants that change the response to a drug, with evidence level, gene and category, strongest first. From a
    gene use get_target_pharmacogenomics; for dosing clinpgx__get_cpic_recommendations.
    """
    drug = await service.ask_record(api, "drug", "DrugPharmacogenomics", texts.DRUG_PHARMACOGENOMICS, chembl_id)
    if drug is None:
        return unknown("drug", chembl_id)
    found = drug["pharmacogenomics"]
    fitting = [row for row in found if not evidence_levels or row.get("evidenceLevel") in evidence_levels]
    return _strongest("drug", {"id": drug["id"], "name": drug["name"]}, found, fitting, limit, offset)


@platform.tool(
    example={"ensembl_id": "ENSG00000138109", "drug_name": "warfarin", "limit": 5},
    asks=(
        "drug response variants in a gene",
        "how do variants of a gene change the effect of drugs",
        "PGx of a target",
    ),
)
async def get_target_pharmacogenomics(
    api: Api,
    ensembl_id: EnsemblGeneId,
    drug_name: Annotated[
        str | None, Arg("Only rows about a drug whose name holds this text.", "warfarin", normalise=look_up_form)
    ] = None,
    evidence_levels: Levels = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List variants of a gene that change the response to drugs, strongest evidence first, and all drugs with their
    best level. From a drug use get_drug_pharmacogenomics; for dosing clinpgx__get_cpic_recommendations.
    """
    target = await service.ask_record(
        api, "target", "TargetPharmacogenomics", texts.TARGET_PHARMACOGENOMICS, ensembl_id
    )
    if target is None:
        return unknown("target", ensembl_id)
    found = target["pharmacogenomics"]
    fitting = [
        row
        for row in found
        if (not evidence_levels or row.get("evidenceLevel") in evidence_levels)
        and (not drug_name or names_match(drug_name, *(name for each in row["drugs"] for name in _drug_names(each))))
    ]
    answer = _strongest("target", service.gene(target), found, fitting, limit, offset)
    answer.data["drugs"] = _drugs(found)
    return answer


def _drug_names(each: Json) -> list[str]:
    return [name for name in (each.get("drugFromSource"), (each.get("drug") or {}).get("name")) if name]


def _drugs(found: Sequence[Json]) -> list[Json]:
    """Return each drug with its number of rows and its best level, strongest first."""
    drugs: dict[str, Json] = {}
    for row in sorted(found, key=_strength):
        for each in row["drugs"]:
            names = _drug_names(each)
            key = each.get("drugId") or (names[0] if names else "")
            best = {"drugId": each.get("drugId"), "name": names[-1] if names else None}
            drug = drugs.setdefault(key, {**best, "bestLevel": row.get("evidenceLevel"), "rows": 0})
            drug["rows"] += 1
    return list(drugs.values())
