"""A missing program skips a test on a person's machine and fails it in CI."""

import pytest

from tests import programs
from tests.programs import Program


@pytest.fixture(autouse=True)
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Declare a program that no machine has."""
    program = Program("absent", ("no-such-program",), "no-such-package", "brew install no-such-program")
    monkeypatch.setitem(programs.PROGRAMS, "absent", program)
    monkeypatch.delenv("CI", raising=False)


def test_locally_the_test_is_skipped_with_the_way_to_get_it() -> None:
    with pytest.raises(pytest.skip.Exception, match=r"absent is not installed \((apt|brew) install no-such-p"):
        programs.require("absent")


def test_in_ci_the_test_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match="absent is not installed"):
        programs.require("absent")
