"""Variants in the literature, in any spelling (LitVar2): ids, articles, and the variants of a gene.

Ids hold `@` and `#` and go into the path percent-encoded; otherwise the service reads half of one and answers
about that. The list of a gene is no JSON: each line is a Python literal. An unknown gene is an empty body.
"""

import ast
import re
from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import quote

from mcp_server.args import Limit, gene_symbol_form, look_up_form
from mcp_server.envelope import Answer, Citation, empty, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamError, UpstreamRefused
from mcp_server.platforms.pubtator3.base import (
    EUTILS,
    HOST,
    LITVAR,
    MACHINE,
    Offset,
    asked,
    asked_list,
    detail_of,
    litvar_page,
    lookup,
    page,
    platform,
    weekly_update_told,
)
from mcp_server.tool import Arg, Cite

Json = Any

_NOT_FOUND = re.compile(r"Variant not found: *(.*)", re.DOTALL)
_RSID = re.compile(r"rs\d+")


def variant_form(text: str) -> str:
    """Return an rsID where the id is of one: `rs113488022##`, `litvar@rs113488022##` → `rs113488022`; else LitVar's."""
    bare = text.removeprefix("litvar@")
    rsid = bare.removesuffix("##").lower()
    return rsid if _RSID.fullmatch(rsid) else f"litvar@{bare}"


@platform.tool(
    example={"query": "BRAF V600E"},
    asks=(
        "LitVar id of a variant",
        "how many papers mention a mutation",
        "search a variant in the literature",
    ),
)
async def find_literature_variant(
    api: Api,
    query: Annotated[
        str, Arg("Gene and change, HGVS name or rsID.", "BRAF V600E", r"^.{2,256}$", normalise=look_up_form)
    ],
    limit: Annotated[int, Arg("How many to bring at most.", minimum=1, maximum=50)] = 10,
    offset: Offset = 0,
) -> Answer:
    """Find a variant in LitVar by gene and change, HGVS or rsID: LitVar id, rsID, gene, number of articles. The id is
    for get_variant_publications. For ClinVar's record of a variant use clinvar__resolve_variant.

    Rows: litvar_id, rsid, gene, name, hgvs, articles, significance (all values that dbSNP lists, not one verdict).
    """
    found = [_variant(row) for row in await asked_list(api, "/variant/autocomplete/", {"query": query}, base=LITVAR)]
    if _RSID.fullmatch(query.lower()):
        exact = [row for row in found if row.get("rsid") == query.lower()]
        if not exact:
            near = ", ".join(row["litvar_id"] for row in found[:5])
            offers = f" Near ids: {near}." if near else ""
            return unknown_id(query.lower(), f"LitVar has no variant {query.lower()}.{offers}")
        found = exact
    if not found:
        return empty(f"LitVar has no variant for {query!r}.", {"variants": []})
    citations = [_citation(row["litvar_id"], row.get("name") or "") for row in found[offset : offset + limit]]
    return page(found, limit, offset, {}, "variants", MACHINE, citations)


def _variant(row: Json) -> Json:
    if not str(row.get("_id") or "").startswith("litvar@"):
        raise UpstreamBadResponse(HOST, f"a variant without its id: {str(row)[:200]}")
    gene = row.get("gene")
    kept = {
        "litvar_id": row["_id"],
        "rsid": row.get("rsid"),
        "gene": gene if isinstance(gene, list) else [gene] if gene else None,
        "name": row.get("name"),
        "hgvs": row.get("hgvs"),
        "articles": row.get("pmids_count"),
        "significance": row.get("data_clinical_significance"),
    }
    return {name: value for name, value in kept.items() if value is not None}


def _citation(litvar_id: str, label: str = "") -> Citation:
    return Citation("litvar", litvar_id, label, litvar_page(litvar_id))


@platform.tool(
    example={"variant": "rs113488022"},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
    asks=(
        "papers on a mutation",
        "articles that mention rs113488022 under any name",
        "literature of V600E",
        "publications about a SNP",
        "articles on V617F however it is written",
    ),
)
async def get_variant_publications(
    api: Api,
    variant: Annotated[
        str,
        Arg(
            "rsID, or LitVar id of find_literature_variant.",
            "rs113488022",
            r"^(rs\d+|litvar@\S+)$",
            normalise=variant_form,
        ),
    ],
    limit: Annotated[int, Arg("How many articles at most.", minimum=1, maximum=100)] = 20,
    offset: Annotated[int, Arg("How many articles to skip: `next` gives it.", minimum=0)] = 0,
) -> Answer:
    """Get the articles that mention a variant in any spelling, newest PMIDs first, with the total. For articles cited
    in ClinVar use clinvar__get_variant_literature; for NCBI's own links pubmed__find_articles_for_record.

    Rows: pmid, title, first_author, journal, pubdate, doi, pmcid; only pmid where PubMed did not answer.
    """
    litvar_id = variant if variant.startswith("litvar@") else f"litvar@{variant}##"
    try:
        found = await asked(api, f"/variant/get/{quote(litvar_id, safe='')}/publications", base=LITVAR)
    except UpstreamRefused as error:
        if not (missing := _NOT_FOUND.match(detail_of(error))):
            raise
        if missing[1] and missing[1].strip() != litvar_id:
            raise UpstreamBadResponse(HOST, f"asked for {litvar_id}, it looked for {missing[1]}") from error
        return unknown_id(variant, f"LitVar has no variant {variant}; find_literature_variant looks names up.")
    if not isinstance(found, dict) or not isinstance(found.get("pmids"), list):
        raise UpstreamBadResponse(HOST, f"the answer holds no list of PMIDs: {str(found)[:200]!r}")
    # PMIDs grow with time, and the list has no order of its own.
    pmids = [str(number) for number in sorted({int(pmid) for pmid in found["pmids"]}, reverse=True)]
    in_pmc = {"articles_in_pmc": len(found["pmcids"])} if isinstance(found.get("pmcids"), list) else {}
    data = {"litvar_id": litvar_id, **in_pmc}
    if not pmids:
        return empty(f"LitVar lists no article for {variant}.", {**data, "articles": []})
    titles, note = await _titles(api, pmids[offset : offset + limit])
    counted = found.get("pmids_count")
    if isinstance(counted, int) and counted != len(pmids):
        note = f"LitVar counts {counted} articles and lists {len(pmids)}. {note}"
    articles = [titles.get(pmid, {"pmid": pmid}) for pmid in pmids]
    return page(articles, limit, offset, data, "articles", f"{MACHINE} {note}".strip(), [_citation(litvar_id)])


