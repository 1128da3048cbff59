"""PubMed: articles by query or number, with abstracts, and the conversion of article identifiers.

NCBI E-utilities (JSON for searches and summaries, XML for records) and the PMC ID Converter. All NCBI
hosts share one rate: 3 requests a second, 10 with a key. Faults may come with status 200 in the body;
unknown numbers are silently missing from the answer, and words that match nothing are silently dropped.
"""

import html
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Pmid
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamRateLimited, UpstreamUnavailable
from mcp_server.http.rate_limit import Rate
from mcp_server.platforms.pubmed.records import parse_articles
from mcp_server.tool import Arg, Cite, Platform

Json = Any

HOST = "eutils.ncbi.nlm.nih.gov"
CONVERTER = "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1"
# PubMed gives no more than its first 9,999 hits.
REACHABLE = 9_999
SORTS = {"relevance": "relevance", "date": "pub_date"}

platform = Platform(
    "pubmed",
    title="PubMed",
    base_url=f"https://{HOST}/entrez/eutils",
    docs="https://www.ncbi.nlm.nih.gov/books/NBK25501/",
    licence="https://www.nlm.nih.gov/databases/download/terms_and_conditions.html",
    rate=Rate(2.5, group="ncbi", with_key=8),
    hosts=("pmc.ncbi.nlm.nih.gov",),
    key_parameter="api_key",
    contact_parameter="email",
)


def _pmid_form(text: str) -> str:
    return re.sub(r"^PMID\s*:?\s*", "", text, flags=re.IGNORECASE).lstrip("0")


def _id_form(text: str) -> str:
    """Return a PMID, PMCID, NIHMS number or DOI without what people put before it."""
    bare = re.sub(r"^(https?://(dx\.)?doi\.org/|(PMID|PMCID|DOI)\s*:\s*)", "", text, flags=re.IGNORECASE)
    return bare.lower() if bare.startswith("10.") else bare.upper()


ID_PATTERNS = {
    "pmid": re.compile(r"[1-9]\d{0,7}"),
    "pmcid": re.compile(r"PMC\d+(\.\d+)?"),
    "doi": re.compile(r"10\.\d{4,9}/\S+"),
    "mid": re.compile(r"NIHMS\d+"),
}


def _checked(answer: Json, part: str) -> dict[str, Json]:
    """Return the `part` of an E-utilities answer; a fault that comes with status 200 is raised."""
    if not isinstance(answer, dict):
        raise UpstreamBadResponse(HOST, "the answer is not an object")
    if "error" in answer and part not in answer:
        raise UpstreamRateLimited(HOST, str(answer["error"])[:200])
    result = answer.get(part)
    if not isinstance(result, dict):
        raise UpstreamBadResponse(HOST, f"the answer holds no {part!r}")
    if "ERROR" in result:
        raise UpstreamUnavailable(HOST, " ".join(str(result["ERROR"]).split())[:300])
    return result


async def _summaries(api: Api, pmids: Sequence[str]) -> list[dict[str, Json]]:
    """Return short records of the PMIDs that PubMed has, in their order."""
    parameters = {"db": "pubmed", "id": pmids, "retmode": "json", "tool": "burp"}
    result = _checked(await api.get("/esummary.fcgi", parameters), "result")
    found = []
    for pmid in pmids:
        record = result.get(pmid)
        # The number in the record must be the number that was asked for.
        if isinstance(record, dict) and "error" not in record and record.get("uid") == pmid:
            found.append(_summary(record))
    return found


def _summary(record: Json) -> dict[str, Json]:
    identifiers = {each["idtype"]: each["value"] for each in record.get("articleids", [])}
    authors = [author["name"] for author in record.get("authors", [])]
    row = {
        "pmid": record["uid"],
        "title": _plain(record.get("title") or record.get("booktitle", "")),
        "firstauthor": authors[0] if authors else "",
        "source": record.get("source"),
        "pubdate": record.get("pubdate"),
        "pubtype": record.get("pubtype"),
        "doi": identifiers.get("doi"),
        "pmcid": identifiers.get("pmc"),
    }
    return {name: value for name, value in row.items() if value}


