"""Run jq filters in worker processes that can be killed: the binding can't be interrupted, and shows the environment.

Documents are described there too: parsing megabytes would hold up every thread of this process.

Workers are started ahead and kept; one that runs over its time or memory is killed and replaced. All functions
block: from the event loop, call them in a thread.
"""

import atexit
import json
import logging
import os
import queue
import re
import select
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from artifacts.config import ArtifactLimits
from artifacts.errors import FilterRefused, FilterTooExpensive

Header = dict[str, Any]
log = logging.getLogger(__name__)

WORKERS = 2
WORKER = Path(__file__).with_name("jq_worker.py")
PROGRAM_MAX_CHARACTERS = 8_000
# Time for a worker to load.
START_S = 15.0
CHUNK_BYTES = 256 * 1024
# Time that a worker has for counting what did not fit, a little more than it gives itself.
COUNT_S = 1.0
# Such statements can only stand at the beginning of a program.
_MODULES = re.compile(r"(?:\s|#[^\n]*(?:\n|$))*(?:module|import|include)\b")
EXPENSIVE = "the filter is too expensive: {why}. Narrow it, for instance with [:20] or a path"


@dataclass(frozen=True)
class Cut:
    """What no longer fitted into an output: the first result that was kept back, and how many others were.

    `length` counts its items or keys. Of an array that was the first result, the first `shown` items are told.
    `more` counts the results kept back, this one included; all of them where `is_all` holds.
    """

    type: str
    length: int | None
    bytes: int
    shown: int = 0
    more: int = 1
    is_all: bool = True


@dataclass(frozen=True)
class JqOutput:
    """The results as JSON texts."""

    results: tuple[str, ...]
    cut: Cut | None = None


class _Died(Exception):
    """The worker ended in the middle of a request."""


