"""The whole catalogue finds the right tools: floors on labelled queries that the repository holds."""

import asyncio
import json
from collections.abc import Mapping, Sequence

import pytest

from tests.tools_catalog.whole import QUERIES, whole_catalog
from tools_catalog.attaching import Meanings
from tools_catalog.embedders.minilm import MiniLm
from tools_catalog.evaluation import Report, evaluate, read_labelled
from tools_catalog.meaning import Vectors
from tools_catalog.search import ToolSearch
from tools_catalog.vectors import Subject
from tools_catalog.vocabulary import vocabulary

CATALOG = whole_catalog()
PLATFORM_OF = {tool.name: tool.platform for tool in CATALOG.tools}
LABELLED, LEFT_OUT = read_labelled(QUERIES, PLATFORM_OF)
KEYWORDS = ToolSearch(CATALOG)


def measured(search: ToolSearch) -> Report:
    return evaluate("search", lambda query: [hit.name for hit in search.search(query, 10).hits], LABELLED, PLATFORM_OF)


def test_every_label_names_a_tool() -> None:
    entries = [json.loads(line) for line in QUERIES.read_text().splitlines()]
    labels = {name for entry in entries for name in (*entry["best"], *entry["acceptable"])}
    assert labels <= set(PLATFORM_OF) and LEFT_OUT == 0
    assert len({one.query for one in LABELLED}) == len(LABELLED) >= 60
    assert {one.kind for one in LABELLED} == {
        "keyword", "identifier", "descriptive", "user_words", "namespace", "negative",
    }  # fmt: skip


def test_the_vocabulary_names_tools_and_databases_that_are_there() -> None:
    words = vocabulary()
    assert {name for kind in words.kinds.values() for name in kind.opens} <= set(PLATFORM_OF)
    assert set(words.entries.values()) <= set(PLATFORM_OF)
    assert {title for _, title in words.platforms} == set(words.entries) == set(PLATFORM_OF.values()) - {"BURP"}
    assert all(PLATFORM_OF[tool] == title for title, tool in words.entries.items())


@pytest.mark.case("C064")
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("NKX2-5 expression", "opentargets__get_target_expression"),
        ("Alzheimer's disease drugs", "opentargets__get_disease_drugs"),
        ("TNF-alpha interactions", "opentargets__get_target_interactions"),
        ("TNF‑α interactions", "opentargets__get_target_interactions"),
        ("BRCA1:c.68_69delAG", None),
        ('"', None),
        ("AND", None),
        ("*", None),
        ("  ", None),
    ],
)
def test_punctuation_and_operators_of_a_query_are_text(query: str, name: str | None) -> None:
    found = [hit.name for hit in KEYWORDS.search(query).hits]
    assert name in found if name else len(found) <= 5


def test_by_keywords_alone_the_right_tool_is_found() -> None:
    report = measured(KEYWORDS)
    assert report.all.hit(1) >= 0.8
    assert report.all.hit(5) >= 0.94
    assert report.empty_positives <= 2
    assert report.empty_negatives >= 8


class NowhereKept:
    """Keeps no vectors."""

    async def load(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return {}

    async def save(self, embedder: str, made: Mapping[Subject, Vectors]) -> None:
        """Keep nothing."""


async def test_by_keywords_and_meaning_the_right_tool_is_found() -> None:
    search = ToolSearch(CATALOG)
    meanings = Meanings(MiniLm, NowhereKept())
    await meanings.attach(search)
    await asyncio.wait_for(meanings.settled(), 300)
    assert search.notice == ""
    report = measured(search)
    assert report.all.hit(1) >= 0.8
    assert report.all.hit(5) >= 0.96
    assert report.all.hit(5, wide=True) >= 0.97
    assert report.kinds["user_words"].hit(5) >= 0.92
    assert report.kinds["identifier"].hit(5) >= 0.95
    assert report.platform_share >= 0.95
    assert report.empty_positives == 0
    assert report.empty_negatives >= 13