def _plain(title: str) -> str:
    """Return a title without its markup; raised and lowered parts keep a sign."""
    marked = re.sub(r"<sup>", "^", html.unescape(title))
    return re.sub(r"</?[a-z]+>", "", re.sub(r"<sub>", "_", marked))


@platform.tool(
    core=True,
    example={"query": "BRAF V600E melanoma", "limit": 5},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
)
async def search_articles(
    api: Api,
    query: Annotated[str, Arg('PubMed query; quote and tag variants, e.g. "V600E"[tiab].', "BRAF V600E melanoma")],
    limit: Limit = 10,
    offset: Annotated[int, Arg("How many records to skip: `next` gives it.", minimum=0, maximum=9998)] = 0,
    sort: Annotated[Literal["relevance", "date"], Arg("What comes first.")] = "relevance",
) -> Answer:
    """Find articles with PubMed's query syntax. Returns PMIDs with titles, the hit count and query warnings."""
    parameters = {
        "db": "pubmed",
        "term": query,
        "retmode": "json",
        "retmax": min(limit, REACHABLE - offset),
        "retstart": offset,
        "sort": SORTS[sort],
        "tool": "burp",
    }
    result = _checked(await api.get("/esearch.fcgi", parameters), "esearchresult")
    pmids = [str(pmid) for pmid in result.get("idlist", [])]
    known = {summary["pmid"]: summary for summary in await _summaries(api, pmids)} if pmids else {}
    articles = [known.get(pmid, {"pmid": pmid}) for pmid in pmids]
    count = int(result["count"]) if "count" in result else None
    warnings = _warnings(result)
    data = {
        "count": count,
        "querytranslation": result.get("querytranslation"),
        "warnings": warnings,
        "articles": articles,
    }
    reached = offset + len(pmids)
    return Answer(
        data,
        ResultOutcome.DATA if pmids or count else ResultOutcome.EMPTY,
        total=count,
        returned=len(articles),
        next={"offset": reached} if pmids and count and reached < min(count, REACHABLE) else None,
        note=_search_note(query, bool(pmids or count), warnings),
    )


def _warnings(result: Json) -> dict[str, list[str]]:
    """Return what PubMed ignored or did not find, by its own names."""
    said = {**result.get("errorlist", {}), **result.get("warninglist", {})}
    return {name: values for name, values in said.items() if values}


def _search_note(query: str, found: bool, warnings: dict[str, list[str]]) -> str:
    dropped = [word for name in sorted(warnings) if name != "outputmessages" for word in warnings[name]]
    if not found:
        return f"PubMed has no article for {query!r}."
    if dropped:
        return f"PubMed found nothing for {', '.join(dropped)} and left it out: the hits are those of a wider query."
    return ""


@platform.tool(
    example={"pmids": ["22663011"]},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
)
async def get_articles(
    api: Api,
    pmids: Annotated[list[Pmid], Arg("PubMed numbers.", ["22663011"], max_items=20, normalise=_pmid_form)],
) -> Answer:
    """Get articles by PMID. Returns abstract, journal, DOI, MeSH, corrections, and which PMIDs do not exist."""
    asked = list(dict.fromkeys(pmids))
    parameters = {"db": "pubmed", "id": asked, "retmode": "xml", "tool": "burp"}
    text = await api.get_text("/efetch.fcgi", parameters, accept="application/xml", starts_with="<?xml")
    found = {article["pmid"]: article for article in parse_articles(text)}
    missing = [pmid for pmid in asked if pmid not in found]
    articles = [found[pmid] for pmid in asked if pmid in found]
    return Answer(
        {"articles": articles, "missing": missing},
        ResultOutcome.DATA if articles else ResultOutcome.UNKNOWN_ID,
        total=len(asked),
        returned=len(articles),
        note=f"PubMed has no record of PMID {', '.join(missing)}: do not cite it." if missing else "",
    )


