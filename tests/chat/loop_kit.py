"""What the loop's tests work with: a scripted model, tools in this process, and stores that keep what they get."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from chat.context import build_prefix
from chat.dispatch import Dispatcher, ToolFacts
from chat.events import Event, Notice, TurnEnd
from chat.loop import Deps, Question, run_turn
from chat.ports import Progress, RawToolResult, Shrunk, SpendRefused, SystemAnswer, ToolFailed
from chat.providers.base import Entry, Provider, ToolDefinition
from chat.providers.scripted import ScriptedProvider, Step
from chat.retry import RetryPolicy
from chat.spending import SpendRoom
from chat.stopping import StopSignal
from mcp_server.codes import TurnOutcome

Json = Any
GENE = {"outcome": "data", "data": {"id": "ENSG00000141736", "symbol": "ERBB2"}, "total": 1, "returned": 1}
GENE_META = {
    "burp/fetched_at": "2026-11-30T12:00:00Z",
    "burp/citations": [
        {
            "kind": "ensembl",
            "identifier": "ENSG00000141736",
            "label": "ERBB2",
            "url": "https://www.ensembl.org/id/ENSG00000141736",
        }
    ],
}


@dataclass
class Tools:
    """A tool server: `gene` answers (with `answers`, as long as they last), `slow` waits for `release`,
    `broken` fails as told."""

    answers: list[RawToolResult] = field(default_factory=list)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    broken: Exception = field(default_factory=lambda: ToolFailed("tool_server_down", "the child died"))
    running: int = 0
    most_running: int = 0
    calls: list[tuple[str, dict[str, Json]]] = field(default_factory=list)
    slow_down: Callable[[], None] = lambda: None

    async def call(
        self, name: str, arguments: dict[str, Json], *, timeout_s: float, on_progress: Progress
    ) -> RawToolResult:
        self.calls.append((name, arguments))
        self.slow_down()
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            if name == "slow":
                self.reached.set()
                on_progress("waiting for the rate limit")
                await self.release.wait()
            if name == "broken":
                raise self.broken
            return self.answers.pop(0) if self.answers else RawToolResult(GENE, GENE_META, bytes=64)
        finally:
            self.running -= 1


class Ledger:
    """Keeps what was reserved and settled; a token costs one pico-USD. `budget` is all that the turn may cost."""

    def __init__(self, refuse_at_step: int = 0, wait_at_step: int = 0, budget: int | None = None) -> None:
        self.budget = budget
        self.open: dict[str, int] = {}
        self.settled: list[tuple[int, str, bool]] = []
        self.released: list[str] = []
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()
        self._refuse_at_step = refuse_at_step
        self._wait_at_step = wait_at_step

    async def room(self, worst_case: Any) -> SpendRoom | None:
        if self.budget is None:
            return None
        left = max(0, self.budget - sum(cost for cost, *_ in self.settled))
        return SpendRoom(left, worst_case.input, 1, TurnOutcome.BUDGET_TURN)

    async def reserve(self, step: int, worst_case: Any) -> str:
        if step == self._wait_at_step:
            self.reached.set()
            await self.go_on.wait()
        if step == self._refuse_at_step:
            raise SpendRefused(TurnOutcome.BUDGET_TURN, "the turn's budget is used up")
        room = await self.room(worst_case)
        if room is not None and worst_case.input + worst_case.output > room.left_pico_usd:
            raise SpendRefused(TurnOutcome.BUDGET_TURN, "the turn's budget is used up")
        self.open[str(step)] = worst_case.input + worst_case.output
        return str(step)

    async def settle(self, reservation: str, usage: Any, outcome: str, *, estimated: bool) -> int:
        del self.open[reservation]
        cost: int = usage.input + usage.output
        self.settled.append((cost, outcome, estimated))
        return cost

    async def release(self, reservation: str) -> None:
        del self.open[reservation]
        self.released.append(reservation)


@dataclass
class Transcript:
    """Keeps the entries."""

    entries: list[Entry] = field(default_factory=list)

    def append(self, entry: Entry) -> None:
        self.entries.append(entry)

    async def flush(self) -> None:
        pass


class Shrinker:
    """Passes everything through."""

    async def shrink(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        text = json.dumps(data, separators=(",", ":"))
        return Shrunk("inline", text, len(text), len(text))

    async def store(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        return Shrunk("stored", f"a preview of {tool}", len(json.dumps(data)), 20, artifact_id=f"artifact of {tool}")


class NoSystemTools:
    """No tools of BURP's own."""

    def __contains__(self, name: str) -> bool:
        return False

    async def call(self, name: str, arguments: dict[str, Json]) -> SystemAnswer:
        raise AssertionError(name)


