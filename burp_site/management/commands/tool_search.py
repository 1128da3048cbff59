"""`manage.py tool_search eval`: measure the tool search on a file of labelled queries."""

import asyncio
import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tools_catalog.baselines import DEPTH, EmbedderAlone, PlainBm25, PlainFts5
from tools_catalog.embeddings import Embedder, Vector
from tools_catalog.evaluation import Labelled, Rank, Report, evaluate, read_labelled, tables
from tools_catalog.runtime import close_tool_servers, configured_embedder, get_tool_servers
from tools_catalog.search import ToolSearch

# The quickest of so many counts as a query's time.
ROUNDS = 3


class Command(BaseCommand):
    """Measures the tool search."""

    help = "Measure the tool search on labelled queries, beside plain searches over the same catalogue."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        actions = parser.add_subparsers(dest="action", required=True)
        action = actions.add_parser("eval", help=self.help)
        action.add_argument("--queries", type=Path, required=True, help="JSON lines: query, kind, best, acceptable.")
        action.add_argument("--misses", action="store_true", help="Show the queries without a best tool among five.")
        action.add_argument("--json", action="store_true", help="Print the figures as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, and print tables."""
        if not options["queries"].is_file():
            raise CommandError(f"there is no file {options['queries']}")
        search, embedder, notice = asyncio.run(_prepared())
        names = [tool.name for tool in search.catalog.tools]
        queries, left_out = read_labelled(options["queries"], names)
        reports = _reports(search, embedder, queries)
        if options["json"]:
            self.stdout.write(json.dumps([report.figures() for report in reports], indent=2))
            return
        self.stdout.write(f"{len(queries)} queries over {len(names)} tools, {left_out} left out; {notice}\n\n")
        self.stdout.write(tables(reports))
        if options["misses"]:
            self.stdout.write("\n".join(["", *_misses(search, queries)]))


class _Timed:
    """An embedder that knows how long it took, all in all."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed, and take the time."""
        began = perf_counter()
        try:
            return self._embedder.embed(texts)
        finally:
            self.seconds += perf_counter() - began


async def _prepared() -> tuple[ToolSearch, _Timed | None, str]:
    """Return the search with all that it can have, and what it lacks."""
    servers = get_tool_servers()
    try:
        # All modes have the same tools.
        search = await servers.search("snapshot")
        await servers.settled()
    finally:
        await close_tool_servers()
    if search.keyword_only:
        return search, None, search.notice
    embedder = _Timed(configured_embedder(settings.BURP.catalog.embedding))
    search.embed_with(embedder)
    return search, embedder, f"embedder {embedder.name}, {os.cpu_count()} cores"


def _reports(search: ToolSearch, embedder: _Timed | None, queries: Sequence[Labelled]) -> list[Report]:
    catalog = search.catalog
    platform_of = {tool.name: tool.platform for tool in catalog.tools}
    measure = partial(_measured, queries=queries, platform_of=platform_of)
    keywords = ToolSearch(catalog, settings.BURP.catalog)
    reports = [
        measure("plain BM25", PlainBm25(catalog.tools)),
        measure("plain FTS5", PlainFts5(catalog.tools)),
    ]
    if embedder is not None:
        reports.append(measure("embedder alone", EmbedderAlone(catalog.tools, embedder), embedder=embedder))
    reports.append(measure("keywords only", _names_of(keywords)))
    if embedder is not None:
        reports.append(measure("hybrid", _names_of(search), embedder=embedder))
    return reports


def _measured(
    name: str, rank: Rank, *, queries: Sequence[Labelled], platform_of: dict[str, str], embedder: _Timed | None = None
) -> Report:
    def embedding_s() -> float:
        return embedder.seconds if embedder else 0.0

    return evaluate(name, rank, queries, platform_of, embedding_s=embedding_s, rounds=ROUNDS)


def _names_of(search: ToolSearch) -> Rank:
    return lambda query: [hit.name for hit in search.search(query, DEPTH).hits]


def _misses(search: ToolSearch, queries: Sequence[Labelled]) -> list[str]:
    lines = []
    for one in queries:
        found = [hit.name for hit in search.search(one.query).hits]
        if not one.is_negative and not one.best & set(found):
            lines.append(
                f"{one.kind}: {one.query}\n    wanted {', '.join(sorted(one.best))}\n    found {', '.join(found)}"
            )
    return lines
