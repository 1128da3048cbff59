"""What people ask for and no tool does, read from `not_offered.toml`: it competes with the tools for a query. Pure."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

# Cosines, and shares of the best tool's score by words.
NEAR, FAR_AHEAD, AS_NEAR = 0.4, 0.1, 0.05
ALIKE, BY_WORDS_ALONE, FAR_MORE = 0.8, 1.5, 2.0
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


class Nearness(NamedTuple):
    """How near a query comes to the best tool and to the nearest absent thing, by words and by meaning.

    Without an embedder both cosines are None.
    """

    words: float
    words_absent: float
    meaning: float | None = None
    meaning_absent: float | None = None


def is_absent(near: Nearness, *, names_database: bool) -> bool:
    """Tell whether a query asks for an absent thing rather than for a tool.

    It must be near to the thing, and: nearer than to any tool, with words that say so too; or as near, with far more
    of its words; or so much nearer that no word counts. Who names a database wants something of it, so there only the
    last will do. Without meaning many more words must say it.
    """
    if near.meaning is None or near.meaning_absent is None:
        return not names_database and near.words_absent > BY_WORDS_ALONE * near.words
    if near.meaning_absent <= NEAR:
        return False
    ahead = near.meaning_absent - near.meaning
    if ahead > FAR_AHEAD:
        return True
    by_words = near.words_absent > ALIKE * near.words if ahead > 0 else near.words_absent > FAR_MORE * near.words
    return not names_database and ahead > -AS_NEAR and by_words
