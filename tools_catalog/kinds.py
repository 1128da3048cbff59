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
    """The identifiers of one kind in a query; `texts` is empty where only the kind is named."""

    kind: str
    texts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The first of them, or an empty text."""
        return self.texts[0] if self.texts else ""


def kinds_in(query: str, vocabulary: Vocabulary) -> list[Named]:
    """Return the identifiers that stand in a query, then the kinds that it names."""
    left = query[:QUERY_MAX_CHARACTERS]
    texts: dict[str, list[str]] = defaultdict(list)
    for kind in vocabulary.kinds.values():
        for match in kind.found.finditer(left) if kind.found else ():
            texts[kind.name].append(match.group())
            left = left[: match.start()] + " " * len(match.group()) + left[match.end() :]
    for one in identifiers.find_in_text(left):
        if one.kind in vocabulary.kinds:
            texts[one.kind].append(left[one.start : one.end])
    words = [(name, end - start) for name, start, end in vocabulary.kind_words.found(pieces(left))]
    named = dict.fromkeys(name for name, _ in sorted(words, key=lambda item: -item[1]) if name not in texts)
    return [*(Named(name, tuple(found)) for name, found in texts.items()), *(Named(name) for name in named)]


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


def many_takers(tools: Sequence[CatalogTool], by_kind: Mapping[str, Mapping[str, float]]) -> dict[str, frozenset[str]]:
    """Return by kind those of its takers that take a list."""
    lists = {
        tool.name: any(schema.get("type") == "array" for name, schema in _arguments(tool) if name in _required(tool))
        for tool in tools
    }
    return {kind: frozenset(name for name in names if lists[name]) for kind, names in by_kind.items()}


def without_identifiers(query: str, named: Sequence[Named]) -> str:
    """Return a query without the texts of its identifiers, which stand in no tool's description."""
    for text in (text for one in named for text in one.texts):
        query = query.replace(text, " ")
    return query


def _required(tool: CatalogTool) -> Sequence[str]:
    return tool.input_schema.get("required") or ()


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
    required = _required(tool)
    if name not in required:
        return 0.5 if required else 0.75
    return 1.0 if len(required) == 1 else 0.75


def _tells(pattern: str, example: str) -> bool:
    compiled = re.compile(pattern)
    return bool(compiled.fullmatch(example)) and not any(map(compiled.fullmatch, _PLAIN_WORDS))
