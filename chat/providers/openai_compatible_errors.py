"""What local servers mean by their errors, where that is not what the SDK's own service means.

llama.cpp   {"error": {"code": 400, "type": "exceed_context_size_error", "message": …}}; what it can't parse is a 500
vLLM        {"error": {"code": 400, "type": "BadRequestError", …}}, {"error": "Unauthorized"}
Ollama      {"error": {"code": null, "type": "api_error", "message": …}}

In a stream the same comes as an event without a status, so its code is the status that it would have had.
"""

import re

import openai

from chat.providers import openai_errors
from chat.providers.base import ModelFailure
from chat.providers.openai_errors import ModelError, code_of, words
from chat.providers.progress import Progress
from mcp_server.codes import TurnOutcome

# They have no code for this in common.
OVERFLOW = re.compile(
    r"exceed_context_size|context (length|size|window)|maximum model length|prompt is too long", re.IGNORECASE
)
UNPARSED = "Failed to parse "
REFUSED = frozenset({400, 422})
IN_STREAM = {
    400: TurnOutcome.MODEL_BAD_REQUEST,
    401: TurnOutcome.MODEL_AUTH,
    403: TurnOutcome.MODEL_AUTH,
    404: TurnOutcome.MODEL_BAD_REQUEST,
    422: TurnOutcome.MODEL_BAD_REQUEST,
    429: TurnOutcome.MODEL_RATE_LIMITED,
}


def failure(error: ModelError, progress: Progress, *, secret: str) -> ModelFailure:
    """Return the one failure that the loop knows for whatever was raised; `secret` never shows in it."""
    return openai_errors.failure(error, progress, secret=secret, outcome=_outcome(error))


def is_history_refused(error: openai.APIStatusError) -> bool:
    """Whether the messages may have been refused as they are, rather than for their length."""
    return _is_unparsed(error) or (error.status_code in REFUSED and not _names_the_window(error))


def _outcome(error: ModelError) -> TurnOutcome | None:
    """Return what an error means; None where it means the same as from the SDK's own service."""
    if isinstance(error, openai.APIConnectionError) or not isinstance(error, openai.APIError):
        return None
    status = error.status_code if isinstance(error, openai.APIStatusError) else _status_in_stream(error)
    if status < 500 and _names_the_window(error):
        return TurnOutcome.CONTEXT_OVERFLOW
    if status == 501 or _is_unparsed(error):
        return TurnOutcome.MODEL_BAD_REQUEST
    return None if isinstance(error, openai.APIStatusError) else IN_STREAM.get(status)


def _names_the_window(error: openai.APIError) -> bool:
    return OVERFLOW.search(f"{error.type} {words(error)}") is not None


def _is_unparsed(error: openai.APIError) -> bool:
    return words(error).startswith(UNPARSED)


def _status_in_stream(error: openai.APIError) -> int:
    code = code_of(error)
    return int(code) if code.isdigit() else 0
