"""Citations: found from fragments, written out, measured, and checked for retractions."""

import re
from typing import Annotated, Any, Literal

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.pubmed import styles
from mcp_server.platforms.pubmed.records import parse_articles
from mcp_server.platforms.pubmed.service import HOST, ICITE, esummary, platform, pmids_up_to, summaries
from mcp_server.tool import Arg, Cite

Json = Any

_ARTICLES = Cite("pmid", ".articles[]", ".pmid", ".title")


def _missing_note(missing: list[str], where: str = "PubMed") -> str:
    return f"{where} has no record of PMID {', '.join(missing)}: do not cite it." if missing else ""


@platform.tool(
    example={"citations": ["n engl j med|2020|382|727|zhu n", "fake journal|2000|1|1|"]},
    cites=Cite("pmid", ".matches[]", ".pmid", ".title"),
    asks=(
        "find a paper from journal, volume and page",
        "incomplete reference to PMID",
        "which article is Nature 2001 409:860",
        "citation matcher",
        "which article is Lancet 2020",
        "395:497",
    ),
)
async def match_citation(
    api: Api,
    citations: Annotated[
        list[str],
        Arg(
            "Citations as journal|year|volume|first page|author; a part that is not known stays empty.",
            ["proc natl acad sci u s a|1991|88|3248|mann bj"],
            r"^[^|]*(\|[^|]*){4}$",
            max_items=25,
        ),
    ],
) -> Answer:
    """Find the PMIDs of incomplete citations by journal, year, volume, page and author; tells matched, ambiguous or not
    found, and where the record differs. For words of a title use search_articles."""
    lines = "\r".join(f"{citation}|{number}|" for number, citation in enumerate(citations, 1))
    asked = {"db": "pubmed", "retmode": "xml", "bdata": lines, "tool": "burp"}
    text = await api.get_text("/ecitmatch.cgi", asked, accept="text/plain")
    answers = _answers(text)
    if not answers:
        words = " ".join(re.sub(r"<[^>]*>", " ", text).split())[:200]
        raise UpstreamBadResponse(HOST, f"no line of the answer can be read: {words!r}")
    matches = [_reading(citation, answers.get(str(number))) for number, citation in enumerate(citations, 1)]
    pmids = list(dict.fromkeys(match["pmid"] for match in matches if "pmid" in match))
    known = {summary["pmid"]: summary for summary in await summaries(api, pmids)} if pmids else {}
    for match in matches:
        if "pmid" in match:
            _verify(match, known.get(match["pmid"]))
    found = [match for match in matches if match["status"] == "matched"]
    candidates = any(match["status"] == "ambiguous" for match in matches)
    unsure = [match["citation"] for match in found if match["mismatch"]]
    note = f"The record differs, so check it: {'; '.join(unsure)}." if unsure else ""
    return Answer(
        {"matches": matches},
        ResultOutcome.DATA if found or candidates else ResultOutcome.EMPTY,
        total=len(citations),
        returned=len(found),
        note=note if found or candidates else "PubMed recognises none of these citations.",
    )


def _answers(text: str) -> dict[str, str]:
    """Return the last field of each line by the key sent with it."""
    found = {}
    for line in text.splitlines():
        parts = line.split("|")
        if len(parts) >= 7:
            found[parts[5].strip()] = "|".join(parts[6:]).strip()
    return found


def _reading(citation: str, said: str | None) -> Json:
    """Read an answer: only a number is a PMID."""
    if not said:
        return {"citation": citation, "status": "no_answer"}
    if said.isdigit():
        return {"citation": citation, "status": "matched", "pmid": said}
    if said.startswith("AMBIGUOUS"):
        return {"citation": citation, "status": "ambiguous", "candidates": re.findall(r"\d+", said)}
    return {"citation": citation, "status": "not_found", "reason": said.partition(";")[2] or said}


def _verify(match: Json, summary: Json | None) -> None:
    """Compare the article with the citation: the matcher takes a wrong year or author."""
    if summary is None:
        match |= {"status": "not_found", "reason": "PubMed has no record of the number", "number": match.pop("pmid")}
        return
    _, year, _, _, author = match["citation"].split("|")
    wrong = []
    if year.strip() and year.strip() not in summary.get("pubdate", ""):
        wrong.append(f"year: the record says {summary.get('pubdate')}")
    surname = author.strip().split(" ")[0].lower()
    if surname and surname not in summary.get("firstauthor", "").lower():
        wrong.append(f"author: the record's first is {summary.get('firstauthor')}")
    kept = {name: summary[name] for name in ("title", "firstauthor", "source", "pubdate") if name in summary}
    match |= {**kept, "mismatch": wrong}


