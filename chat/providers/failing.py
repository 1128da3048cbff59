"""From whatever ended a stream to the one failure that the loop knows: what holds for every service.

What a service's own errors and codes mean stands in the `…_errors` module of its provider.
"""

from chat.providers.base import ModelFailure
from chat.providers.progress import Progress
from chat.providers.troubles import Trouble
from mcp_server.codes import TurnOutcome

# What an HTTP status means where the service has no more exact word.
STATUSES: dict[int, TurnOutcome] = {
    401: TurnOutcome.MODEL_AUTH,
    402: TurnOutcome.MODEL_AUTH,
    403: TurnOutcome.MODEL_AUTH,
    408: TurnOutcome.MODEL_OVERLOADED,
    409: TurnOutcome.MODEL_OVERLOADED,
    413: TurnOutcome.CONTEXT_OVERFLOW,
    429: TurnOutcome.MODEL_RATE_LIMITED,
}
RETRYABLE = {TurnOutcome.MODEL_OVERLOADED, TurnOutcome.MODEL_RATE_LIMITED, TurnOutcome.MODEL_UNREACHABLE}


class StreamCut(Exception):
    """The stream ended before the message was complete."""


def stream_failure(
    progress: Progress,
    outcome: TurnOutcome,
    message: str,
    *,
    secret: str,
    never_ran: bool,
    retryable: bool,
    retry_after_s: float | None = None,
    trouble: Trouble | None = None,
) -> ModelFailure:
    """Return the failure of a stream, with what had come of it by then; `secret` never shows in it.

    `never_ran`: the service certainly read no token of the prompt.
    """
    if never_ran and not progress.has_begun:
        progress.may_have_run = False
    return ModelFailure(
        outcome,
        message.replace(secret, "[key]") if secret else message,
        retryable=retryable,
        retry_after_s=retry_after_s,
        usage=progress.usage(),
        estimated=progress.is_estimate,
        partial=progress.partial(),
        shown=progress.was_shown,
        trouble=trouble,
    )


def without_an_answer(error: Exception, cause: BaseException | None = None) -> str:
    """Say in a sentence what happened where the service itself did not; `cause` is what its SDK wrapped."""
    if isinstance(error, StreamCut):
        return "The stream ended before the message was complete."
    if isinstance(error, ValueError):
        return "The model's service sent an event that could not be read."
    return f"The connection to the model's service failed ({type(cause or error).__name__})."
