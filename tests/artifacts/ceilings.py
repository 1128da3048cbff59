"""How much a model reads of each tool's recorded results: `python -m tests.artifacts.ceilings` writes the table.

A ceiling is the largest result that the repository's records bring, as the model reads it. Whoever raises one does it
on purpose, in a line that shows.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from artifacts.config import ArtifactLimits
from artifacts.jq import JqEngine
from artifacts.pipeline import reduce
from artifacts.tokens import tokens
from chat.ports import RawToolResult, Shrunk
from chat.providers.base import ToolCall
from chat.results import compact, done
from tests.recorded_results import Recorded, of_records, policies

CEILINGS = Path(__file__).with_name("ceilings.json")
ARTIFACT_ID = "0a1b2c3d-0000-4000-8000-000000000000"
FETCHED_AT = "2026-11-30T12:00:00Z"


@dataclass(frozen=True)
class Read:
    """The tokens of one result, whole and as the model reads it with all that stands around it."""

    tool: str
    how: str
    before: int
    after: int


def measured(results: Iterable[Recorded], jq: JqEngine) -> Iterator[Read]:
    """Send results through the pipeline as a turn does."""
    limits = ArtifactLimits()
    for one in results:
        content = dict(one.envelope.content)
        envelope = content if "outcome" in content else {"outcome": "data", "data": one.data}
        small = reduce(
            one.data, noise=policies()[one.tool].noise, limits=limits, store=lambda content: ARTIFACT_ID, jq=jq
        )
        shrunk = Shrunk(small.how, small.text, 0, 0, small.artifact_id, small.warning)
        raw = RawToolResult(envelope, {"burp/fetched_at": FETCHED_AT})
        text = done(ToolCall("call", one.tool, {}), 1, raw, shrunk, 0.0).result.text
        yield Read(one.tool, small.how, tokens(compact(one.data)), tokens(text))


def main() -> None:
    """Write the table anew."""
    engine = JqEngine(ArtifactLimits().jq_memory_mb)
    largest: dict[str, int] = {}
    for one in measured(of_records(), engine):
        largest[one.tool] = max(one.after, largest.get(one.tool, 0))
    engine.close()
    CEILINGS.write_text(json.dumps(largest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(largest)} tools, the largest {max(largest.values()):,} tokens\n")


if __name__ == "__main__":
    main()
