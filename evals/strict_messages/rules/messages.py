"""Rules about the shape of messages and their blocks, each block for itself."""

import re
from collections.abc import Iterator

from evals.loopback.tokens import canonical
from evals.strict_messages.conversation import THINKING, Asked, Block, is_blank_text, unmarked
from evals.strict_messages.rules.texts import text

ROLES = frozenset({"user", "assistant", "system"})
ANYWHERE = frozenset({"text"})
OF_USER = frozenset({"tool_result", "image", "document", "search_result"})
OF_ASSISTANT = frozenset({"tool_use", "server_tool_use", "tool_search_tool_result", *THINKING})
IN_RESULTS = frozenset({"text", "image", "document", "search_result", "tool_reference"})
FIELDS: dict[str, frozenset[str]] = {
    "text": frozenset({"type", "text", "cache_control", "citations"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"}),
    "tool_use": frozenset({"type", "id", "name", "input", "cache_control", "caller", "toolset_name"}),
    "thinking": frozenset({"type", "thinking", "signature", "cache_control"}),
    "redacted_thinking": frozenset({"type", "data", "cache_control"}),
    "tool_reference": frozenset({"type", "tool_name", "cache_control"}),
}
REQUIRED: dict[str, dict[str, type]] = {
    "text": {"text": str},
    "tool_result": {"tool_use_id": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
}
CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")


def shape(asked: Asked) -> Iterator[str]:
    """Messages have a role and content of strings or typed blocks; the other rules rely on it."""
    messages = asked.body["messages"]
    if not isinstance(messages, list) or not messages:
        yield text("no_messages")
        return
    for i, message in enumerate(messages):
        if message.get("role") not in ROLES:
            yield text("role", i=i)
        for name in message.keys() - {"role", "content"}:
            yield text("unknown_field", path=f"messages.{i}.{name}")
        content = message.get("content")
        blocks = content if isinstance(content, list) else [] if isinstance(content, str) else [None]
        if not all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in blocks):
            yield text("content_type", path=f"messages.{i}.content")


def user_citations(asked: Asked) -> Iterator[str]:
    """Only the model cites."""
    for i, j, role, block in asked.blocks():
        if role == "user" and block.get("citations") and block["type"] == "text":
            yield text("user_citations", path=f"messages.{i}.content.{j}")


def first_role(asked: Asked) -> Iterator[str]:
    """A conversation begins with the user."""
    if asked.messages[0]["role"] != "user":
        yield text("first_role")


def no_prefill(asked: Asked) -> Iterator[str]:
    """It ends with the user too, unless a paused reply goes back to be continued."""
    last = asked.messages[-1]
    paused = isinstance(last["content"], list) and any(b["type"] == "server_tool_use" for b in last["content"])
    if last["role"] == "assistant" and not paused:
        yield text("prefill")


def not_empty(asked: Asked) -> Iterator[str]:
    """No message without content."""
    for i, message in enumerate(asked.messages):
        if not message["content"]:
            yield text("empty_message", i=i)


def known_blocks(asked: Asked) -> Iterator[str]:
    """Blocks and fields are known, or were made by the service itself."""
    for i, j, role, block in asked.blocks():
        path, kind = f"messages.{i}.content.{j}", block["type"]
        if canonical(unmarked(block)) in asked.memory.issued_blocks and role == "assistant":
            continue
        if kind not in ANYWHERE | OF_USER | OF_ASSISTANT:
            yield text("block_type", path=path, given=kind)
        for name in block.keys() - FIELDS.get(kind, block.keys()):
            yield text("unknown_field", path=f"{path}.{kind}.{name}")


def blocks_by_role(asked: Asked) -> Iterator[str]:
    """Results come from the user; calls and thinking from the assistant."""
    for i, j, role, block in asked.blocks():
        path, kind = f"messages.{i}.content.{j}", block["type"]
        if kind in OF_USER and role != "user":
            yield text("block_role", path=path, given=kind, role="user")
        if kind in OF_ASSISTANT and role != "assistant":
            yield text("block_role", path=path, given=kind, role="assistant")


def block_fields(asked: Asked) -> Iterator[str]:
    """Each block has what its type needs."""
    for i, j, _, block in asked.blocks():
        for name, wanted in REQUIRED.get(block["type"], {}).items():
            path = f"messages.{i}.content.{j}.{block['type']}.{name}"
            if name not in block:
                yield text("required", path=path)
            elif not isinstance(block[name], wanted):
                yield text("field_type", path=path, wanted=wanted.__name__)


def call_ids(asked: Asked) -> Iterator[str]:
    """Ids of calls are plain words."""
    for i, j, _, block in asked.blocks():
        if block["type"] == "tool_use" and not CALL_ID.fullmatch(block["id"]):
            yield text("call_id", path=f"messages.{i}.content.{j}.tool_use")


def empty_text(asked: Asked) -> Iterator[str]:
    """No empty text block, wherever it stands."""
    for i, j, _, block in asked.blocks():
        inner = block.get("content") if block["type"] == "tool_result" else None
        for part in [block, *(inner if isinstance(inner, list) else [])]:
            if part.get("type") == "text" and not part["text"]:
                yield text("empty_text", path=f"messages.{i}.content.{j}")


def blank_text(asked: Asked) -> Iterator[str]:
    """No message of nothing but blanks."""
    by_message: dict[int, list[Block]] = {}
    for i, _, _, block in asked.blocks():
        by_message.setdefault(i, []).append(block)
    for i, blocks in by_message.items():
        if all(map(is_blank_text, blocks)):
            yield text("blank_text", path=f"messages.{i}")


def final_thinking(asked: Asked) -> Iterator[str]:
    """Something follows the thinking in each message."""
    for i, message in enumerate(asked.messages):
        content = message["content"]
        if isinstance(content, list) and content and content[-1]["type"] in THINKING:
            yield text("final_thinking", i=i)


def result_content(asked: Asked) -> Iterator[str]:
    """A result holds text, pictures, documents or references; an error says something."""
    for i, j, _, block in asked.blocks():
        if block["type"] != "tool_result":
            continue
        path, content = f"messages.{i}.content.{j}", block.get("content")
        if block.get("is_error") and not content:
            yield text("empty_error", path=path)
        for k, inner in enumerate(content if isinstance(content, list) else []):
            if inner.get("type") not in IN_RESULTS:
                yield text("block_type", path=f"{path}.tool_result.content.{k}", given=inner.get("type"))
