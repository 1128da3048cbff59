"""Run the legs of a plan side by side, each within its time, and say of each how it ended.

A leg that failed is never an empty leg. At the deadline the finished legs are kept and the others are cancelled,
down to their HTTP requests.
"""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_server.codes import ToolCode
from mcp_server.envelope import InvalidArguments
from mcp_server.unified.calls import Calls, SourceFailed, late
from mcp_server.unified.domains import SEARCHES
from mcp_server.unified.domains.base import READ_MAX, LegFailed, LegRows, notice
from mcp_server.unified.domains.enrichment import cards
from mcp_server.unified.query.fields import BY_KEY
from mcp_server.unified.query.plan import Leg
from mcp_server.unified.results import TEXT_MAX_CHARS, Result, shortened

Json = Any
log = logging.getLogger(__name__)
LEG_S = 20.0
WHOLE_S = 25.0
ENRICHMENT_S = 8.0
# Sources end by themselves at the deadline of their leg, and say so; this is for a leg that does not.
GRACE_S = 0.3


@dataclass
class LegEnd:
    """How a leg ended. `status`: ok, empty, error, timeout or rate_limited."""

    leg: Leg
    status: str
    rows: LegRows
    ms: int
    failures: Sequence[SourceFailed] = ()
    enrichment: list[Result] = field(default_factory=list)
    cited: Sequence[Mapping[str, Json]] = ()

    @property
    def has_answered(self) -> bool:
        """Whether the leg brought an answer, be it an empty one."""
        return self.status in ("ok", "empty")


async def execute(legs: Sequence[Leg], calls: Calls, counts: Sequence[int]) -> list[LegEnd]:
    """Return how each leg ended, in order; `counts` says how many rows each leg must know."""
    now = time.monotonic()
    whole = now + min(WHOLE_S, max(0.0, calls.desk.deadline - now - 2 * GRACE_S))
    tasks = [asyncio.create_task(_leg(leg, calls.by(whole), count)) for leg, count in zip(legs, counts, strict=True)]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()


async def _leg(leg: Leg, calls: Calls, count: int) -> LegEnd:
    """Search one domain, with its cards beside it, and with fewer clauses where it may and finds nothing."""
    began = time.monotonic()
    # The cards rest on many records, which are not those of the leg's rows.
    beside = replace(calls.by(began + ENRICHMENT_S), citations=[])
    extra = asyncio.create_task(_enriched(leg, beside))
    try:
        end = await _searched(leg, calls.by(began + LEG_S), count)
        end.ms = round((time.monotonic() - began) * 1000)
        end.enrichment, notices = await extra
        end.cited = beside.citations
    finally:
        extra.cancel()
    end.rows.notices += notices
    calls.desk.progress(f"{leg.domain}: {end.status}")
    return end


async def _searched(leg: Leg, calls: Calls, count: int) -> LegEnd:
    try:
        async with asyncio.timeout(calls.left_s + GRACE_S):
            rows = await _rows(leg, leg.params, calls, count)
            # What a source that failed would have brought is not known: only a whole answer is empty.
            if not rows.results and not rows.errors and leg.relaxed_params:
                rows = await _relaxed(leg, leg.relaxed_params, calls, count)
    except SourceFailed as failed:
        return _failed(leg, [failed])
    except LegFailed as failed:
        return _failed(leg, failed.failures)
    except TimeoutError:
        return _failed(leg, [_own_failure(leg, calls, ToolCode.TOOL_TIMEOUT, late(LEG_S))])
    except InvalidArguments as error:
        return _failed(leg, [_own_failure(leg, calls, ToolCode.TOOL_INVALID_ARGUMENTS, str(error))])
    except Exception as error:
        # Whatever it is, it must not take the other legs with it.
        log.exception("the %s leg failed", leg.domain)
        message = f"the search itself failed ({type(error).__name__})"
        return _failed(leg, [_own_failure(leg, calls, ToolCode.INTERNAL, message)])
    return LegEnd(leg, "ok" if rows.results else "empty", rows, 0)


def _own_failure(leg: Leg, calls: Calls, code: ToolCode, message: str) -> SourceFailed:
    return SourceFailed(calls.title(leg.tools[0]), code, message)


_STATUS_OF = {ToolCode.UPSTREAM_RATE_LIMITED: "rate_limited", ToolCode.TOOL_TIMEOUT: "timeout"}


def _failed(leg: Leg, failures: Sequence[SourceFailed]) -> LegEnd:
    codes = {failure.code for failure in failures}
    status = _STATUS_OF.get(next(iter(codes)), "error") if len(codes) == 1 else "error"
    return LegEnd(leg, status, LegRows([]), 0, failures)


async def _rows(leg: Leg, params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return `count` rows after what must not be is out, as long as the source has more to look through."""
    asked = count
    while True:
        found = await SEARCHES[leg.domain]({**params, **refusals(leg)}, calls, asked)
        if len(found.results) >= count or not found.has_more or asked >= READ_MAX:
            return found
        asked = min(asked * 2, READ_MAX)


def refusals(leg: Leg) -> dict[str, list[Json]]:
    """Return what the plan leaves to be taken out of the rows, under the names of what the source leaves out itself."""
    found: dict[str, list[Json]] = {}
    for each in leg.post_filters:
        name = f"not_{BY_KEY[each['field']].reach[leg.domain].param}"
        found.setdefault(name, []).extend(each["not"])
    return found


async def _relaxed(leg: Leg, params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Search once more without the soft clauses; every row says so."""
    found = await _rows(leg, params, calls, count)
    if not found.results:
        return found
    mark = f"found without {', '.join(leg.soft)}"
    marked = [replace(each, text=shortened(f"[{mark}] {each.text}", TEXT_MAX_CHARS)) for each in found.results]
    told = notice("N_RELAXED", f"{leg.domain}: nothing matches all clauses; these rows were {mark}.")
    return replace(found, results=marked, relaxed=list(leg.soft), notices=[*found.notices, told])


async def _enriched(leg: Leg, calls: Calls) -> tuple[list[Result], list[dict[str, Json]]]:
    """Return the cards of the genes that the leg names; their failure is told and never fails the leg."""
    return await cards(leg.enrich, calls) if leg.enrich else ([], [])
