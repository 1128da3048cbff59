"""`search`: one query over many databases. The query becomes a plan, the plan's legs run together, and their rows
come back in the form that search clients expect, with everything else in `_meta`.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Envelope
from mcp_server.unified.answering import all_failed_words, cited, cited_of, fetched_at, suggestion
from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import notice
from mcp_server.unified.execute import LegEnd, execute
from mcp_server.unified.located import located
from mcp_server.unified.pages import DEEPEST, DomainPage, domains_of, next_cursor, page_of, rows_of, shown_before
from mcp_server.unified.query.errors import QueryErrors
from mcp_server.unified.query.plan import Plan, Request
from mcp_server.unified.query.routing import build_plan
from mcp_server.unified.query.schema import schema
from mcp_server.unified.think import is_thought, mixed, think
from mcp_server.unified.tool import Desk, own_form

Json = Any
LISTS = ("domains", "genes", "diseases", "conditions", "drugs", "chemicals", "variants", "keywords")
SINGLE = ("query", "domain", "lat", "long", "distance", "phase", "recruiting_status", "page", "page_size")


async def search(desk: Desk, arguments: Mapping[str, Json]) -> Envelope:
    """Run a search, or explain it, or show the language, or think."""
    if wrong := mixed(arguments):
        return refused(wrong, desk)
    if is_thought(arguments):
        return await think(desk, arguments)
    if arguments.get("get_schema"):
        return own_form(schema(), desk)
    try:
        plan = await located(build_plan(_request(arguments), datetime.now(UTC).date()))
        shown = shown_before(plan, arguments)
    except QueryErrors as errors:
        return refused(errors, desk)
    if arguments.get("explain_query"):
        return own_form(plan.wire(), desk)
    calls = Calls(desk)
    count = rows_of(arguments)
    offsets = dict(zip(domains_of(plan), shown, strict=True))
    # A domain that has shown all its rows is not asked again.
    legs = [leg for leg in plan.legs if offsets[leg.domain] is not None]
    ends = await execute(legs, calls, [(offsets[leg.domain] or 0) + count + 1 for leg in legs])
    pages = {domain: page_of(domain, ends, offset, count) for domain, offset in offsets.items() if offset is not None}
    return _answer(plan, pages, ends, calls, count)


def _request(arguments: Mapping[str, Json]) -> Request:
    given = {name: arguments[name] for name in SINGLE if arguments.get(name) is not None}
    given |= {name: tuple(arguments[name]) for name in LISTS if arguments.get(name)}
    return Request(**given)


def _answer(plan: Plan, pages: Mapping[str, DomainPage], ends: Sequence[LegEnd], calls: Calls, count: int) -> Envelope:
    """Put the pages together and say what is missing."""
    results = [each for page in pages.values() for each in page.results]
    errors = _once([failure.wire(end.leg.domain) for end in ends for failure in (*end.failures, *end.rows.errors)])
    all_failed = not any(end.has_answered for end in ends)
    meta = {
        "status": "failed" if all_failed else "partial" if errors else "complete",
        "domains": [page.wire() for page in pages.values()],
        "errors": errors,
        "notices": _notices(plan, pages, ends, errors),
        "not_applied": [one.wire() for one in plan.not_applied],
        "next": next_cursor(plan, pages, count),
        "fetched_at": fetched_at(calls),
        "query": plan.normalised,
    }
    content: dict[str, Json] = {"results": [] if all_failed else [each.wire() for each in results], "_meta": meta}
    if all_failed:
        first = errors[0]
        content["error"] = {"code": first["code"], "message": all_failed_words(errors)}
    outcome = ResultOutcome.FAILED if all_failed else ResultOutcome.DATA if results else ResultOutcome.EMPTY
    of_cards = [each for end in ends if end.enrichment for each in end.cited]
    citations = [] if all_failed else [*cited_of(results, calls.citations), *cited(of_cards)]
    return own_form(content, calls.desk, outcome=outcome, citations=citations)


def _notices(
    plan: Plan, pages: Mapping[str, DomainPage], ends: Sequence[LegEnd], errors: Sequence[Mapping[str, Json]]
) -> list[dict[str, Json]]:
    told = [one.wire() for one in plan.notices]
    told += [one for end in ends for one in end.rows.notices]
    for page in pages.values():
        if page.is_cut:
            words = f"the first {DEEPEST} rows were looked through; a narrower query shows the others."
            told.append(notice("N_DEPTH", f"{page.domain}: {words}"))
        elif page.offset and page.status == "ok" and not page.results:
            told.append(notice("N_LAST_PAGE", f"{page.domain}: this page lies behind the last row."))
    if errors:
        sources = ", ".join(dict.fromkeys(str(error["source"]) for error in errors))
        told.append(notice("N_PARTIAL", f"These sources brought no answer, so rows may be missing: {sources}."))
    elif all(end.status == "empty" for end in ends):
        told.append(notice("N_NO_HITS", f"Nothing matches in any of the databases asked. {suggestion(plan)}"))
    return _once(told)


def _once(told: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return what was told, each thing once: two branches of a domain may say the same."""
    return [one for number, one in enumerate(told) if one not in told[:number]]


def refused(wrong: QueryErrors, desk: Desk) -> Envelope:
    """Answer that the query was not understood, where, and what to write instead."""
    return own_form(wrong.wire(), desk, outcome=ResultOutcome.FAILED)
