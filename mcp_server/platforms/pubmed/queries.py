"""Queries looked at before or beside their hits: how PubMed reads them, trends, papers of a trial."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from mcp_server.args import Limit, NctId
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.markup import whole_text
from mcp_server.platforms.pubmed.records import parse_articles
from mcp_server.platforms.pubmed.service import HOST, Offset, esearch, platform, warnings_of, xml
from mcp_server.tool import Arg, Cite

Json = Any

YEARS_MAX = 30
Query = Annotated[str, Arg("PubMed query.", '"BRAF"[tiab] AND melanoma[mh]')]
FirstYear = Annotated[int, Arg("First year of publication.", 2015, minimum=1800, maximum=2100)]
LastYear = Annotated[int, Arg("Last year of publication.", 2020, minimum=1800, maximum=2100)]
# The types with which PubMed marks papers that report what a trial found.
RESULT_TYPES = re.compile(r"^(Clinical Trial(, Phase .*)?|Randomized Controlled Trial|Controlled Clinical Trial)$")


@platform.tool(
    example={"query": "biopythooon"},
    asks=(
        "how does PubMed understand my search",
        "test a search string",
        "spelling of a PubMed query",
        "automatic term mapping",
        "how many results would it give",
    ),
)
async def check_query(api: Api, query: Query) -> Answer:
    """Explain a PubMed query before it is used: spelling, how PubMed translates it, words it did not find, number of
    hits. For the hits themselves use search_articles."""
    spelling = await xml(api, "/espell.fcgi", {"db": "pubmed", "term": query})
    result = await esearch(api, "pubmed", query, retmax=0)
    if "count" not in result:
        raise UpstreamBadResponse(HOST, "the search answer holds no count")
    count = int(result["count"])
    corrected = whole_text(spelling.find("CorrectedQuery"))
    warnings = warnings_of(result)
    missed = sorted({word for name, words in warnings.items() if name != "outputmessages" for word in words})
    notes = [f"PubMed suggests {corrected!r}."] if corrected else []
    if missed:
        notes.append(f"Not found and left out: {', '.join(missed)}.")
    if not count:
        notes.append(f"PubMed has no article for {query!r}.")
    data = {
        "query": query,
        "corrected_query": corrected or None,
        "querytranslation": result.get("querytranslation"),
        "count": count,
        "phrases_not_found": missed,
        "warnings": warnings,
    }
    outcome = ResultOutcome.DATA if count else ResultOutcome.EMPTY
    return Answer(data, outcome, total=count, returned=0, note=" ".join(notes))


@platform.tool(
    example={"query": '"BRAF V600E"[tiab]', "year_from": 2020, "year_to": 2022},
    asks=(
        "publication trend",
        "papers per year on a topic",
        "is interest in a subject growing",
        "timeline of publications",
        "is research on this still growing",
    ),
)
async def count_articles_by_year(api: Api, query: Query, year_from: FirstYear, year_to: LastYear) -> Answer:
    """Count a query's articles per year of publication (at most 30 years): a trend without the articles. For one count
    use check_query; by source, type or with preprints: europepmc__count_hits.
    """
    if year_to < year_from:
        raise InvalidArguments("year_to", "it lies before year_from", year_from)
    if year_to - year_from >= YEARS_MAX:
        raise InvalidArguments("year_to", f"at most {YEARS_MAX} years", year_from + YEARS_MAX - 1)
    counts = []
    dropped: dict[str, None] = {}
    for year in range(year_from, year_to + 1):
        count, missed = await _of_year(api, query, year)
        counts.append({"year": year, "count": count})
        dropped |= dict.fromkeys(missed)
    found = sum(each["count"] for each in counts)
    notes = [f"PubMed found nothing for {', '.join(dropped)} and left it out."] if dropped else []
    if year_to >= datetime.now(UTC).year:
        notes.append("The last year is not over, and papers of coming issues are counted already.")
    if not found:
        return empty(" ".join([f"PubMed has no article for {query!r} in these years.", *notes]), {"counts": counts})
    data = {"query": query, "articles": found, "counts": counts}
    return rows(counts, data=data, note=" ".join(notes))


async def _of_year(api: Api, query: str, year: int) -> tuple[int, list[str]]:
    result = await esearch(api, "pubmed", query, retmax=0, datetype="pdat", mindate=year, maxdate=year)
    if "count" not in result:
        raise UpstreamBadResponse(HOST, f"the search answer for {year} holds no count")
    warnings = warnings_of(result)
    # In a year without hits every word may count as not found.
    missed = [word for name in sorted(warnings) if name != "outputmessages" for word in warnings[name]]
    count = int(result["count"])
    return count, missed if count else []


@platform.tool(
    example={"nct_id": "NCT01245062"},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
    asks=(
        "results papers of an NCT number",
        "was the trial published",
        "articles that report a trial",
    ),
)
async def find_trial_publications(api: Api, nct_id: NctId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """Find the papers that PubMed indexes under a trial's NCT number, with publication types and whether they report
    results. The registry's own list, which differs, is clinicaltrials__get_study_references; neither is complete.
    """
    result = await esearch(api, "pubmed", f"{nct_id}[si]", retmax=limit, retstart=offset)
    pmids = [str(pmid) for pmid in result.get("idlist", [])]
    if not pmids:
        return empty(f"PubMed indexes no paper under {nct_id}; that does not mean that there is none.")
    asked = {"db": "pubmed", "id": pmids, "retmode": "xml", "tool": "burp"}
    text = await api.get_text("/efetch.fcgi", asked, accept="application/xml", starts_with="<?xml")
    found = {article["pmid"]: article for article in parse_articles(text)}
    articles = [_publication(found[pmid], nct_id) for pmid in pmids if pmid in found]
    count = int(result["count"])
    reached = offset + len(pmids)
    lost = [pmid for pmid in pmids if pmid not in found]
    return rows(
        articles,
        total=count,
        next={"offset": reached} if reached < count else None,
        note=f"PubMed sent no record of {', '.join(lost)}." if lost else "",
        data={"nct_id": nct_id, "count": count, "articles": articles},
    )


def _publication(article: Json, nct_id: str) -> Json:
    numbers = {number for bank in article.get("databanks", []) for number in bank["accessions"]}
    kept = {name: article.get(name) for name in ("pmid", "title", "journal", "pubdate", "pubtypes", "doi", "pmcid")}
    return {
        **{name: value for name, value in kept.items() if value},
        "reports_results": any(RESULT_TYPES.match(each) for each in article.get("pubtypes", [])),
        # The record itself must name the trial.
        "names_trial": nct_id in numbers,
        **({"corrections": article["corrections"]} if article.get("corrections") else {}),
    }
