"""A prompt as the model reads it, block by block, with the tokens of each."""

from typing import Any

from evals.strict_messages.conversation import THINKING, Asked, Block, is_blank_text, unmarked
from evals.strict_messages.prompt_cache import PromptBlock

Json = Any
MESSAGE_SETTINGS = ("thinking", "output_config", "tool_choice")


def prompt_tokens(asked: Asked) -> int:
    """Count what the model reads."""
    return sum(tokens for _, tokens in asked.parts)


def cache_blocks(asked: Asked) -> list[PromptBlock]:
    """Return the prompt as the cache sees it, with its marks."""
    parts = asked.parts
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
