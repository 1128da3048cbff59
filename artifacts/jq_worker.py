"""The process in which jq filters run: it has no environment, opens no file, and has limits on memory and time.

Started as a script by `artifacts.jq` with the folder of the jq binding and the memory limit in bytes; never
imported. On stdin come requests, on stdout go answers: each is a header (four bytes of length, JSON) and a body.
A request's header is `{"program", "bytes", "output_max_bytes", "cpu_s"}` and its body the document; an answer's
is `{"bytes", "results", "cut", "next"}` and its body the results as JSON, one a line, or else `{"error"}`;
`next` describes the result that no longer fitted. One byte says that the worker is ready.
"""

import json
import math
import os
import resource
import sys
from collections import OrderedDict
from typing import Any, BinaryIO

COMPILED_MAX = 64
# Standard input, output and error: with no descriptor free, `import` and `include` can't read any file.
DESCRIPTORS = 3
READY = b"+"
Compiled = OrderedDict[str, Any]


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


def compile_program(jq: Any, program: str) -> Any:
    """Compile a program so that its results are JSON texts as jq writes them: numbers keep all their digits."""
    # First as it is: what is wrong with it must be said of what the caller wrote.
    jq.compile(program)
    return jq.compile(f"({program}\n)|tojson")


def run(
    jq: Any, compiled: "OrderedDict[str, Any]", header: dict[str, Any], document: str
) -> tuple[dict[str, Any], bytes]:
    """Run one program on one document."""
    program = header["program"]
    if program not in compiled:
        compiled[program] = compile_program(jq, program)
        if len(compiled) > COMPILED_MAX:
            compiled.popitem(last=False)
    compiled.move_to_end(program)
    lines: list[bytes] = []
    size = 0
    for text in compiled[program].input_text(document):
        line = text.encode()
        size += len(line) + 1
        if size - 1 > header["output_max_bytes"]:
            return {"results": len(lines), "cut": True, "next": describe(text, len(line))}, b"\n".join(lines)
        lines.append(line)
    return {"results": len(lines), "cut": False}, b"\n".join(lines)


def describe(text: str, size: int) -> dict[str, Any]:
    """Say of what kind and size a JSON text is."""
    value = json.loads(text) if text[0] in "[{" else None
    kinds = {"{": "object", "[": "array", '"': "string"}
    return {"type": kinds.get(text[0], "number"), "length": value if value is None else len(value), "bytes": size}


def serve(jq: Any, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer requests until the parent is gone."""
    compiled: Compiled = OrderedDict()
    sink.write(READY)
    sink.flush()
    while True:
        header = json.loads(read_exactly(source, int.from_bytes(read_exactly(source, 4), "big")))
        document = read_exactly(source, header["bytes"]).decode()
        limit_cpu(header["cpu_s"])
        try:
            answer, body = run(jq, compiled, header, document)
        except (ValueError, RecursionError, MemoryError) as error:
            answer, body = {"error": str(error) or type(error).__name__}, b""
        del document
        text = json.dumps(answer | {"bytes": len(body)}).encode()
        sink.write(len(text).to_bytes(4, "big") + text + body)
        sink.flush()


def main() -> None:
    """Load the binding, give up everything else, serve."""
    sys.path.append(sys.argv[1])
    import jq

    restrict(int(sys.argv[2]))
    serve(jq, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
