"""An embedder that keeps count, and a place in memory for vectors."""

import threading
from collections.abc import Mapping, Sequence

from tools_catalog.embeddings import Vector
from tools_catalog.meaning import Vectors
from tools_catalog.vectors import Subject
from tools_catalog.words import tokens


class CountingEmbedder:
    """Embeds a text by the lengths of its words, and keeps count of what it was given."""

    def __init__(self, name: str = "lengths", dimension: int = 12) -> None:
        self.name = name
        self.dimension = dimension
        self.texts: list[str] = []
        self.threads: set[int] = set()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.texts += texts
        self.threads.add(threading.get_ident())
        return [
            [float(sum(len(word) % self.dimension == at for word in tokens(text))) for at in range(self.dimension)]
            for text in texts
        ]


class MemoryVectors:
    """Keeps vectors in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[str, Vectors] = {}

    async def load(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    async def save(self, embedder: str, made: Mapping[Subject, Vectors]) -> None:
        self.kept |= {subject.key: vectors for subject, vectors in made.items()}
