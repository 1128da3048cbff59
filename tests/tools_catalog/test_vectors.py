"""Vectors are kept, and made only for what is new or changed; keyword search waits for none of it."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from tests.tools_catalog.vectors import CountingEmbedder, MemoryVectors
from tools_catalog.attaching import Meanings
from tools_catalog.catalog import Catalog, RawTool
from tools_catalog.embeddings import Embedder, EmbedderUnavailable, Vector
from tools_catalog.models import ToolVector
from tools_catalog.search import ToolSearch
from tools_catalog.vector_store import DatabaseVectors
from tools_catalog.vectors import SUBJECTS_AT_ONCE, Preparation, subjects_of

THINGS = len(subjects_of(Catalog(), "any"))


def catalog(*descriptions: str, asks: Sequence[str] = ()) -> Catalog:
    """Give a catalogue of one tool a description."""
    schema = {"type": "object", "properties": {}}
    return Catalog.from_tools(
        RawTool(f"a__get_{number}", "", description, schema, {"burp/asks": list(asks)})
        for number, description in enumerate(descriptions)
    )


async def test_only_new_and_changed_tools_are_embedded() -> None:
    store, embedder = MemoryVectors(), CountingEmbedder()
    first = catalog("One gene.", "A drug's targets.")
    assert await Preparation(first, embedder, store).kept() is None
    await Preparation(first, embedder, store).made()
    assert {"get 0: One gene.", "get 1: A drug's targets."} <= set(embedder.texts)
    embedder.texts.clear()

    changed = catalog("One gene.", "A drug's targets and more.", "A new one.")
    preparation = Preparation(changed, embedder, store)
    assert await preparation.kept() is None
    await preparation.made()
    assert embedder.texts == ["get 1: A drug's targets and more.", "get 2: A new one."]


async def test_an_unchanged_catalogue_asks_the_embedder_for_nothing() -> None:
    store = MemoryVectors()
    await Preparation(catalog("One gene."), CountingEmbedder(), store).made()
    again = CountingEmbedder()
    assert await Preparation(catalog("One gene."), again, store).kept() is not None
    assert again.texts == []


async def test_an_ask_more_is_a_change_of_its_tool() -> None:
    store, embedder = MemoryVectors(), CountingEmbedder()
    await Preparation(catalog("One gene.", asks=["where is it"]), embedder, store).made()
    embedder.texts.clear()
    preparation = Preparation(catalog("One gene.", asks=["where is it", "what is it"]), embedder, store)
    assert await preparation.kept() is None
    await preparation.made()
    assert embedder.texts == ["get 0: One gene.", "where is it", "what is it"]


@pytest.mark.case("C065")
async def test_vectors_of_another_model_are_not_even_read() -> None:
    store = MemoryVectors()
    await Preparation(catalog("One gene."), CountingEmbedder("one"), store).made()
    other = CountingEmbedder("another")
    assert await Preparation(catalog("One gene."), other, store).kept() is None
    index = await Preparation(catalog("One gene."), other, store).made()
    assert index.embedder == "another" and len(other.texts) > THINGS


@pytest.mark.case("C065")
async def test_a_model_of_another_length_under_the_same_name_makes_all_anew() -> None:
    store = MemoryVectors()
    tools = catalog("One gene.")
    await Preparation(tools, CountingEmbedder(dimension=12), store).made()
    longer = CountingEmbedder(dimension=15)
    preparation = Preparation(catalog("One gene.", "Another."), longer, store)
    assert await preparation.kept() is None
    index = await preparation.made()
    nearest, _ = index.closeness(longer.embed(["gene"])[0])
    assert len(nearest) == 2 + THINGS
    assert {vectors.shape[1] for vectors in store.kept.values()} == {15}


async def test_keyword_search_goes_on_while_tools_are_embedded() -> None:
    class SlowEmbedder(CountingEmbedder):
        may_go_on = threading.Event()

        def embed(self, texts: Sequence[str]) -> list[Vector]:
            assert self.may_go_on.wait(5)
            return super().embed(texts)

    embedder = SlowEmbedder()
    meanings = Meanings(lambda: embedder, MemoryVectors())
    search = ToolSearch(catalog("One gene.", "Another locus."))
    await asyncio.wait_for(meanings.attach(search), 5)
    found = await search.find("gene")
    assert [hit.name for hit in found.hits] == ["a__get_0"]
    assert "until all tools are embedded" in found.notice
    embedder.may_go_on.set()
    await asyncio.wait_for(meanings.settled(), 5)
    assert search.notice == "" and not search.keyword_only
    assert threading.get_ident() not in embedder.threads, "the loop's own thread embeds nothing"


async def test_a_search_whose_vectors_are_kept_uses_them_at_once() -> None:
    store = MemoryVectors()
    await Preparation(catalog("One gene."), CountingEmbedder(), store).made()
    search = ToolSearch(catalog("One gene."))
    await Meanings(CountingEmbedder, store).attach(search)
    assert not search.keyword_only


@pytest.mark.case("C065")
async def test_another_length_at_a_query_is_noticed_and_all_is_made_anew() -> None:
    store, embedder = MemoryVectors(), CountingEmbedder()
    await Preparation(catalog("One gene."), embedder, store).made()
    meanings = Meanings(lambda: embedder, store)
    search = ToolSearch(catalog("One gene."))
    await meanings.attach(search)
    embedder.dimension = 15
    found = await search.find("gene")
    assert [hit.name for hit in found.hits] == ["a__get_0"] and found.notice
    await asyncio.wait_for(meanings.settled(), 5)
    await search.find("gene")
    assert search.notice == "" and not search.keyword_only
    assert {vectors.shape[1] for vectors in store.kept.values()} == {15}


async def test_without_an_embedder_the_notice_says_why() -> None:
    def none() -> Embedder:
        raise EmbedderUnavailable("the package with the weights is not installed")

    search = ToolSearch(catalog("One gene."))
    await Meanings(none, MemoryVectors()).attach(search)
    assert search.notice == "search by keywords only: the package with the weights is not installed"


async def test_operators_are_told_when_embedding_fails() -> None:
    class Failing(CountingEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Vector]:
            raise EmbedderUnavailable("the API answered 401")

    told: list[str] = []

    async def report(problem: str) -> None:
        told.append(problem)

    meanings = Meanings(Failing, MemoryVectors(), report)
    search = ToolSearch(catalog("One gene."))
    await meanings.attach(search)
    await asyncio.wait_for(meanings.settled(), 5)
    assert told == ["the API answered 401"]
    assert search.search("gene").hits and "401" in search.notice


async def test_closing_ends_what_is_being_made_and_keeps_what_is_done() -> None:
    loop, in_the_second, may_go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    class HeldAtTheSecond(CountingEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Vector]:
            if self.texts:
                loop.call_soon_threadsafe(in_the_second.set)
                assert may_go_on.wait(5)
            return super().embed(texts)

    store, embedder = MemoryVectors(), HeldAtTheSecond()
    meanings = Meanings(lambda: embedder, store)
    search = ToolSearch(catalog(*(f"Tool {number}." for number in range(40))))
    await meanings.attach(search)
    await asyncio.wait_for(in_the_second.wait(), 5)
    await asyncio.wait_for(meanings.aclose(), 5)
    may_go_on.set()
    await asyncio.wait_for(meanings.settled(), 5)
    assert len(store.kept) == SUBJECTS_AT_ONCE
    assert search.keyword_only and "until all tools are embedded" in search.notice


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
async def test_the_database_keeps_vectors_and_replaces_those_of_the_same_texts() -> None:
    embedder = CountingEmbedder()
    tools = catalog("One gene.", "A drug.")
    await Preparation(tools, embedder, DatabaseVectors()).made()
    embedder.texts.clear()
    index = await Preparation(tools, embedder, DatabaseVectors()).kept()
    assert index is not None and embedder.texts == []
    assert await ToolVector.objects.acount() == 2 + THINGS

    embedder.dimension = 15
    preparation = Preparation(tools, embedder, DatabaseVectors())
    await preparation.kept()
    preparation.forget()
    await preparation.made()
    rows = {row.dimension async for row in ToolVector.objects.all()}
    assert rows == {15} and await ToolVector.objects.acount() == 2 + THINGS
