"""From an article to what stands near it, and from a record of another NCBI database to its articles."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urljoin

from mcp_server.args import Limit
from mcp_server.envelope import Answer, Citation, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.markup import whole_text
from mcp_server.platforms.pubmed.service import (
    HOST,
    Offset,
    OnePmid,
    elink,
    esummary,
    is_known,
    plain_title,
    platform,
    summaries,
    unknown_article,
    xml,
)
from mcp_server.tool import Arg, Cite

Json = Any

_ARTICLES = Cite("pmid", ".articles[]", ".pmid", ".title")
# Which list of links is meant; other lists of the same pair of databases are guesses of the text miner.
TO_PUBMED = {
    "gene": "gene_pubmed",
    "clinvar": "clinvar_pubmed",
    "snp": "snp_pubmed_cited",
    "medgen": "medgen_pubmed",
    "pccompound": "pccompound_pubmed",
    "protein": "protein_pubmed",
    "omim": "omim_pubmed_cited",
}
PAGES = "https://www.ncbi.nlm.nih.gov"


@platform.tool(
    example={"pmid": "37258680", "limit": 3},
    cites=_ARTICLES,
    asks=(
        "papers like this one",
        "related articles",
        "more on the same topic as a PMID",
    ),
)
async def find_similar_articles(
    api: Api,
    pmid: OnePmid,
    reviews_only: Annotated[bool, Arg("Only review articles.")] = False,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Find the articles most similar in words and MeSH to a PMID, ranked, with a score relative to the best. It is
    about topic: who cites it says europepmc__get_citations.
    """
    linkname = "pubmed_pubmed_reviews" if reviews_only else "pubmed_pubmed"
    links = await elink(api, pmid, dbfrom="pubmed", db="pubmed", cmd="neighbor_score", linkname=linkname)
    # The first similar article is the article itself.
    scores = {str(each["id"]): int(each["score"]) for each in links.get(linkname, []) if str(each["id"]) != pmid}
    ranked = sorted(scores, key=lambda each: -scores[each])
    shown = ranked[offset : offset + limit]
    known = {summary["pmid"]: summary for summary in await summaries(api, [pmid, *shown])}
    if pmid not in known:
        return unknown_article(pmid)
    best = max(scores.values(), default=1)
    articles = [{**known.get(each, {"pmid": each}), "relative_score": round(scores[each] / best, 3)} for each in shown]
    reached = offset + len(shown)
    return rows(
        articles,
        total=len(ranked),
        next={"offset": reached} if shown and reached < len(ranked) else None,
        note="" if shown else "PubMed lists no similar article.",
        data={"pmid": pmid, "title": known[pmid]["title"], "articles": articles},
        citations=[Citation("pmid", pmid, known[pmid]["title"])],
    )


LinkedDatabase = Literal[
    "all", "gene", "clinvar", "snp", "protein", "omim", "medgen", "pccompound", "gds", "sra", "structure", "nuccore",
    "taxonomy",
]  # fmt: skip


