"""Run one measurement in a process and a data folder of its own, so that none finds what another one left.

python -m tests.benchmarks.one NAME ROWS_FILE [--peers]
"""

import importlib
import json
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")


def main() -> None:
    """Measure, and leave the rows in a file as JSON."""
    name, rows_file = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="burp-bench-") as folder:
        os.environ |= {"BURP_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "burp_site.settings"}
        for key in KEYS:
            os.environ.pop(key, None)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        measure = importlib.import_module(f"tests.benchmarks.{name}").measure
        rows = measure(Path(folder) / name) if "--peers" in sys.argv else measure()
    rows_file.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")


if __name__ == "__main__":
    main()
