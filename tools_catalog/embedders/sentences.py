"""Any model of sentence-transformers, from a folder or a hub: the extra `embeddings` installs it, with torch."""

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tools_catalog.embeddings import EmbedderUnavailable, Vector

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"


class SentenceModel:
    """A model of sentence-transformers, loaded when first used."""

    def __init__(self, model: str = "") -> None:
        self._path = model or DEFAULT_MODEL
        self.name = f"sentence-transformers {self._path}"
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order."""
        with self._loading:
            model = self._model
        return list(model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False))

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise EmbedderUnavailable("sentence-transformers is not installed: it is the extra `embeddings`") from None
        try:
            return SentenceTransformer(self._path)
        except (OSError, ValueError) as error:
            first = str(error).partition("\n")[0]
            raise EmbedderUnavailable(f"the model {self._path} can't be loaded: {first}") from None
