"""What people ask for and no tool does, read from `not_offered.toml`: it competes with the tools for a query."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PATH = Path(__file__).with_name("not_offered.toml")


@dataclass(frozen=True)
class Absent:
    """A thing that no tool does: its name for people, and how it is asked for."""

    what: str
    asks: tuple[str, ...]


@cache
def absent_things() -> tuple[Absent, ...]:
    """Return the list, read once."""
    entries = tomllib.loads(PATH.read_text(encoding="utf-8"))["absent"]
    return tuple(Absent(entry["what"], tuple(entry["asks"])) for entry in entries)


def absent_texts(things: Sequence[Absent], weight: int) -> list[list[tuple[str, int]]]:
    """Return the texts of the list as documents of a keyword index."""
    return [[(text, weight) for text in (thing.what, *thing.asks)] for thing in things]
