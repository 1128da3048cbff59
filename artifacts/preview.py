"""Describe a JSON value too large to read: its paths with types, ranges and sizes, three items, ready filters. Pure.

Deterministic and bounded: the same value gives the same text, of at most the given tokens.
"""

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from artifacts.questions import ready_filters
from artifacts.shape import Shape, bare, shapes, shortened
from artifacts.tokens import cut, tokens

Json = Any

# What the filters may take of the whole, and what the items get in any case: paths that leave room give it to them.
FILTERS_SHARE = 0.3
SAMPLES_SHARE = 0.25
# Of what the paths may take: from when on the values of further ones are left out, so that more of them fit.
TERSE_FROM = 0.6
SCALARS = frozenset({"string", "number", "boolean", "null"})
MORE_ROOM_TOKENS = 14
SAMPLE_ITEMS = 3
SAMPLES_MAX_TOKENS = 240
SAMPLE_TEXT_CHARACTERS = 40
SAMPLE_DEPTH = 3
# A branch below this share of the whole says nothing about where the size lies.
TOLD_SHARE = 0.05
CLOSE_PATHS = 5
CLOSE_ENOUGH = 0.6
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words of the language, not of the data.
_OF_JQ = frozenset(["select", "map", "length", "keys", "test", "sort_by", "group_by", "not", "and", "or", "limit"])


def preview(value: Json, max_tokens: int, *, size: int, focus: Json = None) -> str:
    """Return what a value of `size` bytes looks like, in at most `max_tokens`.

    `focus` is the shortened value without its noise: what it lacks is not listed, and its items are shown, but what
    is said of the paths is said of the whole.
    """
    found = shapes(value)
    if focus is not None:
        noise = {bare(shape.path) for shape in shapes(shortened(value))} - {bare(shape.path) for shape in shapes(focus)}
        found = [shape for shape in found if bare(shape.path) not in noise]
    head = f"JSON of {size:,} bytes. Its jq paths; those further in go on from the one above.\n"
    filters = _filters(found, int(max_tokens * FILTERS_SHARE))
    room = max_tokens - tokens(head) - tokens(filters)
    kept = int(max_tokens * SAMPLES_SHARE) if main_list(found) else 0
    tree = _tree(found, room - kept)
    samples = _samples(value if focus is None else focus, found, room - tokens(tree))
    return cut(head + tree + samples + filters, max_tokens)


def existing_paths(value: Json, max_tokens: int, *, near: str = "") -> str:
    """Return the jq paths that exist, as many as fit; first those that are close to what the filter `near` names."""
    found = [shape.path for shape in shapes(value)]
    close = _close(found, near)
    told = f"Close to it: {'  '.join(close)}. " if close else ""
    room = max_tokens - tokens(told) - MORE_ROOM_TOKENS
    return cut(f"{told}Paths that exist: {_fitting(found, room)}", max_tokens)


def _close(paths: Sequence[str], near: str) -> list[str]:
    """Return the paths whose last key is spelt like a word of the filter, the closest first."""
    words = [word.lower() for word in _WORD.findall(near) if word not in _OF_JQ]
    scored = []
    for number, path in enumerate(paths):
        key = "" if path.endswith(("[]", "[]?")) else (_WORD.findall(path) or [""])[-1].lower()
        score = max((difflib.SequenceMatcher(None, word, key).ratio() for word in words if key), default=0.0)
        if score >= CLOSE_ENOUGH:
            scored.append((-score, number, path))
    return [path for _, _, path in sorted(scored)[:CLOSE_PATHS]]


def _tree(found: Sequence[Shape], max_tokens: int) -> str:
    """Return the paths, as many as fit; what lies deepest is left out first, and before it what is known of it."""
    room = max_tokens - MORE_ROOM_TOKENS
    enough = room * TERSE_FROM
    kept: dict[int, str] = {}
    total = found[0].size_bytes if found else 0
    lines = [_line(shape, total) for shape in found]
    is_terse = sum(map(tokens, lines)) > room
    for shape, line in zip(found, lines, strict=True):
        if is_terse and room < enough and shape.types <= SCALARS and not shape.enumeration:
            line = f"{_place(shape)} {'|'.join(sorted(shape.types))}\n"
        room -= tokens(line)
        if room < 0:
            break
        kept[id(shape)] = line
    below: dict[int, list[Shape]] = {}
    for shape in found:
        if id(shape) in kept:
            below.setdefault(id(shape.up) if id(shape.up) in kept else 0, []).append(shape)
    text = "".join(kept[id(shape)] for shape in _depth_first(below.get(0, []), below))
    rest = len(found) - len(kept)
    return f"{text}… and {rest:,} more paths\n" if rest else text


