"""Run all benchmarks on a data folder of their own.

`--write` puts the table into docs/benchmarks.md, `--peers` installs and measures a public peer as well.
"""

import os
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Measure, print, and write when asked."""
    with tempfile.TemporaryDirectory(prefix="burp-bench-") as folder:
        os.environ |= {"BURP_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "burp_site.settings"}
        os.environ.pop("ANTHROPIC_API_KEY", None)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from tests.benchmarks import child_start, demo_turn, loop_overhead, peers, report, small_call

        rows = [*child_start.measure(), *small_call.measure(), *loop_overhead.measure(), *demo_turn.measure()]
        if "--peers" in sys.argv:
            rows += peers.measure(Path(folder) / "peer")
        sys.stdout.write(f"{report.table(rows)}\n")
        if "--write" in sys.argv:
            report.DOCUMENT.write_text(report.document(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
