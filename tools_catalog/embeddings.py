"""The seam for search by meaning: what an embedder owes. Without one, search is by keywords only and says so."""

import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tools_catalog.catalog import CatalogTool

Vector = Sequence[float] | NDArray[np.float32]
# Where a description goes over to something else, and what a tool's name looks like in it.
CLAUSE = re.compile(r"(?<=[.;])\s+")
TOOL_NAME = re.compile(r"\b[a-z0-9]+(?:_+[a-z0-9]+)+\b")


class EmbedderUnavailable(Exception):
    """There is no search by meaning at present; the message says why, for people."""


class Embedder(Protocol):
    """Turns texts into vectors of one length. `name` identifies the model: vectors of two names don't compare."""

    name: str

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order; may take seconds: call it in a thread.

        Raises `EmbedderUnavailable` when there is none to be had.
        """
        ...


def embedding_texts(tool: CatalogTool) -> list[str]:
    """Return the texts of a tool that are embedded: what it is, then each thing it is asked.

    A clause that names another tool ("for X use get_x") is about that one, and left out.
    """
    name = tool.name.partition("__")[2] or tool.name
    own = [clause for clause in CLAUSE.split(tool.description) if not TOOL_NAME.search(clause)]
    return [f"{name.replace('_', ' ')}: {' '.join(own) or tool.description}", *tool.asks]
