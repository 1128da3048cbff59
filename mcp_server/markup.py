"""Readable text out of markup: of an XML element, and of a string in which tags and entities stand."""

import html
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

_ATTRIBUTES = r"(?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?"
_BLOCKS = "p|div|br|ul|ol|li|sec|h[1-6]|title|table|tr|td|th"
_MARKS = "i|b|u|em|strong|italic|bold|sc|small|span|font|a|sup|sub"
_HEADING_END = re.compile(r"[\s.:]*</(?:h[1-6]|title)\s*>", re.IGNORECASE)
_RAISED = re.compile(rf"<(sup|sub){_ATTRIBUTES}>", re.IGNORECASE)
_BLOCK = re.compile(rf"</?(?:{_BLOCKS}){_ATTRIBUTES}>", re.IGNORECASE)
_MARK = re.compile(rf"</?(?:{_MARKS}){_ATTRIBUTES}>", re.IGNORECASE)


def whole_text(element: Element | None) -> str:
    """Return all text of an element on one line; `<sup>2</sup>` reads `^2`, `<sub>2</sub>` reads `_2`."""
    return " ".join("".join(_pieces(element)).split()) if element is not None else ""


def _pieces(element: Element) -> Iterator[str]:
    yield {"sup": "^", "sub": "_"}.get(element.tag, "")
    yield element.text or ""
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""


def plain_text(text: str) -> str:
    """Return a text without its tags, on one line; only real tags go, so that `P<0.001` stays.

    A heading ends with a colon; raised and lowered parts keep a sign, as in `whole_text`.
    """
    # Titles come with their tags escaped, abstracts with real ones.
    marked = _HEADING_END.sub(": ", html.unescape(text))
    marked = _RAISED.sub(lambda found: "^" if found[1].lower() == "sup" else "_", marked)
    return " ".join(_MARK.sub("", _BLOCK.sub(" ", marked)).split())
