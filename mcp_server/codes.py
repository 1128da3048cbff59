"""Every outcome and error code of BURP, each with the sentence that tells a user what to do next.

Pure vocabulary: the server, the loop, the pages and the evaluations all speak these words.
"""

from enum import StrEnum


class ResultOutcome(StrEnum):
    """What a tool call brought back. None of the four ever turns into another."""

    DATA = "data"
    EMPTY = "empty"
    UNKNOWN_ID = "unknown_id"
    FAILED = "failed"


class ToolCode(StrEnum):
    """Why a tool call failed."""

    TOOL_UNKNOWN = "tool_unknown"
    TOOL_INVALID_ARGUMENTS = "tool_invalid_arguments"
    TOOL_TIMEOUT = "tool_timeout"
    TOOL_CANCELLED = "tool_cancelled"
    TOOL_SERVER_DOWN = "tool_server_down"
    TOOL_RESULT_TOO_LARGE = "tool_result_too_large"
    PLATFORM_OFF = "platform_off"
    UPSTREAM_NOT_FOUND = "upstream_not_found"
    UPSTREAM_REFUSED = "upstream_refused"
    UPSTREAM_RATE_LIMITED = "upstream_rate_limited"
    UPSTREAM_UNAVAILABLE = "upstream_unavailable"
    UPSTREAM_BAD_RESPONSE = "upstream_bad_response"
    NOT_IN_SNAPSHOT = "not_in_snapshot"
    INTERNAL = "internal"


class TurnOutcome(StrEnum):
    """How a turn ended."""

    COMPLETED = "completed"
    REFUSED = "refused"
    ABORTED_BY_USER = "aborted_by_user"
    ABORTED_DISCONNECT = "aborted_disconnect"
    ABORTED_SHUTDOWN = "aborted_shutdown"
    BUDGET_TURN = "budget_turn"
    BUDGET_DAILY = "budget_daily"
    BUDGET_MONTHLY = "budget_monthly"
    MAX_ITERATIONS = "max_iterations"
    TIME_LIMIT = "time_limit"
    CONTEXT_OVERFLOW = "context_overflow"
    OUTPUT_TRUNCATED = "output_truncated"
    MODEL_OVERLOADED = "model_overloaded"
    MODEL_RATE_LIMITED = "model_rate_limited"
    MODEL_AUTH = "model_auth"
    MODEL_BAD_REQUEST = "model_bad_request"
    MODEL_UNREACHABLE = "model_unreachable"
    TOOL_SERVER_DOWN = "tool_server_down"
    INTERNAL = "internal"


TOOL_SENTENCES: dict[ToolCode, str] = {
    ToolCode.TOOL_UNKNOWN: "There is no tool of this name. Call one that the message names, or search for one.",
    ToolCode.TOOL_INVALID_ARGUMENTS: "An argument was not acceptable. Correct it as the message says and call again.",
    ToolCode.TOOL_TIMEOUT: "The call took longer than its time budget and was ended. Narrow it or try again later.",
    ToolCode.TOOL_CANCELLED: "The call was stopped before it finished. Ask again if the result is still wanted.",
    ToolCode.TOOL_SERVER_DOWN: "The tool server stopped during the call and is restarting. Call again in a moment.",
    ToolCode.TOOL_RESULT_TOO_LARGE: (
        "The result is larger than can be carried. Ask for fewer records, or for one of them."
    ),
    ToolCode.PLATFORM_OFF: (
        "An operator has switched this database off. Use another one, and say in the answer that it was not asked."
    ),
    ToolCode.UPSTREAM_NOT_FOUND: "The database has no record at this address. Check the identifier.",
    ToolCode.UPSTREAM_REFUSED: "The database refused the request. Its own message says which part to change.",
    ToolCode.UPSTREAM_RATE_LIMITED: "The database limits how often it may be asked. Wait a little and try again.",
    ToolCode.UPSTREAM_UNAVAILABLE: "The database could not be reached or reported a fault of its own. Try again later.",
    ToolCode.UPSTREAM_BAD_RESPONSE: "The database answered with something that is not a record. Try again later.",
    ToolCode.NOT_IN_SNAPSHOT: (
        "The offline snapshot does not hold this request. Ask one of the questions it covers, or use live upstreams."
    ),
    ToolCode.INTERNAL: "The tool itself failed. Please report this with the code shown.",
}

