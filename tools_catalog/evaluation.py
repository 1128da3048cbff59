"""How well a search finds the right tools, measured on a file of labelled queries. Pure.

A labelled query is a JSON object a line: `query`, `kind`, `best` (the right first answers) and `acceptable` (what
would also serve). A query without any is a negative: nothing should be found. "Strict" counts `best` alone.
"""

import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from mcp_server.renamed import SUCCESSORS

DEPTHS = (1, 3, 5)
MRR_DEPTH = 10
NEGATIVE = "negative"
NAMESPACE = "namespace"
# Names that a tool had in the tables from which labels were made, and never had here.
TABLE_NAMES = {
    "clinicaltrials__batch_get_studies": "clinicaltrials__get_studies_batch",
    "clinpgx__get_allele_frequency": "clinpgx__get_allele_frequencies",
    "clinpgx__list_star_alleles": "clinpgx__search_star_alleles",
    "reactome__get_objects": "reactome__get_objects_batch",
    "reactome__get_participants": "reactome__get_pathway_participants",
}
Rank = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Labelled:
    """A query with the tools that answer it; `platform` is the database that a namespace query names."""

    query: str
    kind: str
    best: frozenset[str]
    acceptable: frozenset[str]

    @property
    def is_negative(self) -> bool:
        """Whether nothing should be found."""
        return not self.best and not self.acceptable


@dataclass
class Tally:
    """What a group of queries came to."""

    strict_ranks: list[int | None] = field(default_factory=list)
    wide_ranks: list[int | None] = field(default_factory=list)

    def hit(self, depth: int, *, wide: bool = False) -> float:
        """Return the share of queries with a labelled tool among the first `depth`."""
        ranks = self.wide_ranks if wide else self.strict_ranks
        return sum(rank is not None and rank <= depth for rank in ranks) / len(ranks) if ranks else 0.0

    def mrr(self, *, wide: bool = False) -> float:
        """Return the mean of 1/rank of the first labelled tool, 0 beyond rank 10."""
        ranks = self.wide_ranks if wide else self.strict_ranks
        return sum(1 / rank for rank in ranks if rank and rank <= MRR_DEPTH) / len(ranks) if ranks else 0.0


@dataclass
class Report:
    """One ranking over one file: `all` over the positive queries, `kinds` apart."""

    name: str
    all: Tally = field(default_factory=Tally)
    kinds: dict[str, Tally] = field(default_factory=dict)
    negatives: int = 0
    empty_negatives: int = 0
    platform_shares: list[float] = field(default_factory=list)
    empty_positives: int = 0
    milliseconds: list[float] = field(default_factory=list)
    embedding_ms: list[float] = field(default_factory=list)

    @property
    def platform_share(self) -> float:
        """The share of the first five of a namespace query that belongs to the named database."""
        return statistics.fmean(self.platform_shares) if self.platform_shares else 0.0

    @property
    def median_ms(self) -> float:
        """The median time of a query, without its embedding."""
        return statistics.median(self.milliseconds) if self.milliseconds else 0.0

    @property
    def p95_ms(self) -> float:
        """The time within which 95 of 100 queries are answered, without their embedding."""
        ordered = sorted(self.milliseconds)
        return ordered[math.ceil(0.95 * len(ordered)) - 1] if ordered else 0.0

    @property
    def embedding_median_ms(self) -> float:
        """The median time of a query's embedding."""
        return statistics.median(self.embedding_ms) if self.embedding_ms else 0.0

    def figures(self) -> dict[str, Any]:
        """Return all figures, for a program to read."""
        parts = {"all": self.all, **self.kinds}
        return {
            "search": self.name,
            "parts": {name: _figures(tally) for name, tally in sorted(parts.items())},
            "negatives": self.negatives,
            "empty_negatives": self.empty_negatives,
            "empty_positives": self.empty_positives,
            "platform_share": self.platform_share,
            "median_ms": self.median_ms,
            "p95_ms": self.p95_ms,
            "embedding_median_ms": self.embedding_median_ms,
        }


def _figures(tally: Tally) -> dict[str, float]:
    hits = {f"hit@{depth}{' wide' * wide}": tally.hit(depth, wide=wide) for wide in (False, True) for depth in DEPTHS}
    return {"n": len(tally.strict_ranks), **hits, "mrr": tally.mrr(), "mrr wide": tally.mrr(wide=True)}


