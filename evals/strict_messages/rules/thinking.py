"""Rules about replayed thinking: signed here, unedited, in its place, in its conversation."""

from collections.abc import Iterator

from evals.strict_messages.conversation import THINKING, Asked, Block, as_blocks, said
from evals.strict_messages.rules.texts import text
from evals.strict_messages.signing import Seal


def signed(asked: Asked) -> Iterator[str]:
    """Each block carries a signature of this service for its very text."""
    for i, j, block, seal in _thinking(asked):
        content = block.get("thinking", "")
        if seal is None or seal.text != asked.memory.signer.check(content):
            yield text("signature", path=f"messages.{i}.content.{j}")


def bound(asked: Asked) -> Iterator[str]:
    """Everything before the block is what it was when the block was made."""
    for i, j, _, seal in _readable(asked):
        if asked.rules.binds_thinking and seal.prefix != asked.memory.signer.check(prefix(asked, asked.messages, i, j)):
            yield text("bound", path=f"messages.{i}.content.{j}")


def unbroken(asked: Asked) -> Iterator[str]:
    """Only the oldest blocks may be missing: none from the middle, and none out of order."""
    before = ""
    for i, j, _, seal in _readable(asked):
        if before and seal.before != before:
            yield text("modified", path=f"messages.{i}.content.{j}")
        before = seal.id


def last_whole(asked: Asked) -> Iterator[str]:
    """The last assistant message has all of its thinking, or the whole conversation has none."""
    replies = [(i, message) for i, message in enumerate(asked.messages) if message["role"] == "assistant"]
    if not replies:
        return
    i, last = replies[-1]
    blocks = as_blocks(last["content"])
    made = next((asked.memory.thinking_of_call[b["id"]] for b in blocks if _is_known_call(asked, b)), None)
    sent = tuple(signature_of(block) for block in blocks if block["type"] in THINKING)
    has_any = any(True for _ in _readable(asked))
    if made is not None and sent != made and has_any:
        yield text("modified", path=f"messages.{i}.content.0")


def prefix(asked: Asked, messages: list[Block], i: int, j: int) -> dict[str, object]:
    """Return everything before block `j` of message `i`, as signatures are bound to it."""
    cut = {**messages[i], "content": as_blocks(messages[i]["content"])[:j]} if i < len(messages) else None
    before = [*messages[:i], *([cut] if cut else [])]
    return {"frame": asked.frame, "said": said(before)}


def signature_of(block: Block) -> str:
    """Return a thinking block's signature, or a redacted block's data."""
    return str(block.get("signature") or block.get("data") or "")


def is_readable(asked: Asked, seal: Seal) -> bool:
    """Whether the model that is asked reads a block that the seal's model wrote."""
    return seal.model == asked.body["model"] or seal.model in asked.lenders


def _thinking(asked: Asked) -> Iterator[tuple[int, int, Block, Seal | None]]:
    for i, j, _, block in asked.blocks():
        if block["type"] in THINKING:
            yield i, j, block, asked.memory.signer.open(signature_of(block))


def _readable(asked: Asked) -> Iterator[tuple[int, int, Block, Seal]]:
    """Yield the blocks that this model reads; all others are dropped without a word."""
    for i, j, block, seal in _thinking(asked):
        if seal is not None and is_readable(asked, seal):
            yield i, j, block, seal


def _is_known_call(asked: Asked, block: Block) -> bool:
    return block["type"] == "tool_use" and block["id"] in asked.memory.thinking_of_call