def _depth_first(level: Sequence[Shape], below: dict[int, list[Shape]]) -> Iterable[Shape]:
    for shape in level:
        yield shape
        yield from _depth_first(below.get(id(shape), ()), below)


def _line(shape: Shape, total: float) -> str:
    share = shape.size_bytes / total if total else 0
    told = f", {share:.0%} of all" if shape.depth and share >= TOLD_SHARE and shape.types & {"array", "map"} else ""
    return f"{_place(shape)} {shape.line}{told}\n"


def _place(shape: Shape) -> str:
    """Return the step to a path from the one above it, which stands before it in the tree."""
    above = shape.up.path if shape.up else "."
    return " " * (shape.depth - 1) + (shape.path if above == "." else shape.path.removeprefix(above))


def _samples(value: Json, found: Sequence[Shape], max_tokens: int) -> str:
    """Return the first items of the largest list, abbreviated."""
    place = main_list(found)
    if place is None:
        return ""
    items = list(_at(value, place.path))[:SAMPLE_ITEMS]
    lines = [f"{place.path} begins:\n"]
    room = min(max_tokens, SAMPLES_MAX_TOKENS) - tokens(lines[0])
    for item in items:
        text = cut(json.dumps(_abbreviated(item), ensure_ascii=False), max(room // SAMPLE_ITEMS - 3, 0))
        lines.append(f"{text}\n")
    return cut("".join(lines), max_tokens)


def main_list(found: Sequence[Shape]) -> Shape | None:
    """Return the list or map with the most in it, of those that stand in no other list."""
    lists = [shape for shape in found if shape.types in ({"array"}, {"map"}) and "[]" not in shape.path]
    filled = [shape for shape in lists if max(shape.counts) > 1]
    return max(filled, key=lambda shape: (shape.size_bytes, -shape.depth), default=None)


def _at(value: Json, path: str) -> Iterable[Json]:
    """Return the items of the list at a path of plain steps."""
    for step in re.findall(r'\.([A-Za-z_]\w*)|\[("(?:[^"\\]|\\.)*")\]', path):
        key = step[0] or json.loads(step[1])
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _abbreviated(value: Json, depth: int = 0) -> Json:
    if isinstance(value, str) and len(value) > SAMPLE_TEXT_CHARACTERS:
        return value[:SAMPLE_TEXT_CHARACTERS] + "…"
    if isinstance(value, list):
        if depth >= SAMPLE_DEPTH:
            return f"… {len(value):,} items"
        rest = [f"… {len(value) - 1:,} more"] if len(value) > 1 else []
        return [*(_abbreviated(item, depth + 1) for item in value[:1]), *rest]
    if isinstance(value, dict):
        if depth >= SAMPLE_DEPTH:
            return f"… {len(value):,} keys"
        return {key: _abbreviated(item, depth + 1) for key, item in value.items()}
    return value


def _filters(found: Sequence[Shape], max_tokens: int) -> str:
    """Return the ready filters that fit, each with its question."""
    text = "For inspect_artifact:\n"
    for question, jq_filter in ready_filters(found, main_list(found)):
        line = f"{question} {jq_filter}\n"
        if tokens(text + line) <= max_tokens:
            text += line
    return text.rstrip("\n") if text.count("\n") > 1 else ""


def _fitting(parts: Iterable[str], max_tokens: int) -> str:
    """Join as many parts as fit, and say how many more there are."""
    kept: list[str] = []
    room = max_tokens
    rest = 0
    for part in parts:
        room -= tokens(part) + 1
        if room < 0:
            rest += 1
        else:
            kept.append(part)
    return "  ".join([*kept, f"… and {rest:,} more"] if rest else kept)
