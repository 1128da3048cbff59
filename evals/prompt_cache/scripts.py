"""What is asked, and what the tools answer: the same whichever model is asked, and where.

The sizes of results are those of real turns over public databases: half of them below 1 kB, a tenth
above 9 kB.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice

from chat.providers.base import ToolCall, ToolResult
from evals.strict_messages import Reply, Text, Thinking, ToolUse

TOOL = "ensembl__lookup_gene"
GENES = ("ERBB2", "EGFR", "KRAS", "TP53", "BRCA1", "BRCA2", "CYP2D6", "DPYD", "ALK", "MET", "BRAF", "PIK3CA")
RESULT_BYTES = (508, 1012, 246, 9275, 1012, 5400, 700, 3740, 1012, 14000, 300)

# For each step of a turn, the sizes of the results of its calls.
Turn = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Script:
    """A conversation: for each turn its steps, each a message that calls tools; an answer ends the turn."""

    name: str
    turns: tuple[Turn, ...]

    @property
    def model_calls(self) -> int:
        """How often the model is asked."""
        return sum(len(turn) + 1 for turn in self.turns)

    @property
    def most_calls(self) -> int:
        """How many calls its widest step has."""
        return max(len(sizes) for turn in self.turns for sizes in turn)


def one_call_a_step(steps: int) -> Script:
    """Return a turn that looks one thing up after the other."""
    sizes = islice(cycle(RESULT_BYTES), steps)
    return Script(f"{steps} steps of one call", (tuple((size,) for size in sizes),))


def twelve_calls_a_step(steps: int) -> Script:
    """Return a turn whose steps are longer than the 20 blocks that a cache lookup goes back."""
    sizes = tuple(islice(cycle(RESULT_BYTES), 12))
    return Script(f"{steps} steps of 12 calls", ((sizes,) * steps,))


def several_questions(turns: int) -> Script:
    """Return a conversation of short turns."""
    return Script(f"{turns} questions", (((1012, 508), (3740,)),) * turns)


def question(turn: Turn, number: int) -> str:
    """Return what makes a real model do about what the script says."""
    steps = " ".join(
        f"Step {n}: {'one call' if len(sizes) == 1 else f'{len(sizes)} calls in one message'}, "
        f"for {', '.join(_genes(n, len(sizes)))}."
        for n, sizes in enumerate(turn, start=1)
    )
    return (
        f"Question {number}. This checks how calls are carried, so the records don't matter. Call {TOOL} and no other "
        f"tool. Take one step after the other: make the calls of a step, all of them in one message, wait for their "
        f"results, and only then make the next. {steps} Then say in one sentence which genes you looked up."
    )


def replies(script: Script) -> Iterator[Reply]:
    """Yield what the simulator answers."""
    for number, turn in enumerate(script.turns, start=1):
        for n, sizes in enumerate(turn, start=1):
            thought = f"Question {number}, step {n}: the records of {', '.join(_genes(n, len(sizes)))} are next."
            yield Reply(Thinking(thought), *(ToolUse(TOOL, {"gene_symbol": g}) for g in _genes(n, len(sizes))))
        yield Reply(Thinking("All are there."), Text(f"Looked up for question {number}: {', '.join(GENES)}. " * 4))


def result(call: ToolCall, size: int) -> ToolResult:
    """Return a tool's answer of about so many bytes."""
    head = f'[fetched_at: 2026-11-30T12:00:00Z]\n{{"outcome":"data","total":1,"data":{{"asked":"{call.id}","xrefs":['
    rows = (f'{{"id":"ENSG{n:011d}","start":{n * 7919},"biotype":"protein_coding"}},' for n in range(size))
    text = head
    while len(text) < size:
        text += next(rows)
    return ToolResult(call.id, call.name, f"{text.rstrip(',')}]}}}}")


def _genes(step: int, number: int) -> list[str]:
    return [GENES[(step * number + n) % len(GENES)] for n in range(number)]
