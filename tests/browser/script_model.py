"""A model that plays a scene by the first word of the question, and waits where a test closed a gate.

A gate is a file in the data folder: the model goes on when the test has made it.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from chat.config import ModelRow, Service
from chat.providers.base import ModelRequest, UserEntry
from chat.providers.scripted import Fail, Hold, Reply, ScriptedProvider, Step, call
from mcp_server.codes import TurnOutcome

LOOK_S = 0.03
TABLE_ROWS = 60

HOSTILE = """\
<img src=x onerror=alert(1)> <svg/onload=alert(1)> <iframe srcdoc="<script>alert(1)</script>"></iframe>
[click](javascript:alert(1)) ![beacon](https://tracker.example/pixel.png) <script>alert(1)</script>

`<script>alert(1)</script>`
"""

CITED = """\
## Finding

HER2 is the product of **ERBB2** (ENSG00000141736). The variant c.1799T>A belongs to another gene, and
one paper is made up (PMID: 99999999).

| Database | Record |
|---|---|
| Ensembl | ENSG00000141736 |
"""


def long_answer() -> str:
    """Return an answer with a long wide table."""
    rows = "\n".join(
        f"| NCT0{1000000 + n} | A trial with a rather long official title, number {n} | Phase {n % 4 + 1} "
        f"| Recruiting | HER2-positive breast cancer | lapatinib, capecitabine |"
        for n in range(TABLE_ROWS)
    )
    head = "| Trial | Title | Phase | Status | Condition | Intervention |\n|---|---|---|---|---|---|\n"
    text = "\n\n".join(
        f"Paragraph {n} says something of some length about ERBB2 and its inhibitors." for n in range(12)
    )
    return f'# Trials\n\n{head}{rows}\n\n{text}\n\n```json\n{{"wide": "{"x" * 200}"}}\n```\n'


def scene(question: str) -> list[Step]:
    """Return what the model does for a question."""
    look_up = Reply(
        "First the gene.", calls=[call("ensembl__lookup_gene", gene_symbol="HER2")], reasoning="HER2 is ERBB2."
    )
    ending = Reply("the everyday name of ERBB2.")
    scenes: dict[str, Callable[[], list[Step]]] = {
        "Slow": lambda: [gate("go", "HER2 is "), ending],
        "Look": lambda: [look_up, gate("go", "HER2 is "), ending],
        "Story": lambda: [
            gate("thought", reasoning="HER2 is the product of ERBB2."),
            Reply("First the protein.", calls=[call("uniprot__get_protein", accession="P04626")]),
            gate("begun", "HER2 is "),
            gate("half", "the everyday name "),
            Reply("of **ERBB2**."),
        ],
        "Think": lambda: [gate("never", reasoning="HER2 is the product of ERBB2.")],
        "Search": lambda: [Reply(calls=[call("uniprot__get_protein", accession="P04626")])],
        "Cite": lambda: [look_up, Reply(CITED)],
        "Store": lambda: [
            Reply(calls=[call("opentargets__get_target_drugs", ensembl_id="ENSG00000141736", limit=200)]),
            ending,
        ],
        "Long": lambda: [Reply(long_answer())],
        "Grow": lambda: [
            gate("one", "\n\n".join(["A paragraph."] * 60)),
            gate("two", "\n\nAnother."),
            Reply("\n\nThe end."),
        ],
        "Hostile": lambda: [Reply(HOSTILE)],
        "Fail": lambda: [Fail(TurnOutcome.MODEL_BAD_REQUEST)],
        "Busy": lambda: [Fail(TurnOutcome.MODEL_OVERLOADED, after="HER2 is ")],
        "Refuse": lambda: [Reply("As a first step", stop_reason="refusal")],
    }
    return scenes.get(question.partition(" ")[0], lambda: [Reply("HER2 is **ERBB2**.")])()


def gate(name: str, after: str = "", reasoning: str = "") -> Hold:
    """Think and say something, then wait until the test opens the gate."""
    return Hold(Gate(name), after=after, reasoning=reasoning)


class Gate(asyncio.Event):
    """An event that another process sets, by making a file."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._path = Path(os.environ["BURP_DATA_DIR"]) / "gates" / name

    async def wait(self) -> Literal[True]:
        """Wait for the file, and take it away."""
        while not self._path.exists():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await super().wait()
        self._path.unlink()
        return True


class SceneProvider(ScriptedProvider):
    """Takes its script from the question, at the first call."""

    def __init__(self) -> None:
        super().__init__([], name="scenes")

    def stream(self, request: ModelRequest):  # type: ignore[no-untyped-def]
        """Play the next step."""
        if not self.requests:
            asked = [entry for entry in request.entries if isinstance(entry, UserEntry)]
            self._steps = scene(asked[-1].text)
        return super().stream(request)


def create(row: ModelRow, service: Service) -> SceneProvider:
    """Return the provider of one turn."""
    return SceneProvider()
