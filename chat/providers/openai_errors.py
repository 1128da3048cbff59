"""What each failure of the Responses API means for a turn, and nothing of the SDK beyond this line.

APIStatusError       an HTTP error before the stream
APIConnectionError   no answer or a broken stream: refused, DNS, time-out, cut
APIError             an error inside the stream, in its nested form
StreamError          an error inside the stream, as an event or as the end of a response that failed
httpx2.HTTPError     what of the transport the SDK lets through
ValueError           an event that is not JSON
StreamCut            the stream ended without its final event
"""

from datetime import UTC, datetime

import httpx2
import openai

from chat.providers.base import ModelFailure
from chat.providers.failing import RETRYABLE, STATUSES, StreamCut, stream_failure, without_an_answer
from chat.providers.progress import Progress
from chat.providers.retry_after import retry_after_seconds
from chat.providers.troubles import trouble_of
from mcp_server.codes import TurnOutcome

CODES: dict[str, TurnOutcome] = {
    "server_error": TurnOutcome.MODEL_OVERLOADED,
    "server_is_overloaded": TurnOutcome.MODEL_OVERLOADED,
    "slow_down": TurnOutcome.MODEL_OVERLOADED,
    "rate_limit_exceeded": TurnOutcome.MODEL_RATE_LIMITED,
    "too_many_requests": TurnOutcome.MODEL_RATE_LIMITED,
    "insufficient_quota": TurnOutcome.MODEL_RATE_LIMITED,
    "invalid_api_key": TurnOutcome.MODEL_AUTH,
    "context_length_exceeded": TurnOutcome.CONTEXT_OVERFLOW,
    "string_above_max_length": TurnOutcome.CONTEXT_OVERFLOW,
    "model_not_found": TurnOutcome.MODEL_BAD_REQUEST,
    "invalid_prompt": TurnOutcome.MODEL_BAD_REQUEST,
}
# Limits of an account that waiting does not lift.
SPENT = {"insufficient_quota", "billing_hard_limit_reached"}
POLICIES = {"bio_policy", "cyber_policy", "misalignment_policy_violation", "content_policy_violation", "content_filter"}
# The code of a prompt that can't be read is also that of one that is not wanted.
POLICY_PHRASE = "usage policy"
MAX_WORDS = 500


class StreamError(Exception):
    """The service reported an error inside a stream that had begun well."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


ModelError = openai.APIError | httpx2.HTTPError | ValueError | StreamCut | StreamError
MODEL_ERRORS = (openai.APIError, httpx2.HTTPError, ValueError, StreamCut, StreamError)


def failure(
    error: ModelError,
    progress: Progress,
    *,
    secret: str,
    now: datetime | None = None,
    outcome: TurnOutcome | None = None,
) -> ModelFailure:
    """Return the one failure that the loop knows for whatever was raised; `secret` never shows in it.

    An `outcome` that is given is what another service means by the same error.
    """
    retry_after_s = None
    if outcome is None:
        outcome = _outcome(error) if is_answer(error) else TurnOutcome.MODEL_UNREACHABLE
    if isinstance(error, openai.APIStatusError):
        retry_after_s = _retry_after_s(error, now or datetime.now(UTC))
    return stream_failure(
        progress,
        outcome,
        _message(error),
        secret=secret,
        never_ran=_never_ran(error),
        retryable=_is_retryable(error, outcome),
        retry_after_s=retry_after_s,
        trouble=trouble_of(outcome, codes=(code_of(error),), status=_status(error)),
    )


def _status(error: ModelError) -> int | None:
    return error.status_code if isinstance(error, openai.APIStatusError) else None


def code_of(error: ModelError) -> str:
    """Return the service's code of an error; empty where it gave none."""
    if isinstance(error, openai.APIError | StreamError):
        return str(error.code or "")
    return ""


def is_policy_refusal(error: ModelError) -> bool:
    """Whether the service declined the content, rather than failed at it."""
    code = code_of(error)
    return code in POLICIES or (code == "invalid_prompt" and POLICY_PHRASE in words(error))


def is_history_refused(error: openai.APIStatusError) -> bool:
    """Whether the messages may have been refused as they are, rather than for their length or their content."""
    return _outcome(error) is TurnOutcome.MODEL_BAD_REQUEST and not is_policy_refusal(error)


def refuses_summaries(error: openai.APIStatusError) -> bool:
    """Whether this account may not see what the model says of its reasoning."""
    return error.param == "reasoning.summary"


def _never_ran(error: ModelError) -> bool:
    if isinstance(error, openai.APITimeoutError):
        return isinstance(error.__cause__, httpx2.ConnectTimeout | httpx2.PoolTimeout)
    if isinstance(error, openai.APIConnectionError):
        return isinstance(error.__cause__, httpx2.ConnectError)
    return is_answer(error)


def is_answer(error: ModelError) -> bool:
    """Whether the service itself said what is wrong."""
    if isinstance(error, openai.APIConnectionError):
        return False
    return isinstance(error, openai.APIError | StreamError)


def _outcome(error: ModelError) -> TurnOutcome:
    found = CODES.get(code_of(error))
    if found is not None:
        return found
    if not isinstance(error, openai.APIStatusError):
        # An error of another kind in an open stream is the service's fault.
        return TurnOutcome.MODEL_OVERLOADED
    is_service_fault = error.status_code >= 500
    return STATUSES.get(
        error.status_code, TurnOutcome.MODEL_OVERLOADED if is_service_fault else TurnOutcome.MODEL_BAD_REQUEST
    )


def _is_retryable(error: ModelError, outcome: TurnOutcome) -> bool:
    if code_of(error) in SPENT:
        return False
    if isinstance(error, openai.APIStatusError) and error.response.headers.get("x-should-retry") == "false":
        return False
    return outcome in RETRYABLE


def _retry_after_s(error: openai.APIStatusError, now: datetime) -> float | None:
    """Return the wait that the service asks for; it may say so in milliseconds."""
    headers = error.response.headers
    milliseconds = retry_after_seconds(headers.get("retry-after-ms"), now)
    return milliseconds / 1000 if milliseconds is not None else retry_after_seconds(headers.get("retry-after"), now)


def words(error: ModelError) -> str:
    """Return the service's own words; a gateway's page is none."""
    body = error.body if isinstance(error, openai.APIError) else None
    if isinstance(body, dict):
        return str(body.get("message") or "")
    if isinstance(body, str) and not body.lstrip().startswith("<"):
        return body.strip()[:MAX_WORDS]
    return error.message if isinstance(error, StreamError) else ""


def _message(error: ModelError) -> str:
    if isinstance(error, openai.APIStatusError):
        text = words(error) or f"HTTP {error.status_code} without an explanation"
        known = [part for part in (error.type, code_of(error), error.request_id) if part]
        return f"{text} [{', '.join(known)}]" if known else text
    if is_answer(error):
        code = code_of(error)
        text = words(error) or "The model's service reported an error without an explanation."
        return f"{text} [{code}]" if code else text
    return without_an_answer(error, error.__cause__ if isinstance(error, openai.APIError) else None)
