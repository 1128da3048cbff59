"""`think`: keep a chain of thoughts for one conversation. It asks no database, and a thought is never a result."""

import time
from collections.abc import Mapping
from typing import Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Envelope
from mcp_server.unified.declared import THOUGHT
from mcp_server.unified.query.errors import E_CONFLICT, QueryError, QueryErrors
from mcp_server.unified.thinking import Thinking
from mcp_server.unified.tool import Desk, own_form

Json = Any
DOMAIN, DOMAINS = "thinking", ("thinking", "thinkings")
SEPARATELY = "think and search in two calls"
_THOUGHTS = Thinking(time.monotonic)


def is_thought(arguments: Mapping[str, Json]) -> bool:
    """Tell whether a search is none, but a thought."""
    return bool(arguments.get("thought")) or str(arguments.get("domain") or "").strip().lower() in DOMAINS


def mixed(arguments: Mapping[str, Json]) -> QueryErrors | None:
    """Return the mistake of a call that thinks and searches at once: one of both would be passed over."""
    # Some clients fill in all arguments: what is empty was not meant.
    given = [name for name, value in arguments.items() if value not in (None, "", [], False)]
    of_thoughts = [name for name in given if name in THOUGHT]
    others = [name for name in given if name not in THOUGHT and name != "domain"]
    text = str(arguments.get("query") or "")
    if is_thought(arguments):
        domain = str(arguments.get("domain") or DOMAIN).strip().lower()
        others += ["domain"] if domain not in DOMAINS else []
        if others:
            message = f"a thought is not searched, so {', '.join(others)} would have no effect"
            return QueryErrors(text, [QueryError(E_CONFLICT, message, hint=SEPARATELY, argument=others[0])])
    elif of_thoughts:
        message = f"{', '.join(of_thoughts)} belong to a thought, and there is none"
        return QueryErrors(text, [QueryError(E_CONFLICT, message, hint=SEPARATELY, argument=of_thoughts[0])])
    return None


async def think(desk: Desk, arguments: Mapping[str, Json]) -> Envelope:
    """Record a thought of the conversation and say where its chain stands."""
    try:
        return own_form(_THOUGHTS.record(desk.conversation, arguments), desk)
    except QueryErrors as wrong:
        return own_form(wrong.wire(), desk, outcome=ResultOutcome.FAILED)
