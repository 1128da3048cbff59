"""Run the legs of a plan side by side, each within its time, and say of each how it ended.

A leg that failed is never an empty leg. At the deadline the finished legs are kept and the others are cancelled,
down to their HTTP requests.
"""

import asyncio
import logging
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_server.codes import ToolCode
from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains import SEARCHES
from mcp_server.unified.domains.base import LegFailed, LegRows, notice
from mcp_server.unified.domains.enrichment import cards
from mcp_server.unified.query.plan import Leg
from mcp_server.unified.results import TEXT_MAX_CHARS, Result, shortened

Json = Any
log = logging.getLogger(__name__)
LEG_S = 20.0
WHOLE_S = 25.0
ENRICHMENT_S = 8.0


@dataclass
class LegEnd:
    """How a leg ended. `status`: ok, empty, error, timeout or rate_limited."""

    leg: Leg
    status: str
    rows: LegRows
    ms: int
    failures: Sequence[SourceFailed] = ()
    enrichment: list[Result] = field(default_factory=list)

    @property
    def has_answered(self) -> bool:
        """Whether the leg brought an answer, be it an empty one."""
        return self.status in ("ok", "empty")


async def execute(legs: Sequence[Leg], calls: Calls, counts: Sequence[int]) -> list[LegEnd]:
    """Return how each leg ended, in order; `counts` says how many rows each leg must know."""
    whole = time.monotonic() + min(WHOLE_S, max(0.0, calls.desk.deadline - time.monotonic() - 0.5))
    tasks = [asyncio.create_task(_leg(leg, calls, count, whole)) for leg, count in zip(legs, counts, strict=True)]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()


async def _leg(leg: Leg, calls: Calls, count: int, whole: float) -> LegEnd:
    """Search one domain, with its cards beside it, and with fewer clauses where it may and finds nothing."""
    began = time.monotonic()
    until = min(began + LEG_S, whole)
    extra = asyncio.create_task(_enriched(leg, calls, until))
    try:
        end = await _searched(leg, calls, count, until)
        found, notices = await extra
    finally:
        extra.cancel()
    end.enrichment = found
    end.rows.notices += notices
    end.ms = round((time.monotonic() - began) * 1000)
    calls.desk.progress(f"{leg.domain}: {end.status}")
    return end


async def _searched(leg: Leg, calls: Calls, count: int, until: float) -> LegEnd:
    search = SEARCHES[leg.domain]
    try:
        async with asyncio.timeout(until - time.monotonic()):
            rows = await search(leg.params, calls, count)
            if not rows.results and leg.relaxed_params:
                rows = await _relaxed(leg, leg.relaxed_params, calls, count)
    except SourceFailed as failed:
        return _failed(leg, [failed])
    except LegFailed as failed:
        return _failed(leg, failed.failures)
    except TimeoutError:
        message = f"no result within {LEG_S:g} s; the request was ended"
        late = SourceFailed(leg.domain, ToolCode.TOOL_TIMEOUT, message)
        return LegEnd(leg, "timeout", LegRows([]), 0, [late])
    except Exception as error:
        # Whatever it is, it must not take the other legs with it.
        log.exception("the %s leg failed", leg.domain)
        return _failed(leg, [SourceFailed(leg.domain, ToolCode.INTERNAL, f"{type(error).__name__}: {error}")])
    rows = post_filtered(leg, rows)
    return LegEnd(leg, "ok" if rows.results else "empty", rows, 0)


def _failed(leg: Leg, failures: Sequence[SourceFailed]) -> LegEnd:
    limited = all(failure.code == ToolCode.UPSTREAM_RATE_LIMITED for failure in failures)
    return LegEnd(leg, "rate_limited" if limited else "error", LegRows([]), 0, failures)


def post_filtered(leg: Leg, rows: LegRows) -> LegRows:
    """Leave out rows that name what must not be, where the source can't be asked for that; say how many."""
    refused = [str(value) for each in leg.post_filters for value in each.get("not", ())]
    if not refused:
        return rows
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(value)}(?!\w)" for value in refused), re.IGNORECASE)
    kept = [each for each in rows.results if not pattern.search(f"{each.id} {each.title} {each.text}")]
    dropped = len(rows.results) - len(kept)
    told = notice("N_POST_FILTERED", f"{leg.domain}: {dropped} rows that name {', '.join(refused)} were left out.")
    total_is = rows.total_is if not dropped else "at_least"
    total = len(kept) if dropped else rows.total
    return replace(rows, results=kept, total=total, total_is=total_is, notices=[*rows.notices, told])


async def _relaxed(leg: Leg, params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Search once more without the soft clauses; every row says so."""
    found = await SEARCHES[leg.domain](params, calls, count)
    if not found.results:
        return found
    mark = f"found without {', '.join(leg.soft)}"
    marked = [replace(each, text=shortened(f"[{mark}] {each.text}", TEXT_MAX_CHARS)) for each in found.results]
    told = notice("N_RELAXED", f"{leg.domain}: nothing matches all clauses; these rows were {mark}.")
    return replace(found, results=marked, relaxed=list(leg.soft), notices=[*found.notices, told])


async def _enriched(leg: Leg, calls: Calls, until: float) -> tuple[list[Result], list[dict[str, Json]]]:
    """Return the cards of the genes that the leg names; their failure is told and never fails the leg."""
    if not leg.enrich:
        return [], []
    within_s = min(ENRICHMENT_S, until - time.monotonic())
    try:
        async with asyncio.timeout(within_s):
            return await cards(leg.enrich, calls)
    except TimeoutError:
        return [], [notice("N_ENRICHMENT", f"cBioPortal gave no summary within {within_s:.0f} s.")]
