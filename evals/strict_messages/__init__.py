"""A strict stand-in for the Messages API on loopback: it refuses what the real one refuses.

    def test_something(strict_messages):
        strict_messages.script(Reply(Thinking("…"), ToolUse("think", {"thought": "…"})), Reply(Text("Done.")))
        ... point the product at strict_messages.base_url ...
        assert [request.status for request in strict_messages.requests] == [200, 200]

A request that breaks a rule gets the real error's shape and uses up no reply.
"""

from evals.loopback.faults import Break, Failure, Unanswered
from evals.strict_messages.models import ModelRules
from evals.strict_messages.script import (
    Redacted,
    Reply,
    ServerToolUse,
    Text,
    Thinking,
    ToolUse,
    Unknown,
)
from evals.strict_messages.server import StrictMessages

__all__ = [
    "Break",
    "Failure",
    "ModelRules",
    "Redacted",
    "Reply",
    "ServerToolUse",
    "StrictMessages",
    "Text",
    "Thinking",
    "ToolUse",
    "Unanswered",
    "Unknown",
]