@platform.tool(
    example={"ids": ["22663011", "PMC9984800"]},
    cites=Cite("pmid", ".records[]", ".pmid", ".title"),
)
async def convert_ids(
    api: Api,
    ids: Annotated[
        list[str],
        Arg(
            "PMIDs, PMCIDs (with PMC), DOIs or NIHMS numbers.",
            ["22663011", "PMC9984800"],
            max_items=20,
            normalise=_id_form,
        ),
    ],
) -> Answer:
    """Convert between PMID, PMCID and DOI. Returns all three and whether PubMed Central has a copy."""
    asked = {name: _kind(name) for name in ids}
    records: list[dict[str, Json]] = []
    for kind in ID_PATTERNS:
        names = [name for name, its_kind in asked.items() if its_kind == kind]
        if names:
            records += await _converted(api, kind, names)
    records = await _with_pubmed(api, records)
    known = [record for record in records if record["in_pubmed"] or record["in_pmc"]]
    missing = [record["requested"] for record in records if record not in known]
    absent = [record["requested"] for record in known if not record["in_pmc"]]
    notes = []
    if absent:
        notes.append(f"In PubMed, without a copy in PubMed Central: {', '.join(absent)}.")
    if missing:
        notes.append(f"Neither PubMed Central nor PubMed knows {', '.join(missing)}: do not cite it.")
    return Answer(
        {"records": known, "missing": missing},
        ResultOutcome.DATA if known else ResultOutcome.UNKNOWN_ID,
        total=len(asked),
        returned=len(known),
        note=" ".join(notes),
    )


def _kind(name: str) -> str:
    for kind, pattern in ID_PATTERNS.items():
        if pattern.fullmatch(name):
            return kind
    raise InvalidArguments("ids", f"{name!r} is no PMID, PMCID, DOI or NIHMS number", ["22663011", "PMC9984800"])


async def _converted(api: Api, kind: str, names: list[str]) -> list[dict[str, Json]]:
    """Ask the converter for identifiers of one kind; it knows only what PubMed Central holds."""
    parameters = {"ids": names, "idtype": kind, "format": "json", "tool": "burp"}
    answer = await api.get("articles/", parameters, base=CONVERTER)
    if not isinstance(answer, dict) or not isinstance(answer.get("records"), list):
        raise UpstreamBadResponse("pmc.ncbi.nlm.nih.gov", "the answer holds no records")
    by_request = {_id_form(str(record.get("requested-id"))): record for record in answer["records"]}
    return [_conversion(kind, name, by_request.get(name, {})) for name in names]


def _conversion(kind: str, name: str, record: Json) -> dict[str, Json]:
    converted = {"requested": name, **({kind: name} if kind in ("pmid", "doi") else {})}
    converted |= {field: str(record[field]) for field in ("pmid", "pmcid", "doi") if record.get(field)}
    return converted | {"in_pmc": bool(record.get("pmcid")) and record.get("status") != "error"}


async def _with_pubmed(api: Api, records: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """Add what PubMed says: the converter's "not found in PMC" is no statement about the article."""
    for record in records:
        if "pmid" not in record and "doi" in record:
            record |= await _pmid_of_doi(api, record["doi"])
    pmids = list(dict.fromkeys(record["pmid"] for record in records if "pmid" in record))
    known = {summary["pmid"]: summary for summary in await _summaries(api, pmids)} if pmids else {}
    for record in records:
        summary = known.get(record.get("pmid", ""), {})
        record |= {name: summary[name] for name in ("title", "doi", "pmcid") if name in summary and name not in record}
        record["in_pubmed"] = bool(summary)
    return records


async def _pmid_of_doi(api: Api, doi: str) -> dict[str, str]:
    parameters = {"db": "pubmed", "term": f'"{doi}"[doi]', "retmode": "json", "retmax": 2, "tool": "burp"}
    result = _checked(await api.get("/esearch.fcgi", parameters), "esearchresult")
    found = result.get("idlist", [])
    # Several hits, or a search widened by dropping the DOI, name no article.
    return {"pmid": str(found[0])} if len(found) == 1 and not _warnings(result) else {}
