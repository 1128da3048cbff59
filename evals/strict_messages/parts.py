"""A prompt as the model reads it, block by block, with the tokens of each."""

from typing import Any

from evals.strict_messages.conversation import THINKING, Asked, Block, is_blank_text, unmarked
from evals.strict_messages.prompt_cache import PromptBlock
from evals.strict_messages.tokens import count

Json = Any
MESSAGE_SETTINGS = ("thinking", "output_config", "tool_choice")


def prompt_parts(asked: Asked) -> list[tuple[Block, int]]:
    """Return each block of the prompt in its order, with its tokens.

    A deferred tool counts where a reference loads it.
    """
    tools = {tool["name"]: tool for tool in asked.tools}
    loaded = [tool for tool in tools.values() if not tool.get("defer_loading")]
    parts = [(block, count(unmarked(block))) for block in [*loaded, *asked.system]]
    for _, _, _, block in asked.blocks():
        content = block.get("content") if block.get("type") == "tool_result" else None
        references = content if isinstance(content, list) else []
        expanded = [tools[name] for inner in references if (name := inner.get("tool_name")) in tools]
        parts.append((block, count(unmarked(block)) + sum(count(unmarked(tool)) for tool in expanded)))
    return parts


def prompt_tokens(asked: Asked) -> int:
    """Count what the model reads."""
    return sum(tokens for _, tokens in prompt_parts(asked))


def cache_blocks(asked: Asked) -> list[PromptBlock]:
    """Return the prompt as the cache sees it, with its marks."""
    parts = prompt_parts(asked)
    automatic = asked.body.get("cache_control")
    last = max((i for i, (block, _) in enumerate(parts) if can_be_marked(block)), default=-1)
    settings = {name: asked.body.get(name) for name in MESSAGE_SETTINGS}
    prefix_blocks = sum(not tool.get("defer_loading") for tool in asked.tools) + len(asked.system)
    blocks = []
    for i, (block, tokens) in enumerate(parts):
        mark = block.get("cache_control") or (automatic if i == last else None)
        # Thinking and effort are part of what a message is cached under, not of tools and system.
        content = [unmarked(block), settings if i >= prefix_blocks else None]
        blocks.append(PromptBlock(content, tokens, mark.get("ttl", "5m") if mark else ""))
    return blocks


def can_be_marked(block: Block) -> bool:
    """Whether a block may carry a cache mark."""
    return block.get("type") not in THINKING and not is_blank_text(block)
