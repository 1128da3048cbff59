"""Imports run one way, and the guard against others works."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("burp_site", "evals", "chat", "tools_catalog", "artifacts", "usage", "mcp_server")
START_S = 30.0


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the project in `folder`."""
    program = Path(sys.executable).with_name("lint-imports")
    environ = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [program, "--no-cache"], cwd=folder, env=environ, capture_output=True, text=True, timeout=START_S, check=False
    )


def test_imports_run_one_way() -> None:
    checked = lint_imports(ROOT)

    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_top_level_package_is_under_the_contracts() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}

    assert found == set(PACKAGES)


@pytest.mark.parametrize(
    ("module", "forbidden", "contract"),
    [
        ("chat/events.py", "django", "The loop knows neither Django nor tables"),
        ("chat/config.py", "mcp_server.server", "Of the tool server only the vocabulary is imported from outside"),
        ("chat/services.py", "usage.models", "Tables of usage stay in usage"),
        ("chat/services.py", "burp_site.config", "Imports run one way; siblings meet only in chat"),
        ("usage/budgets.py", "artifacts.config", "Imports run one way; siblings meet only in chat"),
        ("mcp_server/args.py", "django", "The tool server knows no Django"),
        ("mcp_server/platforms/chembl.py", "mcp_server.platforms.uniprot", "No database module knows another"),
    ],
)
def test_a_wrong_import_is_found(tmp_path: Path, module: str, forbidden: str, contract: str) -> None:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "*.json"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a") as source:
        source.write(f"\nimport {forbidden}\n")

    checked = lint_imports(tmp_path)

    assert checked.returncode == 1, checked.stderr
    assert f"{contract} BROKEN" in " ".join(checked.stdout.split())


def test_the_tool_server_runs_where_django_can_not_be_imported(tmp_path: Path) -> None:
    without_django = (
        "import sys, runpy; sys.modules.update(dict.fromkeys(('django', 'channels', 'ninja', 'chat', 'usage')));"
        "runpy.run_module('mcp_server', run_name='__main__', alter_sys=True)"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", without_django],
        cwd=ROOT,
        env={**os.environ, "BURP_DATA_DIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
        greeting = ask(server, {"id": 1, "method": "initialize", "params": hello})
        ask(server, {"method": "notifications/initialized"}, is_answered=False)
        listed = ask(server, {"id": 2, "method": "tools/list", "params": {}})
    finally:
        server.kill()
        server.communicate()

    assert greeting["result"]["serverInfo"]["name"]
    assert [tool for tool in listed["result"]["tools"] if tool["name"].startswith("chembl__")]


def ask(server: subprocess.Popen[str], message: dict[str, object], *, is_answered: bool = True) -> dict[str, dict]:
    """Send one JSON-RPC message and return the answer to it."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
    while is_answered:
        answer = json.loads(server.stdout.readline())
        if answer.get("id") == message["id"]:
            return answer
    return {}
