"""Run all benchmarks on a data folder of their own.

`--write` puts the table into docs/benchmarks.md, `--peers` installs and measures public peers as well. Names of
measurements, such as `loop_overhead`, run these alone; their rows are then printed only.
"""

import importlib
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# In the order of the table; each is a module here with a `measure`.
MEASURES = (
    "child_start",
    "small_call",
    "big_answer",
    "five_legs",
    "stop_to_closed",
    "loop_overhead",
    "demo_turn",
    "large_outputs",
    "prompt_cache",
    "up_front",
    "tool_search",
)
# Those that public peers take part in, in folders of their own.
WITH_PEERS = ("loop_overhead", "peers")


def main() -> None:
    """Measure, print, and write when asked."""
    with tempfile.TemporaryDirectory(prefix="burp-bench-") as folder:
        os.environ |= {"BURP_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "burp_site.settings"}
        os.environ.pop("ANTHROPIC_API_KEY", None)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from tests.benchmarks import report

        wanted = [name for name in (*MEASURES, "peers") if name in sys.argv]
        with_peers = "--peers" in sys.argv
        everything = (*MEASURES, "peers") if with_peers else MEASURES
        rows = measured(wanted or everything, Path(folder) if with_peers else None)
        sys.stdout.write(f"{report.table(rows)}\n")
        if "--write" in sys.argv and not wanted:
            report.DOCUMENT.write_text(report.document(rows), encoding="utf-8")


def measured(names: Sequence[str], peers: Path | None) -> list[Any]:
    """Return the rows of some measurements; with a folder for them, of public peers as well."""
    rows = []
    for name in names:
        measure = importlib.import_module(f"tests.benchmarks.{name}").measure
        rows += measure(peers / name) if peers and name in WITH_PEERS else measure()
    return rows


if __name__ == "__main__":
    main()
