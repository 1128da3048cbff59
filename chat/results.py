"""What comes of a tool call: the text that the model reads, and the event that tells readers about it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from chat.events import ToolEnd
from chat.ports import RawToolResult, Shrunk
from chat.providers.base import ToolCall, ToolResult
from mcp_server.codes import TOOL_SENTENCES, ResultOutcome, ToolCode

Json = Any
CITATIONS_SHOWN = 60
# An error's text comes from a database and may be a whole page.
MESSAGE_MAX_CHARACTERS = 2_000
REPEATED = "This call was made before in this turn: here is its result again, nothing was asked anew."


@dataclass(frozen=True)
class Done:
    """A finished call: what the model reads, and the event that tells about it."""

    result: ToolResult
    event: ToolEnd


def refused(code: ToolCode, message: str, **facts: Json) -> RawToolResult:
    """Return the failure of a call that brought no result of its own."""
    error = {"code": code.value, "message": message, **facts, "next_step": TOOL_SENTENCES[code]}
    return RawToolResult({"outcome": ResultOutcome.FAILED.value, "error": error})


def cancelled(call: ToolCall, step: int, by: str) -> Done:
    """Return the result of a call that was stopped before it ended."""
    raw = refused(ToolCode.TOOL_CANCELLED, f"cancelled: {by}")
    return done(call, step, raw, Shrunk("inline", "null", 0, 0), 0.0)


def done(
    call: ToolCall, step: int, raw: RawToolResult, shrunk: Shrunk, seconds: float, references: tuple[str, ...] = ()
) -> Done:
    """Put result and event of a call together."""
    envelope, meta = raw.envelope, raw.meta
    failed = envelope["outcome"] == ResultOutcome.FAILED
    error = envelope.get("error") or {}
    fetched_at = str(meta.get("burp/fetched_at") or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    text = f"[fetched_at: {fetched_at}]\n{_model_text(envelope, shrunk)}"
    event = ToolEnd(
        step=step,
        call_id=call.id,
        tool=call.name,
        ok=not failed,
        outcome=str(envelope["outcome"]),
        seconds=round(seconds, 3),
        waited_s=float(meta.get("burp/waited_s", 0.0)),
        error_code=str(error.get("code", "")),
        message=str(error.get("message", ""))[:MESSAGE_MAX_CHARACTERS],
        note=_note(envelope, shrunk),
        total=envelope.get("total"),
        returned=envelope.get("returned"),
        bytes_before=raw.bytes or shrunk.bytes_before,
        bytes_after=len(text.encode()),
        pipeline=shrunk.how,
        artifact_id=shrunk.artifact_id,
        fetched_at=fetched_at,
        citations=list(meta.get("burp/citations", []))[:CITATIONS_SHOWN],
        requests=list(meta.get("burp/requests", [])),
    )
    return Done(ToolResult(call.id, call.name, text, is_error=failed, tool_references=references), event)


def repeated(call: ToolCall, step: int, first: Done) -> Done:
    """Return the result of a call that says the same as an earlier one of the turn."""
    head, _, content = first.result.text.partition("\n")
    # The envelope is compact JSON text: the remark goes in front, nothing is parsed and written anew.
    text = f'{head}\n{{"repeated":{compact(REPEATED)},{content.removeprefix("{")}'
    result = replace(first.result, call_id=call.id, text=text)
    event = replace(
        first.event,
        step=step,
        call_id=call.id,
        seconds=0.0,
        waited_s=0.0,
        bytes_after=len(text.encode()),
        requests=[],
        repeats=first.event.call_id,
    )
    return Done(result, event)


def compact(value: Json) -> str:
    """Return a value as compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _note(envelope: Mapping[str, Json], shrunk: Shrunk) -> str:
    return " ".join(part for part in (envelope.get("note"), shrunk.warning) if part)


def _model_text(envelope: Mapping[str, Json], shrunk: Shrunk) -> str:
    """Return the compact JSON that the model reads, with the data as the pipeline left it."""
    rest = {name: value for name, value in envelope.items() if name != "data"}
    if isinstance(error := rest.get("error"), Mapping) and isinstance(error.get("message"), str):
        rest["error"] = {**error, "message": error["message"][:MESSAGE_MAX_CHARACTERS]}
    if shrunk.warning:
        rest["note"] = _note(envelope, shrunk)
    if envelope.get("data") is None:
        return compact(rest)
    if shrunk.how == "stored":
        return compact({**rest, "artifact_id": shrunk.artifact_id, "preview": shrunk.text})
    # The data is already JSON text: it is put in as it is, not parsed and written again.
    if shrunk.artifact_id:
        rest["artifact_id"] = shrunk.artifact_id
    opening = compact(rest)[:-1]
    return f'{opening},"data":{shrunk.text}}}'
