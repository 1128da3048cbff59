"""Run all benchmarks, one after the other, each in a process and a data folder of its own.

`--write` puts the table into docs/benchmarks.md, `--peers` installs and measures public peers as well. Names of
measurements, such as `loop_overhead`, run these alone; their rows are then printed only. A measurement that fails
is told, and nothing is written.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks import report

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


def main() -> int:
    """Measure, print, and write when asked; return the exit code."""
    with_peers = "--peers" in sys.argv
    wanted = [name for name in (*MEASURES, "peers") if name in sys.argv]
    rows, failed = [], []
    for name in wanted or ((*MEASURES, "peers") if with_peers else MEASURES):
        sys.stderr.write(f"measuring {name} ...\n")
        try:
            rows += measured(name, with_peers=with_peers and name in WITH_PEERS)
        except subprocess.CalledProcessError:
            failed.append(name)
    sys.stdout.write(f"{report.table(rows)}\n")
    if failed:
        sys.stderr.write(f"failed: {', '.join(failed)}\n")
    elif "--write" in sys.argv and not wanted:
        report.DOCUMENT.write_text(report.document(rows), encoding="utf-8")
    return bool(failed)


def measured(name: str, *, with_peers: bool) -> list[report.Row]:
    """Return the rows of one measurement."""
    with tempfile.TemporaryDirectory(prefix="burp-bench-rows-") as folder:
        rows_file = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "tests.benchmarks.one", name, str(rows_file), *["--peers"] * with_peers]
        subprocess.run(command, check=True)
        return [report.Row(**row) for row in json.loads(rows_file.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    sys.exit(main())
