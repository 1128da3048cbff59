"""The tool server's process: start, call, fail, restart, end."""

import asyncio
import gc
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.tools_catalog.conftest import MakeProcess, is_alive, until
from tools_catalog.catalog import Catalog
from tools_catalog.mcp_process import (
    McpProcess,
    RawToolResult,
    ToolCallError,
    ToolCallFailed,
    ToolResultTooLarge,
    ToolServerDown,
    ToolTimeout,
)

BUDGET_S = 10.0


async def echo(process: McpProcess, text: str = "hello") -> RawToolResult:
    return await process.call("debug__echo", {"text": text}, timeout_s=BUDGET_S)


async def test_a_call_brings_envelope_meta_and_size(process: McpProcess) -> None:
    result = await echo(process, "α")
    assert result.envelope == {"outcome": "data", "data": "α"}
    assert result.meta["burp/citations"] == []
    assert result.is_error is False
    assert result.bytes == len('{"outcome":"data","data":"α"}'.encode())


async def test_all_pages_of_the_tool_list_are_read(make_process: MakeProcess) -> None:
    process = make_process(fake_pages=1)
    await process.start()
    tools = await process.list_tools()
    assert len(tools) == len({tool.name for tool in tools}) == 13
    echo_tool = next(tool for tool in tools if tool.name == "debug__echo")
    assert (echo_tool.title, echo_tool.description) == ("Debug: echo", "Do echo.")
    assert echo_tool.meta["burp/core"] is True


async def test_the_state_tells_operators_what_goes_on(make_process: MakeProcess) -> None:
    process = make_process()
    assert (process.state.word, process.state.pid) == ("stopped", None)
    await process.start()
    state = process.state
    assert (state.word, state.generation, state.last_error) == ("ready", 1, "")
    assert state.pid is not None and is_alive(state.pid)
    await until(lambda: process.state.stderr == ("a warning on stderr",))
    await process.stop()
    assert process.state.word == "stopped" and not is_alive(state.pid)


async def test_progress_reaches_the_caller(process: McpProcess) -> None:
    heard: list[str] = []
    await process.call("debug__progress", {}, timeout_s=BUDGET_S, on_progress=heard.append)
    assert heard == ["waiting for a rate limit"]


@pytest.mark.case("C045")
@pytest.mark.parametrize("fault", ["die", "leave"])
async def test_a_death_in_a_call_ends_all_pending_calls_at_once_and_the_next_one_works(
    process: McpProcess, fault: str
) -> None:
    first = process.state.pid
    pending = asyncio.create_task(process.call("debug__stall", {}, timeout_s=BUDGET_S))
    await echo(process)
    started = time.monotonic()
    with pytest.raises(ToolServerDown):
        await process.call(f"debug__{fault}", {}, timeout_s=BUDGET_S)
    with pytest.raises(ToolServerDown):
        await pending
    assert time.monotonic() - started < 1.0
    assert (await echo(process, "again")).envelope["data"] == "again"
    assert process.state.generation == 2
    assert first is not None and not is_alive(first)
    assert process.state.pid is not None and is_alive(process.state.pid)


@pytest.mark.case("C045")
async def test_a_death_without_a_call_is_noticed(process: McpProcess) -> None:
    pid = process.state.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await until(lambda: process.state.generation == 2)
    assert "exit code -9" in process.state.last_error
    assert (await echo(process)).envelope["data"] == "hello"


@pytest.mark.case("C045")
async def test_a_child_that_hangs_is_replaced_after_a_call_without_an_answer(make_process: MakeProcess) -> None:
    process = make_process(pulse_answer_s=0.3)
    await process.start()
    first = process.state.pid
    assert first is not None
    pending = asyncio.create_task(process.call("debug__stall", {}, timeout_s=BUDGET_S))
    await echo(process)
    with pytest.raises(ToolTimeout):
        await process.call("debug__hang", {}, timeout_s=0.2)
    with pytest.raises(ToolServerDown):
        await pending
    assert (await echo(process, "again")).envelope["data"] == "again"
    assert (process.state.generation, is_alive(first)) == (2, False)
    assert process.state.last_error == "it gave no sign of life for 0.3 s"


