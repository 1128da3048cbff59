"""The field's language, read from `vocabulary.toml`: synonyms, names of databases, kinds of identifiers."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tools_catalog.words import pieces

PATH = Path(__file__).with_name("vocabulary.toml")


@dataclass(frozen=True)
class Kind:
    """A kind of identifier: its names, what finds it where `mcp_server.identifiers` does not, and what takes it."""

    name: str
    words: tuple[str, ...]
    found: re.Pattern[str] | None
    example: str
    arguments: frozenset[str]
    opens: tuple[str, ...]


class Phrases:
    """Phrases to find in a text, each of which stands for one or more meanings."""

    def __init__(self, meanings: Iterable[tuple[str, str]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for phrase, meaning in meanings:
            words = tuple(pieces(phrase))
            if words and (words, meaning) not in self._by_first[words[0]]:
                self._by_first[words[0]].append((words, meaning))

    def found(self, words: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """Yield each meaning that a text has, with where its phrase begins and ends."""
        for start, word in enumerate(words):
            for phrase, meaning in self._by_first.get(word, ()):
                if tuple(words[start : start + len(phrase)]) == phrase:
                    yield meaning, start, start + len(phrase)


@dataclass(frozen=True)
class Vocabulary:
    """All of it, ready to be looked up: `platforms` has a title for each alias, `entries` a tool for each title.

    `generic` words say nothing beside the name of a database.
    """

    synonyms: Phrases
    platforms: tuple[tuple[str, str], ...]
    entries: Mapping[str, str]
    generic: frozenset[str]
    kinds: Mapping[str, Kind]
    kind_words: Phrases


@cache
def vocabulary() -> Vocabulary:
    """Return what the file says, read once."""
    data = tomllib.loads(PATH.read_text(encoding="utf-8"))
    kinds = {name: _kind(name, entry) for name, entry in data["kinds"].items()}
    return Vocabulary(
        synonyms=Phrases((phrase, group[0]) for group in data["synonyms"] for phrase in group),
        platforms=tuple((alias, title) for title, aliases in data["platforms"].items() for alias in aliases),
        entries=data["entries"],
        generic=frozenset(word for text in data["generic"] for word in pieces(text)),
        kinds=kinds,
        kind_words=Phrases((word, kind.name) for kind in kinds.values() for word in kind.words),
    )


def _kind(name: str, entry: Mapping[str, Any]) -> Kind:
    pattern = entry.get("pattern")
    return Kind(
        name=name,
        words=tuple(entry["words"]),
        found=re.compile(rf"(?<![\w.:=#)\]-])(?:{pattern})(?![\w*])") if pattern else None,
        example=entry.get("example", ""),
        arguments=frozenset(entry.get("arguments", ())),
        opens=tuple(entry["opens"]),
    )
