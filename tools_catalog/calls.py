"""What a tool call brings back and how it fails.

`ToolCallError` is the root of all that a call raises, beside cancellation, which passes through to the child:

    ToolCallError
    ├── ToolServerDown   the child died during the call, or can't be started
    ├── ToolTimeout      the call's budget ran out
    └── ToolCallFailed   the server refused the call, or its result can't be used
        └── ToolResultTooLarge   the result can't be carried to here
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.shared.dispatcher import ProgressFnT

from mcp_server.codes import ResultOutcome, ToolCode
from tools_catalog.framing import LINE_TOO_LONG
from tools_catalog.spool import SPOOLED, SpoolProblem, SpoolTooLarge, read_spooled

Json = Any
# Where a tool whose content has a form of its own says its outcome.
OUTCOME = "burp/outcome"
# Whose call it is, for tools that remember: all conversations share one tool server.
CONVERSATION = "burp/conversation"
# Databases that an operator has switched off, with the reasons: the server asks none of them.
PLATFORMS_OFF = "burp/platforms_off"
OnProgress = Callable[[str], None]


class ToolCallError(Exception):
    """A call that brought no result."""


class ToolServerDown(ToolCallError):
    """The tool server died during the call, or does not start."""


class ToolTimeout(ToolCallError):
    """The call's time budget ran out."""


class ToolCallFailed(ToolCallError):
    """The tool server refused the call, or its result can't be used."""


class ToolResultTooLarge(ToolCallFailed):
    """The result can't be carried to here; a smaller one can."""


@dataclass(frozen=True)
class RawToolResult:
    """What a call brought back. `bytes` is the size of the JSON; content in a form of its own is the `data`.

    Data in bytes is JSON that nobody has read yet.
    """

    envelope: dict[str, Json]
    meta: dict[str, Json]
    is_error: bool
    bytes: int


def check_arguments(arguments: Mapping[str, Json]) -> None:
    """Refuse what can't be written to the pipe, such as half a surrogate pair: it would end all other calls."""
    try:
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as problem:
        raise ToolCallFailed(f"the arguments can't be written as JSON: {problem}") from problem


def call_request(
    name: str, arguments: Mapping[str, Json], conversation: str, platforms_off: Mapping[str, str] | None = None
) -> types.CallToolRequest:
    """Return the protocol's request for a call, which belongs to a conversation where one is named."""
    meta: Json = {CONVERSATION: conversation} if conversation else {}
    if platforms_off:
        meta[PLATFORMS_OFF] = dict(platforms_off)
    return types.CallToolRequest(
        params=types.CallToolRequestParams(name=name, arguments=dict(arguments), _meta=meta or None),
    )


@contextmanager
def translated_errors(timeout_message: str) -> Iterator[None]:
    """Turn the SDK's errors of one call into ours; leave cancellation alone."""
    try:
        yield
    except MCPError as error:
        code, message = error.error.code, error.error.message
        if code == types.CONNECTION_CLOSED:
            raise ToolServerDown("the tool server stopped during the call") from error
        if code == types.REQUEST_TIMEOUT:
            raise ToolTimeout(timeout_message) from error
        if code == LINE_TOO_LONG:
            raise ToolResultTooLarge(message) from error
        raise ToolCallFailed(f"the tool server refused the call: {message} ({code})") from error
    except TimeoutError as error:
        raise ToolTimeout(timeout_message) from error
    except (ValueError, RuntimeError) as error:
        raise ToolCallFailed(f"the tool server's answer can't be used: {error}") from error


def progress_callback(on_progress: OnProgress) -> ProgressFnT:
    """Return the SDK's form of a callback that only wants the messages."""

    async def report(progress: float, total: float | None, message: str | None) -> None:
        if message:
            on_progress(message)

    return report


async def finished(result: types.CallToolResult, spool_dir: Path | None, *, unread: bool = False) -> RawToolResult:
    """Turn the SDK's result into ours; fetch what was spooled."""
    meta = dict(result.meta or {})
    spooled = meta.pop(SPOOLED, None)
    text = next((part.text for part in result.content if isinstance(part, types.TextContent)), "")
    if isinstance(spooled, Mapping):
        try:
            envelope, size = await asyncio.to_thread(read_spooled, spooled, spool_dir, unread=unread)
        except SpoolTooLarge as problem:
            raise ToolResultTooLarge(str(problem)) from problem
        except SpoolProblem as problem:
            raise ToolCallFailed(str(problem)) from problem
    else:
        envelope = result.structured_content
        size = len(text.encode()) if text else len(json.dumps(envelope))
    if not isinstance(envelope, dict):
        raise ToolCallFailed(f"the result has no envelope; it begins with {text[:200]!r}")
    return RawToolResult(_enveloped(envelope, meta, bool(result.is_error)), meta, bool(result.is_error), size)


def _enveloped(content: dict[str, Json], meta: Mapping[str, Json], is_error: bool) -> dict[str, Json]:
    """Put content in a form of its own, of a tool over several databases, into the envelope that all others have."""
    if "outcome" in content:
        return content
    outcome = meta.get(OUTCOME)
    if outcome not in list(ResultOutcome):
        outcome = ResultOutcome.FAILED if is_error else ResultOutcome.DATA
    envelope: dict[str, Json] = {"outcome": str(outcome), "data": content}
    if outcome == ResultOutcome.FAILED:
        envelope["error"] = _error(content)
    return envelope


def _error(content: Mapping[str, Json]) -> dict[str, Json]:
    """Return what went wrong in the words of the content, under a code that readers know."""
    told = content.get("error")
    facts = dict(told) if isinstance(told, Mapping) else {"message": str(told or "the tool reports a failure")}
    code = facts.get("code", "")
    if code not in list(ToolCode):
        facts |= {"code": ToolCode.TOOL_INVALID_ARGUMENTS.value} | ({"reason": code} if code else {})
    facts.setdefault("message", "the tool reports a failure")
    return facts
