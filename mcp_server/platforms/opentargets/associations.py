"""The scored associations between genes and diseases, from either side."""

from typing import Annotated, Any

from mcp_server.args import DiseaseId, EnsemblGeneId, Limit, Offset, look_up_form
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.queries import diseases as texts
from mcp_server.platforms.opentargets.service import Datasource, cite, next_offset, platform, unknown, window
from mcp_server.tool import Arg

Json = Any

IncludeSubtypes = Annotated[
    bool, Arg("Whether evidence for the subtypes of a disease counts for the disease; this changes every score.")
]
RankBy = Annotated[
    Datasource | None, Arg("Rank by the score of one source instead of the overall score.", "clinical_precedence")
]


def _order(rank_by: str | None) -> str | None:
    return f"{rank_by} desc" if rank_by else None


@platform.tool(
    example={"disease_id": "MONDO_0004989", "limit": 50},
    asks=(
        "which genes are involved in a disease",
        "candidate drug targets for an illness",
        "disease genes ranked by evidence",
        "best targets for Crohn's disease",
        "what causes the disease on the gene level",
    ),
)
async def get_disease_associated_targets(
    api: Api,
    disease_id: DiseaseId,
    limit: Limit = 50,
    offset: Offset = 0,
    include_subtypes: IncludeSubtypes = True,
    symbol_filter: Annotated[
        str | None, Arg("Only genes whose symbol or name holds this text.", "BRCA", normalise=look_up_form)
    ] = None,
    rank_by: RankBy = None,
) -> Answer:
    """Disease → targets: genes associated with a disease, ranked by overall score, with scores by type and source.
    For the papers and trials behind one pair use get_target_disease_evidence."""
    index, size, skip = window(offset, limit)
    asked = {
        "index": index,
        "size": size,
        "indirect": include_subtypes,
        "orderBy": _order(rank_by),
        "filter": symbol_filter,
    }
    answered, note = await service.ask_disease(
        api, "DiseaseAssociatedTargets", texts.DISEASE_ASSOCIATED_TARGETS, disease_id, lambda id: asked
    )
    disease = answered["disease"]
    if disease is None:
        return unknown("disease", disease_id)
    owner = {"id": disease["id"], "name": disease["name"]}
    answer = _associations("disease", owner, disease["associatedTargets"], skip, offset, include_subtypes, note)
    answer.data["species"] = service.HUMAN
    found = [cite("target", row["target"]["id"], row["target"]["approvedSymbol"]) for row in answer.data["rows"]]
    return service.cited(answer, cite("disease", owner["id"], owner["name"]), *found)


@platform.tool(
    example={"ensembl_id": "ENSG00000141736", "limit": 5},
    asks=(
        "which diseases is a gene linked to",
        "what illnesses does this target play a role in",
        "gene-disease associations with scores",
        "indications for a target",
        "illnesses that come with a faulty gene",
    ),
)
async def get_target_associated_diseases(
    api: Api,
    ensembl_id: EnsemblGeneId,
    limit: Limit = 25,
    offset: Offset = 0,
    include_subtypes: IncludeSubtypes = False,
    include_measurements: Annotated[
        bool, Arg("Whether measured traits, e.g. a blood value, are listed beside diseases.")
    ] = False,
    name_filter: Annotated[
        str | None, Arg("Only diseases whose name holds this text.", "carcinoma", normalise=look_up_form)
    ] = None,
    rank_by: RankBy = None,
) -> Answer:
    """Target → diseases: diseases associated with a gene, ranked by overall score, with scores by type and source.
    For the papers and trials behind one pair use get_target_disease_evidence."""
    index, size, skip = window(offset, limit)
    target = await service.ask_record(
        api,
        "target",
        "TargetAssociatedDiseases",
        texts.TARGET_ASSOCIATED_DISEASES,
        ensembl_id,
        index=index,
        size=size,
        indirect=include_subtypes,
        # Measurements are hidden unless they are asked for.
        measurements=include_measurements or None,
        orderBy=_order(rank_by),
        filter=name_filter,
    )
    if target is None:
        return unknown("target", ensembl_id)
    owner = service.gene(target)
    answer = _associations("target", owner, target["associatedDiseases"], skip, offset, include_subtypes, "")
    found = [cite("disease", row["disease"]["id"], row["disease"]["name"]) for row in answer.data["rows"]]
    return service.cited(answer, service.cite_gene(target), *found)


def _associations(
    entity: str, owner: Json, found: Json, skip: int, offset: int, include_subtypes: bool, note: str
) -> Answer:
    """Lay out one page of associations; both directions look the same."""
    shown = found["rows"][skip:]
    total = found.get("count", offset + len(shown))
    data = {entity: owner, "include_subtypes": include_subtypes, "count": total, "rows": shown}
    if not shown:
        note = f"{note} No association is listed from row {offset} on.".strip()
    return rows(shown, total=total, next=next_offset(offset, len(shown), total), note=note, data=data)