class _Worker:
    """One worker process."""

    def __init__(self, memory_mb: int, folder: str) -> None:
        binding = find_spec("jq")
        assert binding is not None and binding.origin is not None
        # -I and -S: nothing of this process's environment or path takes part.
        folders = [str(Path(binding.origin).parent), str(WORKER.parents[1])]
        command = [sys.executable, "-I", "-S", str(WORKER), *folders, str(memory_mb << 20)]
        self._process = subprocess.Popen(
            command,
            env={},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._is_ready = False
        self.is_spent = False

    def ask(self, header: Header, document: bytes, timeout_s: float) -> tuple[Header, bytes]:
        """Send a request and return the answer. After `TimeoutError` or `_Died` the worker is of no more use."""
        if not self._is_ready:
            self._receive(1, time.monotonic() + START_S)
            self._is_ready = True
        deadline = time.monotonic() + timeout_s
        text = json.dumps(header).encode()
        self._send(len(text).to_bytes(4, "big") + text, deadline)
        self._send(document, deadline)
        answer, body = self._answer(deadline)
        if answer.get("cut"):
            answer["cut"] |= self._count(min(deadline, time.monotonic() + COUNT_S))
        return answer, body

    def _answer(self, deadline: float) -> tuple[Header, bytes]:
        answer: Header = json.loads(self._receive(int.from_bytes(self._receive(4, deadline), "big"), deadline))
        return answer, self._receive(answer["bytes"], deadline)

    def _count(self, deadline: float) -> Header:
        """Return how many results were kept back. A filter that takes too long for that is given up."""
        try:
            counted, _ = self._answer(deadline)
        except (TimeoutError, _Died):
            self.is_spent = True
            return {"more": 1, "is_all": False}
        return {"more": counted["more"], "is_all": counted["all"]}

    def kill(self) -> None:
        """Kill the process; a thread that waits for it hears of its end."""
        self._process.kill()

    def close(self) -> None:
        """Kill the process and collect it."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()

    def _send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            self._wait([], [self._in], deadline)
            try:
                view = view[os.write(self._in, view[:CHUNK_BYTES]) :]
            except BrokenPipeError:
                raise _Died from None

    def _receive(self, size: int, deadline: float) -> bytes:
        parts = []
        while size:
            self._wait([self._out], [], deadline)
            part = os.read(self._out, min(size, CHUNK_BYTES))
            if not part:
                raise _Died
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    @staticmethod
    def _wait(readable: list[int], writable: list[int], deadline: float) -> None:
        poller = select.poll()
        for descriptor in readable:
            poller.register(descriptor, select.POLLIN)
        for descriptor in writable:
            poller.register(descriptor, select.POLLOUT)
        remaining_ms = (deadline - time.monotonic()) * 1000
        if remaining_ms <= 0 or not poller.poll(remaining_ms):
            raise TimeoutError


class JqEngine:
    """A few workers that run filters, for any number of threads."""

    def __init__(self, memory_mb: int, workers: int = WORKERS) -> None:
        self._memory_mb = memory_mb
        # An empty folder to live in: nothing lies beside a filter.
        self._folder = tempfile.TemporaryDirectory(prefix="burp-jq-")
        # Whoever holds a worker is its only user; None stands for one that is still to be started.
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(workers):
            self._idle.put(None)
        self._live: set[_Worker] = set()
        self._closed = False

    def start(self) -> None:
        """Start one worker ahead, so that the first filter need not wait."""
        worker = self._idle.get()
        self._idle.put(worker or self._new_worker())

    def run(self, program: str, document: bytes, *, timeout_s: float, output_max_bytes: int) -> JqOutput:
        """Run a filter on a JSON document.

        Raises `FilterRefused` with jq's message, or `FilterTooExpensive`.
        """
        if len(program) > PROGRAM_MAX_CHARACTERS:
            raise FilterRefused(f"the filter has over {PROGRAM_MAX_CHARACTERS:,} characters")
        if "\0" in program:
            raise FilterRefused("the filter holds a NUL character")
        if _MODULES.match(program):
            raise FilterRefused("modules are not available: no import, include or module")
        header = {"op": "filter", "program": program, "output_max_bytes": output_max_bytes}
        answer, body = self._ask(header, document, timeout_s)
        if "error" in answer:
            raise FilterRefused(answer["error"])
        results = tuple(body.decode().split("\n")) if answer["results"] else ()
        return JqOutput(results, Cut(**answer["cut"]) if answer["cut"] else None)

    def preview(self, document: bytes, *, max_tokens: int, timeout_s: float, noise: str = "") -> str:
        """Return the preview of a JSON document; what `noise` takes away is not listed.

        Raises `FilterRefused` or `FilterTooExpensive` for a document that can't be described.
        """
        header = {"op": "preview", "max_tokens": max_tokens, "noise": noise}
        return self._described(header, document, timeout_s)

    def paths(self, document: bytes, *, max_tokens: int, timeout_s: float, near: str) -> str:
        """Return the paths that a JSON document has, first those that are spelt like what a filter names."""
        header = {"op": "paths", "max_tokens": max_tokens, "near": near}
        return self._described(header, document, timeout_s)

    def _described(self, header: Header, document: bytes, timeout_s: float) -> str:
        answer, body = self._ask(header, document, timeout_s)
        if "error" in answer:
            raise FilterRefused(answer["error"])
        return body.decode()

    def close(self) -> None:
        """End all workers."""
        self._closed = True
        for worker in list(self._live):
            worker.kill()
        while True:
            try:
                worker_or_none = self._idle.get_nowait()
            except queue.Empty:
                break
            self._discard(worker_or_none)
        self._folder.cleanup()

    def _ask(self, header: Header, document: bytes, timeout_s: float) -> tuple[Header, bytes]:
        header |= {"bytes": len(document), "cpu_s": timeout_s}
        worker = self._idle.get()
        healthy = False
        try:
            worker = worker or self._new_worker()
            answer = worker.ask(header, document, timeout_s)
            healthy = not worker.is_spent
            return answer
        except TimeoutError:
            raise FilterTooExpensive(EXPENSIVE.format(why=f"it ran over {timeout_s:g} s")) from None
        except _Died:
            why = f"it needs over {self._memory_mb} MB of memory, or endless time"
            raise FilterTooExpensive(EXPENSIVE.format(why=why)) from None
        finally:
            if not healthy:
                self._discard(worker)
                worker = None if self._closed else self._new_worker()
            self._idle.put(worker)

    def _new_worker(self) -> _Worker:
        worker = _Worker(self._memory_mb, self._folder.name)
        self._live.add(worker)
        return worker

    def _discard(self, worker: _Worker | None) -> None:
        if worker is not None:
            worker.close()
            self._live.discard(worker)


# Two threads that ask for the first time at once must not make two engines.
_making = threading.Lock()


def jq_engine(limits: ArtifactLimits) -> JqEngine:
    """Return this process's engine for these limits."""
    with _making:
        return _engine(limits.jq_memory_mb)


@cache
def _engine(memory_mb: int) -> JqEngine:
    engine = JqEngine(memory_mb)
    atexit.register(engine.close)
    return engine
