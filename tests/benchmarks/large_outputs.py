"""Large results: what is left of recorded ones, a 10 MB one without holding up the event loop, jq, and a question.

`BURP_SAMPLES` names a further folder of recorded responses; its results are measured beside the repository's.
"""

import asyncio
import gc
import json
import os
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import override_settings

from artifacts.config import ArtifactLimits
from artifacts.errors import FilterTooExpensive
from artifacts.jq import JqEngine, jq_engine
from chat import services, turns
from chat.adapters import SessionShrinker
from evals.strict_messages import StrictMessages
from tests.artifacts.ceilings import Read, measured
from tests.benchmarks.report import Row
from tests.chat.claude_sessions import SONNET, claude_service
from tests.chat.target_drugs import Cost, played
from tests.recorded_results import of_records, of_samples
from tools_catalog.runtime import close_tool_servers
from usage.services import local_user_get_or_create

PIPELINE_RUNS = 7
# Others work on the machine: the best of some rounds, each long enough for a p95, says what the filters take.
JQ_ROUNDS = 5
JQ_RUNS = 8
LOOK_S = 0.001
NOISE = "del(.rows[].references)"
FILTERS = (
    ".rows | length",
    "[.rows[] | select(.phase >= 3) | {id}] | length",
    "[.rows[].status] | group_by(.) | map([.[0], length])",
    ".rows | sort_by(.score) | reverse[:10] | map({id, score})",
    '[.rows[] | select(.title | test("EGFR"; "i")) | .id][:20]',
)
RUNAWAY = "def f: f; f"


def document(size_bytes: int) -> bytes:
    """Return records as databases give them, of about this size."""
    rows: list[dict[str, object]] = []
    row = {
        "title": "An inhibitor of EGFR and HER2 in patients with advanced disease",
        "status": "RECRUITING",
        "phase": 3,
        "score": 0.5,
        "references": [{"pmid": 31000000 + n, "title": "A paper with a title of some length"} for n in range(3)],
    }
    count = size_bytes // (len(json.dumps(row)) + 24)
    for number in range(count):
        rows.append(row | {"id": f"NCT{number:08d}", "phase": number % 5, "score": number % 997 / 997})
    return json.dumps({"total": count, "rows": rows}, separators=(",", ":")).encode()


