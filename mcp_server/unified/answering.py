"""What the answers of the unified tools have in common: their citations, and how they fail."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Citation, Envelope
from mcp_server.unified.calls import Calls
from mcp_server.unified.tool import own_form

Json = Any


def cited(calls: Calls) -> list[Citation]:
    """Return what the calls cite."""
    names = ("kind", "identifier", "label", "url")
    return [Citation(*(str(each.get(name) or "") for name in names)) for each in calls.citations]


def all_failed_words(errors: Sequence[Mapping[str, Json]]) -> str:
    """Say that no source could be asked."""
    words = "; ".join(dict.fromkeys(f"{error['source']}: {error['message']}" for error in errors))
    return f"No source answered, so nothing can be said about what exists. {words}"


def failure(calls: Calls, errors: Sequence[Mapping[str, Json]]) -> Envelope:
    """Answer that no source could be asked: that is never the same as nothing found."""
    error = {
        "code": errors[0]["code"],
        "message": all_failed_words(errors),
        "retryable": any(one["retryable"] for one in errors),
    }
    content = {"error": error, "_meta": {"status": "failed", "errors": list(errors)}}
    return own_form(content, calls.desk, outcome=ResultOutcome.FAILED)
