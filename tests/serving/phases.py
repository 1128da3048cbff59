"""The moments of a turn at which somebody may stop it: how to get there, and what must be closed afterwards."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from evals.strict_messages import Break, Failure, Reply, StrictMessages, Text, Thinking, ToolUse, Unanswered
from evals.strict_messages.script import Step
from tests.serving.site import Following
from tests.serving.upstream import Upstream

ACCESSIONS = ("P04626", "P00533", "P42336")
# Longer than any test waits.
LATER_S = 50
Reached = Callable[[Following], None]


@dataclass(frozen=True)
class Phase:
    """One moment. `hanging` requests to databases are open at it; `shown` is the text that readers saw before it."""

    name: str
    steps: tuple[Step, ...]
    reached: Reached
    shown: str = ""
    answered: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    is_throttled: bool = False
    is_streaming: bool = True
    calls: int = 0
    model_calls: int = 1

    def __str__(self) -> str:
        return self.name


def calls(count: int) -> Reply:
    """Return a message of so many parallel calls."""
    return Reply(Text("I look."), *(ToolUse("uniprot__get_protein", {"accession": a}) for a in ACCESSIONS[:count]))


def seen(kind: str, count: int = 1) -> Reached:
    """Return what waits for events that readers see."""
    return lambda following: following.until_seen(kind, count)


def silent(*content: object, block: int | None, deltas: int = 1) -> Reply:
    """Return a message that falls silent in one of its blocks."""
    return Reply(*content, broken=Break("silence", block=block, deltas=deltas))  # type: ignore[arg-type]


LOOK_UP = ToolUse("uniprot__get_protein", {"accession": "P04626"})
PHASES = (
    Phase("before the first byte", (Unanswered("silence"),), seen("turn_started")),
    Phase("before the first event", (silent(Text("never"), block=None),), seen("turn_started")),
    Phase("in thinking", (silent(Thinking("HER2 is a gene."), Text("x"), block=0),), seen("reasoning")),
    Phase("in text", (silent(Text("HER2 is the name"), block=0),), seen("text"), shown="HER2 is "),
    Phase("in tool arguments", (silent(Text("I look."), LOOK_UP, block=1),), seen("text"), shown="I look."),
    Phase(
        "while three calls run and none is finished",
        (calls(3),),
        seen("tool_start", 3),
        shown="I look.",
        hanging=ACCESSIONS,
        is_streaming=False,
        calls=3,
    ),
    Phase(
        "while three calls run and one is finished",
        (calls(3),),
        seen("tool_end"),
        shown="I look.",
        answered=ACCESSIONS[:1],
        hanging=ACCESSIONS[1:],
        is_streaming=False,
        calls=3,
    ),
    Phase(
        "between the results of three calls",
        (calls(3),),
        seen("tool_end", 2),
        shown="I look.",
        answered=ACCESSIONS[:2],
        hanging=ACCESSIONS[2:],
        is_streaming=False,
        calls=3,
    ),
    Phase(
        "while a call waits for a rate limit",
        (Reply(Text("I look."), ToolUse("clinicaltrials__get_study", {"nct_id": "NCT00000001"})),),
        seen("tool_progress"),
        shown="I look.",
        is_throttled=True,
        is_streaming=False,
        calls=1,
    ),
    Phase(
        "while another attempt at the model is waited for",
        (Failure(529, "overloaded_error", headers={"retry-after": str(LATER_S)}),),
        seen("notice"),
        is_streaming=False,
    ),
)
BY_NAME = {phase.name: phase for phase in PHASES}


@dataclass
class World:
    """The two services that the site asks."""

    model: StrictMessages
    upstream: Upstream

    def enter(self, phase: Phase, ask: Callable[[], Following]) -> "Moment":
        """Bring a turn to a phase and return it."""
        requests, arrivals = len(self.model.requests), self.upstream.requests
        self.model.script(*phase.steps)
        for accession in phase.answered:
            self.upstream.answer(accession)
        for accession in phase.hanging:
            self.upstream.hang(accession)
        if phase.is_throttled:
            self.upstream.throttle(LATER_S)
        hung_up = self.upstream.hung_up
        following = ask()
        asyncio.run(self.model.request(requests))
        phase.reached(following)
        self.upstream.wait_for_requests(arrivals + len(phase.answered) + len(phase.hanging))
        return Moment(self, phase, following, requests, hung_up)


@dataclass
class Moment:
    """A turn at a phase: its request to the model has the number `request`."""

    world: World
    phase: Phase
    following: Following
    request: int
    hung_up: int

    def until_closed(self) -> None:
        """Wait until every connection that the turn had open is closed."""
        recorded = self.world.model.requests[self.request]
        assert recorded.ended.wait(5.0), f"{self.phase}: the model's stream is still open"
        if self.phase.is_streaming:
            assert recorded.client_closed_at is not None
        self.world.upstream.wait_for_hang_ups(self.hung_up + len(self.phase.hanging))
