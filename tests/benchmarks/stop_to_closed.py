"""How long it takes from a stop until every connection of the turn is closed, with real servers on loopback."""

import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from evals.strict_messages import StrictMessages
from tests.benchmarks.report import Row
from tests.serving.conftest import make_home, warm_up
from tests.serving.phases import BY_NAME, PHASES, Moment, World
from tests.serving.site import Device, Running, running
from tests.serving.upstream import Upstream

SERVERS = ("daphne", "uvicorn")
STREAMS = ("before the first byte", "in thinking", "in text", "in tool arguments")
CALLS = ("while three calls run and none is finished",)
REPEATS = 8
BOUND = "≤ 300 ms"


def measure() -> list[Row]:
    """Stop turns by the button, one after the other, and all at once by SIGTERM."""
    rows = []
    with StrictMessages() as model, Upstream() as upstream:
        world = World(model, upstream)
        for server in SERVERS:
            with tempfile.TemporaryDirectory(prefix="burp-bench-") as folder:
                home = make_home(world, Path(folder), grace_s=60)
                with running(server, home) as site:
                    warm_up(site, world)
                    rows += _by_button(server, site, world)
                    rows.append(_by_signal(server, site, world))
    return rows


def _by_button(server: str, site: Running, world: World) -> list[Row]:
    """Stop each kind of phase several times."""
    streams = [_stopped(site.device(), world, name) for name in STREAMS * REPEATS]
    calls = [_stopped(site.device(), world, name) for name in CALLS * REPEATS]
    return [
        Row(f"{server}: stop button until the model's stream is closed", _ms(streams), BOUND),
        Row("the same until three database connections are closed", _ms(calls), BOUND),
    ]


def _stopped(device: Device, world: World, name: str) -> float:
    session_id = device.open_session()
    moment = world.enter(BY_NAME[name], lambda: device.ask(session_id))
    seconds = _until_closed([moment], lambda: device.stop(moment.following.turn_id))
    moment.following.ended()
    return seconds


def _by_signal(server: str, site: Running, world: World) -> Row:
    """End the process with a turn in every phase."""
    device, moments = site.device(), []
    for phase in PHASES:
        session_id = device.open_session()
        moments.append(world.enter(phase, lambda s=session_id: device.ask(s)))  # type: ignore[misc]
    seconds = _until_closed(moments, lambda: site.process.send_signal(signal.SIGTERM))
    return Row(
        f"the same at SIGTERM, {len(PHASES)} turns at once, each in another phase", f"{seconds * 1000:.0f} ms", BOUND
    )


def _until_closed(moments: list[Moment], stop: Callable[[], None]) -> float:
    """Stop, and return the seconds until the last connection was closed."""
    hanging, before = sum(len(moment.phase.hanging) for moment in moments), moments[0].world.upstream.hung_up
    began = time.monotonic()
    stop()
    for moment in moments:
        recorded = moment.world.model.requests[moment.request]
        assert recorded.ended.wait(5.0)
    moments[0].world.upstream.wait_for_hang_ups(before + hanging)
    streams = [moment.world.model.requests[moment.request].client_closed_at for moment in moments]
    closed = [at for at in streams if at is not None] + moments[0].world.upstream.hang_ups_s[before:]
    return max(closed) - began


def _ms(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1000:.0f} ms (slowest of {len(seconds)}: {max(seconds) * 1000:.0f} ms)"
