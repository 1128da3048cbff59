"""Plain searches to compare with: BM25, SQLite's FTS5 and an embedder alone, over names, descriptions, arguments.

They know neither what tools are asked nor any vocabulary, and return something for every query. Pure.
"""

import re
import sqlite3
from collections.abc import Sequence

import numpy as np
from rank_bm25 import BM25Okapi

from tools_catalog.catalog import CatalogTool
from tools_catalog.embeddings import Embedder
from tools_catalog.meaning import unit

DEPTH = 10
_WORD = re.compile(r"[a-z0-9]+")


def _parts(tool: CatalogTool) -> tuple[str, str, str]:
    properties = tool.input_schema.get("properties", {})
    arguments = " ".join(f"{name} {schema.get('description', '')}" for name, schema in properties.items())
    return f"{tool.platform_key} {tool.name}".replace("_", " "), tool.description, arguments


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


class PlainBm25:
    """rank-bm25 with its defaults over runs of letters and digits."""

    def __init__(self, tools: Sequence[CatalogTool]) -> None:
        self._names = [tool.name for tool in tools]
        self._index = BM25Okapi([_words(" ".join(_parts(tool))) for tool in tools])

    def __call__(self, query: str) -> list[str]:
        """Return the names of the best tools."""
        scores = self._index.get_scores(_words(query))
        return [self._names[number] for number in np.argsort(-scores, kind="stable")[:DEPTH] if scores[number] > 0]


class PlainFts5:
    """FTS5 with the Porter stemmer; a name counts four times, arguments a third. A query is an OR of its words."""

    def __init__(self, tools: Sequence[CatalogTool]) -> None:
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.execute(
            "CREATE VIRTUAL TABLE tools USING "
            "fts5(id UNINDEXED, name, purpose, arguments, tokenize = 'porter unicode61')"
        )
        rows = [(tool.name, *_parts(tool)) for tool in tools]
        self._connection.executemany("INSERT INTO tools VALUES (?, ?, ?, ?)", rows)

    def __call__(self, query: str) -> list[str]:
        """Return the names of the best tools."""
        words = " OR ".join(f'"{word}"' for word in _words(query))
        if not words:
            return []
        found = self._connection.execute(
            "SELECT id FROM tools WHERE tools MATCH ? ORDER BY bm25(tools, 0, 4.0, 1.0, 0.3), id LIMIT ?",
            (words, DEPTH),
        )
        return [name for (name,) in found]


class EmbedderAlone:
    """The cosine between a query and "name: description". Embeds all tools when made."""

    def __init__(self, tools: Sequence[CatalogTool], embedder: Embedder) -> None:
        self._names = [tool.name for tool in tools]
        self._embedder = embedder
        texts = [f"{tool.name.replace('_', ' ')}: {tool.description}" for tool in tools]
        self._rows = unit(np.array(embedder.embed(texts), dtype=np.float32))

    def __call__(self, query: str) -> list[str]:
        """Return the names of the best tools."""
        wanted = np.asarray(self._embedder.embed([query])[0], dtype=np.float32)
        scores = np.einsum("ij,j->i", self._rows, wanted)
        return [self._names[number] for number in np.argsort(-scores, kind="stable")[:DEPTH]]
