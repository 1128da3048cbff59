"""What was posted, and what appeared in journals, in some days: page by page, filters checked in the answer."""

import datetime
import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.narrowing import day_of
from mcp_server.platforms.biorxiv.records import cite_pairs, cite_preprint, funders, pair, preprint, ror_number
from mcp_server.platforms.biorxiv.service import (
    HOST,
    SERVERS,
    Cursor,
    Listing,
    OneServer,
    Rows,
    WithAbstract,
    check_server,
    listing,
    platform,
)
from mcp_server.tool import Arg

Json = Any

# Wide intervals time out; lists of one funder are short.
DAYS_MAX, FUNDER_DAYS_MAX = 7, 92
FUNDERS_SINCE = datetime.date(2025, 4, 10)
BIORXIV_CATEGORIES = (
    "animal behavior and cognition", "biochemistry", "bioengineering", "bioinformatics", "biophysics",
    "cancer biology", "cell biology", "clinical trials", "developmental biology", "ecology", "epidemiology",
    "evolutionary biology", "genetics", "genomics", "immunology", "microbiology", "molecular biology", "neuroscience",
    "paleontology", "pathology", "pharmacology and toxicology", "physiology", "plant biology",
    "scientific communication and education", "synthetic biology", "systems biology", "zoology",
)  # fmt: skip
# Some of medRxiv's, for its messages; the server knows the others.
MEDRXIV_CATEGORIES = (
    "cardiovascular medicine, epidemiology, genetic and genomic medicine, infectious diseases, oncology"
)


def day_form(text: str) -> str:
    """Return a day with dashes."""
    return text.replace("/", "-")


_DAY = r"^\d{4}-\d{2}-\d{2}$"
FirstDay = Annotated[str | None, Arg("First day of the period.", "2026-08-01", _DAY, normalise=day_form)]
LastDay = Annotated[str | None, Arg("Last day of the period.", "2026-08-05", _DAY, normalise=day_form)]
LastDays = Annotated[
    int | None, Arg("The last days, up to today (UTC), in place of dates.", minimum=1, maximum=DAYS_MAX)
]


def category_form(text: str) -> str:
    """Return a category as records have it: lower case, blanks."""
    return " ".join(re.sub(r"[_/]+", " ", text).lower().split())


@dataclass
class Found:
    """What the pages of a list brought."""

    records: list[Json] = field(default_factory=list)
    total: int | None = None
    new: int | None = None
    is_end: bool = False


@platform.tool(
    example={"server": "biorxiv", "date_from": "2026-08-01", "date_to": "2026-08-02", "limit": 1},
    asks=(
        "what came out on bioRxiv this week",
        "newest preprints in a subject area such as neuroscience",
        "latest manuscripts before peer review",
        "preprints supported by a funder",
    ),
)
async def list_recent_preprints(
    api: Api,
    server: OneServer,
    date_from: FirstDay = None,
    date_to: LastDay = None,
    last_days: Annotated[
        int | None, Arg("The last days, up to today, in place of dates.", minimum=1, maximum=7)
    ] = None,
    category: Annotated[
        str | None, Arg("Subject as the server names it.", "cell biology", normalise=category_form)
    ] = None,
    funder_ror: Annotated[
        str | None,
        Arg(
            "Only preprints that name this funder: its ROR id (known since 2025-04-10).",
            "021nxhr62",
            r"^0[a-z0-9]{8}$",
            normalise=ror_number,
        ),
    ] = None,
    with_abstract: WithAbstract = False,
    limit: Rows = 30,
    cursor: Cursor = 0,
) -> Answer:
    """Preprints posted or revised on bioRxiv or medRxiv in up to 7 days (92 with a funder), by subject and funder:
    versions, new papers, DOIs. For words use search_preprints."""  # fmt: skip
    first, last = _interval(date_from, date_to, last_days, FUNDER_DAYS_MAX if funder_ror else DAYS_MAX)
    if funder_ror and first < FUNDERS_SINCE.isoformat():
        raise InvalidArguments("date_from", "funders are known since 2025-04-10 only", FUNDERS_SINCE.isoformat())
    _check_category(server, category)
    route, behind = ("funder", f"/{funder_ror}") if funder_ror else ("details", "")

    def check(page: Listing) -> None:
        _check_message(page.message, first, last)
        for record in page.records:
            check_server(record, server)
            _check_filters(record, category, funder_ror)

    parameters = {"category": category.replace(" ", "_")} if category else None
    path = f"{route}/{server}/{first}/{last}{behind}"
    found = await _collected(api, path, parameters, check, cursor, limit)
    shown = [preprint(record, with_abstract=with_abstract) for record in found.records[:limit]]
    what = " of ".join(filter(None, (f"preprint{f' in {category!r}' if category else ''}", SERVERS[server])))
    payer = f", paid by {funder_ror}," if funder_ror else ""
    if not shown and not cursor:
        return empty(f"No {what}{payer} from {first} to {last}.{_hint(server, category)}")
    data = {
        "server": SERVERS[server],
        "interval": f"{first} to {last}",
        "versions": found.total,
        "new_papers": found.new,
        "preprints": shown,
    }
    return _listed(shown, found, data, cursor, [cite_preprint(row) for row in shown])


