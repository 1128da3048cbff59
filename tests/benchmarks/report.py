"""The table of measurements, on the screen and in `docs/benchmarks.md`."""

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Machines are shared and noisy: compare the ratios and bounds of one run, not seconds of different runs.

"""


@dataclass(frozen=True)
class Row:
    """One measured number and the bound it is held against."""

    what: str
    value: str
    bound: str


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| what | measured | bound |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {row.what} | {row.value} | {row.bound} |" for row in rows)])


def document(rows: Iterable[Row]) -> str:
    """Return the whole page."""
    where = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    when = datetime.now(UTC).date().isoformat()
    return f"{HEAD}`make bench ARGS='--write --peers'` on {when}: {where}.\n\n{table(rows)}\n"
