"""Which embedder the configuration asks for."""

from collections.abc import Mapping

from tools_catalog.config import EmbedderChoice
from tools_catalog.embeddings import Embedder, EmbedderUnavailable

CHOICES = ("minilm", "sentence-transformers", "remote", "none")


def make_embedder(choice: EmbedderChoice, environ: Mapping[str, str]) -> Embedder:
    """Return the configured embedder, not loaded yet. Raises `EmbedderUnavailable` where there is none."""
    # Imported where chosen: each way has packages of its own, and most sites use one.
    if choice.kind == "minilm":
        from tools_catalog.embedders.minilm import MiniLm

        return MiniLm()
    if choice.kind == "sentence-transformers":
        from tools_catalog.embedders.sentences import SentenceModel

        return SentenceModel(choice.model)
    if choice.kind == "remote":
        from tools_catalog.embedders.remote import RemoteModel

        return RemoteModel(choice.url, choice.model, environ.get(choice.key_variable, ""))
    if choice.kind == "none":
        raise EmbedderUnavailable("no embedder is configured")
    raise EmbedderUnavailable(f"{choice.kind!r} is no embedder; known: {', '.join(CHOICES)}")
