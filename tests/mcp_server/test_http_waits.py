"""Time spent waiting for rate limits, told apart from work."""

import time

from mcp_server.envelope import provenance
from mcp_server.http.client import Api, CallTrace
from mcp_server.http.live import LiveTransport
from mcp_server.http.rate_limit import Rate, RateLimits
from mcp_server.http.waits import Waits
from tests.upstreams.server import FakeUpstreams

HOST = "rest.upstream.test"


async def test_waits_for_rate_limits_are_told_apart_from_work(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", {"error": "slow down"}, status=429, headers={"Retry-After": "1"}, times=1)
    upstreams.play(HOST, "/api/x", {"ok": True})
    transport = LiveTransport([HOST], user_agent="BURP/test", gateway=upstreams.url)
    api = Api("demo", f"https://{HOST}/api", Rate(100), transport, RateLimits(unlimited=True), time.monotonic() + 20)
    await api.get("/x")
    await transport.aclose()

    assert 0.9 < api.trace.waits.seconds < 3
    assert provenance(api.trace)["burp/waited_s"] == round(api.trace.waits.seconds, 3)
    assert "burp/waited_s" not in provenance(CallTrace())


def test_waits_side_by_side_count_once() -> None:
    waits = Waits()
    for span in ((10.0, 12.0), (11.0, 11.5), (20.0, 21.0), (11.0, 13.0)):
        waits.add(*span)

    assert waits.seconds == 4.0
