"""Cut a tool server's output into lines and read each line as a JSON-RPC message, whatever else is printed there.

A line that is no message is logged with its beginning and skipped; a message after junk on the same line
is still read; a line that is too long ends the one call that it answers. Pure: no pipe, no loop.
"""

import logging
import re
from dataclasses import dataclass

from mcp_types import ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter

log = logging.getLogger(__name__)

LINE_MAX_BYTES = 16 * 1024 * 1024
# Enough to hold the id, which servers write before the result or right after it.
EDGE_BYTES = 512
SHOWN_CHARACTERS = 200
LINE_TOO_LONG = -32050
_MESSAGE_START = b'{"jsonrpc"'
_ID_AT_START = re.compile(rb'^[^{]*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+|"[^"\\]{1,64}")\s*,')
_ID_AT_END = re.compile(rb'"id"\s*:\s*(\d+|"[^"\\]{1,64}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


@dataclass(frozen=True)
class Line:
    """One line without its newline. Of a line over the limit only head and tail are kept."""

    head: bytes
    size: int
    tail: bytes = b""

    @property
    def is_whole(self) -> bool:
        """Whether `head` is the whole line."""
        return self.size == len(self.head)


class LineSplitter:
    """Collects chunks into lines, in linear time and bounded memory."""

    def __init__(self, max_bytes: int = LINE_MAX_BYTES, edge_bytes: int = EDGE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._edge_bytes = min(edge_bytes, max_bytes)
        self._parts: list[bytes] = []
        self._size = 0
        self._tail = b""

    def feed(self, chunk: bytes) -> list[Line]:
        """Add a chunk; return the lines that it completes."""
        *ended, rest = chunk.split(b"\n")
        lines = []
        for part in ended:
            self._add(part)
            lines.append(self._take())
        self._add(rest)
        return lines

    def flush(self) -> list[Line]:
        """Return what stands without a newline at the end of the stream."""
        return [self._take()] if self._size else []

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._max_bytes:
            self._parts.append(part)
            return
        if len(self._parts) != 1 or len(self._parts[0]) > self._edge_bytes:
            self._parts = [b"".join([*self._parts, part])[: self._edge_bytes]]
        self._tail = (self._tail + part)[-self._edge_bytes :]

    def _take(self) -> Line:
        line = Line(b"".join(self._parts), self._size, self._tail)
        self._parts, self._size, self._tail = [], 0, b""
        return line


def read_message(line: Line, server: str) -> JSONRPCMessage | None:
    """Return the message of a line, an error for the call of a line that is too long, or None."""
    if not line.is_whole:
        return _too_long(line, server)
    message = _parsed(line.head)
    start = line.head.find(_MESSAGE_START, 1)
    if message is None and start > 0:
        message = _parsed(line.head[start:])
        if message is not None:
            log.warning("%s printed %r before a message", server, shown(line.head[:start]))
    if message is None and line.head.strip():
        log.warning("%s printed a line that is no message: %r", server, shown(line.head))
    return message


def shown(data: bytes) -> str:
    """Return the beginning of some output, for a log."""
    return data[: 4 * SHOWN_CHARACTERS].decode("utf-8", "replace").strip()[:SHOWN_CHARACTERS]


def _parsed(data: bytes) -> JSONRPCMessage | None:
    # A stray byte that is not UTF-8 must cost a character, not the call.
    for text in (data, data.decode("utf-8", "replace")):
        try:
            return jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValueError:
            continue
    return None


def _too_long(line: Line, server: str) -> JSONRPCMessage | None:
    found = _ID_AT_START.match(line.head) or _ID_AT_END.search(line.tail)
    log.warning("%s sent a line of %d bytes, which begins with %r", server, line.size, shown(line.head))
    if found is None:
        return None
    raw = found.group(1).decode()
    request_id = raw.strip('"') if raw.startswith('"') else int(raw)
    message = f"the result has {line.size:,} bytes, more than can be carried; ask for less"
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=LINE_TOO_LONG, message=message))
