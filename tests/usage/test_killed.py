"""Processes are killed while they spend: what they held comes free, and the books balance."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPENDERS = 4
TURNS = 8
ROUNDS = 1
WITHIN_S = 60


def run(environ: dict[str, str], *command: str) -> str:
    """Run a command to its end and return what it printed."""
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=WITHIN_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def spend_and_die(environ: dict[str, str], dice: random.Random) -> None:
    """Let several processes spend together; kill each in the middle of some turn, whatever it is at."""
    spenders = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.usage.spender", "spend", str(dice.random())[2:8]],
            cwd=ROOT,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(SPENDERS)
    ]
    deaths = {spender.pid: dice.randrange(1, TURNS) for spender in spenders}
    try:
        for turn in range(TURNS):
            for spender in [one for one in spenders if turn <= deaths[one.pid]]:
                assert spender.stdin is not None
                assert spender.stdout is not None
                spender.stdin.write("another turn\n")
                spender.stdin.flush()
                # A turn prints two lines at least; after them it goes on while this process does something else.
                for _ in range(2):
                    assert spender.stdout.readline()
                if turn == deaths[spender.pid]:
                    spender.kill()
    finally:
        for spender in spenders:
            spender.kill()
            spender.communicate(timeout=WITHIN_S)


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_after_kills_at_random_moments_the_books_balance(
    tmp_path: Path, request: pytest.FixtureRequest, database: str
) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environ = {**kept, "BURP_DATA_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    if database == "postgres":
        environ["DATABASE_URL"] = request.getfixturevalue("postgres_url")
    run(environ, "manage.py", "migrate", "-v0")
    dice = random.Random(database)

    for _ in range(ROUNDS):
        spend_and_die(environ, dice)
        books = json.loads(run(environ, "-m", "tests.usage.spender", "close"))

        assert books["open"] == 0
        assert (books["settled"], books["unbooked"], books["above_held"]) == (books["booked"], False, 0)
        assert books["estimated"] >= books["left_open"]
        assert set(books["sums"].values()) == {books["total"]} == {books["entries"]}
        assert books["daily_spent"] == books["entries"] <= books["daily_limit"]
        report = json.loads(run(environ, "manage.py", "usage", "report", "--by", "turn", "--json"))
        assert report["total"]["cost_pico_usd"] == books["total"]
        run(environ, "manage.py", "usage", "check")
