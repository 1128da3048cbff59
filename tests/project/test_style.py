"""What every file of the project keeps to, and what must never be in one."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE_MAX_LINES = 500
FUNCTION_MAX_LINES = 60
BINARY = {".png", ".ico", ".woff2", ".pdf", ".gz", ".onnx", ".jpg"}

# Put together here, so that this file doesn't hold what it looks for.
MACHINE_PATHS = ["/" + "/".join(parts) + "/" for parts in (("work", "main"), ("work", "shared"), ("tmp", "burp"))]
RECORDED_RESPONSES = "/".join(("..", "shared"))
MACHINE_PATHS += ["/" + "root" + "/", RECORDED_RESPONSES]
# Where recorded responses lie is CI's business alone.
ALLOWED = {(RECORDED_RESPONSES, ".ci/run")}
REGISTRY_HOSTS = [".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"))]
REGISTRY_HOSTS += [".".join(parts) for parts in (("npmjs", "com"), ("deb", "debian", "org"))]
KEYS = re.compile(r"\bsk-(?:ant-)?[A-Za-z0-9]{20,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE" + " KEY")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b", re.IGNORECASE)
FREE_DOMAINS = (".example", "example.com", "example.org", ".invalid")


def tracked_files() -> list[Path]:
    """Return the files that the repository holds."""
    names = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


FILES = tracked_files()
TEXTS = [path for path in FILES if path.suffix not in BINARY]
PYTHON = [path for path in FILES if path.suffix == ".py" and "migrations" not in path.parts]


def shown(path: Path) -> str:
    """Return the path as people write it."""
    return str(path.relative_to(ROOT))


def test_there_is_something_to_look_at() -> None:
    assert len(PYTHON) > 50


def test_no_source_file_is_too_long() -> None:
    sources = [path for path in FILES if path.suffix in {".py", ".js", ".css", ".html"}]
    lines = {shown(path): len(path.read_text().splitlines()) for path in sources}

    assert {name: count for name, count in lines.items() if count > FILE_MAX_LINES} == {}


def test_no_function_is_too_long() -> None:
    too_long = {}
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_MAX_LINES:
                    too_long[f"{shown(path)}:{node.name}"] = lines

    assert too_long == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [path for path in PYTHON if path.read_text() and ast.get_docstring(ast.parse(path.read_text())) is None]

    assert [shown(path) for path in silent] == []


def test_no_file_is_named_for_nothing_in_particular() -> None:
    assert [shown(path) for path in PYTHON if path.stem in {"utils", "helpers", "common", "misc"}] == []


@pytest.mark.parametrize("needle", MACHINE_PATHS + REGISTRY_HOSTS)
def test_no_file_names_a_machine_or_a_registry(needle: str) -> None:
    holders = {shown(path) for path in TEXTS if needle in path.read_text(errors="replace")}
    assert {name for name in holders if (needle, name) not in ALLOWED} == set()


def test_no_file_holds_a_key() -> None:
    assert [shown(path) for path in TEXTS if KEYS.search(path.read_text(errors="replace"))] == []


def test_no_file_holds_an_address_of_a_person() -> None:
    found = {
        f"{shown(path)}: {address}"
        for path in TEXTS
        for address in ADDRESS.findall(path.read_text(errors="replace"))
        if not address.lower().endswith(FREE_DOMAINS)
    }

    assert found == set()