@platform.tool(
    example={"server": "biorxiv", "date_from": "2026-06-01", "date_to": "2026-06-05", "limit": 1},
    asks=(
        "preprints that made it into a journal lately",
        "recently peer-reviewed preprints",
        "which preprints got accepted and published last week",
    ),
)
async def list_published_preprints(
    api: Api,
    server: OneServer,
    date_from: FirstDay = None,
    date_to: LastDay = None,
    last_days: Annotated[
        int | None, Arg("The last days, up to today, in place of dates.", minimum=1, maximum=7)
    ] = None,
    with_abstract: WithAbstract = False,
    limit: Rows = 30,
    cursor: Cursor = 0,
) -> Answer:
    """Preprints of bioRxiv or medRxiv that appeared in journals in up to 7 days: both DOIs, journal, dates. For one
    preprint or article use find_published_version."""  # fmt: skip
    first, last = _interval(date_from, date_to, last_days, DAYS_MAX)

    def check(page: Listing) -> None:
        _check_message(page.message, first, last)
        for record in page.records:
            check_server(record, server, "preprint_platform")

    found = await _collected(api, f"pubs/{server}/{first}/{last}", None, check, cursor, limit)
    shown = [pair(record, with_abstract=with_abstract) for record in found.records[:limit]]
    if not shown and not cursor:
        return empty(f"No preprint of {SERVERS[server]} is listed as published from {first} to {last}.")
    data = {"server": SERVERS[server], "interval": f"{first} to {last}", "published": found.total, "pairs": shown}
    return _listed(shown, found, data, cursor, cite_pairs(shown))


def _interval(date_from: str | None, date_to: str | None, last_days: int | None, most: int) -> tuple[str, str]:
    """Return first and last day; they are given in one way, and not too far apart."""
    if bool(last_days) == bool(date_from or date_to) or bool(date_from) != bool(date_to):
        raise InvalidArguments("date_from", "give `date_from` and `date_to`, or `last_days`", "2026-08-01")
    if last_days:
        today = datetime.datetime.now(datetime.UTC).date()
        return (today - datetime.timedelta(days=last_days - 1)).isoformat(), today.isoformat()
    first, last = day_of("date_from", str(date_from)), day_of("date_to", str(date_to))
    days = (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days + 1
    if not 1 <= days <= most:
        why = "it lies before date_from" if days < 1 else f"at most {most} days at once, these are {days}"
        raise InvalidArguments("date_to", why, first)
    return first, last


def _check_category(server: str, category: str | None) -> None:
    """Refuse a subject that bioRxiv does not have; medRxiv's whole list is known to its server only."""
    if category and server == "biorxiv" and category not in BIORXIV_CATEGORIES:
        near = difflib.get_close_matches(category, BIORXIV_CATEGORIES, n=3, cutoff=0.4) or BIORXIV_CATEGORIES
        message = f"bioRxiv has no subject {category!r}; near: {', '.join(near)}"
        raise InvalidArguments("category", message, near[0])


def _hint(server: str, category: str | None) -> str:
    return f" Subjects of medRxiv are e.g. {MEDRXIV_CATEGORIES}." if category and server == "medrxiv" else ""


def _check_message(message: Mapping[str, Json], first: str, last: str) -> None:
    interval = str(message.get("interval") or f"{first}:{last}")
    if interval.replace("/", ":") != f"{first}:{last}":
        raise UpstreamBadResponse(HOST, f"asked for {first} to {last}, the answer is about {interval}")


def _check_filters(record: Json, category: str | None, funder_ror: str | None) -> None:
    """Refuse a record that does not fit the filters: the server has ignored them."""
    own = category_form(str(record.get("category") or ""))
    if category and own != category:
        raise UpstreamBadResponse(
            HOST, f"asked for the subject {category!r}, got {own!r}: perhaps it has no such subject"
        )
    payers = [each.get("ror") for each in funders(record)]
    if funder_ror and payers and funder_ror not in payers:
        raise UpstreamBadResponse(HOST, f"asked for the funder {funder_ror}, got {', '.join(map(str, payers))}")


async def _collected(
    api: Api,
    path: str,
    parameters: Mapping[str, Json] | None,
    check: Callable[[Listing], None],
    start: int,
    limit: int,
) -> Found:
    """Return at least `limit` records from `start` on, if there are so many.

    The size of a page is the server's own affair and has changed: the next page begins behind what came.
    """
    found = Found()
    while len(found.records) < limit and not found.is_end:
        page = await listing(api, f"{path}/{start + len(found.records)}", parameters)
        check(page)
        found.records += page.records
        found.total = page.number("total") if page.number("total") is not None else found.total
        found.new = page.number("count_new_papers") if found.new is None else found.new
        reached = start + len(found.records)
        found.is_end = not page.records or (found.total is not None and reached >= found.total)
    return found


def _listed(shown: list[Json], found: Found, data: Json, cursor: int, citations: list[Citation]) -> Answer:
    """Answer with a part of a list, and how to go on."""
    end = cursor + len(shown)
    more = bool(shown) and (not found.is_end or len(found.records) > len(shown))
    note = "" if shown else f"There is no row from {cursor} on."
    if shown and not more and found.total is not None and end < found.total:
        note = f"The server announces {found.total} rows and sent none from {end} on."
    return Answer(
        {name: value for name, value in data.items() if value is not None},
        ResultOutcome.DATA if shown else ResultOutcome.EMPTY,
        # The list of a funder has no total: it is known at its end only.
        total=end if found.total is None and shown and not more else found.total,
        returned=len(shown),
        next={"cursor": end} if more else None,
        note=note,
        citations=citations,
    )
