"""The headline question over the offline snapshot: cold, and with the child already running."""

import asyncio
import time

from asgiref.sync import sync_to_async

from chat import services, turns
from chat.following import follow_turn
from chat.management.commands.demo import HEADLINE
from tests.benchmarks.report import Row
from tools_catalog.runtime import close_tool_servers
from usage.services import local_user_get_or_create

RUNS = 4


async def _turn(owner_id: int) -> tuple[float, int]:
    session = await sync_to_async(services.session_create)(owner_id=owner_id, model="recipes", upstreams="snapshot")
    began, calls = time.perf_counter(), 0
    turn_id = await turns.start_turn(session_id=session.pk, owner_id=owner_id, question=HEADLINE)
    async for event in follow_turn(turn_id):
        calls += event["type"] == "tool_end"
    return time.perf_counter() - began, calls


async def _all() -> tuple[list[float], int]:
    user = await sync_to_async(local_user_get_or_create)()
    try:
        runs = [await _turn(user.pk) for _ in range(RUNS)]
    finally:
        await turns.shutdown()
        await close_tool_servers()
    return [seconds for seconds, _ in runs], runs[0][1]


def measure() -> list[Row]:
    """Ask the headline question a few times in one process."""
    seconds, calls = asyncio.run(_all())
    return [
        Row(f"headline question, {calls} tool calls, first turn of a process", f"{seconds[0]:.2f} s", ""),
        Row("the same with the child running", f"{min(seconds[1:]):.2f}–{max(seconds[1:]):.2f} s", "< 5 s"),
    ]
