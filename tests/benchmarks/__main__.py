"""Run all benchmarks on a data folder of their own.

`--write` puts the table into docs/benchmarks.md, `--peers` installs and measures public peers as well.
"""

import importlib
import os
import sys
import tempfile
from pathlib import Path

# In the order of the table; each is a module here with a `measure`.
MEASURES = (
    "child_start",
    "small_call",
    "big_answer",
    "five_legs",
    "loop_overhead",
    "stop_to_closed",
    "demo_turn",
    "prompt_cache",
    "up_front",
)


def main() -> None:
    """Measure, print, and write when asked."""
    with tempfile.TemporaryDirectory(prefix="burp-bench-") as folder:
        os.environ |= {"BURP_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "burp_site.settings"}
        os.environ.pop("ANTHROPIC_API_KEY", None)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from tests.benchmarks import peers, report

        rows = [row for name in MEASURES for row in importlib.import_module(f"tests.benchmarks.{name}").measure()]
        if "--peers" in sys.argv:
            rows += peers.measure(Path(folder) / "peer")
        sys.stdout.write(f"{report.table(rows)}\n")
        if "--write" in sys.argv:
            report.DOCUMENT.write_text(report.document(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
