"""A strict stand-in for local servers of Chat Completions: it refuses what any of them refuses.

    def test_something(strict_chat):
        strict_chat.script(Reply(Reasoning("…"), FunctionCall("think", {"thought": "…"})), Reply(Text("Done.")))
        ... point the product at f"{strict_chat.base_url}/v1" ...
        assert [request.status for request in strict_chat.requests] == [200, 200]

A request that breaks a rule gets an error in the server's own form and uses up no reply. The servers differ in how
they say a thing, so the stand-in speaks as one of them: see `dialects`.
"""

from evals.loopback.faults import Break, Failure, Unanswered
from tests.strict_chat.dialects import LLAMA_CPP, OLLAMA, VLLM, Dialect
from tests.strict_chat.models import ModelRules
from tests.strict_chat.script import FunctionCall, Reasoning, Reply, Text
from tests.strict_chat.server import StrictChat

__all__ = [
    "LLAMA_CPP",
    "OLLAMA",
    "VLLM",
    "Break",
    "Dialect",
    "Failure",
    "FunctionCall",
    "ModelRules",
    "Reasoning",
    "Reply",
    "StrictChat",
    "Text",
    "Unanswered",
]
