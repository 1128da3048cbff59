"""Write the graph of a BERT encoder in ONNX's own format, over weights that stay in their safetensors file.

onnxruntime reads no safetensors, but lets a graph name the place of each tensor in a file beside it. So the
weights are used as they were published, and the graph is a few kilobytes made here. Pure.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FLOAT, INT64 = 1, 7
_IR_VERSION, _OPSET = 8, 17


@dataclass(frozen=True)
class BertShape:
    """The sizes of an encoder, as its `config.json` says them."""

    layers: int
    heads: int
    width: int
    epsilon: float


@dataclass
class _Graph:
    """A graph in the making; each part is already encoded."""

    file_name: str
    header: Mapping[str, Any]
    data_start: int
    parts: list[bytes] = field(default_factory=list)
    count: int = 0

    def weight(self, name: str, *, rows: int | None = None) -> str:
        """Name a tensor of the weights' file, or its first `rows` alone."""
        entry = self.header[name]
        if entry["dtype"] != "F32":
            raise ValueError(f"{name} holds {entry['dtype']}, not 32-bit floats")
        shape, (start, end) = list(entry["shape"]), entry["data_offsets"]
        if rows is not None:
            end = start + (end - start) // shape[0] * rows
            shape[0] = rows
        place = {"location": self.file_name, "offset": str(self.data_start + start), "length": str(end - start)}
        outside = b"".join(_bytes(13, _text(1, key) + _text(2, value)) for key, value in place.items())
        tensor = _ints(1, shape) + _int(2, FLOAT) + _text(8, name) + outside + _int(14, 1)
        self.parts.append(_bytes(5, tensor))
        return name

    def constant(self, values: Sequence[int] | float) -> str:
        """Return the name of a small constant: a list of whole numbers, or one float."""
        self.count += 1
        name = f"constant_{self.count}"
        if isinstance(values, float):
            tensor = _int(2, FLOAT) + _text(8, name) + _bytes(9, struct.pack("<f", values))
        else:
            raw = struct.pack(f"<{len(values)}q", *values)
            tensor = _ints(1, [len(values)]) + _int(2, INT64) + _text(8, name) + _bytes(9, raw)
        self.parts.append(_bytes(5, tensor))
        return name

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add an operation and return the name of what it gives."""
        self.count += 1
        output = output or f"{operator}_{self.count}"
        encoded = b"".join(_text(1, name) for name in inputs) + _text(2, output) + _text(4, operator)
        encoded += b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
        self.parts.append(_bytes(1, encoded))
        return output


def bert_encoder(header: Mapping[str, Any], data_start: int, file_name: str, shape: BertShape) -> bytes:
    """Return the graph from `ids`, `positions` and `bias` to the last layer's `states`.

    `header` is the head of the safetensors file, `data_start` where its tensors begin. `bias` is added to the
    attention: 0 where there is a piece, a large negative number where there is padding.
    """
    graph = _Graph(file_name, header, data_start)
    words = graph.node("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids")
    places = graph.node("Gather", graph.weight("embeddings.position_embeddings.weight"), "positions")
    kind = graph.weight("embeddings.token_type_embeddings.weight", rows=1)
    states = graph.node("Add", graph.node("Add", words, places), kind)
    states = _normalised(graph, states, "embeddings.LayerNorm", shape)
    for layer in range(shape.layers):
        states = _layer(graph, states, f"encoder.layer.{layer}", shape)
    graph.node("Identity", states, output="states")
    inputs = _value(11, "ids", INT64, ["batch", "length"]) + _value(11, "positions", INT64, ["length"])
    inputs += _value(11, "bias", FLOAT, ["batch", 1, 1, "length"])
    outputs = _value(12, "states", FLOAT, ["batch", "length", shape.width])
    body = b"".join(graph.parts) + _text(2, "bert") + inputs + outputs
    return _int(1, _IR_VERSION) + _bytes(7, body) + _bytes(8, _text(1, "") + _int(2, _OPSET))


def _layer(graph: _Graph, states: str, name: str, shape: BertShape) -> str:
    """Add one layer: attention, then the feed-forward half, each with its shortcut."""
    size = shape.width // shape.heads
    split = graph.constant([0, 0, shape.heads, size])
    query, key, value = (
        graph.node("Reshape", _linear(graph, states, f"{name}.attention.self.{part}"), split)
        for part in ("query", "key", "value")
    )
    query = graph.node("Transpose", query, perm=[0, 2, 1, 3])
    key = graph.node("Transpose", key, perm=[0, 2, 3, 1])
    value = graph.node("Transpose", value, perm=[0, 2, 1, 3])
    scores = graph.node("Mul", graph.node("MatMul", query, key), graph.constant(size**-0.5))
    attention = graph.node("Softmax", graph.node("Add", scores, "bias"), axis=-1)
    seen = graph.node("Transpose", graph.node("MatMul", attention, value), perm=[0, 2, 1, 3])
    seen = graph.node("Reshape", seen, graph.constant([0, 0, shape.width]))
    seen = _linear(graph, seen, f"{name}.attention.output.dense")
    states = _normalised(graph, graph.node("Add", seen, states), f"{name}.attention.output.LayerNorm", shape)
    inner = _gelu(graph, _linear(graph, states, f"{name}.intermediate.dense"))
    inner = _linear(graph, inner, f"{name}.output.dense")
    return _normalised(graph, graph.node("Add", inner, states), f"{name}.output.LayerNorm", shape)


def _linear(graph: _Graph, states: str, name: str) -> str:
    turned = graph.node("Transpose", graph.weight(f"{name}.weight"), perm=[1, 0])
    return graph.node("Add", graph.node("MatMul", states, turned), graph.weight(f"{name}.bias"))


def _gelu(graph: _Graph, states: str) -> str:
    error = graph.node("Erf", graph.node("Mul", states, graph.constant(2**-0.5)))
    half = graph.node("Mul", states, graph.constant(0.5))
    return graph.node("Mul", half, graph.node("Add", error, graph.constant(1.0)))


def _normalised(graph: _Graph, states: str, name: str, shape: BertShape) -> str:
    scale, shift = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
    return graph.node("LayerNormalization", states, scale, shift, axis=-1, epsilon=shape.epsilon)


# --- the wire format of protocol buffers -----------------------------------------------------


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _int(tag: int, number: int) -> bytes:
    return _varint(tag << 3) + _varint(number)


def _ints(tag: int, numbers: Sequence[int]) -> bytes:
    return b"".join(_int(tag, number) for number in numbers)


def _bytes(tag: int, content: bytes) -> bytes:
    return _varint(tag << 3 | 2) + _varint(len(content)) + content


def _text(tag: int, text: str) -> bytes:
    return _bytes(tag, text.encode())


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _int(20, 1)
    if isinstance(value, int):
        return _text(1, name) + _int(3, value) + _int(20, 2)
    return _text(1, name) + _ints(8, value) + _int(20, 7)


def _value(tag: int, name: str, element: int, dimensions: Sequence[int | str]) -> bytes:
    sizes = b"".join(_bytes(1, _text(2, size) if isinstance(size, str) else _int(1, size)) for size in dimensions)
    tensor = _int(1, element) + _bytes(2, sizes)
    return _bytes(tag, _text(1, name) + _bytes(2, _bytes(1, tensor)))
