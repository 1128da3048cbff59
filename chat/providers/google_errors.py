"""What each failure of the Gemini API means for a turn, and nothing of the SDK beyond this line.

APIError             an HTTP error, or an error in the stream: both carry Google's code, status and details
httpx2.HTTPError     no answer or a broken stream: refused, DNS, time-out, cut
ValueError           a chunk that is not JSON, or not of the API's shape
StreamError          the service ended the message for a reason that is no answer
StreamCut            the stream ended before the message had a reason to end
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx2
from google.genai import errors

from chat.providers import failing
from chat.providers.base import ModelFailure
from chat.providers.failing import RETRYABLE, StreamCut, stream_failure, without_an_answer
from chat.providers.progress import Progress
from chat.providers.retry_after import retry_after_seconds
from chat.providers.troubles import Trouble, trouble_of
from mcp_server.codes import TurnOutcome

STATUSES: dict[str, TurnOutcome] = {
    "UNAUTHENTICATED": TurnOutcome.MODEL_AUTH,
    "PERMISSION_DENIED": TurnOutcome.MODEL_AUTH,
    # No billing, or a country that is not served.
    "FAILED_PRECONDITION": TurnOutcome.MODEL_AUTH,
    "RESOURCE_EXHAUSTED": TurnOutcome.MODEL_RATE_LIMITED,
    "INVALID_ARGUMENT": TurnOutcome.MODEL_BAD_REQUEST,
    "NOT_FOUND": TurnOutcome.MODEL_BAD_REQUEST,
}
CODES = {**failing.STATUSES, 499: TurnOutcome.MODEL_OVERLOADED}
# Not the service's words: what its SDK can't take in, or can't send.
UNREADABLE = "UNREADABLE"
UNSENDABLE = "UNSENDABLE"
# Ways to end a message that are no answer. What is not named anywhere is the service's fault, and may pass.
REASONS: dict[str, TurnOutcome] = {
    UNSENDABLE: TurnOutcome.MODEL_BAD_REQUEST,
    "PUP_LIMITED_DISABLED": TurnOutcome.MODEL_AUTH,
    "MISSING_THOUGHT_SIGNATURE": TurnOutcome.MODEL_BAD_REQUEST,
}
BAD_KEY = "API_KEY_INVALID"
# The API gives this one no status of its own.
OVERFLOW = re.compile(
    r"exceeds the maximum number of tokens|payload size exceeds|context (length|window)", re.IGNORECASE
)
# Limits that waiting a minute does not lift.
SPENT = re.compile(r"per ?day|credits are depleted|spend(ing)? cap", re.IGNORECASE)
DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
MAX_WORDS = 500


class StreamError(Exception):
    """The service ended a message for a reason that is no answer, or sent what its own SDK can't read."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason)
        self.reason = reason
        self.message = message


ModelError = errors.APIError | httpx2.HTTPError | ValueError | StreamCut | StreamError
MODEL_ERRORS = (errors.APIError, httpx2.HTTPError, ValueError, StreamCut, StreamError)


def failure(error: ModelError, progress: Progress, *, secret: str, now: datetime | None = None) -> ModelFailure:
    """Return the one failure that the loop knows for whatever was raised; `secret` never shows in it."""
    outcome = _outcome(error)
    return stream_failure(
        progress,
        outcome,
        _message(error),
        secret=secret,
        never_ran=_never_ran(error),
        retryable=outcome in RETRYABLE and not _is_spent(error),
        retry_after_s=_retry_after_s(error, now or datetime.now(UTC)),
        trouble=Trouble.NO_CREDIT
        if _is_spent(error)
        else trouble_of(outcome, codes=_troubles(error), status=getattr(error, "code", None)),
    )


def is_history_refused(error: ModelError) -> bool:
    """Whether the messages may have been refused as they are, rather than for their length or the key."""
    is_refusal = isinstance(error, StreamError) or (isinstance(error, errors.APIError) and error.code == 400)
    return is_refusal and _outcome(error) is TurnOutcome.MODEL_BAD_REQUEST


def _never_ran(error: ModelError) -> bool:
    if isinstance(error, StreamError):
        return error.reason == UNSENDABLE
    return isinstance(error, errors.APIError | httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)


def _outcome(error: ModelError) -> TurnOutcome:
    if isinstance(error, StreamError):
        return REASONS.get(error.reason, TurnOutcome.MODEL_OVERLOADED)
    if not isinstance(error, errors.APIError):
        return TurnOutcome.MODEL_UNREACHABLE
    code = error.code if isinstance(error.code, int) else 0
    found = STATUSES.get(str(error.status)) or CODES.get(code)
    if found is None:
        is_ours = 400 <= code < 500
        found = TurnOutcome.MODEL_BAD_REQUEST if is_ours else TurnOutcome.MODEL_OVERLOADED
    if found is TurnOutcome.MODEL_BAD_REQUEST:
        if OVERFLOW.search(_words(error)):
            return TurnOutcome.CONTEXT_OVERFLOW
        if any(detail.get("reason") == BAD_KEY for detail in _details(error)):
            return TurnOutcome.MODEL_AUTH
    return found


def _details(error: ModelError) -> Iterator[dict[str, Any]]:
    """Yield the objects in which Google says more: an `ErrorInfo`, a `RetryInfo`, a `QuotaFailure`."""
    body = error.details if isinstance(error, errors.APIError) else None
    inner = body.get("error") if isinstance(body, dict) else None
    details = inner.get("details") if isinstance(inner, dict) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict):
            yield detail


def _troubles(error: ModelError) -> tuple[str, ...]:
    """Return Google's own words for what is wrong, the most exact one first."""
    reasons = [str(detail["reason"]) for detail in _details(error) if "reason" in detail]
    return (*reasons, str(getattr(error, "status", "")))


def _is_spent(error: ModelError) -> bool:
    """Whether a limit of the day or of the account is reached."""
    violations = [violation for detail in _details(error) for violation in detail.get("violations") or ()]
    limits = [str(violation.get("quotaId")) for violation in violations if isinstance(violation, dict)]
    return any(SPENT.search(text) for text in [*limits, _words(error)])


def _retry_after_s(error: ModelError, now: datetime) -> float | None:
    """Return the wait that the service asks for, in a header or in the error itself."""
    if not isinstance(error, errors.APIError):
        return None
    headers = getattr(error.response, "headers", None) or {}
    waits = [retry_after_seconds(headers.get("retry-after"), now)]
    for detail in _details(error):
        found = DURATION.fullmatch(str(detail.get("retryDelay", "")))
        waits.append(float(found[1]) if found else None)
    return max((wait for wait in waits if wait is not None), default=None)


def _words(error: ModelError) -> str:
    """Return the service's own words; a gateway's page is none."""
    text = error.message if isinstance(error, errors.APIError | StreamError) else ""
    return "" if not isinstance(text, str) or text.lstrip().startswith("<") else text.strip()[:MAX_WORDS]


def _message(error: ModelError) -> str:
    if isinstance(error, errors.APIError):
        text = _words(error) or f"HTTP {error.code} without an explanation"
        return f"{text} [{error.status}]" if error.status in STATUSES else text
    if isinstance(error, StreamError):
        return _words(error) or f"The model's service ended the message: {error.reason}."
    return without_an_answer(error)
