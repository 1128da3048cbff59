"""What is wrong with a query, where, and what to write instead; and what is only worth a remark."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

Json = Any

ERRORS_MAX = 5

E_EMPTY = "E_EMPTY"
E_UNBALANCED_PAREN = "E_UNBALANCED_PAREN"
E_UNTERMINATED_QUOTE = "E_UNTERMINATED_QUOTE"
E_UNKNOWN_FIELD = "E_UNKNOWN_FIELD"
E_EMPTY_VALUE = "E_EMPTY_VALUE"
E_BAD_VALUE = "E_BAD_VALUE"
E_NEEDS_COMPARISON = "E_NEEDS_COMPARISON"
E_BAD_DATE = "E_BAD_DATE"
E_BAD_RANGE = "E_BAD_RANGE"
E_BAD_OPERATOR = "E_BAD_OPERATOR"
E_BAD_PLACE = "E_BAD_PLACE"
E_ONLY_NEGATIVE = "E_ONLY_NEGATIVE"
E_TOO_COMPLEX = "E_TOO_COMPLEX"
E_TOO_LONG = "E_TOO_LONG"
E_CONFLICT = "E_CONFLICT"
E_NO_LEG = "E_NO_LEG"
E_CURSOR = "E_CURSOR"


@dataclass(frozen=True)
class QueryError:
    """One mistake: `position` counts characters from 0 in the text as given; `argument` names one beside the query."""

    code: str
    message: str
    position: int = 0
    length: int = 0
    hint: str = ""
    suggestions: tuple[str, ...] = ()
    argument: str | None = None
    snippet: str = ""

    def within(self, text: str) -> "QueryError":
        """Return the error with its place held inside `text` and shown by a caret line."""
        position = min(max(self.position, 0), len(text))
        length = min(max(self.length, 0), len(text) - position)
        snippet = "" if self.argument else caret_lines(text, position, length)
        return replace(self, position=position, length=length, snippet=snippet)

    def wire(self) -> dict[str, Json]:
        """Return the documented JSON form."""
        shown: dict[str, Json] = {
            "code": self.code,
            "message": self.message,
            "position": self.position,
            "length": self.length,
            "snippet": self.snippet,
            "hint": self.hint,
            "suggestions": list(self.suggestions),
        }
        return shown | ({"argument": self.argument} if self.argument else {})


class QueryErrors(Exception):
    """A query that could not be understood; the first five mistakes, from left to right."""

    def __init__(self, text: str, errors: Sequence[QueryError]) -> None:
        once = {(error.code, error.position, error.argument): error.within(text) for error in reversed(errors)}
        ordered = sorted(once.values(), key=lambda error: (error.argument is not None, error.position))
        self.text = text
        self.errors = tuple(ordered[:ERRORS_MAX])
        super().__init__("; ".join(f"{error.code} at {error.position}: {error.message}" for error in self.errors))

    def wire(self) -> dict[str, Json]:
        """Return `{"error": …}` with the first mistake, and all of them under `errors` if there are several."""
        shown: dict[str, Json] = {"error": self.errors[0].wire()}
        if len(self.errors) > 1:
            shown["errors"] = [error.wire() for error in self.errors]
        return shown


SNIPPET_BEFORE = 30
SNIPPET_AFTER = 30


def caret_lines(text: str, position: int, length: int) -> str:
    """Return the surroundings of a place, and a second line with carets under it."""
    start = max(0, position - SNIPPET_BEFORE)
    end = min(len(text), position + max(length, 1) + SNIPPET_AFTER)
    shown = "".join(letter if letter.isprintable() else " " for letter in text[start:end])
    lead = "…" if start else ""
    tail = "…" if end < len(text) else ""
    carets = " " * (len(lead) + position - start) + "^" * max(1, length)
    return f"{lead}{shown}{tail}\n{carets}"


@dataclass(frozen=True)
class Notice:
    """A remark on how a query was read or run; `position` is missing where no place of the text is meant."""

    code: str
    message: str
    position: int | None = None
    length: int | None = None
    suggestions: tuple[str, ...] = ()

    def wire(self) -> dict[str, Json]:
        """Return the JSON form, without what is not known."""
        shown: dict[str, Json] = {"code": self.code, "message": self.message}
        if self.position is not None:
            shown |= {"position": self.position, "length": self.length or 0}
        if self.suggestions:
            shown["suggestions"] = list(self.suggestions)
        return shown
