"""A request body as the checks read it: normal blocks, merged messages, marks taken off."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evals.loopback.tokens import canonical, count
from evals.strict_messages.models import ModelRules
from evals.strict_messages.signing import Signer

Json = Any
Block = dict[str, Json]
THINKING = frozenset({"thinking", "redacted_thinking"})


@dataclass
class Memory:
    """What the service knows of its own earlier replies."""

    signer: Signer
    issued_blocks: set[str] = field(default_factory=set)
    thinking_of_call: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """One request under check. `lenders`: the models whose thinking others read too."""

    body: dict[str, Json]
    rules: ModelRules
    memory: Memory
    lenders: frozenset[str] = frozenset()

    @property
    def messages(self) -> list[dict[str, Json]]:
        """The messages as sent."""
        return list(self.body["messages"])

    @property
    def tools(self) -> list[Block]:
        """The tool definitions as sent."""
        return list(self.body.get("tools") or [])

    @property
    def system(self) -> list[Block]:
        """The system prompt as blocks."""
        return as_blocks(self.body.get("system") or [])

    @cached_property
    def frame(self) -> str:
        """System prompt and tools as signatures are bound to them: one short text."""
        return hashlib.sha256(canonical([unmarked(self.system), unmarked(self.tools)]).encode()).hexdigest()

    @cached_property
    def parts(self) -> list[tuple[Block, int]]:
        """Each block of the prompt in its order, with its tokens; a deferred tool counts where it is loaded."""
        tools = {tool["name"]: tool for tool in self.tools}
        loaded = [tool for tool in tools.values() if not tool.get("defer_loading")]
        parts = [(block, count(unmarked(block))) for block in [*loaded, *self.system]]
        for _, _, _, block in self.blocks():
            content = block.get("content") if block.get("type") == "tool_result" else None
            references = content if isinstance(content, list) else []
            expanded = [tools[name] for inner in references if (name := inner.get("tool_name")) in tools]
            parts.append((block, count(unmarked(block)) + sum(count(unmarked(tool)) for tool in expanded)))
        return parts

    def blocks(self) -> Iterator[tuple[int, int, str, Block]]:
        """Yield each message block with its message's index, its own index and the role."""
        for i, message in enumerate(self.messages):
            for j, block in enumerate(as_blocks(message["content"])):
                yield i, j, message["role"], block

    def marked(self) -> Iterator[tuple[str, Block]]:
        """Yield everything that may carry a cache mark, with its path, in the order of the prompt."""
        for i, tool in enumerate(self.tools):
            yield f"tools.{i}", tool
        for i, block in enumerate(self.system):
            yield f"system.{i}", block
        for i, j, _, block in self.blocks():
            yield f"messages.{i}.content.{j}", block
            if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                for k, inner in enumerate(block["content"]):
                    yield f"messages.{i}.content.{j}.tool_result.content.{k}", inner


def as_blocks(content: Json) -> list[Block]:
    """Return content that may be a plain string as blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content)


def unmarked(value: Json) -> Json:
    """Return a value without cache marks anywhere: moving them edits nothing."""
    if isinstance(value, dict):
        return {name: unmarked(item) for name, item in value.items() if name != "cache_control"}
    if isinstance(value, list):
        return [unmarked(item) for item in value]
    return value


def is_blank_text(block: Block) -> bool:
    """Whether a block is text without a visible character."""
    return block.get("type") == "text" and not str(block.get("text", "")).strip()


def said(messages: list[dict[str, Json]]) -> list[tuple[str, Block]]:
    """Return what was said, block by block: how it was cut into messages does not matter.

    Blank text says nothing, and thinking does not count: its oldest part may be left out.
    """
    flat: list[tuple[str, Block]] = []
    for message in messages:
        for block in as_blocks(message["content"]):
            if block.get("type") in THINKING or is_blank_text(block):
                continue
            block = unmarked(block)
            if block.get("type") == "tool_result":
                block = {**block, "content": as_blocks(block.get("content") or [])}
            flat.append((message["role"], block))
    return flat
