"""What the loop itself costs a step, beside public frameworks: a scripted model and a tool that answer at once.

A step is one model call and one tool call. With the database on, each one is reserved, settled and stored, and its
events are logged for readers. The peers run in turns with ours, in an environment of their own.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async

from chat import services
from chat.bookings import TurnLedger, TurnTranscript
from chat.context import build_prefix
from chat.dispatch import Dispatcher, ToolFacts
from chat.event_log import EventLog
from chat.events import Event, ToolEnd, TurnEnd
from chat.lease import Lease
from chat.loop import Deps, Question, run_turn
from chat.models import Session
from chat.providers.base import ToolDefinition
from chat.providers.scripted import Reply, ScriptedProvider, call
from chat.stopping import StopSignal
from tests.benchmarks.report import Row
from tests.chat.loop_kit import Ledger, NoSystemTools, Shrinker, Tools, Transcript
from usage.services import local_user_get_or_create

SIZES = (30, 300)
RUNS = 5
EVENTS = 1_000
BOUND = "≤ 3 ms, below pydantic-ai"
CHILD = Path(__file__).with_name("loop_peers_child.py")
PEERS = {
    "pydantic-ai": "pydantic-ai-slim==2.68.0",
    "openai-agents": "openai-agents==0.24.0",
    "langgraph": "langgraph==1.2.24",
}
ALSO = ("langgraph-checkpoint-sqlite==3.1.2",)
SCHEMA = {"type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"]}
Json = Any
# Milliseconds a step by number of steps, for one way to run.
Found = dict[int, list[float]]


def _deps(steps: int, ledger: object, transcript: object) -> Deps:
    replies = [Reply(calls=[call("gene", symbol=f"G{number}")]) for number in range(steps)]
    prefix = build_prefix([ToolDefinition("gene", "Look up a gene.", SCHEMA)], model="scripted-1", effort="")
    dispatcher = Dispatcher(
        gateway=Tools(),
        system_tools=NoSystemTools(),
        shrinker=Shrinker(),
        tools={"gene": ToolFacts("Gene", "Ensembl", schema=SCHEMA)},
        timeout_s=5,
        max_parallel=4,
    )
    provider = ScriptedProvider([*replies, Reply("Done.")])
    return Deps(provider, prefix, dispatcher, ledger, transcript, StopSignal())  # type: ignore[arg-type]


def _question(steps: int, turn_id: str = "t") -> Question:
    return Question("s", turn_id, "q", "Scripted", "snapshot", 1000, steps + 4)


async def _in_memory(steps: int) -> float:
    deps = _deps(steps, Ledger(), Transcript())
    began = time.perf_counter()
    async for event in run_turn(_question(steps), deps):
        _must_be_sound(event, steps)
    return time.perf_counter() - began


def _must_be_sound(event: Event, steps: int) -> None:
    if isinstance(event, TurnEnd):
        assert (event.outcome, event.tool_calls) == ("completed", steps)
    if isinstance(event, ToolEnd):
        assert event.ok and not event.repeats


@dataclass
class Stored:
    """Turns of one session with everything stored. With `model_key` of a priced model money is reserved too."""

    session: Session
    model_key: str

    async def run(self, steps: int) -> float:
        """Play a turn; return its seconds."""
        session = self.session
        turn = await sync_to_async(services.turn_begin)(session_id=session.pk, owner_id=session.owner_id, question="q")
        scope = {"user_id": session.owner_id, "session_id": session.pk, "turn_id": turn.pk}
        lease = Lease(turn)
        transcript = TurnTranscript(lease)
        ledger = TurnLedger(transcript, **scope, model_key=self.model_key, provider="scripted")
        deps, log = _deps(steps, ledger, transcript), EventLog(lease)
        writing = asyncio.create_task(log.run_writer())
        began = time.perf_counter()
        async for event in run_turn(replace(_question(steps), turn_id=str(turn.pk)), deps):
            _must_be_sound(event, steps)
            if isinstance(event, TurnEnd):
                await log.close(event, answer="")
            else:
                log.add(event)
        seconds = time.perf_counter() - began
        writing.cancel()
        await asyncio.wait([writing])
        return seconds


async def _event_cost(session: Session) -> float:
    """Return the milliseconds that one logged and told event costs, when they come in bursts as a fast model's do."""
    turn = await sync_to_async(services.turn_begin)(session_id=session.pk, owner_id=session.owner_id, question="q")
    log = EventLog(Lease(turn))
    end = ToolEnd(step=1, call_id="c", tool="gene", ok=True, outcome="data", seconds=0.1, citations=[{}] * 5)
    began = time.perf_counter()
    for number in range(EVENTS):
        log.add(replace(end, seq=number + 1, call_id=f"c{number}"))
        if number % 20 == 19:
            await log.flush()
    milliseconds = (time.perf_counter() - began) / EVENTS * 1000
    await log.close(TurnEnd(seq=EVENTS + 1, outcome="completed", message=""), answer="")
    return milliseconds