async def test_a_child_that_hangs_without_a_call_is_noticed(make_process: MakeProcess) -> None:
    process = make_process(pulse_every_s=0.1, pulse_answer_s=0.3)
    await process.start()
    pid = process.state.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    await until(lambda: process.state.generation == 2)
    assert not is_alive(pid)


async def test_a_slow_call_is_no_reason_to_replace_the_child(make_process: MakeProcess) -> None:
    process = make_process(pulse_every_s=0.05, pulse_answer_s=2.0)
    await process.start()
    with pytest.raises(ToolTimeout):
        await process.call("debug__stall", {}, timeout_s=0.1)
    await process.call("debug__sleep", {"milliseconds": 500}, timeout_s=BUDGET_S)
    assert process.state.generation == 1


async def test_each_change_of_state_is_told(make_process: MakeProcess) -> None:
    words: list[str] = []
    process = make_process(on_state=lambda: words.append(process.state.word))
    await process.start()
    with pytest.raises(ToolServerDown):
        await process.call("debug__die", {}, timeout_s=BUDGET_S)
    await echo(process)
    await process.stop()
    assert [*dict.fromkeys(words)] == ["ready", "restarting", "stopped"]
    assert time.time() - process.state.since < BUDGET_S


async def test_a_call_during_a_restart_gives_up_when_its_budget_ends(process: McpProcess) -> None:
    with pytest.raises(ToolServerDown):
        await process.call("debug__die", {}, timeout_s=BUDGET_S)
    started = time.monotonic()
    with pytest.raises(ToolServerDown, match="restarting"):
        await process.call("debug__echo", {"text": "x"}, timeout_s=0.05)
    assert time.monotonic() - started < 0.5


async def test_a_server_that_can_not_start_says_why_at_once(make_process: MakeProcess) -> None:
    process = make_process(fake_exit=1)
    with pytest.raises(ToolServerDown, match="ImportError: no module named nonsense"):
        await process.start()
    assert process.state.word == "failing"
    with pytest.raises(ToolServerDown, match="failing"):
        await process.call("debug__echo", {}, timeout_s=BUDGET_S)


async def test_a_server_that_never_answers_is_given_up(make_process: MakeProcess) -> None:
    process = make_process(fake_silent=1, start_timeout_s=0.5)
    with pytest.raises(ToolServerDown, match=r"no answer within 0\.5 s"):
        await process.start()


async def test_a_missing_program_says_so() -> None:
    process = McpProcess(["/nonexistent/program"], {})
    with pytest.raises(ToolServerDown, match="No such file"):
        await process.start()
    await process.stop()


@pytest.mark.case("C046")
async def test_junk_between_two_answers_is_survived(process: McpProcess) -> None:
    for junk in (b"a line\n", b"Loading 50%", b"\xff\xfe\n", b"\xff", b'{"a":1}\n', b"\n\n"):
        result = await process.call("debug__junk", {"text": junk.hex()}, timeout_s=BUDGET_S)
        assert result.envelope["outcome"] == "data"
    assert process.state.generation == 1


@pytest.mark.case("C046")
@pytest.mark.parametrize("banner", ["Server running\n", "Server running", "one\ntwo\nthree"])
async def test_junk_before_the_handshake_is_survived(make_process: MakeProcess, banner: str) -> None:
    process = make_process(fake_banner=banner)
    await process.start()
    assert (await echo(process)).envelope["data"] == "hello"
    assert process.state.generation == 1


@pytest.mark.case("C047")
async def test_long_answers_pass(process: McpProcess) -> None:
    for size in (65_300, 65_400, 70_000, 5_000_000):
        result = await process.call("debug__big", {"size": size}, timeout_s=BUDGET_S)
        assert result.envelope["data"] == "ä" * (size // 2)


@pytest.mark.case("C047")
async def test_an_answer_of_40_mb_ends_only_its_own_call(process: McpProcess) -> None:
    beside = asyncio.create_task(process.call("debug__sleep", {"milliseconds": 1500}, timeout_s=BUDGET_S))
    with pytest.raises(ToolResultTooLarge, match="more than can be carried"):
        await process.call("debug__big", {"size": 40_000_000}, timeout_s=BUDGET_S)
    assert (await beside).envelope["outcome"] == "data"
    assert (await echo(process)).envelope["data"] == "hello"
    assert process.state.generation == 1


@pytest.mark.case("C048")
async def test_cancelled_calls_disturb_no_other(process: McpProcess) -> None:
    chance = random.Random(48)
    long_call = asyncio.create_task(process.call("debug__sleep", {"milliseconds": 1000}, timeout_s=BUDGET_S))

    async def cancelled_call() -> str:
        duration = chance.randint(5, 50)
        call = asyncio.create_task(process.call("debug__sleep", {"milliseconds": duration}, timeout_s=BUDGET_S))
        await asyncio.sleep(max(0.0, duration / 1000 + chance.uniform(-0.01, 0.005)))
        call.cancel()
        await asyncio.wait([call])
        return "cancelled" if call.cancelled() else call.result().envelope["outcome"]

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(cancelled_call()) for _ in range(200)]
    outcomes = [task.result() for task in tasks]
    assert set(outcomes) <= {"cancelled", "data"} and "cancelled" in outcomes
    assert (await long_call).envelope["outcome"] == "data"
    assert process.state.generation == 1


