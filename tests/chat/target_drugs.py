"""The question "What drugs target EGFR" as a model that goes straight for it plays it, on the strict Messages API.

The model is scripted: what it calls is fixed. What it must read before it can answer is not, and that is what counts.
"""

from dataclasses import dataclass
from typing import Any

from chat.models import Session
from evals.strict_messages import Reply, StrictMessages, Text, ToolUse
from tests.chat.claude_sessions import ask

Json = Any
QUESTION = "What drugs target EGFR?"
ENSEMBL_ID = "ENSG00000146648"
SCRIPT = (
    Reply(
        ToolUse("ensembl__lookup_gene", {"gene_symbol": "EGFR"}),
        ToolUse("search_available_tools", {"query": "drugs against a target"}),
    ),
    Reply(ToolUse("opentargets__get_target_drugs", {"ensembl_id": ENSEMBL_ID, "limit": 200})),
    Reply(Text("Osimertinib (CHEMBL3353410), gefitinib (CHEMBL939) and erlotinib (CHEMBL553), among others.")),
)


@dataclass(frozen=True)
class Cost:
    """What a question took: model calls, and the tokens of all their prompts, cached or not."""

    events: list[dict[str, Json]]
    rounds: int
    input_tokens: int


async def played(session: Session, server: StrictMessages) -> Cost:
    """Ask the question and return what it took."""
    server.script(*SCRIPT)
    events = await ask(session, QUESTION)
    calls = [event["tokens"] for event in events if event["type"] == "usage"]
    names = ("input", "cache_read", "cache_write_5m", "cache_write_1h")
    return Cost(events, len(calls), sum(tokens.get(name, 0) for tokens in calls for name in names))
