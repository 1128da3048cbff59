"""What is marked `postgres` holds on PostgreSQL as on SQLite."""

import os
import subprocess
import sys
from pathlib import Path

from tests.environment import DATABASE_URL_OF_TESTS

ROOT = Path(__file__).parents[2]
RUN_S = 300


def test_budgets_and_locks_hold_on_postgresql(postgres_url: str) -> None:
    environ = {**os.environ, DATABASE_URL_OF_TESTS: postgres_url}
    # Importing the ASGI application names the settings; a test run of its own must not read them too early.
    environ.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-m", "pytest", "-m", "postgres", "-p", "no:cacheprovider", "-p", "no:xdist"]

    run = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=RUN_S, check=False)

    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    assert " passed" in run.stdout