async def test_cancelling_the_caller_cancels_the_call_in_the_child(process: McpProcess, tmp_path: Path) -> None:
    mark = tmp_path / "cancelled"
    call = asyncio.create_task(process.call("debug__stall", {"text": str(mark)}, timeout_s=BUDGET_S))
    await echo(process)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await until(mark.exists)


async def test_a_call_over_its_budget_is_ended_in_the_child_too(process: McpProcess, tmp_path: Path) -> None:
    mark = tmp_path / "cancelled"
    with pytest.raises(ToolTimeout, match=r"no result within 0\.2 s"):
        await process.call("debug__stall", {"text": str(mark)}, timeout_s=0.2)
    await until(mark.exists)
    assert (await echo(process)).envelope["data"] == "hello"


async def test_arguments_that_are_no_json_end_only_their_own_call(process: McpProcess) -> None:
    for value in ("\ud800", float("nan"), {1, 2}):
        with pytest.raises(ToolCallFailed, match="can't be written as JSON"):
            await process.call("debug__echo", {"text": value}, timeout_s=BUDGET_S)
    assert (await echo(process)).envelope["data"] == "hello"


async def test_a_result_without_an_envelope_is_an_error(process: McpProcess) -> None:
    with pytest.raises(ToolCallFailed, match="no envelope"):
        await process.call("debug__bare", {}, timeout_s=BUDGET_S)


async def test_a_spooled_result_is_read_and_deleted(process: McpProcess, tmp_path: Path) -> None:
    result = await process.call("debug__spool", {"size": 300_000}, timeout_s=BUDGET_S)
    assert result.envelope == {"outcome": "data", "data": "x" * 300_000}
    assert result.bytes > 300_000
    assert "burp/spooled" not in result.meta and result.meta["burp/fetched_at"] == "2026-11-30T12:00:00Z"
    assert list((tmp_path / "spool").iterdir()) == []


async def test_a_spooled_result_outside_the_folder_is_refused_and_kept(process: McpProcess, tmp_path: Path) -> None:
    with pytest.raises(ToolCallFailed, match="does not lie in the spool folder"):
        await process.call("debug__spool", {"size": 10, "text": "../outside.json"}, timeout_s=BUDGET_S)
    assert (tmp_path / "outside.json").exists()


async def test_the_child_sees_no_secret(make_process: MakeProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "BURP_SECRET_KEY", "OPENAI_API_KEY", "DATABASE_URL"):
        monkeypatch.setenv(name, "marker-5d1f")
    monkeypatch.setenv("NCBI_API_KEY", "for-ncbi")
    process = make_process()
    await process.start()
    seen = (await process.call("debug__environment", {}, timeout_s=BUDGET_S)).envelope["data"]
    assert "marker-5d1f" not in seen.values()
    assert seen["NCBI_API_KEY"] == "for-ncbi" and "PATH" in seen


async def test_a_changed_tool_list_is_announced(make_process: MakeProcess) -> None:
    heard = asyncio.Event()

    async def on_change() -> None:
        heard.set()

    process = make_process(on_change=on_change)
    await process.start()
    before = Catalog.from_tools(await process.list_tools())
    await process.call("debug__change", {"text": "added"}, timeout_s=BUDGET_S)
    async with asyncio.timeout(5):
        await heard.wait()
    after = Catalog.from_tools(await process.list_tools())
    assert before.get("debug__added") is None and after.get("debug__added") is not None
    assert before.hash != after.hash


