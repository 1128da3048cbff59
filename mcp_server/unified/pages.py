"""Pages of a search: where each domain's rows begin, what is shown of them, and where the next page goes on.

A page is a slice of a list whose beginning does not change when more of it is known, so that no row is lost or shown
twice between pages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_server.unified import cursor as cursors
from mcp_server.unified.domains.base import READ_MAX, counted
from mcp_server.unified.execute import LegEnd
from mcp_server.unified.query.errors import E_BAD_VALUE, E_CONFLICT, E_CURSOR, QueryError, QueryErrors
from mcp_server.unified.query.plan import DOMAINS, Plan
from mcp_server.unified.results import Result, round_robin, without_twins

Json = Any
ROWS_DEFAULT = 10
DEEPEST = READ_MAX - 1


def rows_of(arguments: Mapping[str, Json]) -> int:
    """Return how many rows of each domain a page has."""
    return int(arguments.get("page_size") or arguments.get("max_results_per_domain") or ROWS_DEFAULT)


def domains_of(plan: Plan) -> list[str]:
    """Return the domains of a plan, in the order in which they are shown."""
    return [domain for domain in DOMAINS if any(leg.domain == domain for leg in plan.legs)]


def shown_before(plan: Plan, arguments: Mapping[str, Json]) -> list[int | None]:
    """Return how many rows of each domain were shown before."""
    domains, rows, page = len(domains_of(plan)), rows_of(arguments), int(arguments.get("page") or 1)
    if (most := arguments.get("max_results_per_domain")) and int(most) != rows:
        hint = "Give one of the two: they mean the same."
        raise _wrong(plan, E_CONFLICT, "page_size", f"{rows} rows a page, but at most {most}", hint)
    if page * rows > DEEPEST:
        hint = "Narrow the query, for example by a date or a further clause."
        raise _wrong(plan, E_BAD_VALUE, "page", f"the first {DEEPEST} rows of a domain can be read", hint)
    if not (text := arguments.get("cursor")):
        return [(page - 1) * rows] * domains
    if arguments.get("page"):
        raise _wrong(plan, E_CONFLICT, "page", "the cursor says where to go on, and page says it too", "Give one.")
    try:
        return cursors.decode(str(text), plan.hash, domains, DEEPEST)
    except cursors.BadCursor as bad:
        raise _wrong(plan, E_CURSOR, "cursor", str(bad), "Leave the cursor out to start anew.") from bad


def _wrong(plan: Plan, code: str, argument: str, message: str, hint: str) -> QueryErrors:
    return QueryErrors(plan.query, [QueryError(code, message, argument=argument, hint=hint)])


@dataclass
class DomainPage:
    """What one domain shows on this page. `goes_on_at` is where its next page begins; None where it has ended."""

    domain: str
    status: str
    results: list[Result]
    offset: int
    has_more: bool = False
    is_cut: bool = False
    is_missed: bool = False
    total: int | None = None
    total_is: str = "unknown"
    ms: int = 0
    sources: list[str] = field(default_factory=list)
    relaxed: list[str] = field(default_factory=list)

    def goes_on_at(self, count: int) -> int | None:
        """Return where the next page begins: a domain that nobody answered for begins again."""
        return self.offset + count if self.has_more else self.offset if self.is_missed else None

    def wire(self) -> dict[str, Json]:
        """Return the entry under `domains`."""
        return {
            "domain": self.domain,
            "returned": len(self.results),
            "total": self.total,
            "total_is": self.total_is,
            "ms": self.ms,
            "status": self.status,
            "sources": self.sources,
            "relaxed": self.relaxed,
        }


def page_of(domain: str, ends: Sequence[LegEnd], offset: int, count: int) -> DomainPage:
    """Unite the legs of a domain: best ranks first, each record once."""
    own = [end for end in ends if end.leg.domain == domain]
    answered = [end for end in own if end.has_answered]
    # Cut alike, the lists take turns in the same order however much of each is known.
    merged = without_twins(round_robin([end.rows.results[: offset + count + 1] for end in answered]))
    shown = merged[offset : offset + count]
    page = DomainPage(domain, _status(own), shown, offset)
    has_more = len(merged) > offset + count
    page.has_more = has_more and offset + count < DEEPEST
    page.is_cut = not page.has_more and (has_more or any(end.rows.has_more for end in answered))
    page.is_missed = not answered and any(failure.is_retryable for end in own for failure in end.failures)
    page.ms = max(end.ms for end in own)
    page.sources = list(dict.fromkeys(source for end in answered for source in end.rows.sources))
    page.relaxed = list(dict.fromkeys(name for end in answered for name in end.rows.relaxed))
    if len(answered) == len(own) == 1:
        page.total, page.total_is = own[0].rows.total, own[0].rows.total_is
    elif answered:
        totals = [end.rows.total for end in answered if end.rows.total is not None]
        page.total, page.total_is = counted(None, max([len(merged), *totals]))
    if not offset:
        page.results = without_twins([*(card for end in own for card in end.enrichment), *shown])
    return page


def _status(own: Sequence[LegEnd]) -> str:
    """Return how a domain ended: it is empty only if all its legs are."""
    statuses = [end.status for end in own]
    return "ok" if "ok" in statuses else next((status for status in statuses if status != "empty"), "empty")


def next_cursor(plan: Plan, pages: Mapping[str, DomainPage], count: int) -> str | None:
    """Return the cursor of the next page, or None where nothing is left."""
    if not any(page.has_more for page in pages.values()):
        return None
    going_on = [pages[name].goes_on_at(count) if name in pages else None for name in domains_of(plan)]
    return cursors.encode(plan.hash, going_on)
