"""A strict stand-in for the Gemini API on loopback: it refuses what the real one refuses.

    def test_something(strict_generate):
        strict_generate.script(Reply(Thought("…"), FunctionCall("think", {"thought": "…"})), Reply(Text("Done.")))
        ... point the product at strict_generate.base_url ...
        assert [request.status for request in strict_generate.requests] == [200, 200]

A request that breaks a rule gets the real error's shape and uses up no reply. It stores nothing between requests but
what a real service could tell from its own signatures, and the prompts that it cached.
"""

from evals.loopback.faults import Break, Failure, Unanswered
from tests.strict_generate.models import ModelRules
from tests.strict_generate.script import FunctionCall, OtherPart, Reply, Text, Thought
from tests.strict_generate.server import StrictGenerate

__all__ = [
    "Break",
    "Failure",
    "FunctionCall",
    "ModelRules",
    "OtherPart",
    "Reply",
    "StrictGenerate",
    "Text",
    "Thought",
    "Unanswered",
]
