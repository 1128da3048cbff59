"""GWAS and QTL studies, and the fine-mapped signals (credible sets) found in them."""

from typing import Annotated, Any

from mcp_server.args import DiseaseId, EnsemblGeneId, Limit, Offset
from mcp_server.envelope import Answer, Citation, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.associations import IncludeSubtypes
from mcp_server.platforms.opentargets.queries import genetics as texts
from mcp_server.platforms.opentargets.service import StudyTypes, cite, cite_gene, gene, platform, unknown, window
from mcp_server.tool import Arg

Json = Any

StudyId = Annotated[str, Arg("Study id: GWAS Catalog accession, FinnGen or QTL id.", "GCST004131", r"^[\w.+-]{3,120}$")]
StudyLocusId = Annotated[
    str,
    Arg(
        "Id of a credible set, from another tool's result; it changes with every release.",
        "118db6d05cf67fe7668ee7bac1170fd3",
        r"^[0-9a-f]{32}$",
        normalise=str.lower,
    ),
]


def _cite_study(study: Json) -> list[Citation]:
    return [
        cite("study", study["id"], study.get("traitFromSource") or ""),
        *service.cite_papers([study.get("pubmedId")]),
    ]


@platform.tool(
    example={"ensembl_id": "ENSG00000169174", "limit": 5},
    asks=(
        "GWAS hits for a gene",
        "is the gene supported by genetic associations",
        "QTL and GWAS loci assigned to a gene",
        "fine-mapped signals of a target",
    ),
)
async def get_target_credible_sets(
    api: Api, ensembl_id: EnsemblGeneId, limit: Limit = 25, offset: Offset = 0
) -> Answer:
    """List GWAS and QTL signals assigned to a gene, with trait, lead variant, p-value and fine-mapping method.
    From a variant use get_variant_credible_sets."""
    index, size, skip = window(offset, limit)
    target = await service.ask_record(
        api, "target", "TargetCredibleSets", texts.TARGET_CREDIBLE_SETS, ensembl_id, index=index, size=size
    )
    if target is None:
        return unknown("target", ensembl_id)
    found = target["credibleSets"]
    answer = service.page(
        {"target": gene(target), "assembly": service.ASSEMBLY},
        found["rows"][skip:],
        found["count"],
        offset,
        nothing="No GWAS or QTL signal is assigned to this gene.",
    )
    studies = {study["id"]: study["traitFromSource"] for row in answer.data["rows"] if (study := row.get("study"))}
    return service.cited(answer, cite_gene(target), *(cite("study", *study) for study in studies.items()))


