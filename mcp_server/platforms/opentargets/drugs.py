"""Drugs and clinical candidates: of a target, of a disease, and one drug's own record and diseases."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp_server.args import ChemblId, DiseaseId, EnsemblGeneId, Limit, Offset
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, rows
from mcp_server.http.client import Api
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.queries import drugs as texts
from mcp_server.platforms.opentargets.service import WholeLists, cite, labels, next_offset, platform, unknown
from mcp_server.tool import Arg

Json = Any

DISEASES_SHOWN = 10
# Weakest to strongest; what is not in the list sorts last.
STAGES = (
    "UNKNOWN", "PRECLINICAL", "IND", "EARLY_PHASE_1", "PHASE_1", "PHASE_1_2", "PHASE_2", "PHASE_2_3",
    "PHASE_3", "PREAPPROVAL", "APPROVAL", "PHASE_4", "WITHDRAWAL",
)  # fmt: skip
MinStage = Annotated[
    Literal[
        "PRECLINICAL", "IND", "EARLY_PHASE_1", "PHASE_1", "PHASE_1_2", "PHASE_2", "PHASE_2_3", "PHASE_3",
        "PREAPPROVAL", "APPROVAL", "PHASE_4", "WITHDRAWAL",
    ]
    | None,
    Arg("Lowest stage to list. A withdrawn drug has stage WITHDRAWAL, the highest: it was approved once.", "PHASE_3"),
]  # fmt: skip


def _stage_rank(row: Json) -> int:
    stage = row.get("maxClinicalStage")
    return STAGES.index(stage) if stage in STAGES else -1


def _drug_row(row: Json, whole: bool) -> Json:
    """Count the reports and cut the diseases unless all are wanted; what the service left out stays left out."""
    kept = {name: row[name] for name in ("id", "maxClinicalStage", "drug", "disease") if name in row}
    if row.get("diseases") is not None:
        kept["diseases"] = row["diseases"] if whole else row["diseases"][:DISEASES_SHOWN]
        kept["diseaseCount"] = len(row["diseases"])
    if row.get("clinicalReports") is not None:
        kept["clinicalReportCount"] = len(row["clinicalReports"])
        if whole:
            kept["clinicalReportIds"] = [report["id"] for report in row["clinicalReports"]]
    return kept


def _staged(
    entity: str,
    owner: Json,
    found: Json,
    limit: int,
    offset: int,
    *,
    fits: Callable[[Json], bool],
    whole: bool,
    note: str,
    nothing: str,
) -> Answer:
    """Lay out rows with a stage: highest first, then most reported."""
    ordered = sorted(found["rows"], key=lambda row: (-_stage_rank(row), -len(row.get("clinicalReports") or ())))
    count = found.get("count", len(ordered))
    if count != len(ordered):
        note = f"{note} Open Targets counts {count} rows and sent {len(ordered)}.".strip()
    fitting = [row for row in ordered if fits(row)]
    shown = [_drug_row(row, whole) for row in fitting[offset : offset + limit]]
    if not ordered:
        note = f"{note} {nothing}".strip()
    elif not fitting:
        note = f"{note} None of the {len(ordered)} rows fits the filter.".strip()
    total = count if len(fitting) == len(ordered) else len(fitting)
    return rows(
        shown,
        total=total,
        next=next_offset(offset, len(shown), len(fitting)),
        note=note,
        data={entity: owner, "count": count, "rows": shown},
        citations=[
            cite(entity, owner["id"], owner.get("approvedSymbol") or owner.get("name") or ""),
            *_cite_rows(shown),
        ],
    )


def _cite_rows(shown: list[Json]) -> list[Citation]:
    found = {}
    for row in shown:
        for kind in ("drug", "disease"):
            if (record := row.get(kind)) and record.get("id"):
                found[kind, record["id"]] = record["name"]
    return [cite(kind, identifier, name) for (kind, identifier), name in found.items()]


NO_DRUG = "Open Targets lists no drug or clinical candidate here."


# What a drug does to other targets is not asked for here; what it does to this one is told by the kinds of its action.
ONLY_THIS_TARGET = (
    ".target.approvedSymbol as $gene | (.rows[]?.drug | objects) |= (.actions = ([.mechanismsOfAction.rows[]? "
    "| select(any(.targets[]?; .approvedSymbol == $gene)) | .actionType] | unique) | del(.mechanismsOfAction))"
)


@platform.tool(
    example={"ensembl_id": "ENSG00000141736"},
    noise=ONLY_THIS_TARGET,
    keep=(".target.id", ".count", ".rows[].maxClinicalStage", ".rows[].drug.id", ".rows[].drug.name"),
    asks=(
        "drugs against a target",
        "which compounds in the clinic hit this protein",
        "known drugs of a gene, clinical candidates",
        "drug pipeline of a target",
        "is anything in the clinic against this protein",
    ),
)
async def get_target_drugs(
    api: Api,
    ensembl_id: EnsemblGeneId,
    min_stage: MinStage = None,
    limit: Limit = 200,
    offset: Offset = 0,
    whole_lists: WholeLists = False,
) -> Answer:
    """List drugs and clinical candidates acting on a target, highest stage first, with mechanism and diseases tried.
    For the drugs of a disease use get_disease_drugs."""
    target = await service.ask_record(api, "target", "TargetDrugs", texts.TARGET_DRUGS, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    return _staged(
        "target",
        service.gene(target),
        target["drugAndClinicalCandidates"],
        limit,
        offset,
        fits=_at_least(min_stage),
        whole=whole_lists,
        note="",
        nothing=NO_DRUG,
    )


def _at_least(min_stage: str | None) -> Callable[[Json], bool]:
    lowest = STAGES.index(min_stage) if min_stage else -1
    return lambda row: _stage_rank(row) >= lowest


@platform.tool(
    example={"disease_id": "MONDO_0005313"},
    asks=(
        "drugs in development for a disease",
        "treatments and candidates for an illness",
        "pipeline of a disease by phase",
        "what medicines exist for lupus",
    ),
)
async def get_disease_drugs(
    api: Api,
    disease_id: DiseaseId,
    min_stage: MinStage = None,
    drug_type: Annotated[
        str | None, Arg("Only drugs of this type, e.g. Small molecule, Antibody, Protein, Gene.", "Antibody")
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
    whole_lists: WholeLists = False,
) -> Answer:
    """List drugs and clinical candidates tried in a disease, highest stage first, with mechanism and targets.
    For the diseases of one drug use get_drug_diseases."""
    answered, note = await service.ask_disease(api, "DiseaseDrugs", texts.DISEASE_DRUGS, disease_id)
    disease = answered["disease"]
    if disease is None:
        return unknown("disease", disease_id)
    found = disease["drugAndClinicalCandidates"]
    types = sorted({kind for row in found["rows"] if (kind := (row.get("drug") or {}).get("drugType"))})
    if drug_type and drug_type.lower() not in [each.lower() for each in types]:
        note = f"{note} Types of drugs listed here: {', '.join(types) or 'none'}.".strip()
    staged = _at_least(min_stage)

    def fits(row: Json) -> bool:
        kind = (row.get("drug") or {}).get("drugType") or ""
        return staged(row) and (not drug_type or str(kind).lower() == drug_type.lower())

    owner = {"id": disease["id"], "name": disease["name"]}
    return _staged("disease", owner, found, limit, offset, fits=fits, whole=whole_lists, note=note, nothing=NO_DRUG)


@platform.tool(
    example={"chembl_id": "CHEMBL939"},
    asks=(
        "overview of a drug",
        "modality, max phase, mechanism, brand names",
        "first approval, is it a biologic",
        "what is this CHEMBL drug",
        "what kind of drug is it",
    ),
)
async def get_drug_info(api: Api, chembl_id: ChemblId) -> Answer:
    """Get a drug's type, highest stage, mechanisms with Ensembl targets, names, parent and salts, and warnings.
    For side effects use get_drug_safety."""
    drug = await service.ask_record(api, "drug", "DrugInfo", texts.DRUG_INFO, chembl_id)
    if drug is None:
        return unknown("drug", chembl_id)
    for name in ("synonyms", "tradeNames"):
        if name in drug:
            drug[name] = labels(drug[name])
    mechanisms = (drug.get("mechanismsOfAction") or {}).get("rows") or []
    targets = {
        target["id"]: target["approvedSymbol"] for row in mechanisms for target in row["targets"] if "id" in target
    }
    return Answer(
        drug,
        citations=[cite("drug", drug["id"], drug["name"]), *(cite("target", *target) for target in targets.items())],
    )


@platform.tool(
    example={"chembl_id": "CHEMBL3137343", "min_stage": "APPROVAL"},
    asks=(
        "which diseases is a drug used for",
        "repurposing, indications in trial",
        "approved and investigational diseases of a drug",
    ),
)
async def get_drug_diseases(
    api: Api,
    chembl_id: ChemblId,
    min_stage: MinStage = None,
    limit: Limit = 100,
    offset: Offset = 0,
    whole_lists: WholeLists = False,
) -> Answer:
    """List the diseases (MONDO, EFO) that a drug is approved for or was tried in, highest stage first, with report
    counts. Salts and parent have lists of their own; for references per indication use chembl__get_drug_indications.
    """
    drug = await service.ask_record(api, "drug", "DrugDiseases", texts.DRUG_DISEASES, chembl_id)
    if drug is None:
        return unknown("drug", chembl_id)
    forms = [*filter(None, [drug.get("parentMolecule")]), *(drug.get("childMolecules") or [])]
    named = ", ".join(f"{form['name']} ({form['id']})" for form in forms)
    answer = _staged(
        "drug",
        {"id": drug["id"], "name": drug["name"], "otherForms": forms},
        drug["indications"],
        limit,
        offset,
        fits=_at_least(min_stage),
        whole=whole_lists,
        note=f"Other forms have diseases of their own: {named}." if forms else "",
        nothing="Open Targets lists no disease for this drug.",
    )
    return answer


@platform.tool(
    example={"report_ids": ["NCT03045523"]},
    asks=(
        "why was a trial stopped",
        "evidence behind a clinical stage",
        "trial and label documents of a drug",
        "why did they stop developing the drug",
    ),
)
async def get_clinical_reports(
    api: Api,
    report_ids: Annotated[
        list[str],
        Arg(
            "Report ids: an NCT number, or an id that a drug tool gave with whole_lists.",
            ["nct03045523"],
            max_items=50,
            normalise=str.lower,
        ),
    ],
) -> Answer:
    """Get trials, labels and agency documents behind a drug's stage by report id: status, phase, why stopped, drugs and
    diseases. For a trial's full record use clinicaltrials__get_study.
    """
    asked = list(dict.fromkeys(report_ids))
    answered = await service.ask(api, "ClinicalReports", texts.CLINICAL_REPORTS, {"ids": asked})
    found = {report["id"]: service.without_nulls(report) for report in answered["clinicalReports"]}
    missing = [each for each in asked if each not in found]
    reports = [found[each] for each in asked if each in found]
    return Answer(
        {"reports": reports, "missing": missing},
        ResultOutcome.DATA if reports else ResultOutcome.UNKNOWN_ID,
        total=len(asked),
        returned=len(reports),
        note=f"Open Targets has no report {', '.join(missing)}." if missing else "",
        citations=[_cite_report(report) for report in reports],
    )


def _cite_report(report: Json) -> Citation:
    if report["id"].startswith("nct"):
        return Citation("nct", report["id"].upper(), report.get("title") or "")
    return Citation("clinical_report", report["id"], report.get("title") or "", report.get("url") or "")
