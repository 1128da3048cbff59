"""Keyword ranking of the tools: BM25 over name, title, description and arguments.

Any text is a query: quotes, operators and punctuation are text, never syntax, and nothing raises. A query
without a searchable word finds nothing. Pure.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rank_bm25 import BM25Okapi

from tools_catalog.catalog import CatalogTool

QUERY_MAX_CHARACTERS = 1_000
_WORD = re.compile(r"[^\W_]+(?:['’.:/-][^\W_]+)*")
_PIECE = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
# Words that stand in every question and tell nothing about the tool.
_AMERICAN = (("aem", "em"), ("tumour", "tumor"), ("oestr", "estr"), ("isation", "ization"), ("iser", "izer"))
_STOP = frozenset(
    _PIECE.findall(
        "a an and any are as at be by can do does for from has have how i in into is it its me my not of on or out "
        "that the their there these this to was what when where which who why with"
    )
)


def tokens(text: str) -> list[str]:
    """Return the searchable words of a text, in order, in the one form that documents and queries share.

    Greek letters become their names; hyphenated and camel-case words count whole and in pieces.
    """
    plain = _latin(unicodedata.normalize("NFKC", text[: 50 * QUERY_MAX_CHARACTERS]).translate(_DASHES))
    return [form for word in _WORD.findall(plain) for form in _forms(word)]


def document(tool: CatalogTool) -> list[str]:
    """Return the words under which a tool is found."""
    properties = tool.input_schema.get("properties", {})
    arguments = " ".join(_argument_text(name, schema) for name, schema in properties.items())
    name = tool.name.replace("_", " ")
    return tokens(f"{name} {tool.platform} {tool.title} {tool.description} {arguments}")


class KeywordIndex:
    """The BM25 index over one catalogue."""

    def __init__(self, tools: Sequence[CatalogTool]) -> None:
        documents = [document(tool) for tool in tools]
        self._names = [tool.name for tool in tools]
        self._words = [frozenset(words) for words in documents]
        self._known = frozenset().union(*self._words) if documents else frozenset()
        self._index = BM25Okapi(documents) if self._known else None

    def scores(self, query: str) -> dict[str, tuple[float, list[str]]]:
        """Return score and matched words of every tool that shares a word with the query."""
        # Sorted, so that equal queries add up in equal order whatever the salt of this process's hashes.
        wanted = sorted({word for word in tokens(query[:QUERY_MAX_CHARACTERS]) if word in self._known})
        if self._index is None or not wanted:
            return {}
        # In a small catalogue a frequent word can have a weight of zero or below; sharing it still counts.
        found = {}
        for name, words, score in zip(self._names, self._words, self._index.get_scores(wanted), strict=True):
            shared = [word for word in wanted if word in words]
            if shared:
                found[name] = (max(float(score), 0.0) + 1e-3 * len(shared), shared)
        return found


def _argument_text(name: str, schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return name
    values = schema.get("enum") or []
    return " ".join([name.replace("_", " "), str(schema.get("description", "")), *map(str, values)])


def _latin(text: str) -> str:
    return "".join(_greek_name(letter) or letter for letter in text)


def _greek_name(letter: str) -> str:
    if not ("\u0370" <= letter <= "\u03ff" or "\u1f00" <= letter <= "\u1fff"):
        return ""
    base = unicodedata.normalize("NFD", letter)[0]
    name = unicodedata.name(base, "").removeprefix("GREEK SMALL LETTER ").removeprefix("GREEK CAPITAL LETTER ")
    return {"LAMDA": "lambda", "FINAL SIGMA": "sigma"}.get(name, name.lower()) if name.isalpha() or " " in name else ""


def _forms(word: str) -> Iterator[str]:
    """Yield a word in its forms: whole and in pieces, without what is no help."""
    pieces = _PIECE.findall(word)
    whole = "".join(pieces).lower()
    if len(pieces) > 1:
        yield _stem(whole)
    for piece in pieces:
        humps = _CAMEL.findall(piece)
        # `geneSymbol` and `ClinicalTrials` have two words; `ChEMBL` and `UniProt` are names.
        if len(humps) > 1 and "".join(humps) == piece and (piece[0].islower() or min(map(len, humps)) >= 4):
            yield from (_stem(hump.lower()) for hump in humps)
        lower = piece.lower()
        if lower not in _STOP and (len(lower) > 1 or len(pieces) > 1 or lower.isdigit()):
            yield _stem(lower)


def _stem(word: str) -> str:
    """Make plural and singular, British and American spelling one."""
    if word.isascii() and word.isalpha() and len(word) > 3:
        for british, american in _AMERICAN:
            word = word.replace(british, american)
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            return word[:-1]
    return word
