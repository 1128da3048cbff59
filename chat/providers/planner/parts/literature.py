"""Articles: searched in PubMed, read by number, listed with their links."""

from collections.abc import Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts.named import is_identifier
from chat.providers.planner.results import Call, Json, Result, call, records_at, text_at


def search_call(query: str, limit: int) -> Call:
    """Return the call that searches PubMed."""
    topic = "articles on what the question names" if is_identifier(query) else "articles on “{}”"
    return call("pubmed__search_articles", topic, "" if is_identifier(query) else query, query=query, limit=limit)


def articles_call(pmids: Sequence[str], about: str) -> Call:
    """Return the call that reads articles."""
    return call("pubmed__get_articles", about, pmids=list(pmids))


def found_pmids(search: Result) -> list[str]:
    """Return the PMIDs of a search, in its order."""
    return [text_at(row, "pmid") for row in search.rows("articles") if text_at(row, "pmid")]


def cited_list(result: Result) -> str:
    """Return a list of the articles of a search or a reading."""
    return compose.bullets(_line(row) for row in records_at(result.data, "articles") if text_at(row, "pmid"))


def _line(row: Json) -> str:
    authors = row.get("authors")
    first = text_at(row, "firstauthor") or (str(authors[0]) if isinstance(authors, list) and authors else "")
    journal = text_at(row, "journal") or text_at(row, "source")
    source = ", ".join(part for part in (first, journal, text_at(row, "pubdate")[:4]) if part)
    corrections = [text_at(each, "type") for each in records_at(row, "corrections")]
    retracted = " **Retracted.**" if any(name.startswith("Retract") for name in corrections) else ""
    title = compose.plain(text_at(row, "title").rstrip("."))
    return f"{title}. {compose.plain(source)} ({compose.link('pmid', text_at(row, 'pmid'))}).{retracted}"


def searched_note(search: Result) -> str:
    """Say how many hits there are, and what PubMed made of the query where it dropped words."""
    if not search.has_data:
        return "" if search.is_failed else f"PubMed: {compose.said(search)}."
    dropped = f" {compose.plain(search.note)}" if "left it out" in search.note else ""
    query = compose.plain(str(search.call.arguments["query"]))
    looked = compose.of_total(search, "article")
    return f"Looked at {looked} that PubMed finds for “{query}”, {compose.as_of([search])}.{dropped}"
