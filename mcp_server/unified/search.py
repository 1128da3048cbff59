"""`search`: one query over many databases. The query becomes a plan, the plan's legs run together, and their rows
come back in the form that search clients expect, with everything else in `_meta`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Envelope
from mcp_server.unified import cursor as cursors
from mcp_server.unified.answering import all_failed_words, cited
from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import counted, notice
from mcp_server.unified.execute import LegEnd, execute
from mcp_server.unified.located import located
from mcp_server.unified.query.errors import E_CURSOR, QueryError, QueryErrors
from mcp_server.unified.query.plan import DOMAINS, Plan, Request
from mcp_server.unified.query.routing import build_plan
from mcp_server.unified.query.schema import schema
from mcp_server.unified.results import Result, round_robin, without_twins
from mcp_server.unified.think import is_thought, think
from mcp_server.unified.tool import Desk, own_form

Json = Any
ROWS_DEFAULT, ROWS_MAX, PAGE_SIZE_MAX = 10, 50, 100
# Deeper pages would read every source from the start: a narrower query serves better.
DEEPEST = 500
LISTS = ("domains", "genes", "diseases", "conditions", "drugs", "chemicals", "variants", "keywords")
SINGLE = ("query", "domain", "lat", "long", "distance", "phase", "recruiting_status", "page", "page_size")


async def search(desk: Desk, arguments: Mapping[str, Json]) -> Envelope:
    """Run a search, or explain it, or show the language, or think."""
    if is_thought(arguments):
        return await think(desk, arguments)
    if arguments.get("get_schema"):
        return own_form(schema(), desk)
    try:
        plan = await located(build_plan(_request(arguments), datetime.now(UTC).date()))
        if arguments.get("explain_query"):
            return own_form(plan.wire(), desk)
        shown = _shown(plan, arguments)
    except QueryErrors as wrong:
        return refused(wrong, desk)
    calls = Calls(desk)
    count = _rows(arguments)
    domains = [domain for domain in DOMAINS if any(leg.domain == domain for leg in plan.legs)]
    offsets = dict(zip(domains, shown, strict=True))
    # A domain that has shown all its rows is not asked again.
    legs = [leg for leg in plan.legs if offsets[leg.domain] is not None]
    ends = await execute(legs, calls, [(offsets[leg.domain] or 0) + count + 1 for leg in legs])
    pages = [_page(domain, ends, offsets[domain], count) for domain in domains]
    return _answer(plan, pages, ends, calls)


def _request(arguments: Mapping[str, Json]) -> Request:
    given = {name: arguments[name] for name in SINGLE if arguments.get(name) is not None}
    given |= {name: tuple(arguments[name]) for name in LISTS if arguments.get(name)}
    return Request(**given)


def _rows(arguments: Mapping[str, Json]) -> int:
    size = arguments.get("page_size") if arguments.get("domain") else None
    return int(size or arguments.get("max_results_per_domain") or ROWS_DEFAULT)


def _shown(plan: Plan, arguments: Mapping[str, Json]) -> list[int | None]:
    """Return how many rows of each domain were shown before."""
    domains = len({leg.domain for leg in plan.legs})
    if text := arguments.get("cursor"):
        try:
            return cursors.decode(str(text), plan.hash, domains)
        except cursors.BadCursor as bad:
            error = QueryError(E_CURSOR, str(bad), argument="cursor", hint="Leave the cursor out to start anew.")
            raise QueryErrors(plan.query, [error]) from bad
    page = int(arguments.get("page") or 1) if arguments.get("domain") else 1
    return [(page - 1) * _rows(arguments)] * domains


@dataclass
class DomainPage:
    """What one domain shows on this page."""

    domain: str
    status: str
    results: list[Result]
    shown_to: int | None
    total: int | None = None
    total_is: str = "unknown"
    ms: int = 0
    sources: list[str] = field(default_factory=list)
    relaxed: list[str] = field(default_factory=list)

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


def _page(domain: str, ends: Sequence[LegEnd], offset: int | None, count: int) -> DomainPage:
    """Unite the legs of a domain: best ranks first, each record once."""
    own = [end for end in ends if end.leg.domain == domain]
    if offset is None or not own:
        return DomainPage(domain, "empty", [], None)
    answered = [end for end in own if end.has_answered]
    merged = without_twins(round_robin([end.rows.results for end in answered]))
    shown = merged[offset : offset + count]
    more = len(merged) > offset + count and offset + count < DEEPEST
    page = DomainPage(domain, _status(own), shown, offset + count if more else None)
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
    statuses = [end.status for end in own]
    return next((word for word in ("ok", "empty") if word in statuses), statuses[0])


def _answer(plan: Plan, pages: Sequence[DomainPage], ends: Sequence[LegEnd], calls: Calls) -> Envelope:
    """Put the pages together and say what is missing."""
    results = [each for page in pages for each in page.results]
    errors = _once([failure.wire(end.leg.domain) for end in ends for failure in (*end.failures, *end.rows.errors)])
    all_failed = bool(ends) and not any(end.has_answered for end in ends)
    status = "failed" if all_failed else "partial" if errors else "complete"
    meta = {
        "status": status,
        "domains": [page.wire() for page in pages],
        "errors": errors,
        "notices": _notices(plan, ends, errors, bool(results)),
        "not_applied": [one.wire() for one in plan.not_applied],
        "next": _next(plan, pages),
        "fetched_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "query": plan.normalised,
    }
    content: dict[str, Json] = {"results": [] if all_failed else [each.wire() for each in results], "_meta": meta}
    if all_failed:
        first = errors[0]
        content["error"] = {"code": first["code"], "message": all_failed_words(errors)}
    outcome = ResultOutcome.FAILED if all_failed else ResultOutcome.DATA if results else ResultOutcome.EMPTY
    return own_form(content, calls.desk, outcome=outcome, citations=cited(calls))


def _notices(
    plan: Plan, ends: Sequence[LegEnd], errors: Sequence[Mapping[str, Json]], has_results: bool
) -> list[dict[str, Json]]:
    told = [one.wire() for one in plan.notices]
    told += [one for end in ends for one in end.rows.notices]
    if errors:
        sources = ", ".join(dict.fromkeys(str(error["source"]) for error in errors))
        told.append(notice("N_PARTIAL", f"These sources brought no answer, so rows may be missing: {sources}."))
    elif not has_results:
        suggestion = "Check the spelling of symbols and names, or leave out a clause such as phase or date."
        told.append(notice("N_NO_HITS", f"Nothing matches in any of the databases asked. {suggestion}"))
    return _once(told)


def _once(told: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return what was told, each thing once: two branches of a domain may say the same."""
    return [one for number, one in enumerate(told) if one not in told[:number]]


def _next(plan: Plan, pages: Sequence[DomainPage]) -> str | None:
    shown = [page.shown_to for page in pages]
    return cursors.encode(plan.hash, shown) if any(each is not None for each in shown) else None


def refused(wrong: QueryErrors, desk: Desk) -> Envelope:
    """Answer that the query was not understood, where, and what to write instead."""
    return own_form(wrong.wire(), desk, outcome=ResultOutcome.FAILED)
