"""Tool calls of a session, through the child process: whose they are, and how their failures are named."""

import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from chat.adapters import ServerGateway
from chat.ports import ToolFailed
from mcp_server.codes import ToolCode
from tests.mcp_server.servers import DEBUG, ROOT
from tools_catalog.environment import child_environment
from tools_catalog.mcp_process import McpProcess

BUDGET_S = 10.0


@pytest.fixture
async def process(tmp_path: Path) -> AsyncIterator[McpProcess]:
    """The real child, with tools that misbehave."""
    child = McpProcess(
        [sys.executable, "-m", DEBUG], child_environment(os.environ, PYTHONPATH=str(ROOT)), tmp_path / "spool", cwd=ROOT
    )
    await child.start()
    yield child
    await child.stop()


async def conversation(process: McpProcess, session_id: object) -> str:
    gateway = ServerGateway(process, session_id=session_id)  # type: ignore[arg-type]
    raw = await gateway.call("debug_conversation", {}, timeout_s=BUDGET_S, on_progress=lambda message: None)
    assert raw.envelope["outcome"] == "data"
    return str(raw.envelope["data"]["conversation"])


async def test_sessions_that_share_a_child_are_conversations_of_their_own(process: McpProcess) -> None:
    first, second = uuid4(), uuid4()
    seen = [await conversation(process, session) for session in (first, second, first)]
    assert seen[0] == seen[2] != seen[1]
    assert str(first) in seen[0]


async def test_a_large_result_comes_whole_and_a_huge_one_says_that_it_is_too_large(process: McpProcess) -> None:
    gateway = ServerGateway(process, session_id=uuid4())

    async def text(size: int) -> object:
        raw = await gateway.call("debug__get_text", {"size": size}, timeout_s=30, on_progress=lambda message: None)
        data = raw.envelope["data"]
        # A large one is handed on as it lies in its file.
        return json.loads(data) if isinstance(data, bytes) else data

    assert await text(5_000_000) == "ä" * 2_500_000
    with pytest.raises(ToolFailed) as failed:
        await text(70_000_000)
    assert failed.value.code == ToolCode.TOOL_RESULT_TOO_LARGE
    assert await text(10) == "ä" * 5


async def test_a_call_that_takes_too_long_and_a_child_that_is_gone_have_codes(process: McpProcess) -> None:
    gateway = ServerGateway(process, session_id=uuid4())
    with pytest.raises(ToolFailed) as late:
        await gateway.call("debug__run_sleep", {"milliseconds": 5_000}, timeout_s=0.2, on_progress=lambda message: None)
    assert late.value.code == ToolCode.TOOL_TIMEOUT
    await process.stop()
    with pytest.raises(ToolFailed) as down:
        await gateway.call("debug__get_text", {"size": 1}, timeout_s=1, on_progress=lambda message: None)
    assert down.value.code == ToolCode.TOOL_SERVER_DOWN
