"""Rules about calls and their results: servers parse both again, in every request."""

import json
from collections.abc import Iterator

from tests.strict_chat.asked import Asked, Breach, Message
from tests.strict_chat.rules.tools import NAME


def shape(asked: Asked) -> Iterator[Breach]:
    """A list that is not empty, of functions with id, name and arguments as texts."""
    for message in asked.messages:
        if "tool_calls" in message and not message["tool_calls"]:
            yield Breach("Expected 'content' or 'tool_calls'")
        for call in message.get("tool_calls", ()):
            if call.keys() != {"id", "type", "function"} or call["type"] != "function":
                yield Breach(f"Unsupported tool call type: {call}")
            elif not all(isinstance(text, str) for text in (call["id"], *call["function"].values())):
                yield Breach(f"Missing tool call arguments: {call}")
            elif not NAME.fullmatch(call["function"]["name"]):
                yield Breach(f"Invalid function name: '{call['function']['name']}'.")


def unique(asked: Asked) -> Iterator[Breach]:
    """No two calls share an id, in the whole conversation."""
    ids = [call["id"] for message in asked.messages for call in message.get("tool_calls", ())]
    if len(set(ids)) < len(ids) or "" in ids:
        yield Breach("This stand-in wants an id of its own for each call.")


def arguments(asked: Asked) -> Iterator[Breach]:
    """Arguments are a JSON object: what is none is refused for as long as the session lasts."""
    for message in asked.messages:
        for call in message.get("tool_calls", ()):
            try:
                value = json.loads(call["function"]["arguments"])
            except ValueError as error:
                # Of all that it refuses, a llama.cpp server takes this for a fault of its own.
                yield Breach(f"Failed to parse tool call arguments as JSON: {error}", "server_error", 500)
            else:
                if not isinstance(value, dict):
                    yield Breach("invalid tool call arguments")


def answered(asked: Asked) -> Iterator[Breach]:
    """Each call is answered once, directly behind its message, and nothing else is answered."""
    open_ids: list[str] = []
    for i, message in enumerate(asked.messages):
        if message["role"] != "tool":
            if open_ids:
                yield _unanswered(open_ids)
            open_ids = _ids(message)
        elif message.get("tool_call_id") in open_ids:
            open_ids.remove(message["tool_call_id"])
        else:
            yield Breach(f"messages[{i}]: a tool message must follow a message with its call")
    if open_ids:
        yield _unanswered(open_ids)


def _ids(message: Message) -> list[str]:
    return [call["id"] for call in message.get("tool_calls", ())]


def _unanswered(ids: list[str]) -> Breach:
    return Breach(f"Not the same number of function calls and responses: {', '.join(ids)}")
