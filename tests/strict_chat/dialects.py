"""How each server says the same: the forms of its errors, its reasoning and its calls."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from evals.loopback.faults import Break, Failure

Json = Any


@dataclass(frozen=True)
class Dialect:
    """One server's way to speak. `whole_calls`: a call comes in one piece, and not every version numbers it."""

    name: Literal["llama.cpp", "vLLM", "Ollama"]
    reasoning_field: Literal["reasoning_content", "reasoning"]
    whole_calls: bool = False
    reports_cache: bool = True

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that this server answers at."""
        path = "/v1/chat/completions"
        return (path, path.removeprefix("/v1")) if self.name == "llama.cpp" else (path,)

    def error(self, failure: Failure) -> Json:
        """Return what an error says."""
        return {"error": self._error(failure.status, failure.error_type, failure.message, failure.details)}

    def error_event(self, broken: Break) -> bytes:
        """Return what stands in a stream for an error that would have been a 500."""
        error = self.error(Failure(500, broken.error_type, broken.message))
        event = f"data: {json.dumps(error)}\n\n".encode()
        return event + b"data: [DONE]\n\n" if self.name == "vLLM" else event

    def _error(self, status: int, error_type: str, message: str, details: Json) -> Json:
        if self.name == "vLLM" and status == 401:
            return "Unauthorized"
        code = None if self.name == "Ollama" else status
        error: dict[str, Json] = {"message": message, "type": error_type, "code": code}
        if self.name != "llama.cpp":
            error["param"] = None
        return {**error, **(details or {})}


LLAMA_CPP = Dialect("llama.cpp", "reasoning_content")
VLLM = Dialect("vLLM", "reasoning")
OLLAMA = Dialect("Ollama", "reasoning", whole_calls=True, reports_cache=False)
