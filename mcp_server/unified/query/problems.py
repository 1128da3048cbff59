"""What is wrong with one value; the parser adds where it stands."""

from collections.abc import Sequence

from mcp_server.unified.query import errors


class ValueProblem(Exception):
    """A value that its field does not accept."""

    def __init__(self, code: str, message: str, hint: str = "", suggestions: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.suggestions = tuple(suggestions)


def bad_value(message: str, hint: str = "", suggestions: Sequence[str] = ()) -> ValueProblem:
    """Return the problem of a value that is none of the accepted ones."""
    return ValueProblem(errors.E_BAD_VALUE, message, hint, suggestions)


def bad_range(message: str, hint: str = "") -> ValueProblem:
    """Return the problem of a range that can't hold anything."""
    return ValueProblem(errors.E_BAD_RANGE, message, hint)


def bad_operator(message: str, hint: str = "") -> ValueProblem:
    """Return the problem of a sign that this field has no use for."""
    return ValueProblem(errors.E_BAD_OPERATOR, message, hint)


def bad_place(message: str, hint: str = "") -> ValueProblem:
    """Return the problem of a place that is none."""
    return ValueProblem(errors.E_BAD_PLACE, message, hint)
