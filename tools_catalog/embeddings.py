"""The seam for search by meaning: what an embedder owes. Without one, search is by keywords only and says so."""

from collections.abc import Sequence
from typing import Protocol

from tools_catalog.catalog import CatalogTool

Vector = Sequence[float]


class Embedder(Protocol):
    """Turns texts into vectors of one length. `name` identifies the model: vectors of two names don't compare."""

    name: str

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order. May take seconds: call it in a thread."""
        ...


def embedding_text(tool: CatalogTool) -> str:
    """Return the text of a tool that is embedded."""
    return f"{tool.name.replace('_', ' ')}: {tool.description}"


def cosine(left: Vector, right: Vector) -> float:
    """Return the cosine of two vectors; 0 where one has no length."""
    if len(left) != len(right):
        raise ValueError(f"vectors of {len(left)} and {len(right)} numbers don't compare")
    product = sum(a * b for a, b in zip(left, right, strict=True))
    lengths = (sum(a * a for a in left) * sum(b * b for b in right)) ** 0.5
    return product / lengths if lengths else 0.0
