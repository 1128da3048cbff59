"""A missing program skips a test on a person's machine and fails it in CI."""

import pytest

from tests import node, programs
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


def test_a_program_of_npm_is_required_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(node.PACKAGES, "absent", "no-such-package@1.0.0")
    with pytest.raises(pytest.skip.Exception, match=r"no-such-package@1\.0\.0 is not installed"):
        node.require("absent")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=r"no-such-package@1\.0\.0 is not installed"):
        node.require("absent")


def test_a_program_of_npm_in_another_version_is_as_good_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    node.require("conformance")
    monkeypatch.setitem(node.PACKAGES, "conformance", "@modelcontextprotocol/conformance@0.0.1")
    assert node.command("conformance") is None
