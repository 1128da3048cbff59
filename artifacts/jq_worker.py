"""The process in which jq filters run: it has no environment, opens no file, and has limits on memory and time.

Started as a script by `artifacts.jq` with the folder of the jq binding, the folder of this package, and the memory
limit in bytes; never imported. It also describes documents, so that no other process need parse a large one. On stdin
come requests, on stdout go answers: each is a header (four bytes of length, JSON) and a body. A request's header says
`op`, `bytes` and `cpu_s`; its body is the document.

- `filter` (`program`, `output_max_bytes`): the results as JSON, one a line; header `{"results", "cut"}` or
  `{"error"}`. Where `cut` is not null, a second answer `{"more", "all"}` follows that counts what was left out.
- `preview` (`max_tokens`, `noise`: a program, or nothing) and `paths` (`max_tokens`, `near`): a text.

One byte says that the worker is ready.
"""

import json
import math
import os
import resource
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, BinaryIO

COMPILED_MAX = 64
# Standard input, output and error: with no descriptor free, `import` and `include` can't read any file.
DESCRIPTORS = 3
READY = b"+"
# What is left out is counted so long, and no further.
COUNT_S = 0.5
COUNT_STEP = 256
Compiled = OrderedDict[str, Any]
Header = dict[str, Any]


def restrict(memory_bytes: int) -> None:
    """Give up all that a filter does not need."""
    os.environ.clear()
    for what, limit in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (limit, limit))
    # Numbers of any length are data; how long they may keep this process busy is limited anyhow.
    sys.set_int_max_str_digits(0)


def limit_cpu(seconds: float) -> None:
    """Have this process killed when it computes longer than `seconds` from now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


def read_exactly(source: BinaryIO, size: int) -> bytes:
    """Read `size` bytes; end the process when the parent is gone."""
    data = source.read(size)
    if len(data) < size:
        sys.exit(0)
    return data


def write(sink: BinaryIO, header: Header, body: bytes = b"") -> None:
    """Send an answer."""
    text = json.dumps(header | {"bytes": len(body)}).encode()
    sink.write(len(text).to_bytes(4, "big") + text + body)
    sink.flush()


class Filters:
    """Runs programs; keeps the compiled form of the last ones."""

    def __init__(self, jq: Any) -> None:
        self._jq = jq
        self._compiled: Compiled = OrderedDict()

    def answer(self, header: Header, document: bytes, sink: BinaryIO) -> None:
        """Run one program on one document."""
        try:
            results = iter(self._program(header["program"]).input_text(document.decode()))
            lines, first_out = taken(results, header["output_max_bytes"])
            cut = None if first_out is None else self._described(first_out)
            if cut and not lines and cut["type"] == "array":
                lines, cut["shown"] = self._beginning(first_out or "", header["output_max_bytes"])
        except (ValueError, RecursionError, MemoryError) as error:
            write(sink, {"error": str(error) or type(error).__name__})
            return
        write(sink, {"results": len(lines), "cut": cut}, b"\n".join(lines))
        if cut:
            write(sink, counted(results))

    def focus(self, value: Any, noise: str) -> Any:
        """Return a part of a value without its noise, or nothing where the policy fails on it."""
        from artifacts.shape import shortened

        try:
            return json.loads(next(iter(self._program(noise).input_text(json.dumps(shortened(value))))))
        except (ValueError, StopIteration):
            return None

    def _program(self, program: str) -> Any:
        """Return a program whose results are JSON texts as jq writes them: numbers keep all their digits."""
        if program not in self._compiled:
            # First as it is: what is wrong with it must be said of what the caller wrote.
            self._jq.compile(program)
            self._compiled[program] = self._jq.compile(f"({program}\n)|tojson")
            if len(self._compiled) > COMPILED_MAX:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(program)
        return self._compiled[program]

    def _described(self, text: str) -> Header:
        """Say of what kind and size the JSON text is that no longer fitted."""
        kinds = {"{": "object", "[": "array", '"': "string"}
        length = len(json.loads(text)) if text[0] in "[{" else None
        return {"type": kinds.get(text[0], "number"), "length": length, "bytes": len(text.encode()), "shown": 0}

    def _beginning(self, array: str, max_bytes: int) -> tuple[list[bytes], int]:
        """Return an array with as many of its first items as fit, and how many these are."""
        items, _ = taken(iter(self._jq.compile(".[]|tojson").input_text(array)), max_bytes - 2)
        return ([b"[" + b",".join(items) + b"]"] if items else []), len(items)


def taken(results: Iterator[str], max_bytes: int) -> tuple[list[bytes], str | None]:
    """Return the first results that fit, and the first one that does not."""
    lines: list[bytes] = []
    room = max_bytes + 1
    for text in results:
        line = text.encode()
        room -= len(line) + 1
        if room < 0:
            return lines, text
        lines.append(line)
    return lines, None


def counted(results: Iterator[str]) -> Header:
    """Count what was left out, the one result that was looked at already included."""
    more, end = 1, time.monotonic() + COUNT_S
    try:
        for _ in results:
            more += 1
            if more % COUNT_STEP == 0 and time.monotonic() > end:
                return {"more": more, "all": False}
    except (ValueError, RecursionError, MemoryError):
        return {"more": more, "all": False}
    return {"more": more, "all": True}


def describe(filters: Filters, header: Header, document: bytes, sink: BinaryIO) -> None:
    """Answer with a text about a document."""
    from artifacts.preview import existing_paths, preview

    try:
        value = json.loads(document)
        if header["op"] == "paths":
            text = existing_paths(value, header["max_tokens"], near=header["near"])
        else:
            focus = filters.focus(value, header["noise"]) if header["noise"] else None
            text = preview(value, header["max_tokens"], size=len(document), focus=focus)
    except (ValueError, RecursionError, MemoryError) as error:
        write(sink, {"error": str(error) or type(error).__name__})
        return
    write(sink, {}, text.encode("utf-8", "replace"))


def serve(jq: Any, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer requests until the parent is gone."""
    filters = Filters(jq)
    sink.write(READY)
    sink.flush()
    while True:
        header = json.loads(read_exactly(source, int.from_bytes(read_exactly(source, 4), "big")))
        document = read_exactly(source, header["bytes"])
        limit_cpu(header["cpu_s"])
        if header["op"] == "filter":
            filters.answer(header, document, sink)
        else:
            describe(filters, header, document, sink)
        del document


def main() -> None:
    """Load what is needed, give up everything else, serve."""
    sys.path += sys.argv[1:3]
    import jq

    import artifacts.preview  # noqa: F401

    restrict(int(sys.argv[3]))
    serve(jq, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