TURN_SENTENCES: dict[TurnOutcome, str] = {
    TurnOutcome.COMPLETED: "The answer is complete.",
    TurnOutcome.REFUSED: (
        "The model declined to answer. Its safety check sometimes stops harmless questions of the life sciences: "
        "ask another model, or put the question in other words."
    ),
    TurnOutcome.ABORTED_BY_USER: "You stopped this answer. What was found so far is kept; ask again to go on.",
    TurnOutcome.ABORTED_DISCONNECT: "The page was closed before the answer was finished. Ask again to go on.",
    TurnOutcome.ABORTED_SHUTDOWN: "The server was restarted during this answer. Ask again to go on.",
    TurnOutcome.BUDGET_TURN: (
        "The budget of this question was used up before the answer was complete. Continue, or ask with a higher one."
    ),
    TurnOutcome.BUDGET_DAILY: (
        "Your daily budget was used up before the answer was complete. It starts anew at 00:00 UTC."
    ),
    TurnOutcome.BUDGET_MONTHLY: (
        "Your monthly budget was used up before the answer was complete. It starts anew on the first of the month, UTC."
    ),
    TurnOutcome.MAX_ITERATIONS: "The answer needed more steps than are allowed. Continue, or ask a narrower question.",
    TurnOutcome.TIME_LIMIT: "The answer took longer than is allowed. What was found so far is kept; continue to go on.",
    TurnOutcome.CONTEXT_OVERFLOW: "This conversation no longer fits the model. Start a new session.",
    TurnOutcome.OUTPUT_TRUNCATED: "The model reached its output limit. Continue to get the rest.",
    TurnOutcome.MODEL_OVERLOADED: "The model's service is overloaded. Continue in a minute, or ask another model.",
    TurnOutcome.MODEL_RATE_LIMITED: (
        "The model's service limits how often it may be asked. Continue in a minute, or ask another model."
    ),
    TurnOutcome.MODEL_AUTH: "The model's service did not accept the key. Check the key in the environment.",
    TurnOutcome.MODEL_BAD_REQUEST: "The model's service refused the request. Please report this with the code shown.",
    TurnOutcome.MODEL_UNREACHABLE: "The model's service could not be reached. Check the network and try again.",
    TurnOutcome.TOOL_SERVER_DOWN: "The tool server could not be started. Look at the server's log, then try again.",
    TurnOutcome.INTERNAL: "Something failed inside BURP. Please report this with the code shown.",
}


class TurnOffer(StrEnum):
    """What a person may do next where a turn did not end well."""

    CONTINUE = "continue"
    ASK_AGAIN = "ask_again"
    OTHER_MODEL = "other_model"
    NEW_SESSION = "new_session"


_GO_ON = (TurnOffer.CONTINUE,)
_GO_ON_OR_CHANGE = (TurnOffer.CONTINUE, TurnOffer.OTHER_MODEL)

TURN_OFFERS: dict[TurnOutcome, tuple[TurnOffer, ...]] = {
    TurnOutcome.COMPLETED: (),
    # The same words to the same model would be declined again.
    TurnOutcome.REFUSED: (TurnOffer.OTHER_MODEL,),
    TurnOutcome.ABORTED_BY_USER: _GO_ON,
    TurnOutcome.ABORTED_DISCONNECT: _GO_ON,
    TurnOutcome.ABORTED_SHUTDOWN: _GO_ON,
    TurnOutcome.BUDGET_TURN: _GO_ON,
    TurnOutcome.BUDGET_DAILY: (),
    TurnOutcome.BUDGET_MONTHLY: (),
    TurnOutcome.MAX_ITERATIONS: _GO_ON,
    TurnOutcome.TIME_LIMIT: _GO_ON,
    TurnOutcome.CONTEXT_OVERFLOW: (TurnOffer.NEW_SESSION,),
    TurnOutcome.OUTPUT_TRUNCATED: _GO_ON,
    TurnOutcome.MODEL_OVERLOADED: _GO_ON_OR_CHANGE,
    TurnOutcome.MODEL_RATE_LIMITED: _GO_ON_OR_CHANGE,
    TurnOutcome.MODEL_UNREACHABLE: _GO_ON_OR_CHANGE,
    TurnOutcome.MODEL_AUTH: (TurnOffer.OTHER_MODEL,),
    TurnOutcome.MODEL_BAD_REQUEST: (TurnOffer.OTHER_MODEL,),
    TurnOutcome.TOOL_SERVER_DOWN: (TurnOffer.ASK_AGAIN,),
    TurnOutcome.INTERNAL: (TurnOffer.ASK_AGAIN,),
}
