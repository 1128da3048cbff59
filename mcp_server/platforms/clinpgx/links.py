"""What links records: all that is held on a pair of objects, and what was curated from one paper."""

from typing import Annotated, Literal

from mcp_server.args import Limit, Offset, Pmid
from mcp_server.envelope import Answer, Citation, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.clinpgx.entities import accession_of
from mcp_server.platforms.clinpgx.service import (
    EXACT_NAMES,
    HOST,
    PAGE,
    EntityQuery,
    Json,
    kept,
    next_page,
    papers,
    platform,
    record,
    report,
)
from mcp_server.tool import Arg

PairKind = Annotated[
    Literal[
        "summaryAnnotation",
        "variantAnnotation",
        "guidelineAnnotation",
        "label",
        "pathway",
        "literatureAnnotation",
        "vip",
    ],
    Arg("What to list: graded summaries, single papers, guidelines, labels, pathways, literature or VIP pages."),
]


def _pair_row(found: Json) -> Json:
    level = (found.get("levelOfEvidence") or {}).get("term")
    row = kept(found, "id", "accessionId", "name", "title", "sentence", "significance", "source", "types", "score")
    testing = (found.get("testing") or {}).get("term")
    return {**row, **({"levelOfEvidence": level} if level else {}), **({"testing": testing} if testing else {})}


@platform.tool(
    example={"first": "CYP2C19", "second": "clopidogrel"},
    asks=(
        "everything on one gene and one drug",
        "all records that link a drug and a gene",
        "evidence for a pair",
    ),
)
async def get_pair_evidence(
    api: Api,
    first: EntityQuery,
    second: EntityQuery,
    kind: PairKind = "summaryAnnotation",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List all that ClinPGx holds on two objects together, e.g. a gene and a drug: one kind of record at a time.
    Complete for the pair. For one readable page use gene_drug_report, for levels search_clinical_annotations.
    """
    ids = []
    for query in (first, second):
        accession, _ = await accession_of(api, query)
        if not accession:
            return empty(f"ClinPGx has nothing called {query!r}. {EXACT_NAMES}")
        ids.append(accession)
    found = await report(api, f"/report/pair/{ids[0]}/{ids[1]}/{kind}", {"view": "min"})
    listed = list({str(row.get("id")): _pair_row(row) for row in found}.values())
    shown = listed[offset : offset + limit]
    page = {"summaryAnnotation": "clinicalAnnotation", "label": "labelAnnotation"}.get(kind, kind)
    return rows(
        shown,
        total=len(listed),
        next=next_page(offset, len(shown), len(listed)),
        note="" if listed else f"ClinPGx holds no {kind} on {first} and {second}.",
        data={"first": ids[0], "second": ids[1], "kind": kind, "records": shown},
        citations=[
            Citation("clinpgx", str(row["id"]), row.get("name") or row.get("title", ""), f"{PAGE}/{page}/{row['id']}")
            for row in shown
            if "id" in row
        ],
    )


@platform.tool(
    example={"pmid": "30499100"},
    noise="del(.terms)",
    keep=(
        ".id",
        ".pmid",
        ".title",
        ".pubDate",
        ".crossReferences[].resourceId",
    ),
    asks=(
        "what did PharmGKB curate from this PMID",
        "pharmacogenomics annotations of a paper",
        "curated article",
    ),
)
async def get_curated_paper(api: Api, pmid: Pmid) -> Answer:
    """Get what ClinPGx curated from one paper by PMID: its entry with title, tags and linked records. For the abstract
    use pubmed__get_articles, for findings by variant search_variant_annotations.
    """
    response = await api.fetch("GET", f"/report/literatureId/{pmid}")
    number = response.text().strip().strip('"')
    if response.status == 204 or not number:
        return empty(f"ClinPGx has curated nothing from PMID {pmid}.")
    if not number.isdigit():
        raise UpstreamBadResponse(HOST, f"no number of a paper in the answer for PMID {pmid}")
    found = await record(api, f"/data/literature/{number}", "base")
    if found is None:
        raise UpstreamBadResponse(HOST, f"paper {number} of PMID {pmid} has no record")
    itself = papers({"literature": [found]})[0]
    if itself.get("pmid", pmid) != pmid:
        raise UpstreamBadResponse(HOST, f"asked for PMID {pmid}, got {itself['pmid']}")
    title = found.get("title") or ""
    return Answer(
        {
            "pmid": pmid,
            **{name: value for name, value in found.items() if name not in ("objCls", "history", "version")},
        },
        citations=[Citation("clinpgx", number, title, f"{PAGE}/literature/{number}"), Citation("pmid", pmid, title)],
    )
