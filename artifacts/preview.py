"""Describe a JSON value too large to read: its shape as the jq paths that exist, with types, counts, sizes, samples.

Deterministic and bounded: the same value gives the same text, of at most the given tokens. Paths come level by
level, so that what is left out is what lies deepest. Each path is jq that runs on the value without an error.
Pure.
"""

import json
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from artifacts.tokens import cut, tokens

Json = Any

# Items of one array, values at one path, and values in all, that are looked at.
ITEMS_MAX = 100
VALUES_PER_PATH_MAX = 2_000
VALUES_MAX = 20_000
# So many values of each further path are looked at once that is reached.
FEW_VALUES = 5
PATHS_MAX = 1_000
DEPTH_MAX = 12
# An object with so many keys and one kind of value is a map: its keys are data, not shape.
MAP_KEYS = 24
SAMPLES_MAX = 2
SAMPLE_MAX_CHARACTERS = 48
MORE_ROOM_TOKENS = 12
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass
class Shape:
    """What was seen at one path.

    `parents` counts the objects that could have had it; `is_complete` says that every value one level up had it
    and was looked at.
    """

    path: str
    depth: int = 0
    parents: int = 0
    is_complete: bool = True
    seen: int = 0
    types: set[str] = field(default_factory=set)
    counts: list[int] = field(default_factory=list)
    longest_text: int = 0
    samples: list[str] = field(default_factory=list)

    def note(self, value: Json) -> None:
        """Add one value."""
        kind = _type(value)
        self.seen += 1
        self.types.add("map" if kind == "object" and _is_map(value) else kind)
        if kind == "array" or "map" in self.types and kind == "object":
            self.counts.append(len(value))
        if kind == "string":
            self.longest_text = max(self.longest_text, len(value))
        examples = value if kind == "object" and _is_map(value) else [value]
        if kind in ("string", "number", "boolean") or examples is value:
            self._sample(islice(examples, SAMPLES_MAX))

    def line(self) -> str:
        """Return the path with what is known about it."""
        parts = ["|".join(sorted(self.types))]
        if self.counts:
            low, high = min(self.counts), max(self.counts)
            unit = "keys" if "map" in self.types else "items"
            parts.append(f"{low:,} {unit}" if low == high else f"{low:,}-{high:,} {unit}")
        if self.longest_text > SAMPLE_MAX_CHARACTERS:
            parts.append(f"up to {self.longest_text:,} characters")
        if self.seen < self.parents:
            parts.append(f"in {self.seen:,} of {self.parents:,} looked at")
        if self.samples:
            parts.append("e.g. " + ", ".join(self.samples))
        return f"{self.path} {', '.join(parts)}"

    def _sample(self, values: Iterable[Json]) -> None:
        for value in values:
            if len(self.samples) >= SAMPLES_MAX:
                return
            if isinstance(value, str) and len(value) > SAMPLE_MAX_CHARACTERS:
                value = value[: SAMPLE_MAX_CHARACTERS // 2] + "…"
            text = json.dumps(value, ensure_ascii=False)
            text = text if len(text) <= 2 * SAMPLE_MAX_CHARACTERS else text[:SAMPLE_MAX_CHARACTERS] + "…"
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
            del values[FEW_VALUES:]
            shape.is_complete = False
        found.append(shape)
        looked_at += len(values)
        for item in values:
            shape.note(item)
        if shape.depth < DEPTH_MAX:
            waiting.extend(_children(shape, values))
    return found


def existing_paths(value: Json, max_tokens: int) -> str:
    """Return the jq paths that exist, as many as fit."""
    return _fitting((shape.path for shape in shapes(value)), max_tokens, separator="  ")


def preview(value: Json, max_tokens: int, *, size: int, focus: Json = None) -> str:
    """Return the shape of a value of `size` bytes, in at most `max_tokens`.

    `focus` is the value without its noise: only paths that it has as well are listed, but what is said of them
    is said of the whole.
    """
    found = shapes(value)
    if focus is not None:
        wanted = {_bare(shape.path) for shape in shapes(focus)}
        found = [shape for shape in found if _bare(shape.path) in wanted]
    head = f"JSON of {size:,} bytes. The jq paths that exist, with types, counts and samples:\n"
    foot = _advice(found)
    if tokens(head + foot) > max_tokens // 2:
        foot = ""
    room = max_tokens - tokens(head) - tokens(foot)
    return cut(head + _fitting((shape.line() for shape in found), room, separator="\n") + foot, max_tokens)


def _bare(path: str) -> str:
    return path.replace("?", "")


def _fitting(parts: Iterable[str], max_tokens: int, *, separator: str) -> str:
    """Join as many parts as fit, and say how many more there are."""
    kept: list[str] = []
    room = max_tokens - MORE_ROOM_TOKENS
    rest = 0
    for part in parts:
        room -= tokens(part) + tokens(separator)
        if room < 0:
            rest += 1
        else:
            kept.append(part)
    return separator.join([*kept, f"… and {rest:,} more"] if rest else kept)


def _advice(found: list[Shape]) -> str:
    """Return example filters for the first list of objects."""
    for shape in found:
        item = _join(shape.path, "[]")
        keys = [s.path.removeprefix(f"{item}.") for s in found if s.path.startswith(f"{item}.")]
        plain = [key for key in keys if _PLAIN_KEY.fullmatch(key)][:3]
        if plain and max(shape.counts, default=0) > 1:
            cut = f"`{shape.path}[:3]`, " if "array" in shape.types else ""
            return f"\nTo begin with: `{shape.path} | length`, {cut}`[{item} | {{{', '.join(plain)}}}]`."
    return ""


def _children(shape: Shape, values: list[Json]) -> list[tuple[Shape, list[Json]]]:
    """Return the shapes one level down, each with its values.

    jq refuses to look into a text or a number, and to go through null, which a missing key gives as well: where
    there are such, or may be, the step needs its `?`, and so do all after it.
    """
    lists = [value for value in values if isinstance(value, list) or (isinstance(value, dict) and _is_map(value))]
    objects = [value for value in values if isinstance(value, dict) and not _is_map(value)]
    nulls = sum(value is None for value in values)
    is_sure = "?" not in shape.path
    into_lists = "[]" if is_sure and shape.is_complete and len(lists) == len(values) else "[]?"
    mark = "" if is_sure and len(objects) + nulls == len(values) else "?"
    inner: dict[str, list[Json]] = {}
    for value in lists:
        _extend(inner, into_lists, _spread(list(value.values()) if isinstance(value, dict) else value))
    for value in objects:
        for key, item in value.items():
            _extend(inner, _step(key) + mark, [item])
    children = []
    for step, items in inner.items():
        is_item = step == into_lists
        parents = 0 if is_item else len(objects)
        all_seen = all(len(value) <= ITEMS_MAX for value in lists) if is_item else len(items) == len(values)
        child = Shape(_join(shape.path, step), shape.depth + 1, parents, is_complete=shape.is_complete and all_seen)
        children.append((child, items))
    return children


def _extend(inner: dict[str, list[Json]], step: str, items: list[Json]) -> None:
    if items:
        known = inner.setdefault(step, [])
        known.extend(items[: VALUES_PER_PATH_MAX - len(known)])


def _is_map(value: dict[str, Json]) -> bool:
    return len(value) >= MAP_KEYS and len({_type(item) for item in value.values()}) == 1


def _spread(items: list[Json]) -> list[Json]:
    """Return the first and last items of a long list: rare fields are often at its end."""
    return items if len(items) <= ITEMS_MAX else items[: ITEMS_MAX - 10] + items[-10:]


def _join(path: str, step: str) -> str:
    return "." + step.removeprefix(".") if path == "." else path + step


def _step(key: str) -> str:
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key)}]"


def _type(value: Json) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")
