"""The secret key of a local installation."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from burp_site.secret import secret_key


def test_it_is_made_once_and_readable_by_the_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret_key"

    first, second = secret_key(path), secret_key(path)

    assert first == second
    assert len(first) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret_key"]


def test_two_that_start_together_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(secret_key, [tmp_path / "secret_key"] * 8))

    assert len(keys) == 1
