"""Find the tools that fit a query: keywords and meaning, merged by rank.

A database that a short query names is a filter. An identifier pulls the tools that take its kind. A query that
fits nothing, or is nearer to a thing that no tool does, finds nothing and is told so. Results are the same in
every process; ties go by name.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools_catalog.absent import Nearness, absent_texts, absent_things, is_absent
from tools_catalog.asked import Asked, Reader, successors
from tools_catalog.catalog import Catalog
from tools_catalog.config import CatalogConfig
from tools_catalog.embeddings import Embedder, EmbedderUnavailable
from tools_catalog.keywords import ASKS, KeywordIndex, index_texts
from tools_catalog.kinds import PatternTakers, many_takers, takers
from tools_catalog.meaning import MeaningIndex, OtherLength
from tools_catalog.vocabulary import vocabulary
from tools_catalog.words import QUERY_MAX_CHARACTERS

# The constant of Reciprocal Rank Fusion, and how deep a ranking counts. Measured: with the usual 60 the first
# places count for too little.
RRF_K = 30
RANKED_MAX = 50
_ABSENT_BY_WORDS = 1.5
# Among so many first places a tool over all databases passes a database's filter.
ABOUT_MAX = 5
# What lifts the tools of the database that is named above all others.
_NAMED_PLATFORM = 10.0
# An identifier in a longer question says less about what is wanted than one that stands alone.
_OPENS_IN_A_QUESTION = 0.25
# Whoever says nothing but a database's name wants its search, whatever words its other tools share with the name.
_ENTRY = 40.0
KEYWORDS_ONLY = "search by keywords only: no embedder is configured"

Scores = NDArray[np.float64]


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


class _Scored(NamedTuple):
    """The scores of all tools for one query; `meaning` is None without an embedder."""

    asked: Asked
    wanted: dict[str, str]
    takes: dict[int, str]
    keyword: Scores
    meaning: Scores | None
    absent: str


class ToolSearch:
    """Search over one catalogue: by keywords at once, by meaning from `use_meaning` on."""

    def __init__(self, catalog: Catalog, config: CatalogConfig | None = None, *, notice: str = KEYWORDS_ONLY) -> None:
        self.catalog = catalog
        self._config = config or CatalogConfig()
        self._names = [tool.name for tool in catalog.tools]
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._absent = absent_things()
        self._vocabulary = vocabulary()
        documents = [*index_texts(catalog.tools), *absent_texts(self._absent, ASKS)]
        self._keywords = KeywordIndex(documents, self._vocabulary)
        self._takers = takers(catalog.tools, self._vocabulary.kinds)
        self._many_takers = many_takers(catalog.tools, self._takers)
        self._patterns = PatternTakers(catalog.tools)
        platforms = {tool.platform: tool.platform_key for tool in catalog.tools}
        self._reader = Reader(self._vocabulary, platforms, self._config.platform_query_words)
        self._embedder: Embedder | None = None
        self._meaning: MeaningIndex | None = None
        self._notice = notice
        self.on_other_length: Callable[[], object] = lambda: None

    @property
    def keyword_only(self) -> bool:
        """Whether there is no search by meaning."""
        return self._meaning is None

    @property
    def notice(self) -> str:
        """What the search has to do without at present; empty when it is whole."""
        return self._notice

    def use_meaning(self, embedder: Embedder, index: MeaningIndex) -> None:
        """Search by meaning as well; `index` has the vectors of the tools, then those of `absent_things`."""
        if index.embedder != embedder.name:
            raise ValueError(f"vectors of {index.embedder} don't compare with those of {embedder.name}")
        self._embedder, self._meaning, self._notice = embedder, index, ""

    def embed_with(self, embedder: Embedder) -> None:
        """Embed queries with another instance of the same embedder, such as one that takes the time."""
        if self._meaning is not None:
            self.use_meaning(embedder, self._meaning)

    def without_meaning(self, notice: str) -> None:
        """Search by keywords only from now on, and say why."""
        self._embedder, self._meaning, self._notice = None, None, notice

    async def find(self, query: str, limit: int | None = None) -> SearchResult:
        """Search off the event loop: a query's embedding takes milliseconds."""
        return await asyncio.to_thread(self.search, query, limit)

    def search(self, query: str, limit: int | None = None) -> SearchResult:
        """Return the best tools for a query, at most `limit`. Never raises for any text."""
        scored = self._scored(query)
        limit = self._config.results if limit is None else limit
        fitting = () if scored.absent else self._hits(scored, limit)
        former = self._successors(query, fitting[0].score if fitting else 0.0)
        found = {hit.name for hit in former}
        hits = [*former, *(hit for hit in fitting if hit.name not in found)]
        notice = "" if hits else scored.absent
        return SearchResult(tuple(hits[:limit]), "; ".join(filter(None, (notice, self._notice))))

    def _successors(self, query: str, ahead: float) -> list[Hit]:
        present = {now: former for now, former in successors(query).items() if now in self._numbers}
        return [
            Hit(now, ahead + 1.0 / place, f"has taken the place of {former}")
            for place, (now, former) in enumerate(present.items(), start=1)
        ]

    # --- scores ------------------------------------------------------------------------------

    def _scored(self, query: str) -> _Scored:
        asked = self._reader.read(query)
        wanted = self._keywords.wanted(asked.words)
        by_words = self._keywords.scores(wanted)
        nearest, blended = self._closeness(asked.meaning)
        count = len(self._names)
        takes: dict[int, str] = {}
        keyword = by_words[:count] + self._identifier_scores(query, asked, takes) + self._entry_scores(asked)
        absent = "" if takes else self._missing(asked, wanted, by_words, nearest)
        return _Scored(asked, wanted, takes, keyword, blended, absent)

    def _closeness(self, text: str) -> tuple[Scores | None, Scores | None]:
        """Return how near each tool and absent thing comes with its nearest text, and the tools' scores by meaning.

        A tool counts half by its nearest text and half by its description: an ask alone is too narrow.
        """
        embedder, meaning = self._embedder, self._meaning
        if embedder is None or meaning is None or not text.strip():
            return None, None
        try:
            (wanted,) = embedder.embed([text[:QUERY_MAX_CHARACTERS]])
            nearest, described = meaning.closeness(wanted)
        except EmbedderUnavailable as problem:
            self.without_meaning(f"search by keywords only: {problem}")
            return None, None
        except OtherLength as problem:
            self.without_meaning(f"search by keywords only: {problem}")
            self.on_other_length()
            return None, None
        return nearest, (0.5 * nearest + 0.5 * described)[: len(self._names)]

    def _identifier_scores(self, query: str, asked: Asked, takes: dict[int, str]) -> Scores:
        """Return what tools gain by taking the identifiers of a query; note in `takes` who takes which."""
        scores = np.zeros(len(self._names))
        boost = self._config.identifier_boost
        for kind in asked.kinds:
            if not kind.text:
                continue
            for name, share in self._takers[kind.kind].items():
                scores[self._numbers[name]] += boost * share
                takes.setdefault(self._numbers[name], kind.text)
            opens = [name for name in self._vocabulary.kinds[kind.kind].opens if name in self._numbers]
            for place, name in enumerate(opens, start=1):
                number = self._numbers[name]
                scores[number] += boost * (1.0 if asked.is_bare else _OPENS_IN_A_QUESTION) / place
                takes.setdefault(number, kind.text)
            if len(kind.texts) > 1:
                for name in self._many_takers[kind.kind]:
                    scores[self._numbers[name]] += boost
            scores += 0.5 * self._kind_scores(kind.kind)
        for name, text in self._patterns.takers(query, {text for kind in asked.kinds for text in kind.texts}).items():
            scores[self._numbers[name]] += boost
            takes.setdefault(self._numbers[name], text)
        return scores

    def _kind_scores(self, kind: str) -> Scores:
        """Return the scores of the tools whose texts name a kind of identifier."""
        wanted = self._keywords.wanted(self._vocabulary.kinds[kind].words[0])
        return self._keywords.scores(wanted)[: len(self._names)]

    def _entry_scores(self, asked: Asked) -> Scores:
        """Return what the entry of a database gains where a query says little more than its name."""
        scores = np.zeros(len(self._names))
        for title in asked.platforms if asked.is_only_named else ():
            number = self._numbers.get(self._vocabulary.entries.get(title, ""))
            if number is not None:
                scores[number] += _ENTRY
        return scores

    def _missing(self, asked: Asked, wanted: dict[str, str], words: Scores, meaning: Scores | None) -> str:
        """Say why nothing fits a query, or nothing: it is nearer to an absent thing, or near to nothing at all."""
        count = len(self._names)
        near = Nearness(*_best(words, count), *((None, None) if meaning is None else _best(meaning, count)))
        if is_absent(near, names_database=bool(asked.platforms)):
            both = words[count:] / max(near.words_absent, 1e-9) + (0.0 if meaning is None else meaning[count:])
            return f"no tool is for {self._absent[int(np.argmax(both))].what}"
        if near.meaning is None:
            fits = near.words > 0
        else:
            fits = near.meaning >= self._config.meaning_floor or self._is_covered(asked, wanted, words[:count])
        return "" if fits or asked.platforms else "no tool fits these words"

    def _is_covered(self, asked: Asked, wanted: dict[str, str], words: Scores) -> bool:
        """Tell whether the best tool by words has enough of the query's words."""
        if not words.any():
            return False
        covered = self._keywords.coverage(int(np.argmax(words)), asked.words, wanted)
        return covered >= self._config.coverage_floor

    # --- ranking -----------------------------------------------------------------------------

    def _hits(self, scored: _Scored, limit: int) -> tuple[Hit, ...]:
        by_keyword = self._ranking(scored.keyword)
        by_meaning = [] if scored.meaning is None else self._ranking(scored.meaning, above_usual=True)
        keyword_weight, meaning_weight = self._weights(scored.asked)
        fused = dict(reciprocal_rank_fusion([(by_keyword, keyword_weight), (by_meaning, meaning_weight)]))
        self._lift_named(scored, fused)
        ordered = sorted(fused.items(), key=lambda item: (-item[1], item[0]))[:limit]
        keyword_ranks, meaning_ranks = (
            {name: rank for rank, (name, _) in enumerate(ranking, 1)} for ranking in (by_keyword, by_meaning)
        )
        return tuple(
            Hit(name, score, self._why(name, scored), keyword_ranks.get(name), meaning_ranks.get(name))
            for name, score in ordered
        )

    def _ranking(self, scores: Scores, *, above_usual: bool = False) -> list[tuple[str, float]]:
        """Return the best tools, each with how near it comes to the first one.

        Every cosine is above zero, so there nearness counts from the last that is ranked.
        """
        # The names are sorted, so a stable order breaks ties by name.
        order = [number for number in np.argsort(-scores, kind="stable")[:RANKED_MAX] if scores[number] > 0]
        if not order:
            return []
        low = float(scores[order[-1]]) if above_usual and len(order) == RANKED_MAX else 0.0
        width = max(float(scores[order[0]]) - low, 1e-9)
        return [(self._names[number], (float(scores[number]) - low) / width) for number in order]

    def _weights(self, asked: Asked) -> tuple[float, float]:
        config = self._config
        is_short = asked.length <= config.short_query_words
        keyword = config.keyword_weight_short if is_short else config.keyword_weight_long
        if asked.has_identifier:
            keyword = max(keyword, config.keyword_weight_identifier)
        return keyword, config.meaning_weight_short if is_short else config.meaning_weight_long

    def _lift_named(self, scored: _Scored, fused: dict[str, float]) -> None:
        """Put the tools of the named database first, in their order; those without a rank follow by what they have.

        A tool that tells about any database, and fits well, is one of them.
        """
        if not scored.asked.platforms:
            return
        first = set(list(fused)[:ABOUT_MAX])
        for number, tool in enumerate(self.catalog.tools):
            is_about_it = tool.name in first and "platform" in tool.input_schema.get("properties", {})
            if tool.platform in scored.asked.platforms or is_about_it:
                near = 0.0 if scored.meaning is None else float(scored.meaning[number])
                has = float(scored.keyword[number]) + near
                if tool.name in fused or has > 0 or scored.asked.is_bare:
                    fused[tool.name] = fused.get(tool.name, 1e-6 * has) + _NAMED_PLATFORM

    def _why(self, name: str, scored: _Scored) -> str:
        number = self._numbers[name]
        reasons = []
        if words := self._keywords.shared(number, scored.wanted):
            reasons.append("words: " + ", ".join(words))
        if (platform := self.catalog.tools[number].platform) in scored.asked.platforms:
            reasons.append(f"names {platform}")
        if number in scored.takes:
            reasons.append(f"takes {scored.takes[number]}")
        return "; ".join(reasons) or "similar meaning"


def _best(scores: Scores, count: int) -> tuple[float, float]:
    """Return the best score of the tools, which come first, and of the absent things."""
    return float(scores[:count].max(initial=0.0)), float(scores[count:].max(initial=0.0))


def reciprocal_rank_fusion(
    rankings: Sequence[tuple[Sequence[tuple[str, float]], float]], k: int = RRF_K
) -> list[tuple[str, float]]:
    """Merge rankings, each with its weight: best first, ties by name.

    A place counts in full as far as its score comes near to the first one's: a second place that is far behind
    says less than one that is close.
    """
    scores: dict[str, float] = defaultdict(float)
    for ranked, weight in rankings:
        for rank, (name, nearness) in enumerate(ranked, 1):
            scores[name] += weight * nearness / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
