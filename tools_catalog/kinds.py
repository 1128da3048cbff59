"""The identifiers of a query, by their form or by the name of their kind, and the tools that take each kind. Pure."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from mcp_server import identifiers
from tools_catalog.catalog import CatalogTool
from tools_catalog.vocabulary import Kind, Vocabulary
from tools_catalog.words import QUERY_MAX_CHARACTERS, pieces

Json = Any
LONGEST = 100
_QUERY_WORD = re.compile(r"[^\s,;\"']+")
# A pattern that fits one of these is too wide to tell an identifier from a word.
_PLAIN_WORDS = ("gene", "cancer", "Aspirin", "BRCA1", "TP53", "10", "12345", "a", "in", "trials", "HER2")


class Named(NamedTuple):
    """An identifier in a query: its kind and its text; the text is empty where only the kind is named."""

    kind: str
    text: str


def kinds_in(query: str, vocabulary: Vocabulary) -> list[Named]:
    """Return the identifiers that stand in a query, then the kinds that it names."""
    query = query[:QUERY_MAX_CHARACTERS]
    found: dict[str, Named] = {}
    left = query
    for kind in vocabulary.kinds.values():
        if kind.pattern is None:
            continue
        for match in re.finditer(rf"(?<![\w.:-])(?:{kind.pattern.pattern})(?![\w*])", left):
            found.setdefault(kind.name, Named(kind.name, match.group()))
            left = left[: match.start()] + " " * len(match.group()) + left[match.end() :]
    for one in identifiers.find_in_text(left):
        if one.kind in vocabulary.kinds:
            found.setdefault(one.kind, Named(one.kind, left[one.start : one.end]))
    words = [(name, end - start) for name, start, end in vocabulary.kind_words.found(pieces(left))]
    for name, _ in sorted(words, key=lambda item: -item[1]):
        found.setdefault(name, Named(name, ""))
    return list(found.values())


def takers(tools: Sequence[CatalogTool], kinds: Mapping[str, Kind]) -> dict[str, dict[str, float]]:
    """Return by kind the tools that take it, with how much of the call it is: 1 where it is all that is required."""
    found: dict[str, dict[str, float]] = {name: {} for name in kinds}
    for kind in kinds.values():
        example = kind.example or (identifiers.BY_NAME[kind.name].example if kind.name in identifiers.BY_NAME else "")
        for tool in tools:
            share = max((_share(tool, name, schema, kind, example) for name, schema in _arguments(tool)), default=0.0)
            if share:
                found[kind.name][tool.name] = share
    return found


class PatternTakers:
    """The tools by the patterns of their arguments: these tell identifiers that are of no known kind."""

    def __init__(self, tools: Sequence[CatalogTool]) -> None:
        names: dict[str, list[str]] = defaultdict(list)
        for tool in tools:
            for _, schema in _arguments(tool):
                for inner in (schema, schema.get("items") or {}):
                    if inner.get("pattern"):
                        names[inner["pattern"]].append(tool.name)
        compiled = [(re.compile(pattern), takers) for pattern, takers in sorted(names.items())]
        self._patterns = [one for one in compiled if not any(map(one[0].fullmatch, _PLAIN_WORDS))]

    def takers(self, query: str, known: Collection[str]) -> dict[str, str]:
        """Return the tools that take a word of the query, with the word; `known` identifiers are left out."""
        found: dict[str, str] = {}
        for word in _QUERY_WORD.findall(query[:QUERY_MAX_CHARACTERS]):
            value = word.strip("()[]").rstrip(".?!:")
            if value in known or len(value) > LONGEST or not any(map(str.isdigit, value)):
                continue
            for pattern, names in self._patterns:
                if pattern.fullmatch(value):
                    found |= dict.fromkeys(names, value)
        return found


def without_identifiers(query: str, named: Sequence[Named]) -> str:
    """Return a query without the texts of its identifiers, which stand in no tool's description."""
    for one in named:
        if one.text:
            query = query.replace(one.text, " ")
    return query


def _arguments(tool: CatalogTool) -> list[tuple[str, Mapping[str, Json]]]:
    properties = tool.input_schema.get("properties", {})
    return [(name, schema) for name, schema in properties.items() if isinstance(schema, Mapping)]


def _share(tool: CatalogTool, name: str, schema: Mapping[str, Json], kind: Kind, example: str) -> float:
    """Return 0 unless an argument takes a kind; a required one counts more, the only required one most."""
    patterns = [inner["pattern"] for inner in (schema, schema.get("items") or {}) if inner.get("pattern")]
    by_form = bool(example) and any(_tells(pattern, example) for pattern in patterns)
    by_name = name in kind.arguments and all(not example or re.search(pattern, example) for pattern in patterns)
    if not (by_form or by_name):
        return 0.0
    required = tool.input_schema.get("required") or []
    if name not in required:
        return 0.5 if required else 0.75
    return 1.0 if len(required) == 1 else 0.75


def _tells(pattern: str, example: str) -> bool:
    compiled = re.compile(pattern)
    return bool(compiled.fullmatch(example)) and not any(map(compiled.fullmatch, _PLAIN_WORDS))
