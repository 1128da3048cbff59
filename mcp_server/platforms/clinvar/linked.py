"""What NCBI links to a variant or condition: articles, genes, and records of other databases."""

from typing import Annotated, Any, Literal

from mcp_server.args import ClinVarVariationId, Limit, Offset
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.clinvar import entrez, records
from mcp_server.platforms.clinvar.base import VARIANT, platform
from mcp_server.tool import Arg, Cite

Json = Any

RECORD_PAGES = {
    "gene": "https://www.ncbi.nlm.nih.gov/gene/{id}",
    "omim": "https://www.omim.org/entry/{id}",
    "medgen": "https://www.ncbi.nlm.nih.gov/medgen/{id}",
    "snp": "https://www.ncbi.nlm.nih.gov/snp/rs{id}",
    "gtr": "https://www.ncbi.nlm.nih.gov/gtr/tests/{id}/",
    "clinvar": "https://www.ncbi.nlm.nih.gov/clinvar/variation/{id}/",
}
_TITLES = ("title", "name", "testname", "nomenclaturename", "caption")


@platform.tool(
    example={"variation_id": "13961"},
    cites=(VARIANT, Cite("pmid", "articles[]", "pmid", "title")),
    asks=(
        "papers on a ClinVar variant",
        "publications cited by submitters",
        "articles about a variation id",
    ),
)
async def get_variant_literature(
    api: Api, variation_id: ClinVarVariationId, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """PubMed articles of one ClinVar variant: those its submitters cite and those NCBI links to it, newest number
    first. All that name it in any spelling: pubtator3__get_variant_publications; paper to variants:
    ensembl__get_variants_in_paper.

    variation_id, accession_version, title, articles: [{pmid, title, journal, date, cited (by a submitter), linked
    (by NCBI)}].
    """
    uid = records.variation_id(variation_id)
    archive = await entrez.record(api, uid)
    if archive is None:
        return unknown_id(variation_id, f"ClinVar has no variant {variation_id}.")
    cited = {row.text.strip() for row in archive.iterfind(".//Citation/ID[@Source='PubMed']") if row.text}
    linked = await entrez.links(api, "clinvar", "pubmed", uid, "clinvar_pubmed")
    pmids = sorted(cited | set(linked), key=int, reverse=True)
    shown = pmids[offset : offset + limit]
    summaries, _ = await entrez.summaries(api, shown, db="pubmed")
    by_pmid = {str(row["uid"]): row for row in summaries}
    articles = [_article(pmid, by_pmid.get(pmid, {}), pmid in cited, pmid in linked) for pmid in shown]
    version = f"{archive.get('Accession', records.vcv(uid))}.{archive.get('Version', '')}".rstrip(".")
    data = {"variation_id": uid, "accession_version": version, "title": archive.get("VariationName")}
    end = offset + len(shown)
    return rows(
        articles,
        data={**data, "articles": articles},
        total=len(pmids),
        next={"offset": end} if shown and end < len(pmids) else None,
        note="" if pmids else f"ClinVar names no article for variant {uid}.",
    )


@platform.tool(
    example={"source": "clinvar", "uid": "13961", "target": "gene"},
    asks=(
        "NCBI links of a variant",
        "from a ClinVar variant to the gene or OMIM",
        "genetic tests for a condition, GTR",
        "cross-database links",
    ),
)
async def get_linked_records(
    api: Api,
    source: Annotated[Literal["clinvar", "medgen"], Arg("Where the id comes from.")],
    uid: Annotated[str, Arg("ClinVar Variation ID, or MedGen uid (not CUI); digits.", "13961", r"^\d{1,9}$")],
    target: Annotated[
        Literal["gene", "omim", "medgen", "snp", "gtr", "clinvar"], Arg("Database of the linked records.")
    ],
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """ClinVar variant or MedGen condition to the records that NCBI links to it: genes, OMIM, conditions, dbSNP, genetic
    tests. Articles of a variant: get_variant_literature; from a PMID: pubmed__get_linked_records.

    source, uid, target, records: [{id, title, links (names of the links), url}].
    """
    if source == target:
        raise InvalidArguments("target", f"source and target are both {source}", "gene")
    found = await entrez.links(api, source, target, uid)
    if not found:
        _, missing = await entrez.summaries(api, [uid], db=source)
        if missing:
            return unknown_id(uid, f"{source} has no record {uid}.")
        return empty(f"NCBI links no {target} record to {source} {uid}.", data={"source": source, "uid": uid})
    shown = list(found)[offset : offset + limit]
    summaries, _ = await entrez.summaries(api, shown, db=target)
    titles = {str(row["uid"]): next((row[key] for key in _TITLES if row.get(key)), None) for row in summaries}
    linked = [
        {"id": one, "title": titles.get(one), "links": found[one], "url": RECORD_PAGES[target].format(id=one)}
        for one in shown
    ]
    end = offset + len(shown)
    return rows(
        linked,
        data={"source": source, "uid": uid, "target": target, "records": linked},
        total=len(found),
        next={"offset": end} if shown and end < len(found) else None,
        citations=[_citation(target, row) for row in linked],
    )


def _citation(target: str, row: Json) -> Citation:
    own_kinds = {"snp": ("rsid", f"rs{row['id']}"), "gene": ("ncbi_gene", row["id"])}
    kind, identifier = own_kinds.get(target, (target, row["id"]))
    if target == "clinvar":
        kind, identifier = "clinvar_variation", records.vcv(row["id"])
    return Citation(kind, identifier, row["title"] or "", row["url"])


def _article(pmid: str, summary: Json, cited: bool, linked: bool) -> Json:
    named = {"title": summary.get("title"), "journal": summary.get("source"), "date": summary.get("pubdate")}
    return {"pmid": pmid, **named, "cited": cited, "linked": linked}
