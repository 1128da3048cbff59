"""Rules about the items of a conversation: their shapes, their pairs, and what the service itself issued."""

import re
from collections.abc import Iterator

from evals.loopback.tokens import canonical
from tests.strict_responses.asked import CALLS, MESSAGE_ROLES, Asked, Breach, Item

FIELDS: dict[str, frozenset[str]] = {
    "message": frozenset({"role", "content"}),
    "reasoning": frozenset({"id", "summary"}),
    "function_call": frozenset({"call_id", "name", "arguments"}),
    "function_call_output": frozenset({"call_id", "output"}),
    "tool_search_call": frozenset({"call_id", "execution", "arguments"}),
    "tool_search_output": frozenset({"call_id", "execution", "tools"}),
}
PARTS = {"user": {"input_text"}, "developer": {"input_text"}, "system": {"input_text"}}
ASSISTANT_PARTS = {"output_text", "refusal"}
ID_PREFIXES = {"message": "msg", "reasoning": "rs", "function_call": "fc", "tool_search_call": "tsc"}
MAX_CALL_ID = 64
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def shape(asked: Asked) -> Iterator[Breach]:
    """Each item has a known type and what belongs to it."""
    for i, item in enumerate(asked.items):
        if item.get("id") in asked.memory.issued:
            continue
        kind = item.get("type", "")
        if kind not in FIELDS:
            yield Breach(f"Invalid value: '{kind}'.", f"input[{i}]", "invalid_value")
            return
        for name in sorted(FIELDS[kind] - item.keys()):
            path = f"input[{i}].{name}"
            yield Breach(f"Missing required parameter: '{path}'.", path, "missing_required_parameter")


def messages(asked: Asked) -> Iterator[Breach]:
    """Messages have a role, parts that fit it, and something to say."""
    for i, item in enumerate(asked.items):
        if item["type"] != "message":
            continue
        if item["role"] not in MESSAGE_ROLES:
            yield Breach(f"Invalid value: '{item['role']}'.", f"input[{i}].role", "invalid_value")
        wanted = PARTS.get(item["role"], ASSISTANT_PARTS)
        content = item["content"]
        parts = [{"type": min(wanted), "text": content}] if isinstance(content, str) else content
        for j, part in enumerate(parts):
            if part["type"] not in wanted:
                values = " and ".join(f"'{value}'" for value in sorted(wanted))
                path = f"input[{i}].content[{j}]"
                yield Breach(f"Invalid value: '{part['type']}'. Supported values are: {values}.", path, "invalid_value")
        if not any(str(part.get("text") or part.get("refusal") or "").strip() for part in parts):
            yield Breach("This stand-in refuses messages that say nothing.", f"input[{i}].content")


def calls(asked: Asked) -> Iterator[Breach]:
    """Ids, names and arguments of calls are texts that the service takes."""
    for i, item in enumerate(asked.items):
        path = f"input[{i}]"
        if len(item.get("call_id") or "") > MAX_CALL_ID:
            yield Breach(
                f"Invalid '{path}.call_id': string too long. Expected a string with maximum length {MAX_CALL_ID}.",
                f"{path}.call_id",
                "string_above_max_length",
            )
        prefix = ID_PREFIXES.get(item["type"])
        if prefix and item.get("id") and not item["id"].startswith(prefix):
            yield Breach(
                f"Invalid '{path}.id': '{item['id']}'. Expected an ID that begins with '{prefix}'.",
                f"{path}.id",
                "invalid_value",
            )
        if item["type"] == "function_call":
            if not NAME.fullmatch(item["name"]):
                yield Breach(
                    f"Invalid '{path}.name': string does not match pattern. "
                    "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
                    f"{path}.name",
                    "invalid_value",
                )
            if not isinstance(item["arguments"], str):
                yield Breach(f"Invalid type for '{path}.arguments': expected a string.", path, "invalid_type")
        if item["type"] == "function_call_output" and not str(item["output"]).strip():
            yield Breach("This stand-in refuses outputs that say nothing.", f"{path}.output")


def answered(asked: Asked) -> Iterator[Breach]:
    """Each call has one output, after it; each output has its call."""
    open_calls: dict[str, str] = {}
    seen: set[str] = set()
    for item in asked.items:
        if item["type"] in CALLS:
            if item["call_id"] in seen:
                yield Breach(f"Duplicate function call with call_id {item['call_id']}.", "input")
            seen.add(item["call_id"])
            open_calls[item["call_id"]] = CALLS[item["type"]]
        elif item["type"] in CALLS.values() and open_calls.pop(item["call_id"], "") != item["type"]:
            yield Breach(f"No tool call found for function call output with call_id {item['call_id']}.", "input")
    for call_id in open_calls:
        yield Breach(f"No tool output found for function call {call_id}.", "input")


def sealed(asked: Asked) -> Iterator[Breach]:
    """Reasoning carries what this service sealed for this model."""
    for i, item in enumerate(asked.items):
        if item["type"] != "reasoning":
            continue
        content = item.get("encrypted_content")
        if not content:
            yield Breach(
                f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false. "
                "Try again with `store` set to true, or remove this item from your input.",
                "input",
                status=404,
            )
        elif not asked.memory.sealer.fits(content, item["id"], asked.body["model"]):
            yield Breach(
                f"The encrypted content {content[:8]}... could not be verified.",
                f"input[{i}].encrypted_content",
                "invalid_encrypted_content",
            )


def reasoning_pairs(asked: Asked) -> Iterator[Breach]:
    """Reasoning stands before what it led to, and what it led to after it."""
    items = asked.items
    for i, item in enumerate(items):
        if item["type"] == "reasoning":
            following = items[i + 1] if i + 1 < len(items) else {}
            led_to = following.get("type") == "reasoning" or _reasoning_of(asked, following) == item["id"]
            if not led_to:
                yield Breach(
                    f"Item '{item['id']}' of type 'reasoning' was provided without its required following item.",
                    "input",
                )
        else:
            wanted = _reasoning_of(asked, item)
            if wanted and wanted not in {before.get("id") for before in items[:i]}:
                yield Breach(
                    f"Item '{item['id']}' of type '{item['type']}' was provided without its required "
                    f"'reasoning' item: '{wanted}'.",
                    "input",
                )


def untouched(asked: Asked) -> Iterator[Breach]:
    """What the service issued comes back as it was; what has an id was issued."""
    for i, item in enumerate(asked.items):
        if not item.get("id"):
            continue
        issued = asked.memory.issued.get(item["id"])
        if issued is None:
            yield Breach(f"Item with id '{item['id']}' not found.", "input", status=404)
        elif issued != canonical(item):
            yield Breach(f"This stand-in refuses to take back an item that was edited: {item['id']}.", f"input[{i}]")


def _reasoning_of(asked: Asked, item: Item) -> str:
    return asked.memory.reasoning_of.get(item.get("id") or "", "")
