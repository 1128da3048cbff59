"""How long finding a tool takes, and embedding the catalogue: first, and when nothing has changed.

The queries are the repository's own (`tests/data/tool_search`); `manage.py tool_search eval` takes any file.
"""

import asyncio
import json
import statistics
import time
from collections.abc import Sequence

from tests.benchmarks.report import Row
from tests.tools_catalog.whole import QUERIES, whole_catalog
from tools_catalog.embedders.minilm import MiniLm
from tools_catalog.embeddings import Vector
from tools_catalog.evaluation import Report, evaluate, read_labelled
from tools_catalog.meaning import MeaningIndex
from tools_catalog.search import ToolSearch
from tools_catalog.vector_store import DatabaseVectors
from tools_catalog.vectors import Preparation

ROUNDS = 5


class _Counted:
    """The packaged model, with the number of calls and the seconds that they took."""

    def __init__(self, model: MiniLm) -> None:
        self._model = model
        self.name = model.name
        self.calls = 0
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        began = time.perf_counter()
        vectors = self._model.embed(texts)
        self.calls += 1
        self.seconds += time.perf_counter() - began
        return vectors


async def _made(embedder: _Counted) -> tuple[MeaningIndex, float, float, int]:
    """Return the index, the seconds of the first embedding, and milliseconds and calls of an unchanged catalogue."""
    catalog, store = whole_catalog(), DatabaseVectors()
    first = Preparation(catalog, embedder, store)
    await first.kept()
    began = time.perf_counter()
    await first.made()
    seconds, calls = time.perf_counter() - began, embedder.calls
    unchanged = []
    index = None
    for _ in range(ROUNDS):
        began = time.perf_counter()
        index = await Preparation(catalog, embedder, store).kept()
        unchanged.append(1_000 * (time.perf_counter() - began))
    assert index is not None, "nothing has changed, so all vectors are there"
    return index, seconds, statistics.median(unchanged), embedder.calls - calls


def _report(name: str, search: ToolSearch, embedder: _Counted) -> Report:
    platform_of = {tool.name: tool.platform for tool in whole_catalog().tools}
    queries, _ = read_labelled(QUERIES, platform_of)

    def rank(query: str) -> list[str]:
        return [hit.name for hit in search.search(query, 10).hits]

    return evaluate(name, rank, queries, platform_of, embedding_s=lambda: embedder.seconds, rounds=ROUNDS)


def measure() -> list[Row]:
    """Embed, look up, search."""
    catalog = whole_catalog()
    embedder = _Counted(MiniLm())
    index, first_s, unchanged_ms, calls = asyncio.run(_made(embedder))
    hybrid = ToolSearch(catalog)
    hybrid.use_meaning(embedder, index)
    by_both, by_keyword = _report("hybrid", hybrid, embedder), _report("keywords", ToolSearch(catalog), embedder)
    count = len(catalog.tools)
    asks = sum(len(json.dumps(list(tool.asks))) for tool in catalog.tools)
    hits = ", ".join(f"{report.all.hit(1):.2f} / {report.all.hit(5):.2f}" for report in (by_both, by_keyword))
    return [
        Row("tool search by keywords only, p95", f"{by_keyword.p95_ms:.2f} ms", "< 3 ms"),
        Row("tool search beyond the query's embedding, median", f"{by_both.median_ms:.2f} ms", "< 10 ms"),
        Row("embedding of one query, median", f"{by_both.embedding_median_ms:.1f} ms", ""),
        Row(
            f"vectors of {count} unchanged tools, with {calls} embedding calls", f"{unchanged_ms:.0f} ms", "< 50 ms, 0"
        ),
        Row(f"first embedding of {count} tools, one core", f"{first_s:.0f} s", ""),
        Row("what the search reads of all tools in `tools/list`", f"{asks / 1024:.0f} kB", ""),
        Row("own queries, strict hit@1 / hit@5: hybrid, keywords only", hits, ""),
    ]
