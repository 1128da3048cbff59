"""Keep the results of one step together within a size: the largest are exchanged for their stored whole.

Each result alone is small enough to be read; many at once may still not fit. What is exchanged was
not yet sent to the model, so nothing that it has seen changes.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from artifacts.tokens import tokens
from chat.events import ToolStored
from chat.ports import Shrunk
from chat.results import Done, compact

Json = Any
# Stores data of a tool, whole, and returns its preview.
Store = Callable[[Json, str], Awaitable[Shrunk]]
# Less than this is not worth a second look by the model.
SMALLEST_EXCHANGED_TOKENS = 700
WHY = "The results of this step were too large together: this one was stored. Look into it with inspect_artifact."


async def fit_step(finished: Sequence[Done], *, max_tokens: int, store: Store) -> dict[str, tuple[Done, ToolStored]]:
    """Return the results that must be exchanged, by call id: what the model reads now, and the event that tells it.

    The largest first go down to a preview; if that is not enough, previews go down to the bare reference.
    """
    if sum(_bytes(one) for one in finished) <= max_tokens:
        # No token has less than a byte: nothing need be counted.
        return {}
    sizes = {one.event.call_id: size(one) for one in finished}
    total = sum(sizes.values())
    if total <= max_tokens:
        return {}
    whole = {one.event.call_id: one for one in finished}
    exchanged: dict[str, tuple[Done, ToolStored]] = {}
    for one in sorted(finished, key=lambda done: sizes[done.event.call_id], reverse=True):
        before = sizes[one.event.call_id]
        if total <= max_tokens or before < SMALLEST_EXCHANGED_TOKENS:
            break
        smaller = await _stored(one, store)
        if smaller is not None and (after := size(smaller)) < before:
            exchanged[one.event.call_id] = smaller, _event(one, smaller)
            total -= before - after
    for one in sorted((exchanged.get(d.event.call_id, (d, None))[0] for d in finished), key=size, reverse=True):
        if total <= max_tokens:
            break
        if "preview" in (envelope := _envelope(one)) and envelope.get("artifact_id"):
            bare = _with(one, {name: value for name, value in envelope.items() if name != "preview"})
            exchanged[one.event.call_id] = bare, _event(whole[one.event.call_id], bare)
            total -= size(one) - size(bare)
    return exchanged


def size(one: Done) -> int:
    """Return the tokens of a result that the model reads; references are read as tools, not as text."""
    return 0 if one.result.tool_references else tokens(one.result.text)


def _bytes(one: Done) -> int:
    return len(one.result.text.encode())


async def _stored(one: Done, store: Store) -> Done | None:
    """Return the result as a preview with its artifact; None where there is nothing to store."""
    envelope = _envelope(one)
    if envelope.get("data") is None:
        return None
    shrunk = await store(envelope["data"], one.event.tool)
    # What was reduced has its whole in the store already.
    artifact_id = one.event.artifact_id or shrunk.artifact_id
    rest = {name: value for name, value in envelope.items() if name not in ("data", "artifact_id")}
    note = " ".join(part for part in (rest.get("note"), shrunk.warning, WHY) if part)
    return _with(one, {**rest, "note": note, "artifact_id": artifact_id, "preview": shrunk.text})


def _envelope(one: Done) -> dict[str, Json]:
    content: dict[str, Json] = json.loads(one.result.text.partition("\n")[2])
    return content


def _with(one: Done, envelope: Mapping[str, Json]) -> Done:
    text = f"{one.result.text.partition(chr(10))[0]}\n{compact(envelope)}"
    event = replace(
        one.event,
        pipeline="stored",
        artifact_id=str(envelope["artifact_id"]),
        note=str(envelope.get("note", "")),
        bytes_after=len(text.encode()),
    )
    return Done(replace(one.result, text=text), event)


def _event(before: Done, after: Done) -> ToolStored:
    return ToolStored(
        step=before.event.step,
        call_id=before.event.call_id,
        tool=before.event.tool,
        artifact_id=after.event.artifact_id,
        bytes_before=_bytes(before),
        bytes_after=_bytes(after),
    )
