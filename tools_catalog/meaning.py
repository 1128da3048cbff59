"""Ranking by meaning: the cosines between a query and the texts of each tool. Pure."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tools_catalog.embeddings import Vector

Vectors = NDArray[np.float32]


class OtherLength(ValueError):
    """Two vectors that don't compare: they are of different models."""


class MeaningIndex:
    """The vectors of one catalogue, several a tool. All must come from the embedder of this name."""

    def __init__(self, names: Sequence[str], vectors: Mapping[str, Vectors], embedder: str) -> None:
        self.embedder = embedder
        self._rows = unit(np.concatenate([vectors[name] for name in names]))
        self._starts = np.cumsum([0, *(len(vectors[name]) for name in names[:-1])])

    def closeness(self, wanted: Vector) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return, in the order of the names, the cosine of the closest text and that of the first one."""
        vector = np.asarray(wanted, dtype=np.float32)
        if vector.shape != self._rows.shape[1:]:
            raise OtherLength(f"vectors of {vector.size} and {self._rows.shape[1]} numbers don't compare")
        # Not `@`: for so small a product the threads of BLAS wait for each other longer than they work.
        cosines = np.einsum("ij,j->i", self._rows, unit(vector[None, :])[0]).astype(np.float64)
        return np.maximum.reduceat(cosines, self._starts), cosines[self._starts]


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows of length one; a row without length stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled
