"""The tests' side of `evals.strict_messages`: its fixture, and the tests of the server itself."""

from evals.strict_messages import (
    Break,
    Failure,
    ModelRules,
    Redacted,
    Reply,
    ServerToolUse,
    StrictMessages,
    Text,
    Thinking,
    ToolUse,
    Unknown,
)

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
    "Unknown",
]
