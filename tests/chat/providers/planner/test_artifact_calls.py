"""Results that lie in an artifact lead to the same answer as results that are read whole."""

import json
from typing import Any

import jq
import pytest

from chat.providers.base import ToolCall, ToolResult
from chat.providers.planner.artifact_calls import INSPECT
from chat.providers.planner.results import body_of
from tests.chat.providers.planner.driver import Snapshot, envelope_text, run
from tests.chat.providers.planner.test_questions import PATHWAYS, VARIANT
from tests.chat.providers.planner.test_target_drugs import QUESTION

Json = Any
READ_WHOLE_MAX_BYTES = 2000


class Storing:
    """The snapshot's tools, but what is large is stored, and read with jq as the loop's own tool does."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.stored: dict[str, Json] = {}

    async def ask(self, call: ToolCall) -> tuple[ToolResult, list[dict[str, Json]]]:
        """Answer from the artifacts, or store what the snapshot's tool answers."""
        if call.name == INSPECT:
            data = self.stored[call.arguments["artifact_id"]]
            text = json.dumps(jq.compile(call.arguments["filters"][0]).input_value(data).first())
            return ToolResult(call.id, call.name, envelope_text({"outcome": "data", "data": text})), []
        result, citations = await self._snapshot.ask(call)
        envelope = json.loads(body_of(result))
        if len(result.text) < READ_WHOLE_MAX_BYTES or envelope.get("data") is None:
            return result, citations
        name = f"artifact-{len(self.stored)}"
        self.stored[name] = envelope.pop("data")
        stamp = result.text.partition("]")[0].removeprefix("[fetched_at: ")
        text = envelope_text({**envelope, "artifact_id": name, "preview": "…"}, stamp)
        return ToolResult(call.id, call.name, text), citations


@pytest.mark.parametrize("question", [QUESTION, VARIANT, PATHWAYS], ids=["target_drugs", "variant", "pathways"])
async def test_stored_results_give_the_same_answer(question: str, snapshot: Snapshot) -> None:
    storing = Storing(snapshot)
    whole = await run(question, snapshot)
    stored = await run(question, storing)
    assert storing.stored
    assert stored.answer == whole.answer