@platform.tool(
    example={"pmids": ["42802988"], "style": "nlm"},
    cites=_ARTICLES,
    asks=(
        "bibliography in APA style",
        "RIS or EndNote export",
        "make a reference list",
        "Vancouver, AMA format",
        "cite a paper properly",
    ),
)
async def format_citations(
    api: Api,
    pmids: Annotated[list[str], pmids_up_to(50)],
    style: Annotated[Literal["nlm", "ama", "apa", "mla", "ris"], Arg("Style of the references, or RIS lines.")] = "nlm",
) -> Answer:
    """Write references in NLM, AMA, APA or MLA style, or as RIS, for PMIDs; built from PubMed's own records, so that no
    part is made up."""
    asked = list(dict.fromkeys(pmids))
    found = await esummary(api, "pubmed", asked)
    missing = [pmid for pmid in asked if pmid not in found]
    articles = [
        {"pmid": pmid, "title": styles.title_of(found[pmid]), "citation": styles.written(found[pmid], style)}
        for pmid in asked
        if pmid in found
    ]
    return Answer(
        {"style": style, "articles": articles, "missing": missing},
        ResultOutcome.DATA if articles else ResultOutcome.UNKNOWN_ID,
        total=len(asked),
        returned=len(articles),
        note=_missing_note(missing),
    )


METRICS = (
    "pmid", "year", "title", "journal", "doi", "citation_count", "citations_per_year", "relative_citation_ratio",
    "nih_percentile", "field_citation_rate", "apt", "human", "animal", "molecular_cellular",
)  # fmt: skip
FLAGS = ("is_research_article", "is_clinical", "provisional")


@platform.tool(
    example={"pmids": ["32162448"]},
    cites=_ARTICLES,
    asks=(
        "how influential is a paper",
        "citation count, RCR, impact",
        "is it cited by clinical guidelines",
        "bibliometrics of PMIDs",
        "how important is the paper in its field",
    ),
)
async def get_citation_metrics(api: Api, pmids: Annotated[list[str], pmids_up_to(200)]) -> Answer:
    """Get how often articles are cited (NIH iCite): citations, relative citation ratio, NIH percentile, chance of
    clinical use and the clinical papers that cite them. Who cites: europepmc__get_citations; what is cited:
    europepmc__get_references.
    """
    asked = list(dict.fromkeys(pmids))
    answer = await api.get("pubs", {"pmids": asked, "limit": 200}, base=ICITE)
    if not isinstance(answer, dict) or not isinstance(answer.get("data"), list):
        raise UpstreamBadResponse("icite.od.nih.gov", "the answer holds no list of articles")
    found = {str(each["pmid"]): _metrics(each) for each in answer["data"]}
    missing = [pmid for pmid in asked if pmid not in found]
    articles = [found[pmid] for pmid in asked if pmid in found]
    note = ""
    if missing:
        note = f"iCite has no figures for {', '.join(missing)}: new, or no such number; get_articles tells which."
    return Answer(
        {"articles": articles, "missing": missing},
        ResultOutcome.DATA if articles else ResultOutcome.UNKNOWN_ID,
        total=len(asked),
        returned=len(articles),
        note=note,
    )


def _metrics(record: Json) -> Json:
    """Keep the figures; what iCite does not say of a new paper stays away."""
    kept = {name: record[name] for name in METRICS if record.get(name) is not None}
    flags = {name: record[name] in (True, "Yes") for name in FLAGS if record.get(name) is not None}
    clinical = [str(number) for number in record.get("cited_by_clin") or []]
    return {**kept, "pmid": str(record["pmid"]), **flags, "cited_by_clin": clinical}


# Strongest first: a retraction outweighs a correction.
STATUSES = (
    ("retracted", re.compile(r"^RetractionIn$")),
    ("partly retracted", re.compile(r"^PartialRetractionIn$")),
    ("expression of concern", re.compile(r"^ExpressionOfConcernIn$")),
    (
        "corrected",
        re.compile(r"^(Erratum|Update|((Corrected|Retracted)and)?Republished)In$"),
    ),
    ("notice about another article", re.compile(r"(Of|For|From)$")),
)


@platform.tool(
    example={"pmids": ["38833988", "22663011"]},
    cites=_ARTICLES,
    asks=(
        "was this paper retracted",
        "retracted studies, expression of concern, erratum",
        "can I trust the reference",
        "withdrawn article",
        "has the paper been pulled or withdrawn",
    ),
)
async def check_retractions(api: Api, pmids: Annotated[list[str], pmids_up_to(100)]) -> Answer:
    """Say which articles are retracted, corrected or under an expression of concern, with the notice, and which PMIDs
    do not exist. Check what you cite."""
    asked = list(dict.fromkeys(pmids))
    parameters = {"db": "pubmed", "id": asked, "retmode": "xml", "rettype": "abstract", "tool": "burp"}
    text = await api.get_text("/efetch.fcgi", parameters, accept="application/xml", starts_with="<?xml")
    found = {article["pmid"]: _status(article) for article in parse_articles(text)}
    missing = [pmid for pmid in asked if pmid not in found]
    articles = [found[pmid] for pmid in asked if pmid in found]
    flagged = [row for row in articles if row["status"] != "none"]
    return Answer(
        {"articles": articles, "flagged": len(flagged), "missing": missing},
        ResultOutcome.DATA if articles else ResultOutcome.UNKNOWN_ID,
        total=len(asked),
        returned=len(articles),
        note=_missing_note(missing),
    )


def _status(article: Json) -> Json:
    notices = article.get("corrections", [])
    types = article.get("pubtypes", [])
    status = next((name for name, kind in STATUSES if any(kind.search(each["type"]) for each in notices)), "none")
    if "Retracted Publication" in types:
        status = "retracted"
    return {
        "pmid": article["pmid"],
        "title": article.get("title", ""),
        "status": status,
        "notices": [{name: value for name, value in each.items() if value} for each in notices],
    }
