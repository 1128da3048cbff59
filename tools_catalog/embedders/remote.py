"""An embedding API over HTTP, of the form that OpenAI's has: `POST {url}/embeddings` with a key."""

from collections.abc import Sequence
from typing import Any

import httpx2

from tools_catalog.embeddings import EmbedderUnavailable, Vector

BATCH = 64
# A query waits for it: better by keywords only than late.
TIMEOUT_S = 10.0


class RemoteModel:
    """One model of one API. The key goes nowhere but into the request's header."""

    def __init__(self, url: str, model: str, key: str) -> None:
        if not (url and model):
            raise EmbedderUnavailable("embedder_url and embedder_model say nothing, and remote needs both")
        if not key:
            raise EmbedderUnavailable("there is no key for the embedding API: embedder_key_variable names none")
        self.name = f"{model} of {httpx2.URL(url).host}"
        self._url = f"{url.rstrip('/')}/embeddings"
        self._model = model
        self._key = key

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order."""
        vectors: list[Vector] = []
        with httpx2.Client(timeout=TIMEOUT_S, headers={"Authorization": f"Bearer {self._key}"}) as client:
            for start in range(0, len(texts), BATCH):
                vectors += self._asked(client, texts[start : start + BATCH])
        return vectors

    def _asked(self, client: httpx2.Client, texts: Sequence[str]) -> list[Vector]:
        try:
            response = client.post(self._url, json={"model": self._model, "input": list(texts)})
            response.raise_for_status()
            rows: list[dict[str, Any]] = sorted(response.json()["data"], key=lambda row: int(row["index"]))
            vectors: list[Vector] = [[float(number) for number in row["embedding"]] for row in rows]
        except httpx2.HTTPStatusError as error:
            raise EmbedderUnavailable(f"{self.name} answered {error.response.status_code}") from None
        except httpx2.HTTPError as error:
            raise EmbedderUnavailable(f"{self.name} can't be reached ({type(error).__name__})") from None
        except (ValueError, KeyError, TypeError) as error:
            raise EmbedderUnavailable(f"{self.name} answered in another form ({type(error).__name__})") from None
        if len(vectors) != len(texts):
            raise EmbedderUnavailable(f"{self.name} gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors
