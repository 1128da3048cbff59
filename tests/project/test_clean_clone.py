"""The first thing a newcomer does: clone, `make demo`, with an environment of its own."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSTALL_S = 600
OTHERS = ("BURP_", "DJANGO_", "PYTEST", "MAKE", "MFLAGS", "VIRTUAL_ENV")
"""Variables of the run that tests, which a newcomer's shell does not have."""


def clone(folder: Path) -> Path:
    """Clone what is committed."""
    target = folder / "burp"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(target)], check=True, timeout=60)
    return target


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no git checkout, so there is nothing to clone")
def test_make_demo_in_a_clean_clone_prints_the_grounded_answer_and_is_quick_the_second_time(tmp_path: Path) -> None:
    folder = clone(tmp_path)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OTHERS)}
    for attempt in (1, 2):
        done = subprocess.run(
            ["make", "demo"], cwd=folder, env=kept, capture_output=True, text=True, timeout=INSTALL_S, check=False
        )
        assert done.returncode == 0, f"run {attempt}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        assert "Outcome    completed" in done.stdout
        assert "not in evidence" not in done.stdout
        assert ("Installing" in done.stdout) == (attempt == 1)
    assert (folder / "var" / "burp.sqlite3").is_file()
