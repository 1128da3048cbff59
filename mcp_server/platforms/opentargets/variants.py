"""One variant: its record, its disease and drug evidence, the signals it belongs to."""

from typing import Annotated, Any

from mcp_server.args import Limit, Offset
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation
from mcp_server.http.client import Api
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.evidence import EvidenceLimit
from mcp_server.platforms.opentargets.queries import genetics as texts
from mcp_server.platforms.opentargets.service import Cursor, Datasources, StudyTypes, VariantId, cite, platform, window
from mcp_server.tool import Arg

Json = Any


def _cite_variant(variant: Json) -> list[Citation]:
    rsids = variant.get("rsIds") or []
    return [cite("variant", variant["id"], ", ".join(rsids)), *(Citation("rsid", rsid) for rsid in rsids)]


def _owner(variant: Json) -> Json:
    return {"id": variant["id"], "rsIds": variant.get("rsIds") or [], "assembly": service.ASSEMBLY}


@platform.tool(
    example={"variant_id": "19_44908822_C_T"},
    asks=(
        "variant by chromosome_position_ref_alt",
        "consequence and frequencies of a variant",
        "effect predictors of a GRCh38 variant",
    ),
)
async def get_variant_info(
    api: Api,
    variant_id: VariantId,
    all_transcripts: Annotated[
        bool, Arg("Whether consequences for other than canonical transcripts come too.")
    ] = False,
) -> Answer:
    """Get a variant (chromosome_position_ref_alt, GRCh38, or rsID): consequence, effect predictors, population
    frequencies and HGVS. For ClinVar's classification use clinvar__resolve_variant, for more predictors or hg19
    myvariant__variant_get.
    """
    variant, said = await service.ask_variant(api, "VariantInfo", texts.VARIANT_INFO, variant_id)
    if isinstance(said, Answer):
        return said
    consequences = variant.get("transcriptConsequences") or []
    kept = [each for each in consequences if all_transcripts or each.get("isEnsemblCanonical")]
    data = {
        **variant,
        "assembly": service.ASSEMBLY,
        "species": service.HUMAN,
        "transcriptConsequences": kept,
        "transcriptConsequenceCount": len(consequences),
    }
    return Answer(data, note=said, citations=_cite_variant(variant))


@platform.tool(
    example={"variant_id": "19_44908822_C_T", "limit": 5},
    asks=(
        "diseases a variant causes",
        "disease evidence of a single variant",
        "is a variant linked to illness or drug response",
    ),
)
async def get_variant_evidence(
    api: Api, variant_id: VariantId, datasources: Datasources = None, limit: EvidenceLimit = 25, cursor: Cursor = None
) -> Answer:
    """List disease evidence of a variant (ClinVar, UniProt, cancer sources) with scores, and its drug-response rows.
    For GWAS signals use get_variant_credible_sets, for a clinical card myvariant__variant_clinical_summary.
    """
    variant, said = await service.ask_variant(
        api, "VariantEvidence", texts.VARIANT_EVIDENCE, variant_id, datasourceIds=datasources, size=limit, cursor=cursor
    )
    if isinstance(said, Answer):
        return said
    found = variant["evidences"]
    shown = [service.without_nulls(row) for row in found["rows"]]
    responses = [service.without_nulls(row) for row in variant["pharmacogenomics"]]
    data = {
        "variant": _owner(variant),
        "count": found["count"],
        "rows": shown,
        "pharmacogenomics": responses,
        "pharmacogenomicsCount": len(responses),
    }
    known = bool(shown or responses)
    papers = service.cite_papers(number for row in (*shown, *responses) for number in row.get("literature", []))
    return Answer(
        data,
        ResultOutcome.DATA if known else ResultOutcome.EMPTY,
        total=found["count"],
        returned=len(shown),
        next={"cursor": found["cursor"]} if found.get("cursor") and len(shown) == limit else None,
        note=said if known else f"{said} Open Targets lists no such evidence of this variant.".strip(),
        citations=[*_cite_variant(variant), *papers],
    )


@platform.tool(
    example={"variant_id": "1_154453788_C_T", "study_types": ["gwas"], "limit": 2},
    asks=(
        "which traits is a SNP associated with",
        "GWAS associations of a variant",
        "PheWAS",
        "does the SNP change expression, eQTL",
        "which gene does a GWAS SNP act on",
        "traits and diseases linked to a SNP",
    ),
)
async def get_variant_credible_sets(
    api: Api, variant_id: VariantId, study_types: StudyTypes = None, limit: Limit = 25, offset: Offset = 0
) -> Answer:
    """List GWAS and QTL signals that contain a variant, with trait, p-value, effect and the likely causal genes.
    From a gene use get_target_credible_sets."""
    index, size, skip = window(offset, limit)
    variant, said = await service.ask_variant(
        api,
        "VariantCredibleSets",
        texts.VARIANT_CREDIBLE_SETS,
        variant_id,
        studyTypes=study_types,
        index=index,
        size=size,
    )
    if isinstance(said, Answer):
        return said
    found = variant["credibleSets"]
    answer = service.page(
        {"variant": _owner(variant)},
        found["rows"][skip:],
        found["count"],
        offset,
        nothing="No signal of these kinds contains this variant.",
        note=said,
    )
    studies = {study["id"]: study["traitFromSource"] for row in answer.data["rows"] if (study := row.get("study"))}
    return service.cited(answer, *_cite_variant(variant), *(cite("study", *study) for study in studies.items()))
