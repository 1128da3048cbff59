"""The tool servers of a process: started once, kept up to date, ended together."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.tools_catalog.conftest import is_alive, until
from tests.tools_catalog.vectors import CountingEmbedder, MemoryVectors
from tools_catalog.attaching import Meanings
from tools_catalog.catalog import Catalog
from tools_catalog.config import CatalogConfig
from tools_catalog.environment import child_environment
from tools_catalog.mcp_process import ToolServerDown
from tools_catalog.runtime import ToolServers, close_tool_servers, get_tool_servers, server_command
from tools_catalog.schema_rules import schema_problems


@pytest_asyncio.fixture
async def servers(fake_command: list[str], tmp_path: Path) -> AsyncIterator[ToolServers]:
    """Tool servers whose children are faulty on purpose."""
    servers = ToolServers(
        lambda upstreams: fake_command,
        env_for=lambda upstreams: child_environment(os.environ, FAKE_UPSTREAMS=upstreams, FAKE_BAD_TOOLS="1"),
        cwd=tmp_path,
        spool_dir=tmp_path / "spool",
        config=CatalogConfig({"debug": ["debug__sleep"]}),
    )
    yield servers
    await servers.aclose()


async def test_a_server_is_started_once_however_many_ask_at_once(servers: ToolServers) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(servers.get("snapshot")) for _ in range(5)]
    process, catalog = tasks[0].result()
    assert all(task.result() == (process, catalog) for task in tasks)
    assert process.state.generation == 1
    assert [tool.name for tool in catalog.core] == ["debug__sleep"]


async def test_each_mode_has_a_child_of_its_own(servers: ToolServers) -> None:
    pids = {}
    for upstreams in ("live", "snapshot"):
        process, _ = await servers.get(upstreams)
        seen = (await process.call("debug__environment", {}, timeout_s=5)).envelope["data"]
        assert seen["FAKE_UPSTREAMS"] == upstreams
        pids[upstreams] = process.state.pid
    assert len(set(pids.values())) == 2
    assert {upstreams: state.pid for upstreams, state in servers.states().items()} == pids
    await servers.aclose()
    assert not any(is_alive(pid) for pid in pids.values() if pid)


@pytest.mark.case("C050")
async def test_bad_tools_are_left_out_and_logged(servers: ToolServers, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        _, catalog = await servers.get("snapshot")
    assert {problem.name for problem in catalog.problems} == {"debug__either", "open-targets.search"}
    assert len(catalog.tools) == 13
    assert "'open-targets.search' is left out" in caplog.text


async def test_a_changed_list_is_taken_over(servers: ToolServers) -> None:
    process, before = await servers.get("snapshot")
    await process.call("debug__change", {"text": "added"}, timeout_s=5)
    search = await servers.search("snapshot")
    async with asyncio.timeout(5):
        while search.catalog.hash == before.hash:  # noqa: ASYNC110 - nobody is told of what is taken over
            await asyncio.sleep(0.01)
            search = await servers.search("snapshot")
    after = (await servers.get("snapshot")).catalog
    assert after.get("debug__added") is not None
    assert search.search("added").hits[0].name == "debug__added"


async def test_a_changed_list_embeds_what_is_new_and_nothing_else(fake_command: list[str], tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    servers = ToolServers(
        lambda upstreams: fake_command,
        env_for=lambda upstreams: child_environment(os.environ, FAKE_UPSTREAMS=upstreams),
        cwd=tmp_path,
        spool_dir=tmp_path / "spool",
        meanings=Meanings(lambda: embedder, MemoryVectors()),
    )
    try:
        process = (await servers.get("snapshot")).process
        await asyncio.wait_for(servers.settled(), 5)
        assert not (await servers.search("snapshot")).keyword_only
        embedder.texts.clear()
        servers.changed.clear()
        await process.call("debug__change", {"text": "added"}, timeout_s=5)
        await asyncio.wait_for(servers.changed.wait(), 5)
        await asyncio.wait_for(servers.settled(), 5)
        assert [text.partition(":")[0] for text in embedder.texts] == ["added"]
        assert not (await servers.search("snapshot")).keyword_only
    finally:
        await servers.aclose()


@pytest.mark.case("C060")
async def test_a_restart_changes_nothing_when_the_tools_are_the_same(servers: ToolServers) -> None:
    process, before = await servers.get("snapshot")
    with pytest.raises(ToolServerDown):
        await process.call("debug__die", {}, timeout_s=5)
    await process.call("debug__echo", {"text": "x"}, timeout_s=5)
    assert process.state.generation == 2
    _, after = await servers.get("snapshot")
    assert after is before


async def test_after_the_end_a_new_start_is_possible(servers: ToolServers) -> None:
    first, _ = await servers.get("snapshot")
    await servers.aclose()
    second, _ = await servers.get("snapshot")
    assert first is not second and second.state.word == "ready"


async def test_a_server_that_can_not_start_is_an_error_each_time(tmp_path: Path) -> None:
    servers = ToolServers(
        lambda upstreams: ["/nonexistent"], env_for=lambda upstreams: {}, cwd=tmp_path, spool_dir=tmp_path / "spool"
    )
    for _ in range(2):
        with pytest.raises(ToolServerDown, match="No such file"):
            await servers.get("live")
    await servers.aclose()


async def test_burps_own_server_offers_tools_that_every_provider_accepts() -> None:
    servers = get_tool_servers()
    assert get_tool_servers() is servers
    try:
        process, catalog = await servers.get("snapshot")
        raw_tools = await process.list_tools()
    finally:
        await close_tool_servers()
    problems = {tool.name: schema_problems(tool.name, tool.description, tool.input_schema) for tool in raw_tools}
    assert {name: found for name, found in problems.items() if found} == {}
    assert catalog == Catalog.from_tools(raw_tools) and catalog.problems == ()
    assert len(catalog.core) > 3 and len(catalog.deferred) > 3
    assert get_tool_servers() is not servers


@pytest.mark.case("C049")
async def test_burps_own_server_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    script = f'"$@" & echo $! > {pid_file}; sleep 60'
    # The shell holds the child's stdin open, as a parent does that dies without closing anything.
    parent = await asyncio.create_subprocess_exec(
        "sh", "-c", f"{script}", "sh", *server_command("snapshot"), stdin=asyncio.subprocess.PIPE
    )
    await until(lambda: pid_file.exists() and pid_file.read_text().strip() != "")
    pid = int(pid_file.read_text())
    assert is_alive(pid)
    parent.kill()
    await parent.wait()
    await until(lambda: not is_alive(pid))
    assert not is_alive(pid)