async def _titles(api: Api, pmids: Sequence[str]) -> tuple[dict[str, Json], str]:
    """Return PubMed's short records by PMID; without them the PMIDs still stand, and a note says so."""
    if not pmids:
        return {}, ""
    parameters = {"db": "pubmed", "id": list(pmids), "retmode": "json", "tool": "burp"}
    try:
        answer = await api.get("/esummary.fcgi", parameters, base=EUTILS)
    except UpstreamError as error:
        return {}, f"Titles are missing: {error}."
    result = answer.get("result") if isinstance(answer, dict) else None
    if not isinstance(result, dict):
        return {}, "Titles are missing: PubMed sent no summaries."
    found = {pmid: result[pmid] for pmid in pmids if isinstance(result.get(pmid), dict)}
    known = {pmid: _summary(row) for pmid, row in found.items() if str(row.get("uid")) == pmid and "error" not in row}
    lost = [pmid for pmid in pmids if pmid not in known]
    return known, f"PubMed sent no record of {', '.join(lost)}." if lost else ""


def _summary(record: Json) -> Json:
    identifiers = {one.get("idtype"): one.get("value") for one in record.get("articleids") or []}
    authors = record.get("authors") or []
    row = {
        "pmid": str(record["uid"]),
        "title": re.sub(r"</?[a-z]+>", "", record.get("title") or ""),
        "first_author": authors[0].get("name") if authors else None,
        "journal": record.get("source"),
        "pubdate": record.get("pubdate"),
        "doi": identifiers.get("doi"),
        "pmcid": identifiers.get("pmc"),
    }
    return {name: value for name, value in row.items() if value}


def _gene(symbol: str) -> dict[str, Json]:
    # LitVar knows no other species.
    return {"gene_symbol": symbol, "species": "Homo sapiens"}


@platform.tool(
    example={"gene_symbol": "BRAF"},
    asks=(
        "best studied mutations of a gene",
        "most published variants",
        "which variants of a gene are discussed in papers",
        "which mutations of a gene do people write about",
    ),
)
async def list_gene_variants_in_literature(
    api: Api,
    gene_symbol: Annotated[
        str, Arg("Symbol of a human gene.", "BRAF", r"^[A-Za-z0-9._@-]{1,30}$", normalise=gene_symbol_form)
    ],
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """List the variants of a human gene that articles mention, most articles first, with LitVar id and rsID. The
    articles of one: get_variant_publications. For pathogenic variants of a gene use clinvar__search_variants.

    Rows: litvar_id, rsid, name (where the id holds one), articles.
    """
    symbol, note = gene_symbol, ""
    found = await _variants_of(api, symbol)
    if not found:
        matches = await lookup(api, gene_symbol, "gene")
        named = next((match for match in matches if match.is_called(gene_symbol)), None)
        if named is None:
            offers = f" Near symbols: {', '.join(match.name for match in matches)}." if matches else ""
            return unknown_id(gene_symbol, f"Neither LitVar nor PubTator3 knows a gene {gene_symbol}.{offers}")
        if named.name.upper() != gene_symbol.upper():
            symbol, note = named.name, f"{gene_symbol} is a synonym; these are the variants of {named.name}."
            found = await _variants_of(api, symbol)
    if not found:
        return empty(f"LitVar lists no variant of {symbol}. {note}".strip(), {**_gene(symbol), "variants": []})
    found.sort(key=lambda row: -row["articles"])
    citations = [
        _citation(row["litvar_id"], f"{symbol} {row.get('name') or ''}".strip())
        for row in found[offset : offset + limit]
    ]
    return page(found, limit, offset, _gene(symbol), "variants", f"{MACHINE} {note}".strip(), citations)


async def _variants_of(api: Api, symbol: str) -> list[Json]:
    """Return the variants of a gene as they come, one a line."""
    with weekly_update_told():
        text = await api.get_text(f"/variant/search/gene/{quote(symbol, safe='')}", base=LITVAR)
    return [_listed(line) for line in text.splitlines() if line.strip()]


def _listed(line: str) -> Json:
    """Read one line, which is a Python literal; anything else is a bad response."""
    try:
        row = ast.literal_eval(line.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise UpstreamBadResponse(HOST, f"a line that is no variant: {line.strip()[:120]!r}") from error
    if not isinstance(row, dict) or not str(row.get("_id") or "").startswith("litvar@"):
        raise UpstreamBadResponse(HOST, f"a line that is no variant: {line.strip()[:120]!r}")
    name = row["_id"].rpartition("#")[2]
    kept = {"litvar_id": row["_id"], "rsid": row.get("rsid"), "name": name, "articles": row.get("pmids_count") or 0}
    return {key: value for key, value in kept.items() if value not in (None, "")}
