"""What an association rests on: single pieces of evidence, and how many each source holds."""

from typing import Annotated, Any

from mcp_server.args import DiseaseId, EnsemblGeneId
from mcp_server.envelope import Answer, Citation, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.associations import IncludeSubtypes
from mcp_server.platforms.opentargets.queries import diseases as texts
from mcp_server.platforms.opentargets.service import Cursor, Datasources, platform, unknown
from mcp_server.tool import Arg

Json = Any

SENTENCES_SHOWN = 2
EvidenceLimit = Annotated[int, Arg("How many pieces of evidence to return at most.", minimum=1, maximum=100)]


async def _ask_pair(
    api: Api, operation: str, text: str, ensembl_id: str, disease_id: str, variables: dict[str, Json]
) -> tuple[Json, str | Answer]:
    """Return the answer about a pair and a note; where one of the two is not known, the answer that says so."""
    asked = {"ensemblId": ensembl_id, "ensemblIds": [ensembl_id], **variables}
    answered, note = await service.ask_disease(api, operation, text, disease_id, lambda id: asked)
    if answered["target"] is None:
        return None, unknown("target", ensembl_id)
    service.check_same("target", ensembl_id, answered["target"])
    if answered["disease"] is None:
        return None, unknown("disease", disease_id)
    return answered, note


def _pair(answered: Json) -> dict[str, Json]:
    disease = answered["disease"]
    return {"target": service.gene(answered["target"]), "disease": {"id": disease["id"], "name": disease["name"]}}


def _cite_pair(answered: Json) -> Citation:
    """Cite the page of the pair."""
    target, disease = answered["target"], answered["disease"]
    return Citation(
        "evidence",
        f"{target['id']}/{disease['id']}",
        f"{target['approvedSymbol']} and {disease['name']}",
        f"{service.PAGE}/evidence/{target['id']}/{disease['id']}",
    )


@platform.tool(
    example={"ensembl_id": "ENSG00000001626", "disease_id": "MONDO_0009061", "limit": 2},
    noise="if .rows then .rows |= map(del(.urls)) else . end",
    keep=(
        ".count",
        ".target.id",
        ".disease.id",
        ".rows[].id",
        ".rows[].datasourceId",
        ".rows[].score",
        ".rows[].literature[]",
    ),
    asks=(
        "proof that a gene causes a disease",
        "why is the target associated with it",
        "genetic evidence, papers and trials for a gene-disease pair",
    ),
)
async def get_target_disease_evidence(
    api: Api,
    ensembl_id: EnsemblGeneId,
    disease_id: DiseaseId,
    datasources: Datasources = None,
    include_subtypes: IncludeSubtypes = True,
    limit: EvidenceLimit = 20,
    cursor: Cursor = None,
) -> Answer:
    """List the single pieces of evidence (papers, variants, trials) behind one gene and disease, with source and score.
    For how many each source holds use list_evidence_sources_for_pair."""
    variables = {"datasourceIds": datasources, "indirect": include_subtypes, "size": limit, "cursor": cursor}
    answered, said = await _ask_pair(
        api, "TargetDiseaseEvidence", texts.TARGET_DISEASE_EVIDENCE, ensembl_id, disease_id, variables
    )
    if isinstance(said, Answer):
        return said
    found = answered["disease"]["evidences"]
    strangers = {row["target"]["id"] for row in found["rows"]} - {ensembl_id}
    if strangers:
        raise UpstreamBadResponse(service.HOST, f"asked for {ensembl_id}, got evidence of {', '.join(strangers)}")
    shown = [_evidence(row) for row in found["rows"]]
    nothing = "No evidence is listed for this pair and these sources."
    more = {"cursor": found["cursor"]} if shown and found.get("cursor") and len(shown) == limit else None
    answer = rows(
        shown,
        total=found["count"],
        next=more,
        note=said if shown else f"{said} {nothing}".strip(),
        data={**_pair(answered), "include_subtypes": include_subtypes, "count": found["count"], "rows": shown},
    )
    papers = (number for row in shown for number in row.get("literature", []))
    return service.cited(answer, _cite_pair(answered), *service.cite_papers(papers))


def _evidence(row: Json) -> Json:
    """Leave out what the evidence does not say, and keep the first sentences of a text-mined one."""
    kept = service.without_nulls({name: value for name, value in row.items() if name != "target"})
    if sentences := kept.pop("textMiningSentences", None):
        kept["sentences"] = sentences[:SENTENCES_SHOWN]
        kept["sentenceCount"] = len(sentences)
    return kept


@platform.tool(
    example={"ensembl_id": "ENSG00000001626", "disease_id": "MONDO_0009061"},
    asks=(
        "what kinds of evidence link a gene to a disease",
        "evidence counts by data source",
        "is the link genetic or literature only",
    ),
)
async def list_evidence_sources_for_pair(
    api: Api, ensembl_id: EnsemblGeneId, disease_id: DiseaseId, include_subtypes: IncludeSubtypes = True
) -> Answer:
    """Count the pieces of evidence that each source (ClinVar, GWAS, trials, text mining …) holds for one gene and
    disease. For the pieces themselves use get_target_disease_evidence."""
    answered, said = await _ask_pair(
        api, "EvidenceCounts", texts.EVIDENCE_COUNTS, ensembl_id, disease_id, {"indirect": include_subtypes}
    )
    if isinstance(said, Answer):
        return said
    datatypes = {each["datasource"]: each["datatype"] for each in answered.get("associationDatasources") or []}
    counts = {name: answered["disease"][name]["count"] for name in texts.EVIDENCE_SOURCES}
    listed = [
        {"datasource": name, "datatype": datatypes.get(name), "count": count}
        for name, count in sorted(counts.items(), key=lambda pair: -pair[1])
        if count
    ]
    total = answered["disease"]["all"]["count"]
    note = said if listed else f"{said} No source holds evidence for this pair.".strip()
    if rest := total - sum(counts.values()):
        note = f"{note} {rest} more come from sources that are not counted apart.".strip()
    data = {
        **_pair(answered),
        "include_subtypes": include_subtypes,
        "evidenceCount": total,
        "sources": listed,
        "without": [name for name, count in counts.items() if not count],
    }
    return service.cited(rows(listed, note=note, data=data), _cite_pair(answered))
