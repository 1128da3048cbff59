"""What each failure of the Messages API means for a turn, and nothing of the SDK beyond this line.

APIStatusError       an HTTP error, or an error event inside a stream (then its status is 200)
APIConnectionError   no answer: refused, DNS, time-out before the first byte
httpx2.HTTPError     the stream broke: the SDK lets these through as they are
ValueError           an event or a tool's arguments that are not JSON
StreamCut            the stream ended without its final event
"""

from datetime import UTC, datetime

import anthropic
import httpx2

from chat.providers.base import ModelFailure
from chat.providers.failing import RETRYABLE, STATUSES, StreamCut, stream_failure, without_an_answer
from chat.providers.progress import Progress
from chat.providers.retry_after import retry_after_seconds
from chat.providers.troubles import trouble_of
from mcp_server.codes import TurnOutcome

TYPES: dict[str, TurnOutcome] = {
    "overloaded_error": TurnOutcome.MODEL_OVERLOADED,
    "api_error": TurnOutcome.MODEL_OVERLOADED,
    "timeout_error": TurnOutcome.MODEL_OVERLOADED,
    "rate_limit_error": TurnOutcome.MODEL_RATE_LIMITED,
    "authentication_error": TurnOutcome.MODEL_AUTH,
    "permission_error": TurnOutcome.MODEL_AUTH,
    "billing_error": TurnOutcome.MODEL_AUTH,
    "request_too_large": TurnOutcome.CONTEXT_OVERFLOW,
    "invalid_request_error": TurnOutcome.MODEL_BAD_REQUEST,
    "not_found_error": TurnOutcome.MODEL_BAD_REQUEST,
}
SPEND_LIMIT_CODES = {"enforced_spend_limit_reached", "contract_spend_limit_reached"}
# The API gives this one no code of its own, so its sentence is all there is to tell it by.
OVERFLOW_PHRASES = ("prompt is too long", "exceed context limit", "context window")


ModelError = anthropic.APIError | httpx2.HTTPError | ValueError | StreamCut
MODEL_ERRORS = (anthropic.APIError, httpx2.HTTPError, ValueError, StreamCut)


def failure(error: ModelError, progress: Progress, *, secret: str, now: datetime | None = None) -> ModelFailure:
    """Return the one failure that the loop knows for whatever was raised; `secret` never shows in it."""
    outcome, is_retryable, retry_after_s, trouble = TurnOutcome.MODEL_UNREACHABLE, True, None, None
    if isinstance(error, anthropic.APIStatusError):
        outcome = _outcome(error)
        is_retryable = _is_retryable(error, outcome)
        trouble = trouble_of(outcome, codes=(error.error_code or "", error.type or ""), status=error.status_code)
        retry_after_s = retry_after_seconds(error.response.headers.get("retry-after"), now or datetime.now(UTC))
    return stream_failure(
        progress,
        outcome,
        _message(error),
        secret=secret,
        never_ran=_never_ran(error),
        retryable=is_retryable,
        retry_after_s=retry_after_s,
        trouble=trouble,
    )


def is_history_refused(error: anthropic.BadRequestError) -> bool:
    """Whether the messages may have been refused as they are, rather than for their length."""
    return _outcome(error) is TurnOutcome.MODEL_BAD_REQUEST


def _never_ran(error: ModelError) -> bool:
    if isinstance(error, anthropic.APITimeoutError):
        return isinstance(error.__cause__, httpx2.ConnectTimeout | httpx2.PoolTimeout)
    if isinstance(error, anthropic.APIConnectionError):
        return isinstance(error.__cause__, httpx2.ConnectError)
    return isinstance(error, anthropic.APIStatusError)


def _outcome(error: anthropic.APIStatusError) -> TurnOutcome:
    outcome = TYPES.get(error.type or "")
    if outcome is None:
        # An unknown error event in an open stream, or a gateway's own page, is the service's fault.
        is_service_fault = error.status_code == 200 or error.status_code >= 500
        default = TurnOutcome.MODEL_OVERLOADED if is_service_fault else TurnOutcome.MODEL_BAD_REQUEST
        outcome = STATUSES.get(error.status_code, default)
    if outcome is TurnOutcome.MODEL_BAD_REQUEST and _names_the_window(error):
        return TurnOutcome.CONTEXT_OVERFLOW
    return outcome


def _names_the_window(error: anthropic.APIStatusError) -> bool:
    return any(phrase in (error.api_message or "") for phrase in OVERFLOW_PHRASES)


def _is_retryable(error: anthropic.APIStatusError, outcome: TurnOutcome) -> bool:
    if error.error_code in SPEND_LIMIT_CODES or error.response.headers.get("x-should-retry") == "false":
        return False
    return outcome in RETRYABLE


def _message(error: ModelError) -> str:
    if isinstance(error, anthropic.APIStatusError):
        text = error.api_message or f"HTTP {error.status_code} without an explanation"
        known = [part for part in (error.type, error.error_code, error.request_id) if part]
        return f"{text} [{', '.join(known)}]" if known else text
    return without_an_answer(error, error.__cause__ if isinstance(error, anthropic.APIError) else None)
