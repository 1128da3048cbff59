"""The shape of a JSON value: each jq path that exists, with what was seen there. Pure, deterministic and bounded.

Paths come level by level, so that what is left out is what lies deepest. Each path is jq that runs on the value
without an error. Of long lists a part is looked at; sizes are then estimates.
"""

import json
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

Json = Any

# Items of one array, values at one path, and values in all, that are looked at.
ITEMS_MAX = 100
VALUES_PER_PATH_MAX = 2_000
VALUES_MAX = 20_000
# So many values of each further path are looked at once that is reached.
FEW_VALUES = 5
PATHS_MAX = 1_000
DEPTH_MAX = 12
# What a shortened value keeps: items of lists in lists, by depth, and keys of an object.
KEPT_ITEMS = (20, 10, 5)
KEPT_KEYS = 300
# An object with so many keys and one kind of value is a map: its keys are data, not shape.
MAP_KEYS = 24
SAMPLES_MAX = 2
SAMPLE_MAX_CHARACTERS = 48
# Texts that come back again and again are an enumeration: so many at most, each seen twice at the mean.
ENUMERATION_MAX = 8
PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What a key or an item costs beside its value: quotes, colon, comma.
FRAME_BYTES = 4


@dataclass
class Shape:
    """What was seen at one path.

    `parents` counts the objects that could have had it; `is_complete` says that every value one level up had it
    and was looked at. `scale` is how many values one value that was looked at stands for.
    """

    path: str
    depth: int = 0
    parents: int = 0
    is_complete: bool = True
    scale: float = 1.0
    up: "Shape | None" = field(default=None, repr=False)
    seen: int = 0
    types: set[str] = field(default_factory=set)
    counts: list[int] = field(default_factory=list)
    numbers: tuple[float, float] | None = None
    longest_text: int = 0
    values: dict[str, int] | None = field(default_factory=dict)
    samples: list[str] = field(default_factory=list)
    size_bytes: float = 0.0

    def note(self, value: Json) -> None:
        """Add one value."""
        kind = type_of(value)
        self.seen += 1
        self.types.add("map" if kind == "object" and is_map(value) else kind)
        if kind == "array" or "map" in self.types and kind == "object":
            self.counts.append(len(value))
        if kind == "number":
            low, high = self.numbers or (value, value)
            self.numbers = min(low, value), max(high, value)
        if kind == "string":
            self._note_text(value)
        examples = value if kind == "object" and is_map(value) else [value]
        if kind in ("string", "number", "boolean") or examples is value:
            self._sample(islice(examples, SAMPLES_MAX))
        self.size_bytes += self.scale * _own_bytes(value)

    @property
    def enumeration(self) -> list[str]:
        """The texts that come back again and again, most frequent first; none where they are names."""
        if not self.values or self.types - {"null", "string"} or sum(self.values.values()) < 2 * len(self.values):
            return []
        return sorted(self.values, key=lambda text: (-(self.values or {})[text], text))

    @property
    def line(self) -> str:
        """What is known about the path."""
        parts = ["|".join(sorted(self.types))]
        if self.counts:
            low, high = min(self.counts), max(self.counts)
            unit = "keys" if "map" in self.types else "items"
            parts.append(f"{low:,} {unit}" if low == high else f"{low:,}-{high:,} {unit}")
        if self.longest_text > SAMPLE_MAX_CHARACTERS:
            parts.append(f"up to {self.longest_text:,} characters")
        if self.seen < self.parents:
            parts.append(f"in {self.seen:,} of {self.parents:,} looked at")
        return ", ".join([*parts, *self._seen_values()])

    def _seen_values(self) -> list[str]:
        if self.enumeration:
            known = " | ".join(_sample_text(text) for text in self.enumeration)
            return [known if self.is_complete and self.scale == 1 else f"{known} seen"]
        if self.numbers and self.numbers[0] != self.numbers[1] and self.types <= {"null", "number"}:
            low, high = (_sample_text(number) for number in self.numbers)
            return [f"{low} to {high}"]
        return [f"e.g. {', '.join(self.samples)}"] if self.samples else []

    def _note_text(self, value: str) -> None:
        self.longest_text = max(self.longest_text, len(value))
        if self.values is not None:
            self.values[value] = self.values.get(value, 0) + 1
            if len(self.values) > ENUMERATION_MAX or len(value) > SAMPLE_MAX_CHARACTERS:
                self.values = None

    def _sample(self, values: Iterable[Json]) -> None:
        for value in values:
            if len(self.samples) >= SAMPLES_MAX:
                return
            text = _sample_text(value)
            if text not in self.samples:
                self.samples.append(text)


