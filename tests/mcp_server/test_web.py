"""The server over HTTP as a process: who is answered, what is refused, and how it ends."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from mcp import Client

from mcp_server.web import BadOptions, HttpOptions, is_loopback
from tests.mcp_server.servers import DEBUG, ROOT, START_S, WAIT_S, HttpServer, environment, http_server

TOKEN = "0123456789abcdef-secret"
PING: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    """Give a server that anybody on this machine may ask."""
    with http_server() as running:
        yield running


@pytest.fixture(scope="module")
def guarded() -> Iterator[HttpServer]:
    """Give a server that wants a token and is known by another name as well."""
    with http_server("mcp_server", "--name", "tools.lab.example", MCP_TOKEN=TOKEN) as running:
        yield running


def initialized(url: str, **headers: str) -> httpx2.Response:
    """Open a session; header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.post(url, json=PING, headers=ACCEPT | named, timeout=WAIT_S)


def started(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start a server that should refuse to start."""
    return subprocess.run(
        [sys.executable, "-m", "mcp_server", "--http", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment(**variables)},
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_needs_no_token(host: str) -> None:
    assert is_loopback(host)
    assert HttpOptions(host).token == ""


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "tools.lab.example", ""])
def test_an_address_that_others_reach_needs_a_token(host: str) -> None:
    with pytest.raises(BadOptions, match="BURP_MCP_TOKEN"):
        HttpOptions(host)
    options = HttpOptions(host, token=TOKEN)
    assert options.token == TOKEN and TOKEN not in repr(options)


def test_a_name_that_others_use_needs_a_token_on_loopback_as_well() -> None:
    with pytest.raises(BadOptions, match=r"'tools\.lab\.example'.*BURP_MCP_TOKEN"):
        HttpOptions(names=("tools.lab.example",))
    assert HttpOptions(names=("tools.lab.example",), token=TOKEN).names


def test_a_token_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(BadOptions, match="at least 16 characters"):
        HttpOptions(token="hamster")


def test_without_a_token_nothing_listens_beyond_loopback() -> None:
    done = started("--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 1 and "BURP_MCP_TOKEN" in done.stderr and "Traceback" not in done.stderr


def test_with_a_token_it_listens_everywhere_and_still_knows_its_names() -> None:
    with http_server("mcp_server", "--host", "0.0.0.0", MCP_TOKEN=TOKEN) as running:
        assert running.url.startswith("http://127.0.0.1:")
        right = f"Bearer {TOKEN}"
        assert initialized(running.url).status_code == 401
        assert initialized(running.url, Authorization=right).status_code == 200
        assert initialized(running.url, Authorization=right, Host="evil.example").status_code == 421


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = started("--port", str(port))
    assert done.returncode == 1 and f"port {port}" in done.stderr and "Traceback" not in done.stderr


def test_a_session_is_opened(server: HttpServer) -> None:
    answer = initialized(server.url)
    assert answer.status_code == 200 and answer.headers["mcp-session-id"]


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN])
def test_without_the_right_token_the_answer_is_401(guarded: HttpServer, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    for answer in (initialized(guarded.url, **headers), httpx2.get(guarded.url, headers=headers)):
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in answer.text


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_with_the_token_the_answer_is_given(guarded: HttpServer, scheme: str) -> None:
    assert initialized(guarded.url, Authorization=f"{scheme} {TOKEN}").status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8765"}, 421),
        ({"Host": "localhost.evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Host": "localhost"}, 200),
        ({"Host": "[::1]:8765", "Origin": "http://[::1]:8765"}, 200),
        ({"Origin": "http://localhost:5173"}, 200),
    ],
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_only_known_names_and_pages_of_them_are_answered(
    server: HttpServer, headers: dict[str, str], status: int, version: str
) -> None:
    answer = initialized(server.url, mcp_protocol_version=version, **headers)
    assert answer.status_code == (400 if status == 200 and version == "2026-07-28" else status)


def test_a_further_name_is_answered_where_it_is_declared(guarded: HttpServer) -> None:
    name = {"Host": "tools.lab.example", "Origin": "https://tools.lab.example"}
    assert initialized(guarded.url, Authorization=f"Bearer {TOKEN}", **name).status_code == 200


async def test_tools_are_called_with_a_token(guarded: HttpServer) -> None:
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
        Client(streamable_http_client(guarded.url, http_client=http)) as client,
    ):
        result = await client.call_tool("reactome__get_pathway", {"reactome_id": "R-HSA-5633007"})
    assert result.structured_content is not None and result.structured_content["outcome"] == "data"


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_lets_running_calls_finish_and_ends_in_order(end: signal.Signals) -> None:
    with http_server(DEBUG) as running:
        async with Client(running.url, mode="legacy") as idle, Client(running.url, mode="legacy") as client:
            await idle.list_tools()
            await client.list_tools()
            asleep = asyncio.Event()

            async def progress(*facts: object) -> None:
                asleep.set()

            call = asyncio.create_task(
                client.call_tool("debug__run_sleep", {"milliseconds": 1_000}, progress_callback=progress)
            )
            await asyncio.wait_for(asleep.wait(), WAIT_S)
            running.process.send_signal(end)
            result = await asyncio.wait_for(call, WAIT_S)
            assert result.structured_content == {"outcome": "data", "data": {"slept": 1_000}}
            code = await asyncio.to_thread(running.process.wait, 2 * WAIT_S)
        assert running.process.stderr is not None and running.process.stdout is not None
        assert code == 0
        assert running.process.stderr.read() == b"" and running.process.stdout.read() == b""


async def test_a_call_that_never_ends_does_not_keep_the_server_from_ending() -> None:
    with http_server(DEBUG) as running:
        async with httpx2.AsyncClient(timeout=30) as client:
            body = {
                "jsonrpc": "2.0",
                "id": 2,
                "method": "tools/call",
                "params": {"name": "debug__run_sleep", "arguments": {"milliseconds": 60_000}},
            }
            opened = await client.post(running.url, json=PING, headers=ACCEPT)
            session = ACCEPT | {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
            note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            await client.post(running.url, json=note, headers=session)
            call = asyncio.create_task(client.post(running.url, json=body, headers=session))
            pong = {"jsonrpc": "2.0", "id": 3, "method": "ping"}
            assert "result" in (await client.post(running.url, json=pong, headers=session)).text
            running.process.terminate()
            code = await asyncio.to_thread(running.process.wait, 15)
            await asyncio.wait([call], timeout=WAIT_S)
            assert call.done()
        assert code == 0


def test_results_are_never_left_as_files_for_a_client_that_may_be_elsewhere(tmp_path: Any) -> None:
    with http_server(DEBUG, SPOOL_DIR=str(tmp_path / "spool")) as running:
        opened = initialized(running.url)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        httpx2.post(running.url, json=note, headers=ACCEPT | session)
        body = {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "debug__get_text", "arguments": {"size": 100_000}},
        }
        answer = httpx2.post(running.url, json=body, headers=ACCEPT | session, timeout=WAIT_S)
    (data,) = [line for line in answer.text.splitlines() if line.startswith("data: {")]
    content = json.loads(data.removeprefix("data: "))["result"]["structuredContent"]
    assert content == {"outcome": "data", "data": "ä" * 50_000}
    assert not (tmp_path / "spool").exists()
