"""Keyword ranking of the tools: BM25 over names, descriptions, arguments and what each tool is asked.

Any text is a query: quotes, operators and punctuation are text, never syntax, and nothing raises. A query
without a searchable word finds nothing. Pure.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from tools_catalog.catalog import CatalogTool
from tools_catalog.embeddings import CLAUSE, TOOL_NAME
from tools_catalog.spelling import Spelling
from tools_catalog.vocabulary import Vocabulary, vocabulary
from tools_catalog.words import QUERY_MAX_CHARACTERS, pieces, spelt_tokens, tokens

# How often a word counts, by where it stands.
NAME, ASKS, DESCRIPTION, ARGUMENTS, POINTED = 4, 3, 2, 1, 1
# How fast a repeated word stops to count, and how much long texts are held back.
K1, B = 1.2, 0.6
# Marks a meaning, so that no word of a text can be taken for it.
_MEANING = "="


class KeywordIndex:
    """The BM25 index over documents, each a list of texts with their weights."""

    def __init__(self, documents: Sequence[Sequence[tuple[str, int]]], words: Vocabulary | None = None) -> None:
        self._vocabulary = words or vocabulary()
        counted = [self._document(texts) for texts in documents]
        self._count = len(documents)
        self._words = [frozenset(document) for document in counted]
        self._known = frozenset().union(*self._words) if counted else frozenset()
        self._index = BM25Okapi(counted, k1=K1, b=B) if self._known else None
        self._word_scores: dict[str, NDArray[np.float64]] = {}
        self._spelling = Spelling(word for word in self._known if not word.startswith(_MEANING))

    def scores(self, wanted: Mapping[str, str]) -> NDArray[np.float64]:
        """Return the score of every document for the words that `wanted` gives; 0 where there is none in common."""
        total = np.zeros(self._count)
        # Sorted, so that equal queries add up in equal order whatever the salt of this process's hashes.
        for word in sorted(wanted):
            total += self._scores_of(word)
        return total

    def shared(self, number: int, wanted: Mapping[str, str]) -> list[str]:
        """Return the wanted words that a document has, as the query spells them."""
        return list(dict.fromkeys(spelt for word, spelt in wanted.items() if word in self._words[number]))

    def coverage(self, number: int, query: str, wanted: Mapping[str, str]) -> float:
        """Return how much of a query a document has, by words: one that is unknown everywhere counts as missing."""
        asked = {word for word, _ in spelt_tokens(query[:QUERY_MAX_CHARACTERS])}
        return min(1.0, sum(word in self._words[number] for word in wanted) / max(1, len(asked)))

    def _scores_of(self, word: str) -> NDArray[np.float64]:
        """Return what one word adds; scores of BM25 add up over words, so each is worked out once."""
        known = self._word_scores.get(word)
        if known is None and self._index is not None:
            has = [number for number, words in enumerate(self._words) if word in words]
            known = np.zeros(self._count)
            if has:
                # In a small catalogue a frequent word can have a weight of zero or below; sharing it still counts.
                known[has] = np.maximum(self._index.get_batch_scores([word], has), 0.0) + 1e-3
            self._word_scores[word] = known
        return np.zeros(self._count) if known is None else known

    def wanted(self, query: str) -> dict[str, str]:
        """Return the query's words and meanings that the documents know, each in the spelling shown to people."""
        query = query[:QUERY_MAX_CHARACTERS]
        wanted: dict[str, str] = {}
        corrected: dict[str, str] = {}
        for word, spelt in spelt_tokens(query):
            if word in self._known:
                wanted.setdefault(word, spelt.lower())
            elif nearest := self._spelling.nearest(word):
                corrected[word] = nearest
                wanted.setdefault(nearest, f"{nearest} (for {spelt})")
        plain = [corrected.get(piece, piece) for piece in pieces(query)]
        for meaning, _, _ in self._vocabulary.synonyms.found(plain):
            if _MEANING + meaning in self._known:
                wanted.setdefault(_MEANING + meaning, meaning)
        return wanted

    def _document(self, texts: Iterable[tuple[str, int]]) -> list[str]:
        """Return the words and meanings under which a document is found, as often as they count."""
        document: list[str] = []
        for text, weight in texts:
            meanings = {_MEANING + meaning for meaning, _, _ in self._vocabulary.synonyms.found(pieces(text))}
            document += [*tokens(text), *sorted(meanings)] * weight
        return document


def index_texts(tools: Sequence[CatalogTool]) -> list[list[tuple[str, int]]]:
    """Return the texts of each tool with their weights.

    Descriptions end by pointing at neighbours ("for X use get_x"). Those words are true of the neighbour, not of
    the tool where they stand, so that is where they count.
    """
    names = {tool.name for tool in tools}
    by_short = {(tool.platform_key, tool.name.partition("__")[2]): tool.name for tool in tools}
    pointed: dict[str, list[str]] = defaultdict(list)
    own: dict[str, str] = {}
    for tool in tools:
        kept = []
        for clause in CLAUSE.split(tool.description):
            targets = [
                name
                for found in TOOL_NAME.findall(clause)
                if (name := found if found in names else by_short.get((tool.platform_key, found), ""))
            ]
            for name in targets:
                pointed[name].append(TOOL_NAME.sub(" ", clause))
            if not targets:
                kept.append(clause)
        own[tool.name] = " ".join(kept)
    return [
        [
            (f"{tool.name.replace('_', ' ')} {tool.title}", NAME),
            (tool.platform, 1),
            (own[tool.name], DESCRIPTION),
            *((ask, ASKS) for ask in tool.asks),
            (" ".join(pointed[tool.name]), POINTED),
            (" ".join(_argument_text(*item) for item in tool.input_schema.get("properties", {}).items()), ARGUMENTS),
        ]
        for tool in tools
    ]


def _argument_text(name: str, schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return name
    values = schema.get("enum") or []
    return " ".join([name.replace("_", " "), str(schema.get("description", "")), *map(str, values)])
