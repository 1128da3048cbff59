"""What the loop itself costs a tool call: a scripted model and a tool that answer at once."""

import asyncio
import statistics
import time
from dataclasses import replace

from asgiref.sync import sync_to_async

from chat import services
from chat.adapters import TurnLedger, TurnTranscript
from chat.context import build_prefix
from chat.dispatch import Dispatcher, ToolFacts
from chat.event_log import EventLog
from chat.events import TurnEnd
from chat.lease import Lease
from chat.loop import Deps, Question, run_turn
from chat.models import Session
from chat.providers.base import ToolDefinition
from chat.providers.scripted import Reply, ScriptedProvider, call
from chat.stopping import StopSignal
from tests.benchmarks.report import Row
from tests.chat.loop_kit import Ledger, NoSystemTools, Shrinker, Tools, Transcript
from usage.services import local_user_get_or_create

STEPS = 30
RUNS = 5


def _deps(ledger: object, transcript: object) -> Deps:
    provider = ScriptedProvider([*[Reply(calls=[call("gene", symbol="HER2")])] * STEPS, Reply("Done.")])
    prefix = build_prefix([ToolDefinition("gene", "A tool.", {"type": "object"})], model="scripted-1", effort="")
    dispatcher = Dispatcher(
        gateway=Tools(),
        system_tools=NoSystemTools(),
        shrinker=Shrinker(),
        tools={"gene": ToolFacts("Gene", "Ensembl")},
        timeout_s=5,
        max_parallel=4,
    )
    return Deps(provider, prefix, dispatcher, ledger, transcript, StopSignal())  # type: ignore[arg-type]


QUESTION = Question("s", "t", "q", "Scripted", "snapshot", 1000, STEPS + 2)


async def _in_memory() -> float:
    deps = _deps(Ledger(), Transcript())
    began = time.perf_counter()
    async for _ in run_turn(QUESTION, deps):
        pass
    return (time.perf_counter() - began) / STEPS


async def _with_database(session: Session) -> float:
    turn = await sync_to_async(services.turn_begin)(session_id=session.pk, owner_id=session.owner_id, question="q")
    scope = {"user_id": session.owner_id, "session_id": session.pk, "turn_id": turn.pk}
    ledger = TurnLedger(**scope, model_key="recipes", provider="scripted")
    lease = Lease(turn)
    deps, log = _deps(ledger, TurnTranscript(lease)), EventLog(lease)
    flushing = asyncio.create_task(log.run_writer())
    began = time.perf_counter()
    async for event in run_turn(replace(QUESTION, turn_id=str(turn.pk)), deps):
        if isinstance(event, TurnEnd):
            await log.close(event, answer="")
        else:
            log.add(event)
    seconds = (time.perf_counter() - began) / STEPS
    flushing.cancel()
    return seconds


async def _all() -> tuple[list[float], list[float]]:
    user = await sync_to_async(local_user_get_or_create)()
    session = await sync_to_async(services.session_create)(owner_id=user.pk, model="recipes", upstreams="snapshot")
    bare, stored = [], []
    for _ in range(RUNS):
        bare.append(await _in_memory())
        stored.append(await _with_database(session))
    return bare, stored


def measure() -> list[Row]:
    """Run turns of many steps, with and without a database."""
    bare, stored = asyncio.run(_all())
    return [
        Row(f"loop: one model call and one tool call, {STEPS} steps, nothing stored", _ms(bare), ""),
        Row("the same with transcript, ledger and event log in SQLite", _ms(stored), "< 5 ms"),
    ]


def _ms(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1000:.2f} ms"
