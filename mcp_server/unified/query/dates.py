"""Dates as people write them, each read as an interval of days, both ends included."""

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from mcp_server.unified.query.problems import ValueProblem, bad_range
from mcp_server.unified.query.tree import Raw, Value

FORMS = "2023, 2023-05, 2023-05-31, today, last30d, last6m, last5y; >=2023; 2020..2023"
_ABSOLUTE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_LAST = re.compile(r"last(\d{1,4})([dmy])", re.IGNORECASE)
ANY_DAY = date(2000, 1, 1)
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Interval:
    """From one day to another, both included; a missing end is open."""

    first: date | None
    last: date | None

    @property
    def written(self) -> str:
        """Return the form that reads back as the same interval."""
        return f"{self.first or ''}..{self.last or ''}"

    def wire(self) -> dict[str, str]:
        """Return the ends that there are as `from` and `to`."""
        ends = {"from": self.first, "to": self.last}
        return {name: day.isoformat() for name, day in ends.items() if day is not None}

    def others(self) -> "tuple[Interval, ...]":
        """Return the days before and the days after."""
        before = (Interval(None, self.first - ONE_DAY),) if self.first and self.first > date.min else ()
        return before + ((Interval(self.last + ONE_DAY, None),) if self.last and self.last < date.max else ())

    def meet(self, other: "Interval") -> "Interval | None":
        """Return what both have in common, or none."""
        first = max((day for day in (self.first, other.first) if day), default=None)
        last = min((day for day in (self.last, other.last) if day), default=None)
        return None if first and last and first > last else Interval(first, last)


def read_date(raw: Raw, today: date | None) -> Value:
    """Return the interval that was written; without `today`, relative dates are only checked for their form."""
    if raw.is_range:
        interval = _between(raw.low or "", raw.high or "", today)
    else:
        interval = _compared(raw.operator, *_days(raw.text, today))
    return Value(interval.written, interval)


def _between(low: str, high: str, today: date | None) -> Interval:
    if not low and not high:
        raise bad_range("a range needs at least one bound", "2020..2023, 2020.. or ..2023")
    first = _days(low, today)[0] if low else None
    last = _days(high, today)[1] if high else None
    is_relative = today is None and any(not _ABSOLUTE.fullmatch(bound) for bound in (low, high) if bound)
    if first and last and first > last and not is_relative:
        raise bad_range(f"{low} is after {high}", f"{high}..{low}")
    return Interval(first, last)


def _compared(operator: str, first: date, last: date) -> Interval:
    try:
        if operator == ">":
            return Interval(last + ONE_DAY, None)
        if operator == "<":
            return Interval(None, first - ONE_DAY)
    except OverflowError as error:
        raise _bad_date(f"{operator}{first.year}") from error
    ends = {">=": (first, None), "<=": (None, last)}.get(operator, (first, last))
    return Interval(*ends)


def _days(text: str, today: date | None) -> tuple[date, date]:
    """Return the first and the last day of a date."""
    now = today or ANY_DAY
    if text.lower() == "today":
        return now, now
    if found := _LAST.fullmatch(text):
        return _back(now, int(found[1]), found[2].lower(), text), now
    found = _ABSOLUTE.fullmatch(text)
    if found is None:
        raise _bad_date(text)
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        assert year is not None
        first = date(year, month or 1, day or 1)
        last_month = month or 12
        return first, date(year, last_month, day or calendar.monthrange(year, last_month)[1])
    except ValueError as error:
        raise _bad_date(text) from error


def _back(today: date, number: int, unit: str, text: str) -> date:
    try:
        if unit == "d":
            return today - timedelta(days=number)
        months = today.year * 12 + today.month - 1 - number * (12 if unit == "y" else 1)
        year, month = divmod(months, 12)
        return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))
    except (ValueError, OverflowError, calendar.IllegalMonthError) as error:
        raise _bad_date(text) from error


def _bad_date(text: str) -> ValueProblem:
    return ValueProblem("E_BAD_DATE", f"{text!r} is not a date", f"write one of: {FORMS}")
