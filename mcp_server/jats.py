"""An article in JATS XML, as PubMed Central and Europe PMC send it, in sections, captions and references."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from mcp_server.markup import whole_text

Json = Any

# They stand apart from the running text.
APART = ("fig", "fig-group", "table-wrap", "table-wrap-group", "ref-list", "disp-formula", "supplementary-material")


@dataclass(frozen=True)
class Section:
    """A piece of the running text under its headings."""

    title: str
    kind: str
    text: str


def identifiers(article: Element) -> dict[str, str]:
    """Return the article's own numbers; the PMCID with its prefix, whatever its type is called."""
    found = {each.get("pub-id-type", ""): whole_text(each) for each in article.findall("front/article-meta/article-id")}
    # `pmcid` since 2025, `pmc` with or without prefix before; `pmcid-ver` carries a version.
    number = found.get("pmcid") or found.get("pmc") or ""
    named = {"pmid": found.get("pmid", ""), "doi": found.get("doi", "")}
    if number:
        named["pmcid"] = f"PMC{number.upper().removeprefix('PMC')}"
    return {name: value for name, value in named.items() if value}


def title(article: Element) -> str:
    """Return the title."""
    return whole_text(article.find("front/article-meta/title-group/article-title"))


def licence(article: Element) -> str:
    """Return what may be done with the text, in the article's words."""
    permissions = article.find("front/article-meta/permissions")
    return whole_text(permissions.find("license")) if permissions is not None else ""


def sections(article: Element) -> list[Section]:
    """Return abstract, body and end matter in their order; a section's own text, its subsections after it."""
    found = [
        Section(whole_text(each.find("title")) or "Abstract", "abstract", _running(each))
        for each in article.findall("front/article-meta/abstract")
    ]
    for part in ("body", "back"):
        element = article.find(part)
        if element is None:
            continue
        # A short article has paragraphs without a section.
        if loose := " ".join(_paragraphs(element)):
            found.append(Section("", part, loose))
        for child in element:
            if child.tag in ("sec", "ack", "app-group", "app", "notes", "fn-group"):
                found += _nested(child, "")
    return [section for section in found if section.text]


def _nested(element: Element, above: str) -> Iterator[Section]:
    """Yield a section's own paragraphs under its full heading, then its subsections."""
    own = whole_text(element.find("title")) or {"ack": "Acknowledgments"}.get(element.tag, "")
    heading = " / ".join(filter(None, (above, own)))
    kind = element.get("sec-type") or element.tag
    yield Section(heading, kind, " ".join(_paragraphs(element)))
    for child in element:
        if child.tag in ("sec", "app"):
            yield from _nested(child, heading)


def _paragraphs(element: Element) -> Iterator[str]:
    """Yield the element's own paragraphs and lists, without those of its subsections."""
    for child in element:
        if child.tag in ("p", "list", "disp-quote", "def-list", "boxed-text", "fn", "statement"):
            yield _running(child)


def _running(element: Element) -> str:
    """Return an element's text without figures, tables and its title."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: Element) -> Iterator[str]:
    yield {"sup": "^", "sub": "_"}.get(element.tag, "")
    yield element.text or ""
    for child in element:
        if child.tag not in APART and not (child.tag == "title" and element.tag in ("abstract", "trans-abstract")):
            yield from _pieces(child)
        if child.tag in ("p", "title", "list-item", "sec"):
            yield " "
        yield child.tail or ""


def captions(article: Element, tag: str) -> list[Json]:
    """Return label and caption of each figure or table."""
    found = (
        {"label": whole_text(each.find("label")), "caption": whole_text(each.find("caption"))}
        for each in article.iter(tag)
    )
    return [each for each in found if each["label"] or each["caption"]]


def tables(article: Element) -> list[Json]:
    """Return label, caption and rows of each table; a cell over several columns stands once."""
    found = []
    for each in article.iter("table-wrap"):
        rows = [[whole_text(cell) for cell in row if cell.tag in ("th", "td")] for row in each.iter("tr")]
        found.append(
            {"label": whole_text(each.find("label")), "caption": whole_text(each.find("caption")), "rows": rows}
        )
    return found


def references(article: Element) -> list[Json]:
    """Return what the article cites, with PubMed numbers and DOIs where they stand."""
    found = []
    for reference in article.findall("back//ref-list/ref"):
        numbers = {each.get("pub-id-type"): whole_text(each) for each in reference.iter("pub-id")}
        text = " ".join(" ".join(_words(reference)).split())
        facts = {
            "text": re.sub(r" (?=[,.;:)])|(?<=\() ", "", text),
            "pmid": numbers.get("pmid"),
            "doi": numbers.get("doi"),
        }
        found.append({name: value for name, value in facts.items() if value})
    return found


def _words(element: Element) -> Iterator[str]:
    """Yield a reference's words: its parts often stand side by side without a blank."""
    if element.tag not in ("pub-id", "label"):
        yield element.text or ""
        for child in element:
            yield from _words(child)
    yield element.tail or ""
