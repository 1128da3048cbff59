"""What a domain brings back: a page of a leg, or one opened record."""

import asyncio
import re
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mcp_server.unified.calls import SourceFailed
from mcp_server.unified.results import Result, plain_text, shortened

Json = Any
SECTION_MAX_CHARS = 4_000
# How many rows of a leg are read at most: deeper pages read every source from the start.
READ_MAX = 501
Got = TypeVar("Got")


@dataclass
class LegRows:
    """The first rows of a leg, best first.

    `total_is` says how far `total` can be trusted: `exact`, `at_least` or `unknown`. `errors` are sources that
    failed beside others that answered; `relaxed` names the clauses that were given up to find anything. `has_more`
    says that a source has rows behind these, which come when more are asked for.
    """

    results: list[Result]
    total: int | None = None
    total_is: str = "unknown"
    sources: Sequence[str] = ()
    errors: list[SourceFailed] = field(default_factory=list)
    notices: list[dict[str, Json]] = field(default_factory=list)
    relaxed: list[str] = field(default_factory=list)
    has_more: bool = False


@dataclass
class Document:
    """One record, opened: `metadata` holds the blocks of its sources, `errors` the sources that failed.

    `notices` say of which source there is no block although it did not fail.
    """

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Json]
    sources: Sequence[str] = ()
    errors: list[SourceFailed] = field(default_factory=list)
    notices: list[dict[str, Json]] = field(default_factory=list)

    def wire(self) -> dict[str, Json]:
        """Return the form that fetch clients expect."""
        return {"id": self.id, "title": self.title, "text": self.text, "url": self.url, "metadata": self.metadata}


class LegFailed(Exception):
    """No source of a leg brought an answer."""

    def __init__(self, failures: Sequence[SourceFailed]) -> None:
        super().__init__("; ".join(str(failure) for failure in failures))
        self.failures = list(failures)


async def answers(asked: Sequence[Awaitable[Got]]) -> tuple[list[Got | None], list[SourceFailed]]:
    """Return what each source brought, None for one that failed, and the failures. All failed is `LegFailed`."""
    got = await asyncio.gather(*asked, return_exceptions=True)
    failures: list[SourceFailed] = []
    found: list[Got | None] = []
    for each in got:
        if isinstance(each, SourceFailed):
            failures.append(each)
            found.append(None)
        elif isinstance(each, BaseException):
            raise each
        else:
            found.append(each)
    if failures and len(failures) == len(found):
        raise LegFailed(failures)
    return found, failures


def alternatives(params: Mapping[str, Json], name: str) -> list[list[str]]:
    """Return the groups of a clause: each group must match, by any of its values."""
    every = [[str(value)] for key in (name, f"{name}_all") for value in params.get(key) or ()]
    some = [str(value) for value in params.get(f"{name}_any") or ()]
    return [*every, *([some] if some else [])]


def texts(params: Mapping[str, Json], name: str) -> list[str]:
    """Return all values of a clause, however many there are and however they are joined."""
    found: list[str] = []
    for key in (name, f"{name}_all", f"{name}_any"):
        value = params.get(key)
        found += [value] if isinstance(value, str) else [str(each) for each in value or ()]
    return found


def refused(params: Mapping[str, Json], name: str) -> list[str]:
    """Return the texts that a clause must not have."""
    return [str(value) for value in params.get(f"not_{name}") or ()]


def is_inside(number: float, bounds: Mapping[str, Json]) -> bool:
    """Tell whether a number lies between `min` and `max`, each itself out where it is `…_exclusive`."""
    low, high = bounds.get("min"), bounds.get("max")
    above = low is None or number > low or (number == low and not bounds.get("min_exclusive"))
    below = high is None or number < high or (number == high and not bounds.get("max_exclusive"))
    return above and below


def mentions(words: str, values: Iterable[str]) -> bool:
    """Tell whether a text has any of the values as a word of its own, in any case."""
    return any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", words, re.IGNORECASE) for value in values)


def notice(code: str, message: str) -> dict[str, Json]:
    """Return a notice: not an error, but something the reader should know."""
    return {"code": code, "message": message}


def chosen(document: Document | None, name: str, found: Sequence[Result]) -> Document | None:
    """Return what was opened for a name, with what else it may have meant."""
    others = [f"{each.title} ({each.id})" for each in found if document and each.id != document.id]
    if document and (others or document.title.lower() != name.lower()):
        also = f"; also found: {', '.join(others)}" if others else ""
        document.notices.append(notice("N_CHOSEN", f"{name} was read as {document.title} ({document.id}){also}."))
    return document


def counted(total: int | None, shown: int) -> tuple[int | None, str]:
    """Return a total and how far it can be trusted."""
    return (total, "exact") if total is not None else (shown, "at_least") if shown else (None, "unknown")


def sections(parts: Iterable[tuple[str, object]]) -> str:
    """Return headed paragraphs; parts without words are left out, long ones are cut with a mark."""
    written = [(name, shortened(plain_text(value), SECTION_MAX_CHARS)) for name, value in parts]
    return "\n".join(f"{name}: {words}" if name else words for name, words in written if words)


def dug(data: Json, *path: str | int) -> Json:
    """Return what stands at `path`, or None where a part is missing."""
    for name in path:
        if isinstance(data, Mapping) and isinstance(name, str):
            data = data.get(name)
        elif isinstance(data, list) and isinstance(name, int) and len(data) > name:
            data = data[name]
        else:
            return None
    return data
