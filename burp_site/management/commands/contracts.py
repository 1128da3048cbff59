"""Hold the tools against recorded responses, or against the live services."""

import os
import subprocess
import sys
from argparse import REMAINDER, ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from burp_site.environment import PROJECT_ROOT
from tools_catalog.environment import child_environment


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
        paths = [str(PROJECT_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            [sys.executable, "-m", "mcp_server", "contracts", *options["arguments"]],
            env=child_environment(
                os.environ,
                BURP_DATA_DIR=str(Path(settings.DATA_DIR).resolve()),
                PYTHONPATH=os.pathsep.join(paths),
            ),
            check=False,
        )
        if done.returncode:
            sys.exit(done.returncode)