def read_labelled(path: Path, names: Iterable[str]) -> tuple[list[Labelled], int]:
    """Read a file of labelled queries for a catalogue of these names; also how many were left out.

    A label of a tool that was merged or renamed counts for its successor; one without a successor is dropped, and
    so is a query that loses all of `best`.
    """
    known = frozenset(names)
    queries: list[Labelled] = []
    left_out = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        entry = json.loads(line)
        best, acceptable = (_present(entry[name], known) for name in ("best", "acceptable"))
        if entry["best"] and not best:
            left_out += 1
        else:
            queries.append(Labelled(entry["query"], entry["kind"], best, acceptable - best))
    return queries, left_out


def _present(names: Iterable[str], known: frozenset[str]) -> frozenset[str]:
    now = (SUCCESSORS.get(name) or TABLE_NAMES.get(name, name) if name not in known else name for name in names)
    return frozenset(name for name in now if name in known)


def evaluate(
    name: str,
    rank: Rank,
    queries: Sequence[Labelled],
    platform_of: Mapping[str, str],
    *,
    embedding_s: Callable[[], float] = lambda: 0.0,
    rounds: int = 1,
) -> Report:
    """Rank every query and tally what comes out; `platform_of` tells the database of a tool.

    `embedding_s` tells how long embedding has taken so far: that is counted apart. Of several rounds the quickest
    counts for the time of a query: what else the machine did meanwhile is no part of it.
    """
    report = Report(name)
    for one in queries:
        times, embedding_times = [], []
        for _ in range(rounds):
            began, embedding_began = perf_counter(), embedding_s()
            found = list(rank(one.query))
            embedding = embedding_s() - embedding_began
            times.append(1_000 * (perf_counter() - began - embedding))
            embedding_times.append(1_000 * embedding)
        report.milliseconds.append(min(times))
        report.embedding_ms.append(min(embedding_times))
        if one.is_negative:
            report.negatives += 1
            report.empty_negatives += not found
            continue
        strict, wide = _first(found, one.best), _first(found, one.best | one.acceptable)
        report.empty_positives += not found
        for tally in (report.all, report.kinds.setdefault(one.kind, Tally())):
            tally.strict_ranks.append(strict)
            tally.wide_ranks.append(wide)
        if one.kind == NAMESPACE:
            wanted = {platform_of[tool] for tool in one.best | one.acceptable}
            first = found[: DEPTHS[-1]]
            report.platform_shares.append(sum(platform_of[tool] in wanted for tool in first) / max(1, len(first)))
    return report


def _first(found: Sequence[str], labelled: frozenset[str]) -> int | None:
    return next((rank for rank, name in enumerate(found, 1) if name in labelled), None)


def tables(reports: Sequence[Report]) -> str:
    """Return the reports as Markdown tables: over all, then by kind."""
    head = [f"hit@{depth}" for depth in DEPTHS] + ["MRR"]
    columns = ["search", *head, *(f"{name} wide" for name in head), "negatives empty", "of its database", "median ms"]
    rows = [[*columns, "p95 ms", "embedding ms"]]
    for report in reports:
        figures = [f"{report.all.hit(depth):.3f}" for depth in DEPTHS] + [f"{report.all.mrr():.3f}"]
        figures += [f"{report.all.hit(depth, wide=True):.3f}" for depth in DEPTHS] + [
            f"{report.all.mrr(wide=True):.3f}"
        ]
        embedding = f"{report.embedding_median_ms:.1f}" if report.embedding_median_ms else ""
        figures += [f"{report.empty_negatives} of {report.negatives}", f"{report.platform_share:.0%}"]
        rows.append([report.name, *figures, f"{report.median_ms:.2f}", f"{report.p95_ms:.2f}", embedding])
    kinds = sorted({kind for report in reports for kind in report.kinds})
    by_kind = [["kind", "n", *(report.name for report in reports)]]
    for kind in kinds:
        tallies = [report.kinds[kind] for report in reports]
        cells = [f"{t.hit(1):.2f} / {t.hit(5):.2f} ({t.hit(5, wide=True):.2f})" for t in tallies]
        by_kind.append([kind, str(len(tallies[0].strict_ranks)), *cells])
    caption = "By kind, strict hit@1 / hit@5 (wide hit@5):"
    return f"{_markdown(rows)}\n\n{caption}\n\n{_markdown(by_kind)}"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)
