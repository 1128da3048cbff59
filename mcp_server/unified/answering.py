"""What the answers of the unified tools have in common: their citations, and how they fail."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Citation, Envelope, provenance
from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import texts
from mcp_server.unified.query.plan import Plan
from mcp_server.unified.results import Result
from mcp_server.unified.tool import own_form

Json = Any
_NARROWING = {
    "phases": "the phase", "phases_all": "the phase", "status": "the status", "date": "the date", "geo": "the place",
    "start_date": "the date", "completion_date": "the date", "update_date": "the date", "type": "the type",
    "significance": "the significance", "min_review_status": "the review status", "max_frequency": "the frequency",
    "min_frequency": "the frequency", "location": "the location", "country": "the country", "level": "the level",
}  # fmt: skip
# What a kind's numbers begin with in results.
_PREFIXES = {
    "pmid": ("pmid",), "doi": ("doi",), "ncbi_gene": ("gene",), "uniprot": ("uniprot",), "clinpgx_annotation": ("pgx",),
    "clinpgx": ("pgx",),
}  # fmt: skip
_NAMES = (
    "genes", "gene", "symbol", "diseases", "condition", "drugs", "intervention", "variants", "protein", "name",
    "tradename", "author", "journal",
)  # fmt: skip


def cited(citations: Iterable[Mapping[str, Json]]) -> list[Citation]:
    """Return citations that calls have brought."""
    names = ("kind", "identifier", "label", "url")
    return [Citation(*(str(each.get(name) or "") for name in names)) for each in citations]


def cited_of(results: Sequence[Result], citations: Iterable[Mapping[str, Json]]) -> list[Citation]:
    """Return the citations of what is shown: what was read beside it, or lies on a later page, is no source of it."""
    names = {_folded(name) for each in results for name in each.names}
    urls = {each.url for each in results}
    return [each for each in cited(citations) if each.url in urls or names & _names_of(each)]


def _names_of(citation: Citation) -> set[str]:
    """Return what results call a cited record."""
    number = _folded(citation.identifier)
    return {number, *(f"{prefix}{number}" for prefix in _PREFIXES.get(citation.kind, ()))}


def _folded(name: str) -> str:
    return re.sub(r"[\s:_]+", "", name).lower()


def fetched_at(calls: Calls) -> str:
    """Return when the oldest part of what the calls brought was fetched."""
    return str(provenance(calls.desk.trace)["burp/fetched_at"])


def all_failed_words(errors: Sequence[Mapping[str, Json]]) -> str:
    """Say that no source could be asked."""
    words = "; ".join(dict.fromkeys(f"{error['source']}: {error['message']}" for error in errors))
    return f"No source answered, so nothing can be said about what exists. {words}"


def suggestion(plan: Plan) -> str:
    """Return what to try where nothing was found: which clauses narrow the search, which names may be misspelt."""
    params = [name for leg in plan.legs for name in leg.params]
    narrowing = list(dict.fromkeys(words for name, words in _NARROWING.items() if name in params))
    names = [value for leg in plan.legs for name in _NAMES for value in texts(leg.params, name)]
    parts = [f"leave out {' or '.join(narrowing)}"] if narrowing else []
    parts += [f"check the spelling of {', '.join(dict.fromkeys(names))}"] if names else []
    words = ", or ".join(parts) or "leave out a clause, or search with other words"
    return f"{words[0].upper()}{words[1:]}."


def failure(calls: Calls, errors: Sequence[Mapping[str, Json]]) -> Envelope:
    """Answer that no source could be asked: that is never the same as nothing found."""
    error = {
        "code": errors[0]["code"],
        "message": all_failed_words(errors),
        "retryable": any(one["retryable"] for one in errors),
    }
    content = {"error": error, "_meta": {"status": "failed", "errors": list(errors)}}
    return own_form(content, calls.desk, outcome=ResultOutcome.FAILED)
