"""A report as rows: the same for the terminal, for CSV, for JSON and for the page."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from usage.money import format_usd
from usage.selectors import Dimension, Line, Report, Totals

Json = Any
MODEL_CALLS = "(model calls)"
HEAD = ("calls", "prompt tokens", "from cache", "output tokens", "tool requests", "cost")
CSV_HEAD = (
    "group",
    "key",
    "calls",
    "input",
    "cache_write_5m",
    "cache_write_1h",
    "cache_read",
    "output",
    "tool_requests",
    "cost_pico_usd",
)


def shown_key(dimension: Dimension, key: str) -> str:
    """Return what a line is of, for people."""
    return MODEL_CALLS if dimension is Dimension.TOOL and not key else key


def shown_totals(totals: Totals) -> tuple[str, ...]:
    """Return the numbers of a line, in the order of `HEAD`."""
    share = totals.cache_share_percent
    return (
        f"{totals.calls:,}",
        f"{totals.prompt:,}",
        "–" if share is None else f"{share} %",
        f"{totals.output:,}",
        f"{totals.tool_requests:,}",
        format_usd(totals.cost_pico_usd),
    )


def as_text(report: Report) -> str:
    """Return the report as tables for a terminal."""
    parts = [_text_table(dimension, lines, report.totals) for dimension, lines in report.lines.items()]
    return "\n\n".join(parts or [_text_table(None, [], report.totals)])


def as_csv(report: Report) -> str:
    """Return the report as CSV with the exact pico-USD; the group `total` is the sum of each other group."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    writer.writerow(["total", "", *_csv_numbers(report.totals)])
    for dimension, lines in report.lines.items():
        for line in lines:
            writer.writerow([dimension.value, _harmless(line.key), *_csv_numbers(line.totals)])
    return text.getvalue()


def as_json(report: Report) -> dict[str, Json]:
    """Return the report as plain data with the exact pico-USD."""
    return {
        "since": report.since.isoformat() if report.since else None,
        "until": report.until.isoformat() if report.until else None,
        "total": asdict(report.totals),
        "by": {
            dimension.value: [{"key": line.key, **asdict(line.totals)} for line in lines]
            for dimension, lines in report.lines.items()
        },
    }


def _csv_numbers(totals: Totals) -> list[int]:
    numbers: Mapping[str, int] = asdict(totals)
    return [numbers[name] for name in CSV_HEAD[2:]]


def _harmless(key: str) -> str:
    """Return a key that no spreadsheet takes for a formula."""
    return f"'{key}" if key[:1] in ("=", "+", "-", "@", "\t", "\r") else key


def _text_table(dimension: Dimension | None, lines: list[Line], totals: Totals) -> str:
    rows: list[tuple[str, ...]] = [(dimension.value if dimension else "", *HEAD)]
    if dimension is not None:
        rows += [(shown_key(dimension, line.key), *shown_totals(line.totals)) for line in lines]
    rows.append(("total", *shown_totals(totals)))
    return "\n".join(_aligned(rows))


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()