async def test_a_restart_is_announced_as_a_change(make_process: MakeProcess) -> None:
    heard = asyncio.Event()

    async def on_change() -> None:
        heard.set()

    process = make_process(on_change=on_change)
    await process.start()
    with pytest.raises(ToolServerDown):
        await process.call("debug__die", {}, timeout_s=BUDGET_S)
    async with asyncio.timeout(5):
        await heard.wait()


@pytest.mark.case("C060")
async def test_a_shuffled_list_gives_the_same_catalogue(process: McpProcess) -> None:
    catalogs = [Catalog.from_tools(await process.list_tools()) for _ in range(5)]
    assert len({catalog.hash for catalog in catalogs}) == 1
    assert all(repr(catalog) == repr(catalogs[0]) for catalog in catalogs)


@pytest.mark.case("C049")
async def test_twenty_restarts_leave_one_child(process: McpProcess) -> None:
    pids = []
    for _ in range(20):
        pids.append(process.state.pid)
        await process.stop()
        await process.start()
    assert not any(is_alive(pid) for pid in pids if pid is not None)
    assert process.state.pid is not None and is_alive(process.state.pid)


@pytest.mark.case("C049")
async def test_a_child_that_ignores_all_polite_requests_is_killed(make_process: MakeProcess) -> None:
    process = make_process(fake_stubborn=1)
    await process.start()
    pid = process.state.pid
    assert pid is not None
    started = time.monotonic()
    await process.stop()
    assert time.monotonic() - started < 6.0
    assert not is_alive(pid)


PARENT = """
import asyncio, sys
from pathlib import Path
from tools_catalog.mcp_process import McpProcess

async def main():
    process = McpProcess(sys.argv[1:], {"PATH": "/usr/bin"})
    await process.start()
    call = asyncio.create_task(process.call("debug__stall", {}, timeout_s=60))
    await process.call("debug__echo", {}, timeout_s=60)
    print(process.state.pid, flush=True)
    if LEAVE:
        call.cancel()
        return
    await call

asyncio.run(main())
"""


@pytest.mark.case("C049")
@pytest.mark.parametrize("way", ["killed", "left"])
async def test_the_child_does_not_outlive_its_parent(fake_command: list[str], way: str) -> None:
    script = PARENT.replace("LEAVE", str(way == "left"))
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, *fake_command, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    pid = int(await parent.stdout.readline())
    if way == "killed":
        parent.kill()
    await parent.wait()
    await until(lambda: not is_alive(pid))


async def test_stop_during_a_call_ends_it(process: McpProcess) -> None:
    call = asyncio.create_task(process.call("debug__stall", {}, timeout_s=BUDGET_S))
    await echo(process)
    await process.stop()
    with pytest.raises(ToolCallError):
        await call


async def test_nothing_is_left_unclosed(make_process: MakeProcess) -> None:
    process = make_process()
    await process.start()
    await echo(process)
    await process.stop()
    gc.collect()
    others = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert others == []


async def test_the_loop_never_stalls_while_big_results_arrive(process: McpProcess) -> None:
    longest = 0.0

    async def tick() -> None:
        nonlocal longest
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            longest = max(longest, time.monotonic() - before)

    ticking = asyncio.create_task(tick())
    for _ in range(3):
        await process.call("debug__spool", {"size": 250_000}, timeout_s=BUDGET_S)
        with pytest.raises(ToolCallFailed):
            await process.call("debug__big", {"size": 40_000_000}, timeout_s=BUDGET_S)
    ticking.cancel()
    await asyncio.wait([ticking])
    assert longest < 0.5


async def test_stop_does_not_wait_for_a_child_that_never_answers() -> None:
    process = McpProcess([sys.executable, "-c", "import sys; sys.stdin.read()"], {}, label="dumb")
    starting = asyncio.create_task(process.start())
    await until(lambda: process._pipe is not None and process._pipe.pid is not None)
    assert process._pipe is not None and (pid := process._pipe.pid) is not None
    async with asyncio.timeout(BUDGET_S / 2):
        await process.stop()
    assert not is_alive(pid)
    with pytest.raises(ToolServerDown, match="dumb is stopped"):
        await starting
