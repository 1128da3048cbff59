"""Rules about calls and their results: each call has exactly one, first in the next message."""

from collections.abc import Iterator

from evals.strict_messages.conversation import Asked, Block, as_blocks
from evals.strict_messages.rules.texts import text


def called_once(asked: Asked) -> Iterator[str]:
    """No two calls share an id, in the whole conversation."""
    seen: set[str] = set()
    for i, j, _, block in asked.blocks():
        if block["type"] == "tool_use":
            if block["id"] in seen:
                yield text("called_twice", i=i, j=j)
            seen.add(block["id"])


def answered_next(asked: Asked) -> Iterator[str]:
    """Each call is answered in the next message, before anything else in it."""
    for i, message in enumerate(asked.messages):
        following = asked.messages[i + 1] if i + 1 < len(asked.messages) else None
        answered = _leading_results(following)
        open_ids = [call for call in _call_ids(message) if call not in answered]
        if open_ids and following is not None:
            yield text("not_answered", i=i, ids=", ".join(open_ids))


def called_before(asked: Asked) -> Iterator[str]:
    """No result without a call in the message before."""
    for i, j, _, block in asked.blocks():
        if block["type"] == "tool_result":
            called = _call_ids(asked.messages[i - 1]) if i else []
            if block["tool_use_id"] not in called:
                yield text("not_called", i=i, j=j, id=block["tool_use_id"])


def answered_once(asked: Asked) -> Iterator[str]:
    """No second result for one call."""
    seen: set[str] = set()
    for i, j, _, block in asked.blocks():
        if block["type"] == "tool_result":
            if block["tool_use_id"] in seen:
                yield text("answered_twice", i=i, j=j, id=block["tool_use_id"])
            seen.add(block["tool_use_id"])


def served(asked: Asked) -> Iterator[str]:
    """A call that the service runs has its result, unless the reply was paused and goes back to be continued."""
    results = {block["tool_use_id"] for _, _, role, block in asked.blocks() if _is_served_result(role, block)}
    for i, _, _, block in asked.blocks():
        is_paused = i == len(asked.messages) - 1
        if block["type"] == "server_tool_use" and block["id"] not in results and not is_paused:
            yield text("not_served", i=i, name=block["name"], id=block["id"])


def _call_ids(message: Block) -> list[str]:
    return [block["id"] for block in as_blocks(message["content"]) if block["type"] == "tool_use"]


def _leading_results(message: Block | None) -> set[str]:
    found: set[str] = set()
    for block in as_blocks(message["content"]) if message and message["role"] == "user" else []:
        if block["type"] != "tool_result":
            break
        found.add(block["tool_use_id"])
    return found


def _is_served_result(role: str, block: Block) -> bool:
    return role == "assistant" and block["type"].endswith("_tool_result") and "tool_use_id" in block