class Stalls:
    """Watches how long the event loop lets a task wait that only wants a moment."""

    def __init__(self) -> None:
        self.longest_s = 0.0

    async def __aenter__(self) -> "Stalls":
        self._task = asyncio.create_task(self._watch())
        await asyncio.sleep(LOOK_S)
        return self

    async def __aexit__(self, *problem: object) -> None:
        await asyncio.sleep(2 * LOOK_S)
        self._task.cancel()

    async def _watch(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(LOOK_S)
            self.longest_s = max(self.longest_s, time.perf_counter() - began - LOOK_S)


async def _pipeline(content: bytes, noise: str | None) -> tuple[list[float], float]:
    """Send a value through the pipeline a few times, stored anew each time; return seconds and the longest stall."""
    user = await sync_to_async(local_user_get_or_create)()
    limits = settings.BURP.artifacts
    await sync_to_async(jq_engine(limits).start, thread_sensitive=False)()
    seconds, stalls = [], Stalls()
    # What the process has loaded is no garbage: looking through it would be a stall of its own.
    gc.collect()
    for number in range(PIPELINE_RUNS):
        shrinker = SessionShrinker(session_id=uuid4(), owner_id=user.pk, limits=limits)
        data = b'{"run":' + str(number).encode() + b"," + content[1:]
        async with stalls:
            began = time.perf_counter()
            shrunk = await shrinker.shrink(data, tool="debug__list_records", noise=noise)
            seconds.append(time.perf_counter() - began)
        assert shrunk.how == "stored" and shrunk.artifact_id and not shrunk.warning, shrunk
    return seconds, stalls.longest_s


def _jq(limits: ArtifactLimits) -> list[Row]:
    engine = JqEngine(limits.jq_memory_mb, workers=1)
    content = document(5_000_000)

    def timed(one: str) -> tuple[float, float]:
        """Return the seconds that a filter takes, and the processor's part of them."""
        began, computed = time.perf_counter(), _computed_s(engine)
        with suppress(FilterTooExpensive):
            engine.run(one, content, timeout_s=limits.jq_timeout_s, output_max_bytes=20_000)
        return time.perf_counter() - began, _computed_s(engine) - computed

    try:
        engine.start()
        timed(FILTERS[0])
        rounds = [[timed(one) for _ in range(JQ_RUNS) for one in FILTERS] for _ in range(JQ_ROUNDS)]
        dead, _ = timed(RUNAWAY)
        after, _ = timed(FILTERS[0])
    finally:
        engine.close()
    wall, computed = (
        min((sorted(part[at] for part in one) for one in rounds), key=lambda seconds: seconds[_late(seconds)])
        for at in (0, 1)
    )
    return [
        Row("jq on 5 MB: median, p95", _told(wall), "p95 < 400 ms"),
        Row("of that processor time", _told(computed), ""),
        Row(
            f"a runaway filter: dead after (limit {limits.jq_timeout_s:g} s); the next call takes",
            f"{dead:.2f} s; {after * 1000:.0f} ms",
            "",
        ),
    ]


def _told(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1000:.0f} ms, {seconds[_late(seconds)] * 1000:.0f} ms"


def _late(values: Sequence[float]) -> int:
    """Return where the 95th percentile of sorted values stands."""
    return int(len(values) * 0.95)


def _computed_s(engine: JqEngine) -> float:
    """Return how long the engine's one worker has computed since its start."""
    (worker,) = engine._live
    fields = Path(f"/proc/{worker._process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _reductions(name: str, read: Sequence[Read]) -> list[Row]:
    after = sorted(one.after for one in read)
    reduced = [one for one in read if one.how != "inline"]
    saved = statistics.median(1 - one.after / one.before for one in reduced)
    how = ", ".join(f"{sum(one.how == kind for one in reduced)} {kind}" for kind in ("reduced", "stored"))
    late = after[_late(after)]
    return [
        Row(f"{name}: {len(reduced)} of {len(read)} results exceed the limit ({how}); saved", f"{saved:.1%}", "≥ 80 %"),
        Row(
            f"{name}: tokens read of a result: median, p95, largest",
            f"{statistics.median(after):.0f}, {late:,}, {after[-1]:,}",
            "≤ 600, ≤ 3,000, ≤ 8,000",
        ),
    ]


async def _question() -> Cost:
    """Ask what drugs target EGFR of a scripted Claude model over the offline snapshot."""
    user = await sync_to_async(local_user_get_or_create)()
    try:
        with StrictMessages() as server, claude_service(api_key=server.api_key, base_url=server.base_url):
            session = await sync_to_async(services.session_create)(owner_id=user.pk, model=SONNET, upstreams="snapshot")
            return await played(session, server)
    finally:
        await turns.shutdown()
        await close_tool_servers()


async def _idle(seconds: float) -> float:
    """Return the longest stall of a loop that has nothing to do: what the machine adds to the others."""
    stalls = Stalls()
    async with stalls:
        await asyncio.sleep(seconds)
    return stalls.longest_s


def _whole_way() -> list[Row]:
    content, rows = document(10_000_000), []
    for name, noise in (("", None), (", with a noise policy", NOISE)):
        seconds, stall = asyncio.run(_pipeline(content, noise))
        what = f"{len(content) / 1e6:.0f} MB through the pipeline, stored and described{name}"
        idle = asyncio.run(_idle(sum(seconds)))
        rows.append(Row(what, f"{min(seconds):.2f}–{max(seconds):.2f} s", "≤ 1 s"))
        told = f"{stall * 1000:.0f} ms ({idle * 1000:.0f} ms with nothing to do)"
        rows.append(Row("longest stall of the event loop meanwhile", told, "≤ 50 ms"))
    return rows


def measure() -> list[Row]:
    """Measure all of it; the recorded responses last, since they stay in memory."""
    burp = settings.BURP
    limits = replace(burp.artifacts, quota_mb=0)
    with override_settings(BURP=replace(burp, artifacts=limits)):
        rows = _whole_way() + _jq(limits)
    cost = asyncio.run(_question())
    asked = f"“What drugs target EGFR”, {cost.rounds} model calls: input tokens"
    rows.append(Row(asked, f"{cost.input_tokens:,}", "≤ 25,000"))
    engine = JqEngine(limits.jq_memory_mb)
    rows += _reductions("recorded responses of the repository", [*measured(of_records(), engine)])
    if of_samples():
        rows += _reductions("further recorded responses", [*measured(of_samples(), engine)])
    engine.close()
    return rows
