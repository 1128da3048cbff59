"""PubMed's XML records as plain data.

Titles and abstracts hold markup, so the whole text of an element is taken, never its first piece.
An article's identifiers stand beside those of its references: only the direct path is read.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.markup import whole_text

Json = Any
HOST = "eutils.ncbi.nlm.nih.gov"
AUTHORS_MAX = 10


def parse_articles(text: str, include: Collection[str] = ()) -> list[dict[str, Json]]:
    """Return the articles and book chapters of a `PubmedArticleSet`; anything else is a bad response.

    `include` names the long lists to bring: authors, affiliations, grants, references.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UpstreamBadResponse(HOST, f"the record is not XML to its end: {error}") from error
    if root.tag != "PubmedArticleSet":
        raise UpstreamBadResponse(HOST, f"expected PubmedArticleSet, got {root.tag}: {whole_text(root)[:300]}")
    return [_article(element, include) for element in root if element.tag in ("PubmedArticle", "PubmedBookArticle")]


def _article(element: Element, include: Collection[str]) -> dict[str, Json]:
    is_book = element.tag == "PubmedBookArticle"
    citation = _first(element, "BookDocument" if is_book else "MedlineCitation")
    article = citation if is_book else _first(citation, "Article")
    identifiers = {each.get("IdType"): whole_text(each) for each in element.findall(".//ArticleIdList/ArticleId")}
    if not is_book:
        own = element.findall("PubmedData/ArticleIdList/ArticleId")
        identifiers = {each.get("IdType"): whole_text(each) for each in own}
    authors = [name for name in map(_author, article.findall("AuthorList/Author")) if name]
    record = {
        "pmid": whole_text(citation.find("PMID")),
        "title": whole_text(article.find("ArticleTitle")),
        "vernacularTitle": whole_text(article.find("VernacularTitle")),
        "abstract": "\n".join(_abstract(article)),
        "journal": whole_text(article.find("Journal/Title")) or whole_text(article.find("Book/BookTitle")),
        "pubdate": _date(article),
        "volume": whole_text(article.find("Journal/JournalIssue/Volume")),
        "issue": whole_text(article.find("Journal/JournalIssue/Issue")),
        "pages": whole_text(article.find("Pagination/MedlinePgn")),
        "authors": authors if "authors" in include else authors[:AUTHORS_MAX],
        "authorCount": len(authors),
        "doi": identifiers.get("doi"),
        "pmcid": identifiers.get("pmc"),
        "pubtypes": [whole_text(each) for each in article.findall("PublicationTypeList/PublicationType")],
        "mesh": [_heading(each) for each in citation.findall("MeshHeadingList/MeshHeading")],
        "substances": [whole_text(each) for each in citation.findall("ChemicalList/Chemical/NameOfSubstance")],
        "databanks": list(_databanks(article)),
        "corrections": list(_corrections(citation)),
        "affiliations": _affiliations(article) if "affiliations" in include else [],
        "grants": list(_grants(article)) if "grants" in include else [],
        "references": list(_references(element)) if "references" in include else [],
    }
    return {name: value for name, value in record.items() if value}


def _first(element: Element, tag: str) -> Element:
    found = element.find(tag)
    if found is None:
        raise UpstreamBadResponse(HOST, f"a record without {tag}")
    return found


def _author(author: Element) -> str:
    collective = whole_text(author.find("CollectiveName"))
    return collective or " ".join(filter(None, (whole_text(author.find(tag)) for tag in ("LastName", "Initials"))))


def _abstract(article: Element) -> Iterator[str]:
    for part in article.findall("Abstract/AbstractText"):
        text, label = whole_text(part), part.get("Label")
        if text:
            yield f"{label}: {text}" if label else text


def _date(article: Element) -> str:
    """Return the date of the issue, as exact as it is given; some journals give free text."""
    date = article.find("Journal/JournalIssue/PubDate")
    if date is None:
        date = article.find("Book/PubDate")
    if date is None:
        return ""
    parts = [whole_text(date.find(tag)) for tag in ("Year", "Month", "Day")]
    return " ".join(filter(None, parts)) or whole_text(date.find("MedlineDate")) or whole_text(date.find("Season"))


def _heading(heading: Element) -> str:
    """Return a MeSH heading with its qualifiers; a star marks what the article is mainly about."""
    names = heading.findall("DescriptorName") + heading.findall("QualifierName")
    return "/".join(f"{whole_text(name)}{'*' if name.get('MajorTopicYN') == 'Y' else ''}" for name in names)


def _databanks(article: Element) -> Iterator[dict[str, Json]]:
    for bank in article.findall("DataBankList/DataBank"):
        numbers = [whole_text(each) for each in bank.findall("AccessionNumberList/AccessionNumber")]
        yield {"name": whole_text(bank.find("DataBankName")), "accessions": numbers}


def _corrections(citation: Element) -> Iterator[dict[str, str]]:
    """Yield retractions, errata and expressions of concern; comments and cited papers are left out."""
    for each in citation.findall("CommentsCorrectionsList/CommentsCorrections"):
        kind = each.get("RefType", "")
        if re.match(r"Retract|Erratum|Expression|Correct|Update|Republish|PartialRetract", kind):
            yield {"type": kind, "pmid": whole_text(each.find("PMID")), "source": whole_text(each.find("RefSource"))}


def _affiliations(article: Element) -> list[str]:
    """Return each affiliation once, without the addresses of persons."""
    found = (whole_text(each) for each in article.findall("AuthorList/Author/AffiliationInfo/Affiliation"))
    plain = (re.sub(r"\s*(Electronic address:\s*)?\S+@\S+", "", each).strip() for each in found)
    return list(dict.fromkeys(each for each in plain if each))


def _grants(article: Element) -> Iterator[dict[str, str]]:
    for grant in article.findall("GrantList/Grant"):
        facts = {"id": whole_text(grant.find("GrantID")), "agency": whole_text(grant.find("Agency"))}
        yield {name: value for name, value in facts.items() if value}


def _references(element: Element) -> Iterator[dict[str, str]]:
    """Yield what the article cites, with the numbers that PubMed knows."""
    for reference in element.findall("PubmedData/ReferenceList//Reference"):
        numbers = {each.get("IdType"): whole_text(each) for each in reference.findall("ArticleIdList/ArticleId")}
        facts = {
            "citation": whole_text(reference.find("Citation")),
            "pmid": numbers.get("pubmed"),
            "doi": numbers.get("doi"),
            "pmcid": numbers.get("pmc"),
        }
        yield {name: value for name, value in facts.items() if value}