class Clock:
    """A clock that only waiting moves, and a signal whose pauses take no time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def stop_signal(self) -> StopSignal:
        """Return a signal that pauses on this clock."""
        clock = self

        class Patient(StopSignal):
            async def pause(self, seconds: float) -> None:
                clock.pauses.append(seconds)
                clock.now += seconds
                self.check()

        return Patient()


@dataclass
class Run:
    """A turn with its surroundings; `play` runs it to its end."""

    provider: Any
    tools: Tools
    ledger: Ledger
    transcript: Transcript
    stop: StopSignal
    events: list[Event] = field(default_factory=list)
    history: tuple[Entry, ...] = ()
    notices: tuple[Notice, ...] = ()
    max_iterations: int = 8
    max_parallel: int = 4
    model: str = "scripted-1"
    facts: ToolFacts = ToolFacts("A tool", "Ensembl")
    shrinker: Any = field(default_factory=Shrinker)
    tool_timeout_s: float = 5.0
    step_max_tokens: int = 24_000
    retry: RetryPolicy = RetryPolicy(jitter=lambda: 0.5)
    clock: Callable[[], float] = time.monotonic
    timeout_s: float = 900.0
    context_window: int = 1_000_000
    max_output_tokens: int = 1000

    @classmethod
    def of(cls, *steps: Step, **settings: Any) -> "Run":
        """Prepare a turn whose model plays `steps`."""
        ledger = settings.pop("ledger", None) or Ledger()
        stop = settings.pop("stop", None) or StopSignal()
        return cls(ScriptedProvider(steps), Tools(), ledger, Transcript(), stop, **settings)

    @classmethod
    def with_provider(cls, provider: Provider, **settings: Any) -> "Run":
        """Prepare a turn of any provider."""
        stop = settings.pop("stop", None) or StopSignal()
        return cls(provider, Tools(), Ledger(), Transcript(), stop, **settings)

    async def play(self, question: str = "What is HER2?") -> TurnEnd:
        """Run the turn and return its last event."""
        names = ("gene", "slow", "broken")
        definitions = [ToolDefinition(name, f"Tool {name}.", {"type": "object"}) for name in names]
        prefix = build_prefix(definitions, model=self.model, effort="")
        dispatcher = Dispatcher(
            gateway=self.tools,
            system_tools=NoSystemTools(),
            shrinker=self.shrinker,
            tools=dict.fromkeys(names, self.facts),
            timeout_s=self.tool_timeout_s,
            max_parallel=self.max_parallel,
            step_max_tokens=self.step_max_tokens,
        )
        asked = Question(
            "s", "t", question, "Scripted", "snapshot", self.max_output_tokens, self.max_iterations, self.history,
            self.notices,
            timeout_s=self.timeout_s, context_window=self.context_window,
        )  # fmt: skip
        deps = Deps(
            self.provider, prefix, dispatcher, self.ledger, self.transcript, self.stop, self.retry, clock=self.clock
        )
        async for event in run_turn(asked, deps):
            self.events.append(event)
        assert isinstance(self.events[-1], TurnEnd)
        return self.events[-1]

    async def play_and(self, when: asyncio.Event, act: Callable[[], None]) -> TurnEnd:
        """Run the turn; as soon as `when` is set, do `act`."""

        async def watch() -> None:
            await when.wait()
            act()

        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            group.create_task(watch())
            playing = group.create_task(self.play())
        return playing.result()

    def of_type(self, kind: type[Event]) -> list[Any]:
        """Return the events of one type."""
        return [event for event in self.events if isinstance(event, kind)]


def kinds(entries: Iterable[Entry]) -> list[str]:
    """Return the kinds of entries in short."""
    return [type(entry).__name__.removesuffix("Entry") for entry in entries]
