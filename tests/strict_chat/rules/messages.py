"""Rules about messages: what servers parse, and what the strictest templates want."""

from collections.abc import Iterator

from tests.strict_chat.asked import Asked, Breach, Message

REASONING = frozenset({"reasoning", "reasoning_content"})
FIELDS: dict[str, frozenset[str]] = {
    "system": frozenset(),
    "user": frozenset(),
    "assistant": REASONING | {"tool_calls"},
    "tool": frozenset({"tool_call_id"}),
}


def shape(asked: Asked) -> Iterator[Breach]:
    """Each message has a role that templates know, and a content."""
    for message in asked.messages:
        if not isinstance(message, dict) or "role" not in message:
            yield Breach(f"Missing 'role' in message: {message}")
        elif message["role"] not in FIELDS:
            yield Breach("Unexpected message role.")
        elif "content" not in message:
            yield Breach("All non-assistant messages must contain 'content'")


def known_fields(asked: Asked) -> Iterator[Breach]:
    """Nothing that belongs to another kind of message, or to nobody."""
    for i, message in enumerate(asked.messages):
        for name in sorted(message.keys() - {"role", "content"} - FIELDS[message["role"]]):
            yield Breach(f"This stand-in refuses messages[{i}].{name}.")
        for name in sorted(message.keys() & REASONING):
            if not asked.takes_reasoning:
                yield Breach(f"'messages.{i}': property '{name}' is unsupported")


def content(asked: Asked) -> Iterator[Breach]:
    """Content is text; only a message with calls may have none."""
    for message in asked.messages:
        given = message["content"]
        if given is None and message.get("tool_calls"):
            continue
        if not isinstance(given, str):
            yield Breach(f"invalid message content type: {type(given).__name__}")


def not_blank(asked: Asked) -> Iterator[Breach]:
    """Some templates write nothing for a blank message, and lose count of the roles."""
    for i, message in enumerate(asked.messages):
        if isinstance(message["content"], str) and not message["content"].strip():
            yield Breach(f"This stand-in refuses the blank messages[{i}].content.")


def system_first(asked: Asked) -> Iterator[Breach]:
    """A system prompt stands at the beginning."""
    if any(message["role"] == "system" for message in asked.messages[1:]):
        yield Breach("System message must be at the beginning.")


def alternating(asked: Asked) -> Iterator[Breach]:
    """Without calls and results, questions and answers alternate, the first being a question."""
    wanted = "user"
    for message in asked.messages:
        if message["role"] in {"system", "tool"} or message.get("tool_calls"):
            continue
        if message["role"] != wanted:
            yield Breach(
                "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
            )
            return
        wanted = "assistant" if wanted == "user" else "user"


def no_prefill(asked: Asked) -> Iterator[Breach]:
    """A conversation that ends with an answer would have it gone on with."""
    last: Message = asked.messages[-1]
    if last["role"] not in {"user", "tool"}:
        yield Breach("Assistant response prefill is incompatible with enable_thinking.")
