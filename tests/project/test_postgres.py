"""What is marked `postgres` holds on PostgreSQL as on SQLite."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg

from tests.environment import DATABASE_URL_OF_TESTS

ROOT = Path(__file__).parents[2]
MARK = "pytest.mark.postgres"
# Connections that other threads left open would keep the database from being dropped; the whole server goes anyway.
OPTIONS = ["-m", "postgres", "--reuse-db", "-p", "no:cacheprovider", "-p", "no:xdist"]
RUN_S = 300


def test_budgets_locks_and_turns_hold_on_postgresql(postgres_url: str) -> None:
    files = [
        path for path in (ROOT / "tests").rglob("test_*.py") if MARK in path.read_text() and path != Path(__file__)
    ]
    # Other tests of this worker may have filled the server's first database.
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE marked")
    environ = {**os.environ, DATABASE_URL_OF_TESTS: postgres_url.replace("/postgres", "/marked")}
    # Importing the ASGI application names the settings; a test run of its own must not read them too early.
    environ.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-m", "pytest", *OPTIONS, *map(str, sorted(files))]

    run = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=RUN_S, check=False)

    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    assert {path.stem for path in files} >= {"test_budgets", "test_parallel", "test_turns"}
