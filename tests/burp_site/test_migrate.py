"""Processes that start together on one database."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment import DATABASE_URL_OF_TESTS

ROOT = Path(__file__).parents[2]
PROCESSES = 3
WAIT_S = 60


@pytest.mark.postgres
def test_processes_that_migrate_at_once_all_succeed(tmp_path: Path) -> None:
    environ = {**os.environ, "BURP_DATA_DIR": str(tmp_path)}
    assert ("DATABASE_URL" in environ) == (DATABASE_URL_OF_TESTS in environ)
    command = [sys.executable, "manage.py", "migrate"]

    processes = [
        subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    answers = [process.communicate(timeout=WAIT_S) for process in processes]

    assert [process.returncode for process in processes] == [0] * PROCESSES, answers
    assert sorted("No migrations to apply" in out for out, _ in answers) == [False, True, True]
