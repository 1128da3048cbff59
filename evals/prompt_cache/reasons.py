"""Why a request did not read what the one before it had left in the cache: found in what was sent."""

import json
from collections.abc import Iterator
from typing import Any

from evals.prompt_cache.play import Asked
from evals.strict_messages.conversation import unmarked
from evals.strict_messages.prompt_cache import LIFETIME_S, LOOK_BACK_BLOCKS

Json = Any
Block = dict[str, Json]
SETTINGS = ("thinking", "output_config", "tool_choice", "speed")


def reason(before: Asked, now: Asked) -> str:
    """Return the first reason that is there, and what the service itself says."""
    found = next(_reasons(before, now), "nothing that was sent explains it")
    if not now.diagnosis:
        return found
    missed = now.diagnosis.get("cache_missed_input_tokens")
    tokens = f" ({missed:,} tokens)" if missed is not None else ""
    return f"{found}; the service says {now.diagnosis['type']}{tokens}"


def _reasons(before: Asked, now: Asked) -> Iterator[str]:
    old, new = before.body, now.body
    if old["model"] != new["model"]:
        yield f"another model: {old['model']}, then {new['model']}"
    if difference := _tools_differ(old.get("tools", []), new.get("tools", [])):
        yield f"other tools: {difference}"
    if unmarked(old.get("system")) != unmarked(new.get("system")):
        yield "another system prompt"
    for name in SETTINGS:
        if old.get(name) != new.get(name):
            yield f"another setting: {name} {old.get(name)}, then {new.get(name)}"
    yield from _messages_differ(old["messages"], new["messages"])
    shortest_s = min(LIFETIME_S.values())
    if now.began_s - before.began_s >= shortest_s:
        yield f"expired: {(now.began_s - before.began_s) / 60:.0f} minutes had passed"


def _tools_differ(old: list[Block], new: list[Block]) -> str:
    before, after = ({tool["name"]: unmarked(tool) for tool in tools} for tools in (old, new))
    groups = {
        "added": sorted(after.keys() - before.keys()),
        "removed": sorted(before.keys() - after.keys()),
        "changed": sorted(name for name in before.keys() & after.keys() if before[name] != after[name]),
    }
    told = [f"{what} {', '.join(names)}" for what, names in groups.items() if names]
    if not told and list(before) != list(after):
        return "in another order"
    return "; ".join(told)


def _messages_differ(old: list[Block], new: list[Block]) -> Iterator[str]:
    before, after = [*_flat(old)], [*_flat(new)]
    for position, (path, block) in enumerate(before):
        if position >= len(after) or _text(after[position][1]) != _text(block):
            yield f"{path} is not what it was"
            return
    if "cache_control" not in before[-1][1]:
        yield "the end of the call before was not marked"
    marks = [position for position, (_, block) in enumerate(after) if "cache_control" in block]
    end = len(before) - 1
    nearest = min((mark - end for mark in marks if mark >= end), default=None)
    if nearest is None:
        yield "nothing is marked at or after the end of the call before"
    elif nearest >= LOOK_BACK_BLOCKS:
        yield f"out of reach: the call before ended {nearest} blocks before the next mark"


def _flat(messages: list[Block]) -> Iterator[tuple[str, Block]]:
    for i, message in enumerate(messages):
        for j, block in enumerate(message["content"]):
            yield f"messages.{i}.content.{j}", {"role": message["role"], **block}


def _text(block: Block) -> str:
    return json.dumps(unmarked(block))
