"""What the preprint servers and Europe PMC answer to the tools' examples: a hit, nothing, an unknown id."""

from dataclasses import dataclass
from typing import Any

from mcp_server.platforms.biorxiv import platform
from tests.mcp_server.platforms.fake_upstream import Played

Json = Any

TOOLS = {tool.function.__name__: tool for tool in platform.tools}


@dataclass(frozen=True)
class Case:
    """The answers to a tool's example; None where an outcome cannot be."""

    tool: str
    hit: dict[str, Any]
    nothing: dict[str, Any] | None
    unknown: dict[str, Any] | None

    @property
    def asked(self) -> dict[str, Json]:
        """The arguments of the call."""
        return dict(TOOLS[self.tool].example)


def listed(*records: Json, **message: Json) -> Played:
    """Return a list of the servers; totals come as text, as they often do."""
    texts = {name: str(message[name]) for name in ("total", "count_new_papers") if name in message}
    status = {"status": "ok", "count": len(records), **message, **texts}
    return Played({"messages": [status], "collection": list(records)})


def nothing(said: str = "no posts found") -> Played:
    """Return the sentence with which the servers say that there is nothing."""
    return Played({"messages": [{"status": said}], "collection": []})


def preprint(doi: str = "10.1101/456574", **more: Json) -> dict[str, Json]:
    """Return one version of a preprint."""
    facts = {
        "doi": doi, "title": "Subnetworks of interneurons", "authors": "Naka, A.; Shababo, B.", "date": "2018-10-30",
        "version": "1", "type": "new results", "license": "cc_by_nc", "category": "neuroscience",
        "abstract": "The neocortex has layers.", "funder": "NA", "published": "NA", "server": "biorxiv",
        "jatsxml": "https://www.biorxiv.org/content/early/2018/10/30/456574.source.xml",
    }  # fmt: skip
    return {**facts, **more}


def pair(**more: Json) -> dict[str, Json]:
    """Return a preprint with its article."""
    facts = {
        "preprint_doi": "10.1101/456574", "published_doi": "10.7554/eLife.43696", "published_journal": "eLife",
        "preprint_platform": "bioRxiv", "preprint_title": "Subnetworks of interneurons", "preprint_date": "2018-10-30",
        "published_date": "2019-03-18", "preprint_abstract": "The neocortex has layers.", "preprint_category": "NA",
    }  # fmt: skip
    return {**facts, **more}


def hits(*records: Json, count: int | None = None, cursor: str | None = None) -> Played:
    """Return the answer of a search in Europe PMC."""
    marks = {"nextCursorMark": cursor} if cursor else {}
    number = len(records) if count is None else count
    return Played({"version": "6.9", "hitCount": number, **marks, "resultList": {"result": list(records)}})


def indexed(doi: str = "10.64898/2026.08.20.745440", publisher: str = "bioRxiv", **more: Json) -> dict[str, Json]:
    """Return a preprint as Europe PMC holds it."""
    facts = {"id": "PPR1302423", "source": "PPR", "doi": doi, "title": "Droplet PCR", "authorString": "Yasuda Y."}
    return {**facts, "bookOrReportDetails": {"publisher": publisher}, "firstPublicationDate": "2026-08-20", **more}


ARTICLE = {
    "id": "30735128", "source": "MED", "pmid": "30735128", "doi": "10.7554/elife.43696", "title": "Interneurons.",
    "journalInfo": {"journal": {"title": "eLife"}}, "firstPublicationDate": "2019-03-18",
}  # fmt: skip

CASES = [
    Case("search_preprints", {"/search": hits(indexed())}, {"/search": hits()}, None),
    Case("get_preprint", {"/details/biorxiv/10.1101/456574/na/json": listed(preprint(published="10.7554/eLife.43696"))},
         None, {f"/details/{server}/10.1101/456574/na/json": nothing() for server in ("biorxiv", "medrxiv")}),
    Case("find_published_version", {"/pubs/biorxiv/10.7554/eLife.43696/na/json": listed(pair())},
         {"/pubs/biorxiv/10.7554/eLife.43696/na/json": nothing("no articles found for published version of "),
          "/pubs/medrxiv/10.7554/eLife.43696/na/json": nothing(), "/search": hits(ARTICLE)},
         {"/pubs/biorxiv/10.7554/eLife.43696/na/json": nothing(),
          "/pubs/medrxiv/10.7554/eLife.43696/na/json": nothing(), "/search": hits()}),
    Case("list_recent_preprints",
         {"/details/biorxiv/2026-08-01/2026-08-02/0/json": listed(
             preprint(date="2026-08-01"), interval="2026-08-01:2026-08-02", total=109, count_new_papers=77)},
         {"/details/biorxiv/2026-08-01/2026-08-02/0/json": nothing()}, None),
    Case("list_published_preprints",
         {"/pubs/biorxiv/2026-06-01/2026-06-05/0/json": listed(pair(), interval="2026-06-01:2026-06-05", total=469)},
         {"/pubs/biorxiv/2026-06-01/2026-06-05/0/json": nothing("no articles found")}, None),
]  # fmt: skip
