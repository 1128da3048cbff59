"""The protocol's own conformance suite and its inspector, against the server as it is packaged."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import node
from tests.mcp_server.servers import REAL, ROOT, HttpServer, environment, http_server

RUN_S = 60
FIXTURES = "tests.mcp_server.conformance_build"
# What any server must do; the second group calls tools that the suite wants by name.
EVERYWHERE = ("server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection")
BY_NAME = ("tools-call-simple-text", "tools-call-error", "tools-call-with-progress", "json-schema-2020-12")
# Of parts of the protocol that this server does not offer, and does not say that it does.
NOT_OFFERED = (
    "logging-set-level",
    "completion-complete",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "server-sse-polling",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
)
ROUND_TRIP = ("reactome__get_pathway", "reactome_id=R-HSA-5633007")


@pytest.fixture(scope="module", params=[REAL, FIXTURES])
def server(request: pytest.FixtureRequest) -> Iterator[HttpServer]:
    """Give a server over HTTP: the one that is packaged, or the one with the suite's own tools."""
    with http_server(request.param) as running:
        yield running


def ran(name: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run one of the programs; what it keeps it keeps in `home`."""
    return subprocess.run(
        [*node.require(name), *arguments],
        cwd=home,
        env=node.environment() | environment() | {"HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )


def test_every_scenario_is_one_that_is_run_or_of_something_that_is_not_offered(tmp_path: Path) -> None:
    done = ran("conformance", "list", home=tmp_path)
    listed, _, _ = done.stdout.partition("Client scenarios")
    names = re.findall(r"^ +- (\S+)", listed, re.MULTILINE)
    assert sorted(names) == sorted([*EVERYWHERE, *BY_NAME, *NOT_OFFERED])


@pytest.mark.parametrize("server", [REAL, FIXTURES], indirect=True)
@pytest.mark.parametrize("scenario", EVERYWHERE)
def test_the_server_conforms(server: HttpServer, scenario: str, tmp_path: Path) -> None:
    passed, checks, report = checked(server, scenario, tmp_path)
    assert passed == checks > 0, report


@pytest.mark.parametrize("server", [FIXTURES], indirect=True)
@pytest.mark.parametrize("scenario", BY_NAME)
def test_calls_conform(server: HttpServer, scenario: str, tmp_path: Path) -> None:
    passed, checks, report = checked(server, scenario, tmp_path)
    assert passed == checks > 0, report


def checked(server: HttpServer, scenario: str, home: Path) -> tuple[int, int, str]:
    """Run a scenario that may not even warn; return how many checks passed, how many there are, and its report."""
    done = ran("conformance", "server", "--url", server.url, "--scenario", scenario, home=home)
    report = done.stdout[-3_000:] + done.stderr[-3_000:]
    counted = re.search(r"Passed: (\d+)/(\d+), 0 failed, 0 warnings", done.stdout)
    assert done.returncode == 0 and counted, report
    return int(counted[1]), int(counted[2]), report


def inspected(transport: str, home: Path, *arguments: str) -> tuple[Any, str]:
    """Ask the packaged server through the inspector; return what it prints."""
    if transport == "stdio":
        target = [sys.executable, "-m", REAL, "-e", f"PYTHONPATH={ROOT}", "-e", "BURP_UPSTREAMS=snapshot"]
        done = ran("mcp-inspector", "--cli", *target, *arguments, home=home)
    else:
        with http_server() as running:
            done = ran("mcp-inspector", "--cli", running.url, *arguments, home=home)
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_lists_all_tools_and_finds_no_fault_in_a_schema(transport: str, tmp_path: Path) -> None:
    answer, report = inspected(transport, tmp_path, "--method", "tools/list", "--strict")
    tools = {tool["name"]: tool for tool in answer["tools"]}
    assert len(tools) > 200 and ROUND_TRIP[0] in tools
    assert all(tool["outputSchema"]["type"] == "object" and tool["title"] for tool in tools.values())
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())
    assert re.search(r"\b0 errors\b", report), report[-2_000:]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_calls_a_tool(transport: str, tmp_path: Path) -> None:
    call = ["--method", "tools/call", "--tool-name", ROUND_TRIP[0], "--tool-arg", ROUND_TRIP[1]]
    answer, _ = inspected(transport, tmp_path, *call)
    assert answer["structuredContent"]["outcome"] == "data"
    assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
    assert answer["_meta"]["burp/citations"][0]["url"].startswith("https://reactome.org/")
