"""Articles by query or by number, and the conversion of their identifiers."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import Limit
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.pubmed.records import parse_articles
from mcp_server.platforms.pubmed.service import (
    CONVERTER,
    ID_PATTERNS,
    REACHABLE,
    Offset,
    esearch,
    id_form,
    platform,
    pmids_up_to,
    summaries,
    warnings_of,
)
from mcp_server.tool import Arg, Cite

Json = Any

SORTS = {"relevance": "relevance", "date": "pub_date"}
RECORDS_MAX = 50
Date = Annotated[str | None, Arg("Date as year, year/month or year/month/day.", "2023/01", r"^\d{4}(/\d{2}){0,2}$")]


@platform.tool(
    core=True,
    example={"query": "BRAF V600E melanoma", "limit": 5},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
    asks=(
        "find papers on a topic",
        "recent reviews, randomised trials",
        "MEDLINE search with MeSH",
        "publications of an author",
        "literature on a disease",
        "what has been written about a topic",
    ),
)
async def search_articles(
    api: Api,
    query: Annotated[str, Arg('PubMed query; quote and tag variants, e.g. "V600E"[tiab].', "BRAF V600E melanoma")],
    limit: Limit = 10,
    offset: Offset = 0,
    sort: Annotated[Literal["relevance", "date"], Arg("What comes first.")] = "relevance",
    date_from: Date = None,
    date_to: Date = None,
    date_type: Annotated[
        Literal["published", "entered"], Arg("Whether the dates are of publication or of entry into PubMed.")
    ] = "published",
    publication_types: Annotated[
        list[str] | None, Arg("Only these publication types.", ["Randomized Controlled Trial", "Review"], max_items=10)
    ] = None,
    has_abstract: Annotated[bool, Arg("Only articles with an abstract.")] = False,
) -> Answer:
    """Find articles with PubMed's MeSH-aware query syntax: first choice for papers. Returns PMIDs with titles, the hit
    count and query warnings. Whole texts: search_pmc_full_text; preprints too, or most cited first:
    europepmc__search_articles; by entity: pubtator3__search_literature.
    """
    result = await esearch(
        api,
        "pubmed",
        _term(query, publication_types or [], has_abstract),
        retmax=min(limit, REACHABLE - offset),
        retstart=offset,
        sort=SORTS[sort],
        **_dates(date_from, date_to, date_type),
    )
    pmids = [str(pmid) for pmid in result.get("idlist", [])]
    known = {summary["pmid"]: summary for summary in await summaries(api, pmids)} if pmids else {}
    articles = [known.get(pmid, {"pmid": pmid}) for pmid in pmids]
    count = int(result["count"]) if "count" in result else None
    warnings = warnings_of(result)
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


def _term(query: str, publication_types: list[str], has_abstract: bool) -> str:
    """Return the query with its filters; a query without filters stays as it was written."""
    filters = [f"({' OR '.join(f'{each}[pt]' for each in publication_types)})"] if publication_types else []
    filters += ["hasabstract"] if has_abstract else []
    return " AND ".join([f"({query})", *filters]) if filters else query


def _dates(date_from: str | None, date_to: str | None, date_type: str) -> dict[str, Json]:
    """Return the date parameters: the service wants both ends or none."""
    if not (date_from or date_to):
        return {}
    if date_from and date_to and date_to < date_from[: len(date_to)]:
        raise InvalidArguments("date_to", "it lies before date_from", date_from)
    kinds = {"published": "pdat", "entered": "edat"}
    return {"datetype": kinds[date_type], "mindate": date_from or "1000", "maxdate": date_to or "3000"}


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
    asks=(
        "abstract of a PMID",
        "title, authors, journal of a paper",
        "details of several PubMed ids",
        "who wrote it",
        "who wrote the paper and what does it say",
    ),
)
async def get_articles(
    api: Api,
    pmids: Annotated[list[str], pmids_up_to(200)],
    detail: Annotated[
        Literal["record", "summary"],
        Arg("`record` brings abstract and MeSH (up to 50), `summary` only title and source."),
    ] = "record",
    include: Annotated[
        list[Literal["authors", "affiliations", "grants", "references"]] | None,
        Arg("What else to bring of each record: all authors, affiliations, grants, references.", ["references"]),
    ] = None,
) -> Answer:
    """Get articles by PMID, one or many. Returns abstract, journal, DOI, MeSH, corrections, and which PMIDs do not
    exist. For the text itself use get_pmc_full_text; preprints, grants, or by DOI: europepmc__get_article.
    """
    asked = list(dict.fromkeys(pmids))
    if detail == "summary":
        if include:
            raise InvalidArguments("include", "a summary holds none of this: use detail `record`", None)
        found = {summary["pmid"]: summary for summary in await summaries(api, asked)}
    else:
        if len(asked) > RECORDS_MAX:
            raise InvalidArguments(
                "pmids", f"at most {RECORDS_MAX} whole records; detail `summary` takes 200", asked[:2]
            )
        found = await _records(api, asked, include or [])
    missing = [pmid for pmid in asked if pmid not in found]
    articles = [found[pmid] for pmid in asked if pmid in found]
    return Answer(
        {"articles": articles, "missing": missing},
        ResultOutcome.DATA if articles else ResultOutcome.UNKNOWN_ID,
        total=len(asked),
        returned=len(articles),
        note=f"PubMed has no record of PMID {', '.join(missing)}: do not cite it." if missing else "",
    )


async def _records(api: Api, pmids: list[str], include: Sequence[str]) -> dict[str, Json]:
    parameters = {"db": "pubmed", "id": pmids, "retmode": "xml", "tool": "burp"}
    text = await api.get_text("/efetch.fcgi", parameters, accept="application/xml", starts_with="<?xml")
    return {article["pmid"]: article for article in parse_articles(text, include)}


@platform.tool(
    example={"ids": ["22663011", "PMC9984800"]},
    cites=Cite("pmid", ".records[]", ".pmid", ".title"),
    asks=(
        "PMID to DOI",
        "DOI to PMID",
        "PMC number to PubMed id",
        "is the paper in PubMed Central",
        "translate article ids",
        "same paper under another number",
    ),
)
async def convert_ids(
    api: Api,
    ids: Annotated[
        list[str],
        Arg(
            "PMIDs, PMCIDs (with PMC), DOIs or NIHMS numbers.",
            ["22663011", "PMC9984800"],
            max_items=20,
            normalise=id_form,
        ),
    ],
) -> Answer:
    """Convert between PMID, PMCID and DOI. Returns all three and whether PubMed Central has a copy.
    For a citation in words use match_citation."""
    asked = {name: _kind(name) for name in ids}
    records: list[dict[str, Json]] = []
    for kind in ID_PATTERNS:
        names = [name for name, its_kind in asked.items() if its_kind == kind]
        if names:
            records += await converted(api, kind, names)
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


async def converted(api: Api, kind: str, names: list[str]) -> list[dict[str, Json]]:
    """Ask the converter for identifiers of one kind; it knows only what PubMed Central holds."""
    parameters = {"ids": names, "idtype": kind, "format": "json", "tool": "burp"}
    answer = await api.get("articles/", parameters, base=CONVERTER)
    if not isinstance(answer, dict) or not isinstance(answer.get("records"), list):
        raise UpstreamBadResponse("pmc.ncbi.nlm.nih.gov", "the answer holds no records")
    by_request = {id_form(str(record.get("requested-id"))): record for record in answer["records"]}
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
    known = {summary["pmid"]: summary for summary in await summaries(api, pmids)} if pmids else {}
    for record in records:
        summary = known.get(record.get("pmid", ""), {})
        record |= {name: summary[name] for name in ("title", "doi", "pmcid") if name in summary and name not in record}
        record["in_pubmed"] = bool(summary)
    return records


async def _pmid_of_doi(api: Api, doi: str) -> dict[str, str]:
    result = await esearch(api, "pubmed", f'"{doi}"[doi]', retmax=2)
    found = result.get("idlist", [])
    # Several hits, or a search widened by dropping the DOI, name no article.
    return {"pmid": str(found[0])} if len(found) == 1 and not warnings_of(result) else {}
