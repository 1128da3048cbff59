"""Rules about cache marks."""

from collections.abc import Iterator

from evals.strict_messages.conversation import THINKING, Asked
from evals.strict_messages.parts import can_be_marked
from evals.strict_messages.rules.texts import text

MAX_MARKS = 4


def at_most_four(asked: Asked) -> Iterator[str]:
    """Four marks at most, the automatic one included."""
    found = len([block for _, block in asked.marked() if block.get("cache_control")])
    found += bool(asked.body.get("cache_control"))
    if found > MAX_MARKS:
        yield text("too_many_marks", found=found)


def shape(asked: Asked) -> Iterator[str]:
    """A mark is ephemeral and lives five minutes or an hour."""
    for path, block in asked.marked():
        mark = block.get("cache_control")
        if mark is not None and (mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in {"5m", "1h"}):
            yield text("mark_shape", path=path)


def automatic(asked: Asked) -> Iterator[str]:
    """The automatic mark can't contradict one that the last block has."""
    mark = asked.body.get("cache_control")
    last = next((block for block, _ in reversed(asked.parts) if can_be_marked(block)), None)
    own = last.get("cache_control") if mark and last else None
    if mark and own and own.get("ttl", "5m") != mark.get("ttl", "5m"):
        yield text("automatic_ttl", given=own.get("ttl", "5m"))


def longest_first(asked: Asked) -> Iterator[str]:
    """No hour after five minutes."""
    short_seen = False
    for path, block in asked.marked():
        if mark := block.get("cache_control"):
            is_short = mark.get("ttl", "5m") == "5m"
            if short_seen and not is_short:
                yield text("mark_order", path=path)
            short_seen = short_seen or is_short


def not_on_deferred(asked: Asked) -> Iterator[str]:
    """A deferred tool is not in the prefix, so it can't be marked."""
    for tool in asked.tools:
        if tool.get("defer_loading") and tool.get("cache_control"):
            yield text("mark_deferred", name=tool["name"])


def on_real_content(asked: Asked) -> Iterator[str]:
    """Neither thinking nor empty text can be marked."""
    for path, block in asked.marked():
        if not block.get("cache_control"):
            continue
        if block.get("type") in THINKING:
            yield text("mark_thinking", path=path)
        if block.get("type") == "text" and not block["text"]:
            yield text("mark_empty", path=path)
