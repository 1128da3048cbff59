"""`think`: keep a chain of thoughts for one conversation. It asks no database, and a thought is never a result."""

import time
from collections.abc import Mapping
from typing import Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Envelope
from mcp_server.unified.query.errors import QueryErrors
from mcp_server.unified.thinking import Thinking
from mcp_server.unified.tool import Desk, own_form

Json = Any
DOMAIN = "thinking"
_THOUGHTS = Thinking(time.monotonic)


def is_thought(arguments: Mapping[str, Json]) -> bool:
    """Tell whether a search is none, but a thought."""
    return arguments.get("thought") is not None or str(arguments.get("domain") or "").strip().lower() == DOMAIN


async def think(desk: Desk, arguments: Mapping[str, Json]) -> Envelope:
    """Record a thought of the conversation and say where its chain stands."""
    try:
        return own_form(_THOUGHTS.record(desk.conversation, arguments), desk)
    except QueryErrors as wrong:
        return own_form(wrong.wire(), desk, outcome=ResultOutcome.FAILED)
