"""Filters behind a free query in Lucene's syntax: joined by AND, so that no filter can fall out of the query."""

import calendar
import datetime
import re
from collections.abc import Sequence
from typing import Annotated

from mcp_server.envelope import InvalidArguments
from mcp_server.tool import Arg

# Bounds that hold everything, where one end of a range is not given.
EARLIEST, LATEST = "1600-01-01", "3000-12-31"

PublicationDate = Annotated[
    str | None,
    Arg(
        "Day, month or year of first publication.",
        "2024-01-31",
        r"^\d{4}(-\d{2}){0,2}$",
        normalise=lambda text: text.replace("/", "-"),
    ),
]


def narrowed(query: str, filters: Sequence[str]) -> str:
    """Return the query with its filters; without filters it stays as it was written."""
    return " AND ".join([f"({closed(query)})", *filters]) if filters else closed(query)


def closed(query: str) -> str:
    """Return the query if its brackets and quotes are closed, so that a filter behind it reaches all of it."""
    depth, quoted = 0, False
    for sign in re.sub(r"\\.", "", query):
        quoted = quoted != (sign == '"')
        depth += 0 if quoted else (sign == "(") - (sign == ")")
        if depth < 0:
            break
    if depth or quoted:
        raise InvalidArguments("query", "a bracket or quotation mark is not closed", '(BRAF OR KRAS) AND "lung cancer"')
    return query


def published_between(date_from: str | None, date_to: str | None) -> list[str]:
    """Return the filter on the day of first publication, or nothing."""
    if not (date_from or date_to):
        return []
    first = day_of("date_from", date_from, last=False) if date_from else EARLIEST
    last = day_of("date_to", date_to, last=True) if date_to else LATEST
    if last < first:
        raise InvalidArguments("date_to", "it lies before date_from", date_from)
    return [f"FIRST_PDATE:[{first} TO {last}]"]


def day_of(argument: str, date: str, *, last: bool = False) -> str:
    """Return the first or last day of a year, a month or a day."""
    parts = [int(part) for part in date.split("-")]
    try:
        year, month = parts[0], parts[1] if len(parts) > 1 else 12 if last else 1
        end = calendar.monthrange(year, month)[1] if last else 1
        return datetime.date(year, month, parts[2] if len(parts) > 2 else end).isoformat()
    except ValueError as error:
        raise InvalidArguments(argument, f"{date!r} is no date", "2024-01-31") from error
