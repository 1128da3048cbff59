"""Find the tools that fit a query: keywords and meaning, merged by rank.

The keyword score is raised for tools of a database that the query names, and for tools that take an identifier
that stands in the query. Results are the same in every process; ties go by name.
"""

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mcp_server.renamed import SUCCESSORS
from tools_catalog.catalog import Catalog, CatalogTool
from tools_catalog.config import CatalogConfig
from tools_catalog.embeddings import Embedder, Vector, cosine, embedding_text
from tools_catalog.keywords import QUERY_MAX_CHARACTERS, KeywordIndex, tokens

log = logging.getLogger(__name__)

# The usual constant of Reciprocal Rank Fusion, and how deep a ranking counts.
RRF_K = 60
RANKED_MAX = 50
# A pattern that fits one of these is too wide to tell an identifier from a word.
_PLAIN_WORDS = ("gene", "cancer", "Aspirin", "BRCA1", "TP53", "10", "12345", "a", "in", "trials", "HER2")
_QUERY_WORD = re.compile(r"[^\s,;()\"']+")


KEYWORDS_ONLY = "search by keywords only: no embedder is configured"


@dataclass(frozen=True)
class Hit:
    """A tool that fits a query. `score` orders hits of one search only; `why` is one line for people.

    The ranks count from 1; None says that this half of the search did not find the tool.
    """

    name: str
    score: float
    why: str
    keyword_rank: int | None = None
    meaning_rank: int | None = None


@dataclass(frozen=True)
class SearchResult:
    """What a search found, best first. `notice` says what the search had to do without, or why nothing fits."""

    hits: tuple[Hit, ...] = ()
    notice: str = ""


