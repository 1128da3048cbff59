"""The real child process, as the web process starts it: protocol only on stdout, no orphans, no hanging calls."""

import asyncio
import json
import os
import select
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_server.servers import ROOT, START_S, WAIT_S, connected, environment
from tests.upstreams.server import FakeUpstreams

TRIALS = "clinicaltrials.gov"
SEARCH = ("clinicaltrials__search_studies", {"condition": "melanoma", "intervention": "vemurafenib", "limit": 20})

NO_DJANGO = "raise ImportError('the tool server must not import django')"
NOISE = """
import sys

def hook(event, args):
    if event == "open" and isinstance(args[0], str) and ("/platforms/" in args[0] or "/snapshot/" in args[0]):
        print("noise on stdout", args[0])

sys.addaudithook(hook)
"""
# Starts the server with the streams it was given and waits to be killed.
PARENT = """
import signal, subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "mcp_server"], stdin=int(sys.argv[1]), stdout=int(sys.argv[2]))
print(child.pid, flush=True)
signal.pause()
"""


@contextmanager
def started(**variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """Give a child with bare pipes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mcp_server"],
        cwd=ROOT,
        env={**os.environ, **environment(**variables)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def initialize() -> bytes:
    """Return the first messages of a conversation."""
    parameters = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    return message(1, "initialize", parameters) + message(None, "notifications/initialized")


def message(number: int | None, method: str, parameters: Any = None) -> bytes:
    """Return one line of the protocol."""
    request: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if number is not None:
        request["id"] = number
    if parameters is not None:
        request["params"] = parameters
    return json.dumps(request).encode() + b"\n"


def called(number: int, tool: str, arguments: Any) -> bytes:
    """Return a call of a tool."""
    return message(number, "tools/call", {"name": tool, "arguments": arguments})


def converse(process: subprocess.Popen[bytes], lines: bytes, answers: int) -> list[dict[str, Any]]:
    """Write the lines and read so many answers; every line of stdout must be one."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(lines)
    process.stdin.flush()
    return [json.loads(line_of(process.stdout.fileno(), process.stdout.readline)) for _ in range(answers)]


def line_of(descriptor: int, read: Callable[[], bytes]) -> bytes:
    """Read a line within the time of a start."""
    ready, _, _ = select.select([descriptor], [], [], START_S)
    assert ready, "no answer"
    return read()


def ended(pid: int, within_s: float) -> bool:
    """Wait for the end of a process that may be nobody's child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        ready, _, _ = select.select([descriptor], [], [], within_s)
        return bool(ready)
    finally:
        os.close(descriptor)


async def test_the_child_lists_and_calls_its_tools_where_django_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "django").mkdir()
    (tmp_path / "django" / "__init__.py").write_text(NO_DJANGO, encoding="utf-8")
    async with connected("stdio", extra={"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool(*SEARCH)
    core = listed["clinicaltrials__get_study"].meta
    assert core is not None
    assert core["burp/core"] is True
    assert not result.is_error
    assert result.structured_content is not None and result.structured_content["outcome"] == "data"
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    assert result.meta is not None
    assert result.meta["burp/snapshot"]["origin"] == "curated"
    assert result.meta["burp/citations"][0]["url"].startswith("https://clinicaltrials.gov/study/NCT")


@pytest.mark.case("C046")
def test_stdout_carries_the_protocol_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(NOISE, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    # The noise is more than a pipe holds, and nobody reads it meanwhile.
    noise = tmp_path / "stderr"
    with (
        noise.open("wb") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "mcp_server"],
            cwd=ROOT,
            env=os.environ | {"BURP_UPSTREAMS": "snapshot"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        ) as process,
    ):
        try:
            lines = initialize() + called(2, *SEARCH) + called(3, "no__such_tool", {}) + message(4, "tools/list")
            answers = converse(process, lines, 4)
            out, _ = process.communicate(timeout=WAIT_S)
        finally:
            process.kill()
    error = noise.read_bytes()
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3, 4]
    assert out == b""
    assert b"noise on stdout" in error and b"/platforms/" in error and b"/snapshot/" in error


@pytest.mark.case("C049")
def test_the_child_ends_when_its_stdin_closes() -> None:
    with started() as process:
        converse(process, initialize(), 1)
        process.communicate(timeout=WAIT_S)
        assert process.returncode == 0


@pytest.mark.case("C049")
def test_the_child_ends_when_its_parent_is_killed_though_stdin_stays_open() -> None:
    child_reads, we_write = os.pipe()
    we_read, child_writes = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(child_reads), str(child_writes)],
        cwd=ROOT,
        env={**os.environ, **environment()},
        stdout=subprocess.PIPE,
        pass_fds=(child_reads, child_writes),
    )
    try:
        assert parent.stdout is not None
        child = int(line_of(parent.stdout.fileno(), parent.stdout.readline))
        os.write(we_write, initialize())
        assert json.loads(line_of(we_read, lambda: os.read(we_read, 65536)))["id"] == 1
        parent.send_signal(signal.SIGKILL)
        parent.communicate(timeout=WAIT_S)
        assert ended(child, WAIT_S)
    finally:
        parent.kill()
        for descriptor in (child_reads, we_write, we_read, child_writes):
            os.close(descriptor)


@pytest.mark.case("C048")
def test_bad_messages_and_bad_calls_leave_the_server_alive() -> None:
    with started() as process:
        lines = (
            initialize()
            + b"this is no JSON\n"
            + b'{"jsonrpc": "2.0", "id": 5, "method": "no/such/method"}\n'
            + called(11, SEARCH[0], {"condition": "\ud83d"})
            + b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}\n'
            + message(6, "tools/call", {"arguments": {}})
            + called(7, SEARCH[0], {"condition": "x", "limt": 1})
            + called(8, SEARCH[0], {"condition": "nothing recorded"})
            + called(9, SEARCH[0], {"condition": "x" * 200_000})
            + called(10, *SEARCH)
        )
        answers = {answer.get("id"): answer for answer in converse(process, lines, 7)}
    assert "error" in answers[5] and "error" in answers[6]
    codes = {number: answers[number]["result"]["structuredContent"]["error"]["code"] for number in (7, 8, 9)}
    assert codes == {7: "tool_invalid_arguments", 8: "not_in_snapshot", 9: "not_in_snapshot"}
    assert all(answers[number]["result"]["isError"] for number in (7, 8, 9))
    assert answers[10]["result"]["structuredContent"]["outcome"] == "data"


@pytest.mark.parametrize("how", ["variable", "argument"])
def test_an_unknown_mode_is_refused_with_the_known_ones(how: str) -> None:
    arguments = ["--upstreams", "bogus"] if how == "argument" else []
    done = subprocess.run(
        [sys.executable, "-m", "mcp_server", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment(UPSTREAMS="bogus" if how == "variable" else "snapshot")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=START_S,
        check=False,
    )
    assert done.returncode != 0 and done.stdout == b""
    assert b"live" in done.stderr and b"snapshot" in done.stderr and b"bogus" in done.stderr


async def test_a_big_result_is_handed_over_as_a_file(upstreams: FakeUpstreams, tmp_path: Path) -> None:
    title = "β" * 4000
    studies = [
        {"protocolSection": {"identificationModule": {"nctId": f"NCT{n:08}", "briefTitle": title}}}
        for n in range(1, 61)
    ]
    upstreams.play(TRIALS, "/api/v2/studies", {"totalCount": 60, "studies": studies})
    upstreams.play(TRIALS, "/api/v2/studies", {"totalCount": 1, "studies": studies[:1]})
    spool = tmp_path / "spool"
    async with connected("stdio", UPSTREAMS="live", UPSTREAM_GATEWAY=upstreams.url, SPOOL_DIR=str(spool)) as client:
        big = await client.call_tool(SEARCH[0], {"condition": "melanoma", "limit": 100})
        small = await client.call_tool(SEARCH[0], {"condition": "melanoma", "limit": 100})
    assert big.meta is not None and small.meta is not None
    reference = big.meta["burp/spooled"]
    assert big.structured_content == {"outcome": "data", "total": 60, "returned": 60, "spooled": reference}
    path, size = Path(reference["path"]), reference["bytes"]
    text, mode = await asyncio.to_thread(lambda: (path.read_bytes(), path.stat().st_mode))
    assert path.parent == spool and len(text) == size > 256 * 1024
    assert json.loads(text)["data"][59]["briefTitle"] == title
    assert stat.S_IMODE(mode) == 0o600
    assert len(big.meta["burp/citations"]) == 60
    assert "burp/spooled" not in small.meta and small.structured_content is not None


@pytest.mark.case("C076")
async def test_a_waiting_person_is_told_of_retries_and_no_key_leaves_the_child(
    upstreams: FakeUpstreams, capfd: pytest.CaptureFixture[str]
) -> None:
    host, path = "eutils.ncbi.nlm.nih.gov", "/entrez/eutils/efetch.fcgi"
    upstreams.play(host, path, {"error": "API rate limit exceeded", "api-key": "SECRETKEY"}, status=429)
    upstreams.play(host, path, '{"error":"API key invalid","api-key":"SECRETKEY"}', status=400)
    told: list[str | None] = []

    async def progress(number: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with connected(
        "stdio",
        UPSTREAMS="live",
        UPSTREAM_GATEWAY=upstreams.url,
        extra={"NCBI_API_KEY": "SECRETKEY", "BURP_CONTACT": "contact.example"},
    ) as client:
        result = await client.call_tool("pubmed__get_articles", {"pmids": ["22663011"]}, progress_callback=progress)
    assert upstreams.arrivals[0].query["api_key"] == ["SECRETKEY"]
    assert "contact.example" in upstreams.arrivals[0].headers["user-agent"]
    assert told == [f"{host} did not answer; attempt 2 of 4"]
    assert result.is_error
    assert "SECRETKEY" not in f"{result.model_dump_json()} {told} {capfd.readouterr()}"


@pytest.mark.parametrize("output", ["file", "pipe"])
def test_the_child_serves_from_a_file_as_well(output: str, tmp_path: Path) -> None:
    ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    asked, answered = tmp_path / "in.txt", tmp_path / "out.txt"
    asked.write_text(ping)
    with asked.open() as stdin, answered.open("w") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "mcp_server"],
            stdin=stdin,
            stdout=stdout if output == "file" else subprocess.PIPE,
            env={**os.environ, **environment()},
            cwd=ROOT,
            text=True,
            timeout=START_S,
            check=True,
        )
    text = answered.read_text() if output == "file" else done.stdout
    assert json.loads(text) == {"jsonrpc": "2.0", "id": 1, "result": {}}
