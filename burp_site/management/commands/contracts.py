"""Hold the tools against recorded responses, or against the live services, and keep what came of it for the pages."""

import json
import os
import subprocess
import sys
import tempfile
from argparse import REMAINDER, ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from burp_site.environment import PROJECT_ROOT
from tools_catalog.contract_reports import checked_at, kind_of, verdicts
from tools_catalog.environment import child_environment
from tools_catalog.services import contract_checks_store


class Command(BaseCommand):
    """`manage.py contracts check --samples DIR|--live`: the tool server's own command, in a process of its own."""

    help = (
        "`contracts check --samples DIR` replays a folder of recorded responses through the tools; "
        "`contracts check --live` asks each service twice. `contracts check --help` lists the rest."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take everything as it is: the tool server declares its arguments itself."""
        parser.add_argument("arguments", nargs=REMAINDER, metavar="check …")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command where it was called, so that relative paths mean what they say."""
        arguments = options["arguments"]
        with tempfile.TemporaryDirectory(prefix="burp-contracts-") as folder:
            report = _report_path(arguments)
            if report is None:
                report = Path(folder) / "report.json"
                if arguments[:1] == ["check"]:
                    arguments = [*arguments, "--json", str(report)]
            code = _run(arguments)
            self._keep(report)
        if code:
            sys.exit(code)

    def _keep(self, path: Path) -> None:
        """Store when each database was checked last, and how that went."""
        if not path.is_file():
            return
        report = json.loads(path.read_text(encoding="utf-8"))
        try:
            contract_checks_store(kind=kind_of(report), checked_at=checked_at(report), platforms=verdicts(report))
        except DatabaseError as problem:
            self.stderr.write(f"the result is not kept for the tool pages: {problem}")


def _report_path(arguments: Sequence[str]) -> Path | None:
    """Return the file that the caller wants the report in."""
    for position, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == "--json":
            following = arguments[position + 1 : position + 2]
            return Path(value) if equals else Path(following[0]) if following else None
    return None


def _run(arguments: Sequence[str]) -> int:
    paths = [str(PROJECT_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-m", "mcp_server", "contracts", *arguments],
        env=child_environment(
            os.environ,
            BURP_DATA_DIR=str(Path(settings.DATA_DIR).resolve()),
            PYTHONPATH=os.pathsep.join(paths),
        ),
        check=False,
    )
    return done.returncode
