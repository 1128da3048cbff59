"""What README and docs tell the users of other clients, tried as it stands there, from a folder of their own."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_server.servers import ROOT, START_S, http_server
from tests.mcp_server.test_conformance import ROUND_TRIP, ran

PAGES = ("README.md", "docs/mcp-server.md")
INTERPRETER, FOLDER = "/opt/burp/.venv/bin/python", "/opt/burp"
ADDRESS = "http://127.0.0.1:8765/mcp"


def blocks(page: str, language: str) -> list[str]:
    """Return the code of a page, with the places of this installation in it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [block.replace(INTERPRETER, sys.executable).replace(FOLDER, str(ROOT)) for block in found]


def configurations() -> list[Any]:
    """Return the configurations of servers, each in its own file's form."""
    return [
        pytest.param(json.loads(block), id=f"{page}-{number}")
        for page in PAGES
        for number, block in enumerate(blocks(page, "json"))
    ]


@pytest.mark.parametrize("configuration", configurations())
def test_a_configuration_starts_the_server_wherever_the_client_runs(configuration: Any, tmp_path: Path) -> None:
    ((kind, servers),) = configuration.items()
    assert kind in ("mcpServers", "servers")
    assert servers["burp"]["env"]["BURP_UPSTREAMS"] == "live"
    # The same server, but with the records that are there without a network.
    servers["burp"]["env"] |= {"BURP_UPSTREAMS": "snapshot"}
    written = tmp_path / "mcp.json"
    written.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    call = ["--method", "tools/call", "--tool-name", ROUND_TRIP[0], "--tool-arg", ROUND_TRIP[1]]
    done = ran("mcp-inspector", "--cli", "--config", str(written), "--server", "burp", *call, home=tmp_path)
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    assert json.loads(done.stdout)["structuredContent"]["outcome"] == "data"


@pytest.mark.parametrize("page", PAGES)
def test_the_command_for_claude_code_names_the_same_server(page: str) -> None:
    (line,) = [
        line for block in blocks(page, "bash") for line in block.splitlines() if line.startswith("claude mcp add burp")
    ]
    before, command = line.split(" -- ")
    assert command == f"{sys.executable} -m mcp_server"
    assert re.findall(r"--env (\S+)", before) == [f"PYTHONPATH={ROOT}", "BURP_UPSTREAMS=live"]


def test_the_example_for_python_runs(tmp_path: Path) -> None:
    (program,) = blocks("docs/mcp-server.md", "python")
    with http_server() as server:
        done = subprocess.run(
            [sys.executable, "-c", program.replace(ADDRESS, server.url)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "R-HSA-5633007" in done.stdout


def test_every_option_and_the_address_are_the_ones_of_the_server() -> None:
    page = (ROOT / "docs" / "mcp-server.md").read_text(encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "-m", "mcp_server", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=True,
    ).stdout
    options = set(re.findall(r"^ +(--[a-z]+)", shown, re.MULTILINE)) - {"--upstreams"}
    assert options == {"--http", "--host", "--port", "--name"}
    assert all(f"`{option}`" in page or f" {option}" in page for option in options)
    assert "8765" in shown and ADDRESS in page