@platform.tool(
    example={"pmid": "26846451", "database": "gene"},
    asks=(
        "genes, SNPs or proteins linked to a paper",
        "NCBI records behind a PMID",
        "elink from PubMed",
        "GEO or nucleotide records of an article",
        "sequences linked to an article",
    ),
)
async def get_linked_records(
    api: Api,
    pmid: OnePmid,
    database: Annotated[LinkedDatabase, Arg("NCBI database; `all` lists which links exist.", "gene")],
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """Paper → records: list records of another NCBI database (gene, ClinVar, SNP, protein, OMIM …) linked to a PMID.
    The reverse is find_articles_for_record; what its text names: pubtator3__get_annotations; data it cites:
    europepmc__get_database_links.
    """
    if database == "all":
        return await _available_links(api, pmid)
    links = await elink(api, pmid, dbfrom="pubmed", db=database, cmd="neighbor")
    names: dict[str, list[str]] = {}
    for linkname, uids in links.items():
        for uid in uids:
            names.setdefault(str(uid), []).append(linkname)
    if not names and not await is_known(api, pmid):
        return unknown_article(pmid)
    shown = list(names)[offset : offset + limit]
    found = await esummary(api, database, shown)
    records = [{"uid": uid, "links": names[uid], **_labels(found.get(uid, {}))} for uid in shown]
    reached = offset + len(shown)
    return rows(
        records,
        total=len(names),
        next={"offset": reached} if shown and reached < len(names) else None,
        note="" if shown else f"NCBI links no record of {database} to PMID {pmid}.",
        data={"pmid": pmid, "database": database, "records": records},
        citations=[Citation("pmid", pmid), *(_cite(database, row) for row in records)],
    )


async def _available_links(api: Api, pmid: str) -> Answer:
    """List the kinds of links that a PMID has."""
    root = await xml(api, "/elink.fcgi", {"dbfrom": "pubmed", "id": pmid, "cmd": "acheck"})
    found = root.find(".//IdCheckList/IdLinkSet")
    if found is not None and whole_text(found.find("Id")) != pmid:
        raise UpstreamBadResponse(HOST, f"asked for {pmid}, the answer is about {whole_text(found.find('Id'))}")
    links = [
        {
            "database": whole_text(each.find("DbTo")),
            "linkname": whole_text(each.find("LinkName")),
            "label": whole_text(each.find("MenuTag")),
        }
        for each in (found.findall("LinkInfo") if found is not None else [])
    ]
    if not links and not await is_known(api, pmid):
        return unknown_article(pmid)
    note = "" if links else f"NCBI links nothing to PMID {pmid}."
    data = {"pmid": pmid, "database": "all", "links": links}
    return rows(links, note=note, data=data, citations=[Citation("pmid", pmid)])


def _labels(record: Json) -> Json:
    """Return what a summary of any database calls its record, and its species where it has one."""
    organism = record.get("organism")
    species = organism.get("scientificname") if isinstance(organism, dict) else organism
    names = ("title", "name", "scientificname", "caption", "iupacname")
    facts = {
        "label": next((plain_title(str(record[name])) for name in names if record.get(name)), None),
        "description": record.get("description"),
        "accession": record.get("accession") or record.get("accessionversion"),
        "species": species or record.get("taxname"),
    }
    return {name: value for name, value in facts.items() if value}


def _cite(database: str, row: Json) -> Citation:
    label = row.get("label", "")
    if database == "snp":
        return Citation("rsid", f"rs{row['uid']}", label)
    if database == "clinvar":
        return Citation(
            "clinvar_variation", row.get("accession", row["uid"]), label, f"{PAGES}/clinvar/variation/{row['uid']}/"
        )
    if database == "pccompound":
        return Citation("pubchem", row["uid"], label)
    return Citation(f"ncbi_{database}", row["uid"], label, f"{PAGES}/{database}/{row['uid']}")


def _uid_form(text: str) -> str:
    """Return the number of an accession: rs7412, VCV000013961.5, CID 2244, MIM 604370."""
    bare = re.sub(r"^(rs|VCV0*|CID|OMIM|MIM|GeneID)\s*:?\s*(?=\d)", "", text, flags=re.IGNORECASE)
    return bare.partition(".")[0]


@platform.tool(
    example={"database": "clinvar", "uid": "VCV000013961"},
    cites=_ARTICLES,
    asks=(
        "papers about a gene by Gene id",
        "literature linked to an OMIM entry",
        "publications of a dbSNP or protein record",
        "GeneRIF",
    ),
)
async def find_articles_for_record(
    api: Api,
    database: Annotated[
        Literal["gene", "clinvar", "snp", "medgen", "omim", "pccompound", "protein"],
        Arg("NCBI database of the record.", "clinvar"),
    ],
    uid: Annotated[
        str,
        Arg(
            "Its number there: Gene id, ClinVar variation, rs, MedGen uid, MIM, PubChem CID, protein uid.",
            "13961",
            r"^[1-9]\d{0,11}$",
            normalise=_uid_form,
        ),
    ],
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """Record → papers: list PubMed articles that NCBI links to a Gene, ClinVar, SNP, MedGen, OMIM, PubChem or protein
    record. The reverse is get_linked_records; papers that name a variant in any spelling:
    pubtator3__get_variant_publications.
    """
    linkname = TO_PUBMED[database]
    links = await elink(api, uid, dbfrom=database, db="pubmed", cmd="neighbor", linkname=linkname)
    pmids = [str(each) for each in links.get(linkname, [])]
    shown = pmids[offset : offset + limit]
    known = {summary["pmid"]: summary for summary in await summaries(api, shown)} if shown else {}
    if not shown:
        if not pmids and not await esummary(api, database, [uid]):
            return unknown_id(uid, f"NCBI's {database} has no record {uid}.")
        return empty(f"NCBI links no article to {database} {uid} from row {offset} on.")
    reached = offset + len(shown)
    articles = [known.get(pmid, {"pmid": pmid}) for pmid in shown]
    return rows(
        articles,
        total=len(pmids),
        next={"offset": reached} if reached < len(pmids) else None,
        data={"database": database, "uid": uid, "linkname": linkname, "articles": articles},
        citations=[_cite(database, {"uid": uid})],
    )


@platform.tool(
    example={"pmid": "10611131"},
    asks=(
        "where can I read this article",
        "link to the publisher, free copy",
        "LinkOut",
        "is it behind a paywall",
    ),
)
async def get_full_text_links(
    api: Api,
    pmid: OnePmid,
    all_links: Annotated[
        bool, Arg("Whether links of libraries and other resources come beside the publisher's.")
    ] = False,
) -> Answer:
    """Say where an article can be read: publisher's and other links with provider and access terms.
    For the text itself use get_pmc_full_text; for files and licence list_open_access_files."""
    asked = {"dbfrom": "pubmed", "id": pmid, "cmd": "llinks" if all_links else "prlinks"}
    root = await xml(api, "/elink.fcgi", asked)
    sets = [each for each in root.iter("IdUrlSet") if whole_text(each.find("Id")) == pmid]
    links = [_link(each) for found in sets for each in found.findall("ObjUrl")]
    if not links and not await is_known(api, pmid):
        return unknown_article(pmid)
    note = "" if links else f"NCBI knows no {'link' if all_links else 'link of the publisher'} for PMID {pmid}."
    return rows(links, note=note, data={"pmid": pmid, "links": links}, citations=[Citation("pmid", pmid)])


def _link(found: Any) -> Json:
    facts = {
        "url": urljoin(PAGES, whole_text(found.find("Url"))),
        "name": whole_text(found.find("LinkName")),
        "category": whole_text(found.find("Category")),
        "provider": whole_text(found.find("Provider/Name")),
        "attributes": _texts(found.findall("Attribute")),
    }
    return {name: value for name, value in facts.items() if value}


def _texts(elements: Sequence[Any]) -> list[str]:
    return [whole_text(each) for each in elements]
