"""A strict stand-in for the Responses API on loopback: it refuses what the real one refuses.

    def test_something(strict_responses):
        strict_responses.script(Reply(Reasoning("…"), FunctionCall("think", {"thought": "…"})), Reply(Text("Done.")))
        ... point the product at strict_responses.base_url ...
        assert [request.status for request in strict_responses.requests] == [200, 200]

A request that breaks a rule gets the real error's shape and uses up no reply. It stores nothing between requests but
what a real service could tell from its own signatures.
"""

from evals.loopback.faults import Break, Failure, Unanswered
from tests.strict_responses.models import ModelRules
from tests.strict_responses.script import (
    Failed,
    FunctionCall,
    Reasoning,
    Refusal,
    Reply,
    Text,
    ToolSearch,
    Unknown,
)
from tests.strict_responses.server import StrictResponses

__all__ = [
    "Break",
    "Failed",
    "Failure",
    "FunctionCall",
    "ModelRules",
    "Reasoning",
    "Refusal",
    "Reply",
    "StrictResponses",
    "Text",
    "ToolSearch",
    "Unanswered",
    "Unknown",
]