@platform.tool(
    example={"disease_id": "MONDO_0004979", "limit": 5},
    asks=(
        "genome-wide association studies of a trait",
        "GWAS catalog studies with summary statistics",
        "sample size, ancestry of a GWAS",
        "large association studies of a trait such as height",
    ),
)
async def search_gwas_studies(
    api: Api,
    disease_id: DiseaseId,
    include_subtypes: IncludeSubtypes = True,
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """Find GWAS studies of a disease: id, trait, sample size, cases, first author, PMID and whether summary statistics
    exist. For the signals of one study use get_gwas_study."""
    index, size, skip = window(offset, limit)

    def variables(identifier: str) -> dict[str, Json]:
        return {"diseaseIds": [identifier], "indirect": include_subtypes, "index": index, "size": size}

    answered, note = await service.ask_disease(api, "GwasStudies", texts.GWAS_STUDIES, disease_id, variables)
    disease = answered["disease"]
    if disease is None:
        return unknown("disease", disease_id)
    found = answered["studies"]
    answer = service.page(
        {"disease": {"id": disease["id"], "name": disease["name"]}, "include_subtypes": include_subtypes},
        found["rows"][skip:],
        found["count"],
        offset,
        nothing="Open Targets lists no GWAS study of this disease.",
        note=note,
    )
    studies = [citation for study in answer.data["rows"] for citation in _cite_study(study)]
    return service.cited(answer, cite("disease", disease["id"], disease["name"]), *studies)


@platform.tool(
    example={"study_id": "GCST004131", "limit": 2},
    asks=(
        "details of a GCST accession",
        "loci found by one GWAS",
        "genome-wide significant signals of a study",
        "eQTL study",
        "result of one association study",
    ),
)
async def get_gwas_study(api: Api, study_id: StudyId, limit: Limit = 25, offset: Offset = 0) -> Answer:
    """Get one GWAS or QTL study by its id: trait, samples, publication, and its fine-mapped signals with the likely
    causal genes. For a clinical trial use clinicaltrials__get_study.
    """
    index, size, skip = window(offset, limit)
    study = await service.ask_record(api, "study", "GwasStudy", texts.GWAS_STUDY, study_id, index=index, size=size)
    if study is None:
        return unknown("study", study_id)
    found = study.pop("credibleSets")
    answer = service.page(
        {"study": service.without_nulls(study), "assembly": service.ASSEMBLY},
        found["rows"][skip:],
        found["count"],
        offset,
        nothing="No signal of this study was fine-mapped.",
    )
    # A study without signals is still a record.
    answer = Answer(answer.data, total=answer.total, returned=answer.returned, next=answer.next, note=answer.note)
    return service.cited(answer, *_cite_study(study))


PARTS = ("l2GPredictions", "colocalisation", "locus")


@platform.tool(
    example={"study_locus_id": "118db6d05cf67fe7668ee7bac1170fd3", "limit": 2},
    noise="if .l2GPredictions.rows then .l2GPredictions.rows |= map(del(.features)) else . end",
    keep=(
        ".studyLocusId",
        ".study.id",
        ".variant.id",
        ".pValueMantissa",
        ".pValueExponent",
        ".l2GPredictions.rows[].target.id",
        ".l2GPredictions.rows[].score",
        ".locus.rows[].variant.id",
        ".locus.rows[].posteriorProbability",
        ".colocalisation.rows[]",
    ),
    asks=(
        "causal gene at a locus, L2G",
        "posterior probability of each SNP in the set",
        "colocalisation with eQTL",
        "fine mapping of one signal",
        "which gene does the association peak act through",
    ),
)
async def get_credible_set(
    api: Api,
    study_locus_id: StudyLocusId,
    study_types: StudyTypes = None,
    with_features: Annotated[bool, Arg("Whether each gene's score comes with the features behind it.")] = False,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Get one fine-mapped signal: lead variant, likely causal genes (L2G scores), colocalising signals of study_types,
    and member variants with posterior probability."""
    index, size, skip = window(offset, limit)
    variables = {"studyLocusId": study_locus_id, "studyTypes": study_types, "index": index, "size": size}
    record = (await service.ask(api, "CredibleSet", texts.CREDIBLE_SET, variables))["credibleSet"]
    if record is None:
        return unknown_id(
            study_locus_id,
            f"Open Targets has no credible set {study_locus_id}: these ids change with every release, so take it from "
            "get_gwas_study, get_variant_credible_sets or get_target_credible_sets.",
        )
    if record["studyLocusId"] != study_locus_id:
        raise UpstreamBadResponse(service.HOST, f"asked for {study_locus_id}, got {record['studyLocusId']}")
    for name in PARTS:
        record[name] = {"count": record[name]["count"], "rows": (record[name]["rows"] or [])[skip:]}
    if not with_features:
        for row in record["l2GPredictions"]["rows"]:
            row.pop("features", None)
    longest = max(record[name]["count"] for name in PARTS)
    returned = max(len(record[name]["rows"]) for name in PARTS)
    study = record.get("study") or {}
    return Answer(
        {**record, "assembly": service.ASSEMBLY},
        total=longest,
        returned=returned,
        next=service.next_offset(offset, returned, longest),
        note=f"The three lists count apart: total and returned are those of the longest ({longest} rows).",
        citations=[
            Citation("credible_set", study_locus_id, study.get("traitFromSource") or "", _page_of(study_locus_id)),
            *(_cite_study(study) if study else []),
        ],
    )


def _page_of(study_locus_id: str) -> str:
    return f"{service.PAGE}/credible-set/{study_locus_id}"
