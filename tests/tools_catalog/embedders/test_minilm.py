"""The packaged model: the real weights, run by the real runtime."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tools_catalog.embedders.minilm import WEIGHTS, MiniLm, packaged_folder
from tools_catalog.embedders.onnx_graph import BertShape, bert_encoder
from tools_catalog.embeddings import EmbedderUnavailable


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm()


def test_like_texts_are_near_and_unlike_ones_far(model: MiniLm) -> None:
    near, like, far = (
        np.array(vector)
        for vector in model.embed(
            ["side effects of a drug", "adverse reactions to a medicine", "phylogenetic tree of a gene family"]
        )
    )
    assert near @ like > 0.5
    assert near @ far < 0.2


def test_vectors_have_length_one_and_do_not_depend_on_what_else_is_embedded(model: MiniLm) -> None:
    texts = ["rs4149056", "How common is this variant in people of East Asian ancestry?", "β-catenin", ""]
    together = np.array(model.embed(texts))
    alone = np.array([model.embed([text])[0] for text in texts])
    assert together.shape == (4, 384)
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    assert np.allclose(together, alone, atol=1e-4)


def test_no_texts_give_no_vectors(model: MiniLm) -> None:
    assert model.embed([]) == []


def test_weights_that_are_not_the_published_ones_are_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(packaged_folder(), folder)
    with (folder / WEIGHTS).open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"\x00\x00\x80\x3f")
    with pytest.raises(EmbedderUnavailable, match="not the published file"):
        MiniLm(folder).embed(["gene"])


def test_missing_weights_and_a_missing_runtime_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EmbedderUnavailable, match="can't be read"):
        MiniLm(tmp_path).embed(["gene"])
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedderUnavailable, match="onnxruntime is not installed"):
        MiniLm().embed(["gene"])
    monkeypatch.setattr("tools_catalog.embedders.minilm.PACKAGE", "no_such_package")
    with pytest.raises(EmbedderUnavailable, match="no-such-package"):
        MiniLm()


def test_weights_of_another_precision_are_refused() -> None:
    name = "embeddings.word_embeddings.weight"
    header = {name: {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]}}
    with pytest.raises(ValueError, match="F16"):
        bert_encoder(json.loads(json.dumps(header)), 8, "x.safetensors", BertShape(1, 1, 2, 1e-12))
