"""What a gene does in tissues, cells and mice: expression, partners, dependency, phenotypes."""

import statistics
from typing import Annotated, Any, Literal

from mcp_server.args import EnsemblGeneId, Limit, Offset, look_up_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.queries import targets as texts
from mcp_server.platforms.opentargets.service import (
    cite_gene,
    gene,
    names_match,
    next_offset,
    platform,
    unknown,
    window,
)
from mcp_server.tool import Arg

Json = Any

# The service has no order of its own: this many rows are read and ranked here.
EXPRESSION_PAGE_ROWS = 1000
EXPRESSION_PAGES_MAX = 3

Tissue = Annotated[
    str | None, Arg("Only tissues or cell types whose name holds this text.", "liver", normalise=look_up_form)
]


@platform.tool(
    example={"ensembl_id": "ENSG00000169194", "tissue": "kidney", "limit": 5},
    asks=(
        "in which tissues is a gene expressed",
        "GTEx, Human Protein Atlas levels",
        "RNA TPM by tissue",
        "cell types that express a gene",
        "is it found in the brain",
        "where in the body is the gene switched on",
    ),
)
async def get_target_expression(
    api: Api,
    ensembl_id: EnsemblGeneId,
    tissue: Tissue = None,
    datatype: Annotated[
        str | None, Arg("Only this kind of measurement; a name that fits none answers with those there are.")
    ] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List baseline RNA and protein levels of a gene by tissue and cell type, highest median of each measurement first.
    For text on localization use uniprot__get_localization_and_expression.
    """
    target, found = await _expression(api, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    total = target["baselineExpression"]["count"]
    fitting = [row for row in found if _fits(row, tissue, datatype)]
    # Levels of two units cannot be compared: each measurement has a ranking of its own.
    ranked = sorted(fitting, key=lambda row: (row["datatypeId"], row["unit"], -(row.get("median") or 0)))
    shown = [service.without_nulls(row) for row in ranked[offset : offset + limit]]
    kinds = sorted({row["datatypeId"] for row in found})
    notes = [f"Only the first {len(found)} of {total} rows were ranked."] if len(found) < total else []
    if not found:
        notes.append("Open Targets lists no baseline expression of this gene.")
    elif not fitting:
        notes.append(f"None of the {len(found)} rows fits the filter; measurements listed: {', '.join(kinds)}.")
    answer = rows(
        shown,
        total=len(fitting) if tissue or datatype else total,
        next=next_offset(offset, len(shown), len(fitting)),
        note=" ".join(notes),
        data={"target": gene(target), "datatypes": kinds, "count": total, "rows": shown},
    )
    return service.cited(answer, cite_gene(target))


async def _expression(api: Api, ensembl_id: str) -> tuple[Json, list[Json]]:
    """Return the target and its rows, as many as are read."""
    found: list[Json] = []
    target: Json = None
    for index in range(EXPRESSION_PAGES_MAX):
        target = await service.ask_record(
            api,
            "target",
            "TargetExpression",
            texts.TARGET_EXPRESSION,
            ensembl_id,
            index=index,
            size=EXPRESSION_PAGE_ROWS,
        )
        if target is None:
            break
        page = target["baselineExpression"]
        found += page["rows"]
        if not page["rows"] or len(found) >= page["count"]:
            break
    return target, found


def _fits(row: Json, tissue: str | None, datatype: str | None) -> bool:
    places = [(row.get(name) or {}).get("biosampleName") for name in ("tissueBiosample", "celltypeBiosample")]
    if tissue and not names_match(tissue, *places):
        return False
    return not datatype or row["datatypeId"].lower() == datatype.lower()


@platform.tool(
    example={"ensembl_id": "ENSG00000169194", "source": "string", "min_score": 0.9, "limit": 2},
    asks=(
        "what does a protein bind to",
        "protein-protein interactions, PPI network",
        "STRING partners",
        "interactome of a gene",
        "partners and network of a protein",
    ),
)
async def get_target_interactions(
    api: Api,
    ensembl_id: EnsemblGeneId,
    source: Annotated[
        Literal["intact", "reactome", "signor", "string"] | None,
        Arg("Only interactions of this database; without it all four.", "string"),
    ] = None,
    min_score: Annotated[
        float | None, Arg("Lowest score, 0 to 1; rows without a score fall out.", 0.9, minimum=0, maximum=1)
    ] = None,
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """List proteins that interact with a gene's product, by Ensembl id, from IntAct, Reactome, SIGNOR and STRING, with
    score and roles. By UniProt accession use reactome__get_interactors.
    """
    index, size, skip = window(offset, limit)
    target = await service.ask_record(
        api,
        "target",
        "TargetInteractions",
        texts.TARGET_INTERACTIONS,
        ensembl_id,
        source=source,
        threshold=min_score,
        index=index,
        size=size,
    )
    if target is None:
        return unknown("target", ensembl_id)
    # No interaction at all is null, not an empty list.
    found = target["interactions"] or {"count": 0, "rows": []}
    shown = found["rows"][skip:]
    answer = service.page(
        {"target": gene(target)}, shown, found["count"], offset, nothing="Open Targets lists no such interaction."
    )
    partners = {each["id"]: each["approvedSymbol"] for row in shown if (each := row.get("targetB"))}
    return service.cited(answer, cite_gene(target), *(service.cite("target", *partner) for partner in partners.items()))


@platform.tool(
    example={"ensembl_id": "ENSG00000146648", "tissue": "prostate"},
    asks=(
        "is a gene essential for cancer cells",
        "DepMap dependency, CRISPR knockout screens",
        "Chronos score",
        "which cell lines die without the gene",
        "do tumour cells die when the gene is knocked out",
    ),
)
async def get_target_essentiality(
    api: Api,
    ensembl_id: EnsemblGeneId,
    tissue: Tissue = None,
    max_effect: Annotated[
        float,
        Arg("A cell line depends on the gene if its effect is at most this; -1 is usual.", minimum=-10, maximum=0),
    ] = -1.0,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Say whether cell lines need a gene (DepMap CRISPR): the essential-gene flag, per tissue the number of screens,
    median effect and dependent lines; with tissue also the single screens."""
    target = await service.ask_record(api, "target", "TargetEssentiality", texts.TARGET_ESSENTIALITY, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    found = target["depMapEssentiality"] or []
    fitting = [each for each in found if not tissue or names_match(tissue, each.get("tissueName"))]
    data = {
        "target": gene(target),
        "isEssential": target["isEssential"],
        "maxEffect": max_effect,
        "tissues": [_dependency(each, max_effect) for each in fitting],
    }
    note = ""
    if not fitting:
        names = ", ".join(sorted(each.get("tissueName") or "" for each in found))
        note = f"No tissue fits; there are {names}." if found else "DepMap has no screen of this gene."
    screens = sorted(
        (
            {"tissueName": each.get("tissueName"), **service.without_nulls(screen)}
            for each in fitting
            for screen in each["screens"]
        ),
        key=lambda screen: screen.get("geneEffect", 0.0),
    )
    shown = screens[offset : offset + limit] if tissue else []
    return Answer(
        {**data, "screens": shown} if tissue else data,
        ResultOutcome.DATA if fitting else ResultOutcome.EMPTY,
        total=len(screens) if tissue else len(fitting),
        returned=len(shown) if tissue else len(fitting),
        next=next_offset(offset, len(shown), len(screens)) if tissue else None,
        note=note,
        citations=[cite_gene(target)],
    )


def _dependency(tissue: Json, max_effect: float) -> Json:
    effects = [screen["geneEffect"] for screen in tissue["screens"] if screen.get("geneEffect") is not None]
    return {
        "tissueId": tissue.get("tissueId"),
        "tissueName": tissue.get("tissueName"),
        "screens": len(tissue["screens"]),
        "medianEffect": round(statistics.median(effects), 4) if effects else None,
        "dependent": sum(effect <= max_effect for effect in effects),
    }


@platform.tool(
    example={"ensembl_id": "ENSG00000169174", "limit": 5},
    asks=(
        "what happens in knockout mice",
        "phenotypes of mouse models",
        "MGI, IMPC mutant mice",
        "is the knockout lethal",
    ),
)
async def get_target_mouse_phenotypes(
    api: Api, ensembl_id: EnsemblGeneId, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """List phenotypes of mice in which the gene's orthologue is altered, with the mouse gene, the number of models and
    their papers."""
    target = await service.ask_record(api, "target", "TargetMousePhenotypes", texts.TARGET_MOUSE_PHENOTYPES, ensembl_id)
    if target is None:
        return unknown("target", ensembl_id)
    found = target["mousePhenotypes"]
    shown = [_phenotype(row) for row in found[offset : offset + limit]]
    answer = service.page(
        {"target": gene(target), "modelSpecies": "Mus musculus"},
        shown,
        len(found),
        offset,
        nothing="Open Targets lists no mouse phenotype of this gene.",
    )
    papers = service.cite_papers(paper for row in shown for paper in row["literature"])
    return service.cited(answer, cite_gene(target), *papers)


def _phenotype(row: Json) -> Json:
    models = row.get("biologicalModels") or []
    return {
        "id": row["modelPhenotypeId"],
        "label": row["modelPhenotypeLabel"],
        "classes": service.labels(row.get("modelPhenotypeClasses")),
        "mouseGene": row.get("targetInModel"),
        "mouseGeneId": row.get("targetInModelMgiId"),
        "modelCount": len(models),
        "allelicCompositions": sorted({model["allelicComposition"] for model in models}),
        "literature": sorted({paper for model in models for paper in model.get("literature") or []}),
    }