def shapes(value: Json) -> list[Shape]:
    """Return the shape at each path that exists, level by level."""
    found: list[Shape] = []
    waiting: deque[tuple[Shape, list[Json]]] = deque([(Shape("."), [value])])
    looked_at = 0
    while waiting and len(found) < PATHS_MAX:
        shape, values = waiting.popleft()
        if looked_at >= VALUES_MAX and len(values) > FEW_VALUES:
            shape.scale *= len(values) / FEW_VALUES
            del values[FEW_VALUES:]
            shape.is_complete = False
        found.append(shape)
        looked_at += len(values)
        for item in values:
            shape.note(item)
        if shape.depth < DEPTH_MAX:
            waiting.extend(_children(shape, values))
    for shape in reversed(found):
        if shape.up is not None:
            shape.up.size_bytes += shape.size_bytes
    return found


def shortened(value: Json, depth: int = 0) -> Json:
    """Return a value with a part of each list, fewer the deeper it stands: small, and still of the same shape."""
    if isinstance(value, list):
        items = _spread(value) if depth == 0 else value[: KEPT_ITEMS[min(depth, len(KEPT_ITEMS)) - 1]]
        return [shortened(item, depth + 1) for item in items]
    if isinstance(value, dict):
        return {key: shortened(item, depth) for key, item in islice(value.items(), KEPT_KEYS)}
    return value


def bare(path: str) -> str:
    """Return a path without its marks of what may be missing."""
    return path.replace("?", "")


def join(path: str, step: str) -> str:
    """Return the path one step further."""
    return "." + step.removeprefix(".") if path == "." else path + step


def key_step(key: str) -> str:
    """Return the step to a key."""
    return f".{key}" if PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key)}]"


def type_of(value: Json) -> str:
    """Return jq's name of a value's type."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def is_map(value: dict[str, Json]) -> bool:
    """Tell whether an object's keys are data."""
    return len(value) >= MAP_KEYS and len({type_of(item) for item in value.values()}) == 1


def _children(shape: Shape, values: list[Json]) -> list[tuple[Shape, list[Json]]]:
    """Return the shapes one level down, each with its values.

    jq refuses to look into a text or a number, and to go through null, which a missing key gives as well: where
    there are such, or may be, the step needs its `?`, and so do all after it.
    """
    lists = [value for value in values if isinstance(value, list) or (isinstance(value, dict) and is_map(value))]
    objects = [value for value in values if isinstance(value, dict) and not is_map(value)]
    nulls = sum(value is None for value in values)
    is_sure = "?" not in shape.path
    into_lists = "[]" if is_sure and shape.is_complete and len(lists) == len(values) else "[]?"
    mark = "" if is_sure and len(objects) + nulls == len(values) else "?"
    inner: dict[str, list[Json]] = {}
    counted: dict[str, int] = {}
    for value in lists:
        counted[into_lists] = counted.get(into_lists, 0) + len(value)
        _extend(inner, into_lists, _spread(list(value.values()) if isinstance(value, dict) else value))
    for value in objects:
        for key, item in value.items():
            step = key_step(key) + mark
            counted[step] = counted.get(step, 0) + 1
            _extend(inner, step, [item])
    children = []
    for step, items in inner.items():
        is_item = step == into_lists
        all_seen = all(len(value) <= ITEMS_MAX for value in lists) if is_item else len(items) == len(values)
        child = Shape(
            join(shape.path, step),
            shape.depth + 1,
            0 if is_item else len(objects),
            shape.is_complete and all_seen,
            shape.scale * counted[step] / len(items),
            shape,
        )
        children.append((child, items))
    return children


def _extend(inner: dict[str, list[Json]], step: str, items: list[Json]) -> None:
    if items:
        known = inner.setdefault(step, [])
        known.extend(items[: VALUES_PER_PATH_MAX - len(known)])


def _spread(items: list[Json]) -> list[Json]:
    """Return the first and last items of a long list: rare fields are often at its end."""
    return items if len(items) <= ITEMS_MAX else items[: ITEMS_MAX - 10] + items[-10:]


def _own_bytes(value: Json) -> int:
    """Return about how many bytes of JSON a value has without what it holds."""
    if isinstance(value, dict):
        return 2 + sum(len(key) + FRAME_BYTES for key in value)
    if isinstance(value, list):
        return 2 + len(value)
    if isinstance(value, str):
        return len(value) + 2
    # Three bits and a bit make a digit; writing a number of thousands of digits out would take long.
    return 1 + value.bit_length() // 3 if type(value) is int else len(repr(value))


def _sample_text(value: Json) -> str:
    if isinstance(value, str) and len(value) > SAMPLE_MAX_CHARACTERS:
        value = value[: SAMPLE_MAX_CHARACTERS // 2] + "…"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2 * SAMPLE_MAX_CHARACTERS else text[:SAMPLE_MAX_CHARACTERS] + "…"
