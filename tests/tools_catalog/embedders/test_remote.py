"""An embedding API over HTTP, asked on a real socket."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tools_catalog.config import EmbedderChoice
from tools_catalog.embedders.choice import make_embedder
from tools_catalog.embedders.remote import BATCH, RemoteModel
from tools_catalog.embeddings import EmbedderUnavailable


class Api(ThreadingHTTPServer):
    """Answers as the API does: vectors out of order, each with its index."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status = 200
        self.answer: Any = None
        self.asked: list[tuple[str, str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Api

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((self.path, self.headers["authorization"], body))
        rows = [{"index": at, "embedding": [len(text), 1]} for at, text in enumerate(body["input"])]
        answer = json.dumps(self.server.answer or {"data": rows[::-1]}).encode()
        self.send_response(self.server.status)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def api() -> Iterator[Api]:
    server = Api()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join(5)
    server.server_close()


def test_vectors_come_in_the_order_of_the_texts(api: Api) -> None:
    texts = ["a" * length for length in range(1, BATCH + 3)]
    model = RemoteModel(api.url, "small", "secret")
    assert model.embed(texts) == [[float(len(text)), 1.0] for text in texts]
    (path, key, body), (_, _, rest) = api.asked
    assert (path, key, body["model"]) == ("/v1/embeddings", "Bearer secret", "small")
    assert len(body["input"]) == BATCH and len(rest["input"]) == 2
    assert "secret" not in model.name


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (401, {"error": {}}, "answered 401"),
        (200, {"vectors": []}, "another form"),
        (200, {"data": []}, "gave 0 vectors for 1 texts"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(api: Api, status: int, answer: Any, words: str) -> None:
    api.status, api.answer = status, answer
    with pytest.raises(EmbedderUnavailable, match=words):
        RemoteModel(api.url, "small", "secret").embed(["gene"])


def test_an_api_that_is_not_there_is_told() -> None:
    with pytest.raises(EmbedderUnavailable, match="can't be reached"):
        RemoteModel("http://127.0.0.1:9/v1", "small", "secret").embed(["gene"])


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (EmbedderChoice("none"), "no embedder is configured"),
        (EmbedderChoice("word2vec"), "is no embedder; known: minilm"),
        (EmbedderChoice("remote"), "say nothing"),
        (EmbedderChoice("remote", "small", "https://api.example/v1", "NO_SUCH_KEY"), "no key"),
    ],
)
def test_a_choice_that_can_not_be_had_is_told(choice: EmbedderChoice, words: str) -> None:
    with pytest.raises(EmbedderUnavailable, match=words):
        make_embedder(choice, {})


def test_sentence_transformers_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    model = make_embedder(EmbedderChoice("sentence-transformers", "some/model"), {})
    assert model.name == "sentence-transformers some/model"
    with pytest.raises(EmbedderUnavailable, match="extra `embeddings`"):
        model.embed(["gene"])


def test_the_key_is_read_from_the_variable_that_is_named(api: Api) -> None:
    choice = EmbedderChoice("remote", "small", api.url, "LAB_EMBEDDINGS_API_KEY")
    make_embedder(choice, {"LAB_EMBEDDINGS_API_KEY": "k1"}).embed(["gene"])
    assert api.asked[0][1] == "Bearer k1"
