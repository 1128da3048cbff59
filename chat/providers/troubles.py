"""What is wrong with a model that can't be asked, finer than how a turn ends: for whoever runs the site.

Services say it by a code of their own or by the HTTP status; where they said neither, the outcome is all there is.
"""

from enum import StrEnum

from mcp_server.codes import TurnOutcome


class Trouble(StrEnum):
    """Why a model can't be asked."""

    NO_KEY = "no_key"
    WRONG_KEY = "wrong_key"
    NOT_ALLOWED = "not_allowed"
    NO_CREDIT = "no_credit"
    NO_SUCH_MODEL = "no_such_model"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    UNREACHABLE = "unreachable"
    REFUSED_REQUEST = "refused_request"
    OTHER = "other"


BY_CODE = {
    "authentication_error": Trouble.WRONG_KEY,
    "invalid_api_key": Trouble.WRONG_KEY,
    "permission_error": Trouble.NOT_ALLOWED,
    "model_not_available": Trouble.NOT_ALLOWED,
    "billing_error": Trouble.NO_CREDIT,
    "insufficient_quota": Trouble.NO_CREDIT,
    "billing_hard_limit_reached": Trouble.NO_CREDIT,
    "enforced_spend_limit_reached": Trouble.NO_CREDIT,
    "contract_spend_limit_reached": Trouble.NO_CREDIT,
    "not_found_error": Trouble.NO_SUCH_MODEL,
    "model_not_found": Trouble.NO_SUCH_MODEL,
    "API_KEY_INVALID": Trouble.WRONG_KEY,
    "UNAUTHENTICATED": Trouble.WRONG_KEY,
    "PERMISSION_DENIED": Trouble.NOT_ALLOWED,
    "FAILED_PRECONDITION": Trouble.NOT_ALLOWED,
    "NOT_FOUND": Trouble.NO_SUCH_MODEL,
}
BY_STATUS = {
    401: Trouble.WRONG_KEY,
    402: Trouble.NO_CREDIT,
    403: Trouble.NOT_ALLOWED,
    404: Trouble.NO_SUCH_MODEL,
    429: Trouble.RATE_LIMITED,
}
BY_OUTCOME = {
    TurnOutcome.MODEL_AUTH: Trouble.WRONG_KEY,
    TurnOutcome.MODEL_RATE_LIMITED: Trouble.RATE_LIMITED,
    TurnOutcome.MODEL_OVERLOADED: Trouble.OVERLOADED,
    TurnOutcome.MODEL_UNREACHABLE: Trouble.UNREACHABLE,
    TurnOutcome.MODEL_BAD_REQUEST: Trouble.REFUSED_REQUEST,
    TurnOutcome.CONTEXT_OVERFLOW: Trouble.REFUSED_REQUEST,
}


def trouble_of(outcome: TurnOutcome, *, codes: tuple[str, ...] = (), status: int | None = None) -> Trouble:
    """Return what is wrong; the most exact word counts: a code before the status before the outcome."""
    for code in codes:
        if code in BY_CODE:
            return BY_CODE[code]
    if status in BY_STATUS:
        return BY_STATUS[status]
    return BY_OUTCOME.get(outcome, Trouble.OTHER)
