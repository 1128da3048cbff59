"""One gene as a drug target: its record, how it can be drugged, what speaks for and against it."""

from collections.abc import Callable
from typing import Annotated, Any

from mcp_server.args import EnsemblGeneId, without_version
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.queries import targets as texts
from mcp_server.platforms.opentargets.service import cite_gene, gene, labels, platform, unknown
from mcp_server.tool import Arg

Json = Any

# Most rows of these lists say what a target is not, or repeat it for other databases.
KEPT_OF_TARGET: dict[str, Callable[[Json], bool]] = {
    "proteinIds": lambda item: item["source"] == "uniprot_swissprot",
    "dbXrefs": lambda item: item["source"] in ("HGNC", "ChEMBL", "OMIM"),
    "tractability": lambda item: bool(item["value"]),
}


@platform.tool(
    example={"ensembl_id": "ENSG00000141736"},
    asks=(
        "what does a drug target do",
        "overview of a target by ENSG",
        "summary, class and location of a target",
        "tell me about this target",
    ),
)
async def get_target_info(api: Api, ensembl_id: EnsemblGeneId) -> Answer:
    """Get a target's symbol, name, biotype, location, function, proteins, classes and tractability by Ensembl id.
    For several genes use get_targets_batch."""
    target = await service.ask_record(api, "target", "TargetInfo", texts.TARGET_INFO, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    target["species"] = service.HUMAN
    if target.get("genomicLocation"):
        target["genomicLocation"]["assembly"] = service.ASSEMBLY
    for name in ("symbolSynonyms", "obsoleteSymbols"):
        if name in target:
            target[name] = sorted(set(labels(target[name])))
    for name, is_kept in KEPT_OF_TARGET.items():
        if name in target:
            target[name] = [item for item in target[name] if is_kept(item)]
    return Answer(target, citations=[cite_gene(target)])


@platform.tool(
    example={"ensembl_ids": ["ENSG00000146648", "ENSG00000000000"]},
    asks=(
        "several targets at once",
        "list of ENSG to names and tractability",
        "bulk target records",
    ),
)
async def get_targets_batch(
    api: Api,
    ensembl_ids: Annotated[
        list[str],
        Arg(
            "Ensembl gene ids; a version suffix is ignored.",
            ["ENSG00000146648"],
            r"^ENSG\d{11}$",
            max_items=50,
            normalise=without_version,
        ),
    ],
) -> Answer:
    """Many at once (up to 50): symbol, name, biotype, classes and tractability of targets by Ensembl id, and which ids
    are not known. For one gene in detail use get_target_info."""
    asked = list(dict.fromkeys(ensembl_ids))
    answered = await service.ask(api, "TargetsBatch", texts.TARGETS_BATCH, {"ensemblIds": asked})
    found = {target["id"]: target for target in answered["targets"]}
    if strangers := sorted(set(found) - set(asked)):
        raise UpstreamBadResponse(service.HOST, f"it sent targets that nobody asked for: {', '.join(strangers)}")
    missing = [each for each in asked if each not in found]
    targets = [_short(found[each]) for each in asked if each in found]
    return Answer(
        {"species": service.HUMAN, "targets": targets, "missing": missing},
        ResultOutcome.DATA if targets else ResultOutcome.UNKNOWN_ID,
        total=len(asked),
        returned=len(targets),
        note=f"Open Targets has no target {', '.join(missing)}." if missing else "",
        citations=[cite_gene(target) for target in targets],
    )


def _short(target: Json) -> Json:
    return {**target, "tractability": [each for each in target.get("tractability") or [] if each["value"]]}


@platform.tool(
    example={"ensembl_id": "ENSG00000146648"},
    asks=(
        "is a protein druggable",
        "can it be hit by an antibody or small molecule",
        "PROTAC, degrader feasibility",
        "chemical probes, tool compounds",
        "tractability",
    ),
)
async def get_target_druggability(api: Api, ensembl_id: EnsemblGeneId) -> Answer:
    """Say how a target can be drugged: tractability by modality (small molecule, antibody, PROTAC), chemical probes,
    target class and enabling packages. For the drugs that exist use get_target_drugs."""
    target = await service.ask_record(api, "target", "TargetDruggability", texts.TARGET_DRUGGABILITY, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    assessed = target.get("tractability") or []
    met: dict[str, list[str]] = {each["modality"]: [] for each in assessed}
    for each in assessed:
        if each["value"]:
            met[each["modality"]].append(each["label"])
    probes = [service.without_nulls(probe) for probe in target.get("chemicalProbes") or []]
    data = {
        "target": gene(target),
        "tractability": met,
        "assessed": len(assessed),
        "chemicalProbes": probes,
        "targetClass": target.get("targetClass") or [],
        "tep": target.get("tep"),
    }
    known = any(met.values()) or probes or data["targetClass"] or data["tep"]
    return Answer(
        data,
        ResultOutcome.DATA if known else ResultOutcome.EMPTY,
        note="" if known else "Open Targets lists no property that makes this target tractable.",
        citations=[cite_gene(target)],
    )


@platform.tool(
    example={"ensembl_id": "ENSG00000146648"},
    asks=(
        "risks of inhibiting a gene",
        "on-target toxicity",
        "target liability",
        "what goes wrong when the protein is blocked",
        "is it dangerous to block this protein",
    ),
)
async def get_target_safety(api: Api, ensembl_id: EnsemblGeneId) -> Answer:
    """List known safety liabilities of hitting a target: event, direction of the effect, tissue, study and source.
    For the side effects of one drug use get_drug_safety."""
    target = await service.ask_record(api, "target", "TargetSafety", texts.TARGET_SAFETY, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    shown = [service.without_nulls(row) for row in target["safetyLiabilities"]]
    answer = rows(
        shown,
        data={"target": gene(target), "rows": shown},
        note="" if shown else "No safety liability is listed, which does not mean that the target is safe.",
    )
    papers = service.cite_papers(row.get("literature") for row in shown)
    return service.cited(answer, cite_gene(target), *papers)


@platform.tool(
    example={"ensembl_id": "ENSG00000169174"},
    asks=(
        "is a gene intolerant to loss of function",
        "pLI, LOEUF",
        "gnomAD constraint, oe ratio",
        "haploinsufficient genes",
        "missense z score",
        "is losing one copy of the gene tolerated",
    ),
)
async def get_target_constraint(api: Api, ensembl_id: EnsemblGeneId) -> Answer:
    """Get how strongly gnomAD's population is depleted of a gene's loss-of-function, missense and synonymous variants:
    expected and observed counts, ratio with bounds."""
    target = await service.ask_record(api, "target", "TargetConstraint", texts.TARGET_CONSTRAINT, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    shown = target["geneticConstraint"]
    note = "" if shown else "Open Targets lists no constraint of this gene."
    return service.cited(rows(shown, data={"target": gene(target), "rows": shown}, note=note), cite_gene(target))


@platform.tool(
    example={"ensembl_id": "ENSG00000146648"},
    asks=(
        "is it a good target",
        "target scorecard",
        "prioritisation factors, ranking of targets",
        "pros and cons of a target",
    ),
)
async def get_target_prioritisation(api: Api, ensembl_id: EnsemblGeneId) -> Answer:
    """Get the target prioritisation factors from -1 (against) to 1 (in favour): genetic constraint, pockets, safety
    events, tissue specificity and others."""
    target = await service.ask_record(api, "target", "TargetPrioritisation", texts.TARGET_PRIORITISATION, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    # Numbers come as texts.
    factors = {item["key"]: _number(item["value"]) for item in (target["prioritisation"] or {}).get("items") or []}
    return Answer(
        {"target": gene(target), "factors": factors},
        ResultOutcome.DATA if factors else ResultOutcome.EMPTY,
        total=len(factors),
        returned=len(factors),
        note="" if factors else "Open Targets lists no prioritisation factor of this gene.",
        citations=[cite_gene(target)],
    )


def _number(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value
