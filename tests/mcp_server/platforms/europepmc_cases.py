"""What each tool of Europe PMC is asked by its example, and what Europe PMC answers: a hit, nothing, an unknown id."""

from dataclasses import dataclass
from typing import Any

from mcp_server.platforms.europepmc import platform
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


def record(source: str = "MED", number: str = "20516115", **more: Json) -> dict[str, Json]:
    """Return a record as searches hold it."""
    own = {"pmid": number} if source == "MED" else {"pmcid": number} if source == "PMC" else {}
    facts = {"title": "A <i>BRCA1</i> study.", "authorString": "Lee MS, Green R.", "pubYear": "2010"}
    flags = {"isOpenAccess": "N", "inEPMC": "Y", "citedByCount": 133, "firstPublicationDate": "2010-06-01"}
    return {"id": number, "source": source, **own, **facts, **flags, **more}


BRCT = record(pmcid="PMC3040717", doi="10.1158/0008-5472.can-09-4563", journalTitle="Cancer Res")
CYSTIC = record("MED", "32574212", pmcid="PMC7310724", doi="10.1371/journal.pone.0235071", isOpenAccess="Y")


def hits(*found: Json, count: int | None = None, cursor: str | None = None) -> Played:
    """Return the answer of a search."""
    marks = {"nextCursorMark": cursor} if cursor else {}
    number = len(found) if count is None else count
    return Played({"version": "6.9", "hitCount": number, **marks, "resultList": {"result": list(found)}})


def one(found: Json = None, source: str = "MED", number: str = "20516115") -> Played:
    """Return the answer of the route for one record; without one, that for a number that nobody has."""
    asked = {"resultType": "CORE", "id": number, "source": source}
    return Played({"version": "6.9", "hitCount": int(bool(found)), "request": asked, "result": found or {}})


def page(name: str, inner: str, number: str, *found: Json, count: int | None = None) -> Played:
    """Return a page of citing or cited articles."""
    body: Json = {"version": "6.9", "request": {"id": number, "source": "MED", "offSet": 1, "pageSize": 25}}
    if found or count is not None:
        body |= {"hitCount": len(found) if count is None else count, name: {inner: list(found)}}
    return Played(body)


def annotated(*mentions: Json, source: str = "MED", number: str = "39064362", pmcid: str = "PMC11278924") -> Json:
    """Return an article with what text mining found."""
    return {"source": source, "extId": number, "pmcid": pmcid, "annotations": list(mentions)}


def mention(exact: str, name: str, kind: str = "Chemicals", uri: str = "", section: str = "Abstract") -> Json:
    """Return one place of a text where a term was found."""
    where = f"{section} (http://purl.org/dc/terms/{section.lower()})"
    tag = {"name": name, "uri": uri or f"http://purl.obolibrary.org/obo/{name}"}
    return {"prefix": "before", "exact": exact, "postfix": "after", "tags": [tag], "type": kind, "section": where}


CITING = {
    "id": "PPR1078485", "source": "PPR", "citationType": "preprint", "title": "Vaccination and long COVID",
    "authorString": "Silva LCM.", "pubYear": 2025, "citedByCount": 0,
}  # fmt: skip
CITED = {
    "id": "32150622", "source": "MED", "title": "Diagnostic testing.", "journalAbbreviation": "JAMA",
    "pubYear": 2020, "citedOrder": 1, "match": "Y", "essn": "1538-3598", "issn": "0098-7484",
}  # fmt: skip
LINKS = {
    "version": "6.9",
    "hitCount": 21710,
    "request": {"id": "14624247", "source": "MED"},
    "dbCountList": {"db": [{"dbName": "EMBL", "count": 10}, {"dbName": "UNIPROT", "count": 21700}]},
    "dbCrossReferenceList": {"dbCrossReference": [
        {"dbName": "UNIPROT", "dbCount": 21700, "dbCrossReferenceInfo": [
            {"info1": "Q04456", "info2": "Gut esterase 1", "info3": "Caenorhabditis briggsae", "info4": "UniProt"}]},
    ]},
}  # fmt: skip
NO_LINKS = Played({"version": "6.9", "request": {"id": "14624247", "source": "MED", "offSet": 1}})
GENIPIN = annotated(mention("genipin", "genipin"), mention("genipin", "genipin", section="Conclusion"))
NO_FULL_TEXT = Played("", 404)
NOT_OPEN = Played(
    '<?xml version="1.0"?><errorBean><errCode>0</errCode>'
    "<errMsg>Article with id PMC3040717 is not open access one</errMsg></errorBean>"
)
TEXT = (
    '<?xml version="1.0"?><article><front><article-meta><article-id pub-id-type="pmcid">PMC7310724</article-id>'
    '<article-id pub-id-type="doi">10.1371/journal.pone.0235071</article-id>'
    "<permissions><license><license-p>CC BY</license-p></license></permissions>"
    "<abstract><p>Children were sequenced.</p></abstract></article-meta></front>"
    "<body><sec><title>Methods</title><p>A panel of genes.</p></sec>"
    "<sec><title>Results</title><p>In 71% a variant was found.</p></sec></body></article>"
)
GRANT = {
    "Person": {"FamilyName": "Jones", "GivenName": "Ann", "Initials": "A"},
    "Grant": {
        "Funder": {"Name": "Wellcome Trust", "FundRefID": "https://doi.org/10.13039/100010269"},
        "Id": "083611", "Title": "Vertebrate neurogenesis", "StartDate": "2007-11-01", "EndDate": "2013-10-31",
    },
    "Institution": {"Name": "University College London", "RORID": "https://ror.org/02jx3x895"},
}  # fmt: skip