async def _own() -> Mapping[str, Callable[[int], Awaitable[float]]]:
    user = await sync_to_async(local_user_get_or_create)()
    create = sync_to_async(services.session_create)
    free = await create(owner_id=user.pk, model="recipes", upstreams="snapshot")
    priced = await create(owner_id=user.pk, model="claude-haiku-5-5", upstreams="snapshot")
    return {
        "nothing stored": _in_memory,
        "with the database": Stored(free, "recipes").run,
        "with the database, of a model that costs money": Stored(priced, "claude-haiku-5-5").run,
    }


def _peer(python: Path, name: str) -> dict[str, dict[str, float]]:
    sizes = [str(size) for size in SIZES]
    done = subprocess.run([str(python), str(CHILD), name, *sizes], capture_output=True, text=True, check=True)
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


def _installed(folder: Path) -> Path | None:
    """Install the frameworks; return their Python, or None where that can't be done."""
    try:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        python = folder / "bin" / "python"
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run([*pip, *PEERS.values(), *ALSO], check=True, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.stderr.write(f"the frameworks can't be installed, so they are left out: {problem}\n")
        return None
    return python


async def _measured(python: Path | None) -> tuple[dict[str, Found], float]:
    found: dict[str, Found] = {}
    own = await _own()
    for round_ in range(RUNS):
        # Now in this order, now in that: what one leaves to be written back must not always fall on the next.
        for name, run in [*own.items()][:: -1 if round_ % 2 else 1]:
            await run(3)
            for size in SIZES:
                found.setdefault(name, {}).setdefault(size, []).append(await run(size) / size * 1000)
        for peer in PEERS if python else ():
            assert python is not None
            for kind, by_size in (await asyncio.to_thread(_peer, python, peer)).items():
                for size, milliseconds in by_size.items():
                    name = peer if kind == "bare" else f"{peer} with its own SQLite store"
                    found.setdefault(name, {}).setdefault(int(size), []).append(milliseconds)
    user = await sync_to_async(local_user_get_or_create)()
    session = await sync_to_async(services.session_create)(owner_id=user.pk, model="recipes", upstreams="snapshot")
    return found, await _event_cost(session)


def measure(folder: Path | None = None) -> list[Row]:
    """Run turns of 30 and 300 steps; with a folder to install them into, the peers as well."""
    found, event_ms = asyncio.run(_measured(_installed(folder) if folder else None))
    rows = []
    for name, by_size in found.items():
        short, long = (statistics.median(by_size[size]) for size in SIZES)
        is_bound = name == "with the database"
        who = "loop, " if name not in PEERS and "own SQLite" not in name else ""
        rows += [
            Row(
                f"{who}{PEERS.get(name, name)}: a step of 30",
                f"{short:.2f} ms",
                "≤ 3 ms, below pydantic-ai" if is_bound else "",
            ),
            Row("the same: a step of 300, slope", f"{long:.2f} ms, {long / short:.2f}", "≤ 1.5" if is_bound else ""),
        ]
    return [*rows, Row("event log: one event stored and told, in bursts of 20", f"{event_ms:.3f} ms", "")]