class ToolSearch:
    """Search over one catalogue. Embeds all tools when made: with an embedder, make it in a thread."""

    def __init__(self, catalog: Catalog, config: CatalogConfig | None = None, embedder: Embedder | None = None) -> None:
        self.catalog = catalog
        self._config = config or CatalogConfig()
        self._keywords = KeywordIndex(catalog.tools)
        self._embedder = embedder
        self._vectors = self._embedded(embedder)

    @property
    def keyword_only(self) -> bool:
        """Whether there is no search by meaning."""
        return not self._vectors

    @property
    def notice(self) -> str:
        """What the search has to do without at present; empty when it is whole."""
        return KEYWORDS_ONLY if self.keyword_only else ""

    async def find(self, query: str, limit: int | None = None) -> SearchResult:
        """Search off the event loop: a query's embedding takes milliseconds."""
        return await asyncio.to_thread(self.search, query, limit)

    def search(self, query: str, limit: int | None = None) -> SearchResult:
        """Return the best tools for a query, at most `limit`. Never raises for any text."""
        keywords = self._keywords.scores(query)
        named = self._named_platforms(query)
        takers = self._takers(query)
        scores = self._boosted(keywords, named, takers)
        by_keyword = sorted(scores, key=lambda name: (-scores[name], name))[:RANKED_MAX]
        meaning = self._by_meaning(query)
        is_short = len(_QUERY_WORD.findall(query)) <= self._config.short_query_words
        fused = reciprocal_rank_fusion(
            [
                (by_keyword, self._config.keyword_weight_short if is_short else self._config.keyword_weight_long),
                (meaning, self._config.meaning_weight_short if is_short else self._config.meaning_weight_long),
            ]
        )
        ahead = fused[0][1] if fused else 0.0
        hits = [
            Hit(now, ahead + 1.0 / place, f"has taken the place of {former}")
            for place, (now, former) in enumerate(self._successors(query).items(), start=1)
        ]
        found = {hit.name for hit in hits}
        for name, score in fused:
            if name not in found:
                words = keywords[name][1] if name in keywords else []
                why = self._why(name, words, named, takers)
                hits.append(Hit(name, score, why, _rank(name, by_keyword), _rank(name, meaning)))
        return SearchResult(tuple(hits[: self._config.results if limit is None else limit]), self.notice)

    def _successors(self, query: str) -> dict[str, str]:
        """Return the tools that took the place of former ones that the query names, with the former names."""
        words = (word.rstrip(".?!:") for word in _QUERY_WORD.findall(query[:QUERY_MAX_CHARACTERS]))
        named = {SUCCESSORS[word]: word for word in words if word in SUCCESSORS}
        return {now: former for now, former in named.items() if now in self.catalog.by_name}

    def _boosted(
        self, keywords: Mapping[str, tuple[float, list[str]]], named: frozenset[str], takers: Mapping[str, str]
    ) -> dict[str, float]:
        scores: dict[str, float] = {}
        for tool in self.catalog.tools:
            score = keywords[tool.name][0] if tool.name in keywords else 0.0
            if tool.platform in named:
                score = score * self._config.platform_boost
            if tool.name in takers:
                score = (score or 1.0) * self._config.identifier_boost
            if score > 0:
                scores[tool.name] = score
        return scores

    def _why(self, name: str, words: Sequence[str], named: frozenset[str], takers: Mapping[str, str]) -> str:
        tool = self.catalog.by_name[name]
        reasons = []
        if words:
            reasons.append("words: " + ", ".join(words))
        if tool.platform in named:
            reasons.append(f"names {tool.platform}")
        if name in takers:
            reasons.append(f"takes {takers[name]}")
        return "; ".join(reasons) or "similar meaning"

    # --- databases and identifiers in the query ----------------------------------------------

    @cached_property
    def _platform_words(self) -> dict[str, list[list[str]]]:
        """By database, the word sequences that name it."""
        names: dict[str, list[list[str]]] = {}
        for tool in self.catalog.tools:
            forms = names.setdefault(tool.platform, [])
            for text in (tool.platform, tool.platform_key.replace("_", " ")):
                words = tokens(text)
                if words and words not in forms:
                    forms.append(words)
        return names

    def _named_platforms(self, query: str) -> frozenset[str]:
        """Return the titles of the databases that the query names."""
        joined = f" {' '.join(tokens(query[:QUERY_MAX_CHARACTERS]))} "
        return frozenset(
            title
            for title, forms in self._platform_words.items()
            if any(f" {' '.join(words)} " in joined for words in forms)
        )

    @cached_property
    def _argument_patterns(self) -> list[tuple[re.Pattern[str], list[str]]]:
        """The argument patterns that tell an identifier from a word, each with the tools that have it."""
        names: dict[str, list[str]] = defaultdict(list)
        for tool in self.catalog.tools:
            for pattern in _patterns(tool):
                names[pattern].append(tool.name)
        compiled = [(re.compile(pattern), tools) for pattern, tools in sorted(names.items())]
        return [(pattern, tools) for pattern, tools in compiled if not any(map(pattern.fullmatch, _PLAIN_WORDS))]

    def _takers(self, query: str) -> dict[str, str]:
        """Return the tools that take an identifier of the query, with the identifier."""
        takers: dict[str, str] = {}
        for word in _QUERY_WORD.findall(query[:QUERY_MAX_CHARACTERS]):
            value = word.rstrip(".?!:")
            for pattern, tools in self._argument_patterns:
                if len(value) <= 100 and pattern.fullmatch(value):
                    takers |= dict.fromkeys(tools, value)
        return takers

    # --- meaning -----------------------------------------------------------------------------

    def _embedded(self, embedder: Embedder | None) -> dict[str, Vector]:
        if embedder is None:
            return {}
        vectors = embedder.embed([embedding_text(tool) for tool in self.catalog.tools])
        return {tool.name: vector for tool, vector in zip(self.catalog.tools, vectors, strict=True)}

    def _by_meaning(self, query: str) -> list[str]:
        if self._embedder is None or not self._vectors or not query.strip():
            return []
        (wanted,) = self._embedder.embed([query[:QUERY_MAX_CHARACTERS]])
        closeness = {name: cosine(wanted, vector) for name, vector in self._vectors.items()}
        return sorted(closeness, key=lambda name: (-closeness[name], name))[:RANKED_MAX]


def _rank(name: str, ranking: Sequence[str]) -> int | None:
    return ranking.index(name) + 1 if name in ranking else None


def reciprocal_rank_fusion(rankings: Sequence[tuple[Sequence[str], float]], k: int = RRF_K) -> list[tuple[str, float]]:
    """Merge rankings, each with its weight: best first, ties by name."""
    scores: dict[str, float] = defaultdict(float)
    for names, weight in rankings:
        for rank, name in enumerate(names, 1):
            scores[name] += weight / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _patterns(tool: CatalogTool) -> list[str]:
    found = []
    for schema in tool.input_schema.get("properties", {}).values():
        for inner in (schema, schema.get("items")):
            if isinstance(inner, Mapping) and isinstance(inner.get("pattern"), str):
                found.append(inner["pattern"])
    return found
