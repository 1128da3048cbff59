"""One result of the unified tools, in the form that search and fetch clients expect: id, title, text, url."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TypeVar

TEXT_MAX_CHARS = 600
TITLE_MAX_CHARS = 300
# Numbers of which a record has at most one.
NUMBERED = ("PMID", "DOI:")
_TAG = re.compile(r"</?(?:i|b|em|strong|sub|sup|h\d|p|u|br|sec|title|jats:[a-z]+)\b[^<>]*>", re.IGNORECASE)
Item = TypeVar("Item")


@dataclass(frozen=True)
class Result:
    """A record that `fetch` opens by its `id`. All four texts are non-empty.

    `keys` name the record in every way that its sources do: two results that share one are the same record. So are
    two that share a title, unless each has a number of its own: many letters are called "Reply".
    """

    id: str
    title: str
    text: str
    url: str
    keys: frozenset[str] = field(default=frozenset(), repr=False)
    titles: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def names(self) -> frozenset[str]:
        """The id and the further keys."""
        return self.keys | {self.id}

    def is_twin_of(self, other: "Result") -> bool:
        """Tell whether both are the same record."""
        if self.names & other.names:
            return True
        return bool(self.titles & other.titles) and not any(
            _of_kind(self, kind) and _of_kind(other, kind) for kind in NUMBERED
        )

    def wire(self) -> dict[str, str]:
        """Return exactly the four fields."""
        return {"id": self.id, "title": self.title, "text": self.text, "url": self.url}


def _of_kind(record: Result, kind: str) -> bool:
    return any(name.startswith(kind) for name in record.names)


def result(
    identifier: str,
    title: object,
    parts: Iterable[object],
    url: str,
    keys: Iterable[str] = (),
    titles: Iterable[str] = (),
) -> Result:
    """Make a result; what is missing of `parts` is left out, what is too long is cut with a mark."""
    words = shortened(str(title or ""), TITLE_MAX_CHARS) or identifier
    text = " · ".join(plain for part in parts if (plain := plain_text(part)))
    text = shortened(text, TEXT_MAX_CHARS) or words
    return Result(identifier, words, text, url, frozenset(keys), frozenset(titles))


def plain_text(value: object) -> str:
    """Return a value as one line of words without markup; None and empty values give nothing."""
    if value is None or value is False:
        return ""
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(filter(None, (plain_text(each) for each in value)))
    return " ".join(_TAG.sub("", str(value)).split())


def shortened(text: str, length: int) -> str:
    """Return at most `length` characters, cut at a word, with an ellipsis where something is missing."""
    plain = plain_text(text)
    if len(plain) <= length:
        return plain
    head = plain[: length - 1]
    return f"{head[: head.rfind(' ')] if ' ' in head[length // 2 :] else head}…"


def round_robin(lists: Sequence[Sequence[Item]]) -> Iterator[Item]:
    """Yield the firsts of all lists, then the seconds, and so on: the best ranks of all come first."""
    missing = object()
    for rank in zip_longest(*lists, fillvalue=missing):
        for item in rank:
            if item is not missing:
                yield item  # type: ignore[misc]


def without_twins(results: Iterable[Result]) -> list[Result]:
    """Return the results in order, each record once: a later twin of an earlier result is left out.

    A twin's names count from then on as well: who shares one with it is the same record too.
    """
    kept: list[Result] = []
    seen: set[str] = set()
    titled: dict[str, list[Result]] = {}
    for each in results:
        same_title = (other for title in each.titles for other in titled.get(title, ()))
        if not each.names & seen and not any(each.is_twin_of(other) for other in same_title):
            kept.append(each)
            for title in each.titles:
                titled.setdefault(title, []).append(each)
        seen |= each.names
    return kept
