"""The vectors of a catalogue: taken from where they are kept, made only for what is new or changed."""

import asyncio
import hashlib
import json
import logging
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from tools_catalog.absent import absent_things
from tools_catalog.catalog import Catalog
from tools_catalog.embeddings import Embedder, EmbedderUnavailable, embedding_texts
from tools_catalog.meaning import MeaningIndex, Vectors

log = logging.getLogger(__name__)

# Few, so that a stop need not wait long, and what is done is kept.
SUBJECTS_AT_ONCE = 16
NICENESS = 10


@dataclass(frozen=True)
class Subject:
    """A tool, or a thing that no tool does, with its texts; `key` names the vectors that these texts have."""

    name: str
    key: str
    texts: tuple[str, ...]


class VectorStore(Protocol):
    """Where vectors are kept."""

    async def load(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of the keys that are there."""
        ...

    async def save(self, embedder: str, made: Mapping[Subject, Vectors]) -> None:
        """Keep vectors."""
        ...


def subjects_of(catalog: Catalog, embedder: str) -> list[Subject]:
    """Return what is embedded of a catalogue: its tools, then the things that none does."""
    tools = [
        Subject(tool.name, _key(embedder, tool.search_hash, texts), texts)
        for tool in catalog.tools
        for texts in [tuple(embedding_texts(tool))]
    ]
    absent = [
        Subject(thing.what, _key(embedder, "", texts), texts)
        for thing in absent_things()
        for texts in [(thing.what, *thing.asks)]
    ]
    return [*tools, *absent]


class Preparation:
    """The way from a catalogue to its index: `kept` at once, `made` in a thread for what is missing."""

    def __init__(self, catalog: Catalog, embedder: Embedder, store: VectorStore) -> None:
        self._embedder = embedder
        self._store = store
        self._subjects = subjects_of(catalog, embedder.name)
        self._vectors: dict[str, Vectors] = {}

    async def kept(self) -> MeaningIndex | None:
        """Return the index if all its vectors are kept already."""
        found = await self._store.load([subject.key for subject in self._subjects])
        usable = _of_one_length(found)
        self._vectors = {
            subject.name: usable[subject.key]
            for subject in self._subjects
            if subject.key in usable and len(usable[subject.key]) == len(subject.texts)
        }
        return None if self._missing() else self._index()

    async def made(self) -> MeaningIndex:
        """Embed what is missing and return the index. Raises `EmbedderUnavailable`."""
        missing = self._missing()
        log.info("embedding %d of %d texts' owners with %s", len(missing), len(self._subjects), self._embedder.name)
        for start in range(0, len(missing), SUBJECTS_AT_ONCE):
            chosen = missing[start : start + SUBJECTS_AT_ONCE]
            made = await asyncio.get_running_loop().run_in_executor(_worker(), self._embedded, chosen)
            if self._is_of_another_length(made):
                # The model has changed under its name: nothing that is kept compares with it.
                self._vectors = {}
                return await self.made()
            self._vectors |= {subject.name: vectors for subject, vectors in made.items()}
            await self._store.save(self._embedder.name, made)
        return self._index()

    def forget(self) -> None:
        """Take nothing that is kept: the model gives other vectors now."""
        self._vectors = {}

    def _missing(self) -> list[Subject]:
        return [subject for subject in self._subjects if subject.name not in self._vectors]

    def _index(self) -> MeaningIndex:
        return MeaningIndex([subject.name for subject in self._subjects], self._vectors, self._embedder.name)

    def _embedded(self, subjects: Sequence[Subject]) -> dict[Subject, Vectors]:
        texts = [text for subject in subjects for text in subject.texts]
        rows = [np.asarray(vector, dtype=np.float32) for vector in self._embedder.embed(texts)]
        if len(rows) != len(texts) or len({row.shape for row in rows}) != 1:
            raise EmbedderUnavailable(f"{self._embedder.name} gave vectors of several lengths")
        ends = np.cumsum([len(subject.texts) for subject in subjects])
        parts = np.split(np.stack(rows), ends[:-1])
        return dict(zip(subjects, parts, strict=True))

    def _is_of_another_length(self, made: Mapping[Subject, Vectors]) -> bool:
        lengths = {vectors.shape[1] for vectors in (*self._vectors.values(), *made.values())}
        return len(lengths) > 1


@cache
def _worker() -> ThreadPoolExecutor:
    """Return the one thread in which catalogues are embedded, behind all else that this process does."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding", initializer=_step_back)


def _step_back() -> None:
    """Let other threads go first, where the system can tell threads apart."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def _of_one_length(found: Mapping[str, Vectors]) -> dict[str, Vectors]:
    """Return the vectors of the length that most have: a mixture is left from a model that changed under its name."""
    lengths = [vectors.shape[1] for vectors in found.values()]
    usual = max(set(lengths), key=lambda length: (lengths.count(length), length)) if lengths else 0
    return {key: vectors for key, vectors in found.items() if vectors.shape[1] == usual}


def _key(embedder: str, search_hash: str, texts: Sequence[str]) -> str:
    text = json.dumps([embedder, search_hash, list(texts)])
    return hashlib.sha256(text.encode()).hexdigest()