def grants(*found: Json) -> Played:
    """Return grants: one as an object, several as a list, none as nothing."""
    inner = {"Record": found[0] if len(found) == 1 else list(found)} if found else {}
    return Played({"HitCount": str(len(found)), "RecordList": inner})


PROFILE = {
    "pubType": [{"name": "ALL", "count": 9}, {"name": "REVIEW", "count": 2}, {"name": "OPEN ACCESS", "count": 8}],
    "source": [{"name": "MED", "count": 6}, {"name": "PPR", "count": 3}, {"name": "PAT", "count": 0}],
}
NO_PROFILE = {"pubType": [{"name": "ALL", "count": 0}], "source": [{"name": "MED", "count": 0}]}

CASES = [
    Case("search_articles", {"/search": hits(BRCT)}, {"/search": hits()}, None),
    Case("count_hits", {"/profile": Played({"profileList": PROFILE})},
         {"/profile": Played({"profileList": NO_PROFILE})}, None),
    Case("get_article", {"/article/MED/20516115": one(BRCT)}, None, {"/article/MED/20516115": one()}),
    Case("get_citations", {"/MED/34308300/citations": page("citationList", "citation", "34308300", CITING, count=1741)},
         {"/citations": page("citationList", "citation", "34308300"),
          "/article/MED/34308300": one(record("MED", "34308300"), number="34308300")},
         {"/citations": page("citationList", "citation", "34308300", count=0),
          "/article/MED/34308300": one(number="34308300")}),
    Case("get_references", {"/MED/34308300/references": page("referenceList", "reference", "34308300", CITED)},
         {"/references": page("referenceList", "reference", "34308300"),
          "/article/MED/34308300": one(record("MED", "34308300"), number="34308300")},
         {"/references": page("referenceList", "reference", "34308300"),
          "/article/MED/34308300": one(number="34308300")}),
    Case("get_text_mined_annotations", {"/annotationsByArticleIds?PMC:11278924": Played([GENIPIN])},
         {"/annotationsByArticleIds": Played([]), "/search": hits(record("MED", "39064362", pmcid="PMC11278924"))},
         {"/annotationsByArticleIds": Played([]), "/search": hits()}),
    Case("find_articles_mentioning_entity",
         {"/annotationsByEntity?entity=genipin": Played(
             {"nextCursorMark": -1.0, "cursorMark": 0.0, "articles": [GENIPIN]})},
         {"/annotationsByEntity": Played({"nextCursorMark": -1.0, "cursorMark": 0.0, "articles": []})}, None),
    Case("get_full_text", {"/search?PMCID:PMC7310724": hits(CYSTIC), "/PMC7310724/fullTextXML": Played(TEXT)},
         {"/search": hits(CYSTIC), "/fullTextXML": NO_FULL_TEXT}, {"/search": hits()}),
    Case("get_database_links", {"/MED/14624247/databaseLinks": Played(LINKS)},
         {"/databaseLinks": NO_LINKS, "/article/MED/14624247": one(record("MED", "14624247"), number="14624247")},
         {"/databaseLinks": NO_LINKS, "/article/MED/14624247": one(number="14624247")}),
    Case("search_grants", {"/query=gid:083611&format=json&resultType=core": grants(GRANT)}, None,
         {"/query=gid:083611&format=json&resultType=core": grants()}),
    Case("list_supplementary_files", {}, {"/PMC3040717/supplementaryFiles": NOT_OPEN, "/search": hits(BRCT)},
         {"/PMC3040717/supplementaryFiles": NOT_OPEN, "/search": hits()}),
]  # fmt: skip
