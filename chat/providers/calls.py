"""Calls as every wire format needs them: strictly parsed arguments, ids and names that a service takes back."""

import json
import re
from collections.abc import Collection, Sequence
from typing import NoReturn

from chat.providers.base import Json, ToolCall

CUT_OFF = "The call was cut off by the output limit and did not run. Send a shorter call."
NOT_FINISHED = "The message stopped ({}) before its calls were final, so the call did not run."
NOT_JSON = "The arguments are not a complete JSON object, so the call did not run. Send the call again."
CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def finished_call(call_id: str, name: str, arguments: dict[str, Json] | None, stop_reason: str) -> ToolCall:
    """Return a call that runs only if the message stopped for it and its arguments are an object."""
    problem = ""
    if stop_reason == "max_tokens":
        problem = CUT_OFF
    elif stop_reason != "tool_use":
        problem = NOT_FINISHED.format(stop_reason)
    elif arguments is None:
        problem = NOT_JSON
    return ToolCall(id=call_id, name=name, arguments=arguments or {}, problem=problem)


def parsed_arguments(text: str) -> dict[str, Json] | None:
    """Parse a call's arguments strictly; a call without any sends no text at all."""
    try:
        value = json.loads(text or "{}", parse_constant=_refuse_constant)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def valid_ids(calls: Sequence[ToolCall], used_ids: Collection[str]) -> list[str]:
    """Keep the ids of another provider where any API takes them, else number them anew."""
    taken, ids = set(used_ids), []
    for call in calls:
        call_id, number = call.id, len(taken)
        while not CALL_ID.fullmatch(call_id) or call_id in taken:
            call_id, number = f"call_{number}", number + 1
        taken.add(call_id)
        ids.append(call_id)
    return ids


def valid_name(name: str) -> str:
    """Return a name that an API takes back, also where a model had invented one that it does not."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unnamed"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
