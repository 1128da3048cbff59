"""The one way out, against a real server on loopback: retries, time, redirects, bad bodies, secrets."""

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from mcp_server.config import ServerConfig
from mcp_server.http.client import TELL_AFTER_S, Api
from mcp_server.http.errors import (
    UpstreamBadResponse,
    UpstreamError,
    UpstreamNotFound,
    UpstreamRateLimited,
    UpstreamRefused,
    UpstreamUnavailable,
    UpstreamUnreachable,
)
from mcp_server.http.live import CONNECT_TIMEOUT_S, MAX_BYTES, LiveTransport
from mcp_server.http.messages import Request, redact
from mcp_server.http.rate_limit import Rate, RateLimits
from mcp_server.http.retry import ATTEMPTS, FIRST_WAIT_S, UNREACHABLE_ATTEMPTS, retry_after_seconds, worth_another
from mcp_server.server import ToolServer
from mcp_server.tool import Platform
from tests.upstreams.server import FakeUpstreams

HOST = "rest.upstream.test"
OTHER = "grch37.upstream.test"
SECRET = "MARKERKEY123"
HTML = "<!doctype html><html><head><style>p{}</style></head><body><h1>Sorry</h1><p>We are down</p></body></html>"


@asynccontextmanager
async def api_over(gateway: str, *, seconds: float = 20.0, **parts: Any) -> AsyncIterator[Api]:
    """Give an `Api` whose requests go to the fake."""
    transport = LiveTransport([HOST, OTHER], user_agent="BURP/test", gateway=gateway)
    limits = parts.pop("limits", RateLimits(unlimited=True))
    api = Api("demo", f"https://{HOST}/api", Rate(100), transport, limits, time.monotonic() + seconds, **parts)
    try:
        yield api
    finally:
        await transport.aclose()


def chain(error: BaseException | None) -> str:
    """Return everything that an exception and its causes say."""
    said = []
    while error is not None:
        said.append(f"{error!s} {error!r}")
        error = error.__cause__ or error.__context__
    return "\n".join(said)


async def test_a_request_goes_to_its_own_host_with_plain_parameters(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/things", {"ok": True})
    async with api_over(upstreams.url) as api:
        answer = await api.get("/things", {"a": None, "b": True, "c": ["x", "y"], "d": "ä b"})
    assert answer == {"ok": True}
    (arrival,) = upstreams.arrivals
    assert arrival.query == {"b": ["true"], "c": ["x,y"], "d": ["ä b"]}
    assert arrival.headers["user-agent"] == "BURP/test"
    assert api.trace.requests == [
        {
            "method": "GET",
            "url": f"https://{HOST}/api/things?b=true&c=x%2Cy&d=%C3%A4+b",
            "status": 200,
            "attempts": 1,
            "bytes": 12,
            "seconds": api.trace.requests[0]["seconds"],
        }
    ]


async def test_faults_of_the_moment_are_retried_and_told(upstreams: FakeUpstreams, no_backoff: None) -> None:
    upstreams.play(HOST, "/api/x", HTML, status=503, times=2)
    upstreams.play(HOST, "/api/x", {"ok": True})
    told: list[str] = []
    async with api_over(upstreams.url, progress=told.append) as api:
        assert await api.get("/x") == {"ok": True}
    assert api.trace.requests[0]["attempts"] == 3
    assert told == [f"{HOST} did not answer; attempt {number} of 4" for number in (2, 3)]


@pytest.mark.case("C020")
async def test_after_the_last_attempt_the_fault_is_told_without_markup(
    upstreams: FakeUpstreams, no_backoff: None
) -> None:
    upstreams.play(HOST, "/api/x", HTML, status=500, times=4)
    async with api_over(upstreams.url) as api:
        with pytest.raises(UpstreamUnavailable) as caught:
            await api.get("/x")
    assert str(caught.value) == f"{HOST} (HTTP 500): Sorry We are down"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, UpstreamRefused), (403, UpstreamRefused), (404, UpstreamNotFound), (410, UpstreamNotFound)],
)
async def test_what_will_not_change_is_asked_once(
    status: int, kind: type[UpstreamError], upstreams: FakeUpstreams
) -> None:
    upstreams.play(HOST, "/api/x", {"error": "no such record"}, status=status)
    async with api_over(upstreams.url) as api:
        with pytest.raises(kind) as caught:
            await api.get("/x")
    assert caught.value.message == "no such record"
    assert caught.value.body == {"error": "no such record"}


@pytest.mark.case("C044")
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("2", 2.0),
        (" 120 ", 120.0),
        ("9999999999", 9999999999.0),
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30.0),
        ("Wed, 21 Oct 2026 07:28:30 -0000", 30.0),
        ("Wed, 21 Oct 2020 07:28:00 GMT", None),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
        ("-5", None),
        ("1.5e3", None),
        ("٣", None),
        ("soon", None),
    ],
)
def test_every_form_of_retry_after_is_read_or_ignored(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, datetime(2026, 10, 21, 7, 28, 0, tzinfo=UTC)) == seconds


@pytest.mark.case("C044")
@pytest.mark.parametrize("value", ["9999999999", "Fri, 31 Dec 9998 23:59:59 GMT"])
async def test_a_longer_wish_than_the_time_left_ends_the_call_at_once(value: str, upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", {"error": "slow down"}, status=429, headers={"Retry-After": value})
    started = time.monotonic()
    async with api_over(upstreams.url) as api:
        with pytest.raises(UpstreamRateLimited, match="slow down"):
            await api.get("/x")
    assert time.monotonic() - started < 1
    assert len(upstreams.arrivals) == 1


@pytest.mark.case("C044")
@pytest.mark.parametrize("value", ["soon", "-5", "Fri, 31 Dec 99999 23:59:59 GMT", ""])
async def test_a_nonsensical_wish_means_the_usual_backoff(
    value: str, upstreams: FakeUpstreams, no_backoff: None
) -> None:
    upstreams.play(HOST, "/api/x", {"error": "slow"}, status=429, headers={"Retry-After": value})
    upstreams.play(HOST, "/api/x", {"ok": True})
    async with api_over(upstreams.url) as api:
        assert await api.get("/x") == {"ok": True}


@pytest.mark.case("C044")
async def test_a_short_wish_is_kept_to(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", {"error": "slow"}, status=429, headers={"Retry-After": "1"})
    upstreams.play(HOST, "/api/x", {"ok": True})
    async with api_over(upstreams.url, limits=RateLimits()) as api:
        assert await api.get("/x") == {"ok": True}
    first, second = upstreams.arrivals
    assert 1.0 <= second.at_s - first.at_s < 2.0


@pytest.mark.parametrize(
    ("error", "remaining_s", "verdict"),
    [
        (UpstreamUnavailable(HOST, "x"), 30.0, True),
        (UpstreamUnavailable(HOST, "x"), 0.2, False),
        (UpstreamRateLimited(HOST, "x", retry_after_s=5), 30.0, 5),
        (UpstreamRateLimited(HOST, "x", retry_after_s=31), 30.0, False),
        (UpstreamRefused(HOST, "x"), 30.0, False),
        (UpstreamBadResponse(HOST, "x"), 30.0, False),
        (ValueError("x"), 30.0, False),
    ],
)
def test_what_is_worth_another_attempt(error: Exception, remaining_s: float, verdict: bool | float) -> None:
    told: list[str] = []
    assert worth_another(lambda: remaining_s, told.append)(error) == verdict
    assert told == ([f"{HOST} asks to wait: trying again in 5 s"] if verdict == 5 else [])


def test_a_wait_is_not_told_where_none_follows() -> None:
    told: list[str] = []
    hook = worth_another(lambda: 30.0, told.append)
    for _ in range(ATTEMPTS):
        hook(UpstreamRateLimited(HOST, "x", retry_after_s=2))
    hook(UpstreamRateLimited(HOST, "x", retry_after_s=0.5))
    assert told == [f"{HOST} asks to wait: trying again in 2 s"] * (ATTEMPTS - 1)


async def test_attempts_end_with_the_time_of_the_call(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", "down", status=503, times=1)
    started = time.monotonic()
    async with api_over(upstreams.url, seconds=0.3) as api:
        with pytest.raises(UpstreamUnavailable):
            await api.get("/x")
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    "location",
    [f"https://{HOST}/api/new?page=2", "/api/new?page=2", "new?page=2"],
    ids=["absolute", "path", "relative"],
)
async def test_redirects_on_the_same_host_are_followed(location: str, upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/old", "", status=301, headers={"Location": location})
    upstreams.play(HOST, "/api/new", {"ok": True})
    async with api_over(upstreams.url) as api:
        assert await api.get("/old") == {"ok": True}
    assert upstreams.arrivals[1].query == {"page": ["2"]}


async def test_redirects_to_the_gateways_own_address_are_followed(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/old", "", status=302, headers={"Location": f"{upstreams.url}/{HOST}/api/new"})
    upstreams.play(HOST, "/api/new", {"ok": True})
    async with api_over(upstreams.url) as api:
        assert await api.get("/old") == {"ok": True}


@pytest.mark.case("C043")
async def test_a_redirect_to_another_host_is_refused_and_named(upstreams: FakeUpstreams, no_backoff: None) -> None:
    upstreams.play(HOST, "/api/x", "", status=302, headers={"Location": f"https://{OTHER}/api/x"}, times=4)
    async with api_over(upstreams.url) as api:
        with pytest.raises(UpstreamUnavailable, match=f"{HOST}: it redirected to another host, {OTHER}"):
            await api.get("/x")
    assert {arrival.host for arrival in upstreams.arrivals} == {HOST}


async def test_a_redirect_to_plain_http_is_refused(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", "", status=302, headers={"Location": f"http://{HOST}/api/x"})
    async with api_over(upstreams.url) as api:
        with pytest.raises(UpstreamBadResponse):
            await api.get("/x")


async def test_a_circle_of_redirects_ends(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", "", status=302, headers={"Location": "/api/x"}, times=4)
    async with api_over(upstreams.url) as api:
        with pytest.raises(UpstreamBadResponse, match="more than 3 redirects"):
            await api.get("/x")


@pytest.mark.case("C020")
async def test_a_web_page_where_json_was_promised_is_a_bad_response(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", HTML, headers={"Content-Type": "text/html"})
    async with api_over(upstreams.url) as api:
        with pytest.raises(UpstreamBadResponse) as caught:
            await api.get("/x")
    assert str(caught.value) == f"{HOST} (HTTP 200): not JSON where JSON was promised: Sorry We are down"


async def test_an_empty_body_is_a_bad_response(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", " \n")
    async with api_over(upstreams.url) as api:
        with pytest.raises(UpstreamBadResponse, match="an empty body"):
            await api.get("/x")


async def test_half_a_body_is_no_answer_and_asked_for_again(upstreams: FakeUpstreams, no_backoff: None) -> None:
    upstreams.play(HOST, "/api/x", {"items": ["a", "b"]}, cut_at=9)
    upstreams.play(HOST, "/api/x", {"items": ["a", "b"]})
    async with api_over(upstreams.url) as api:
        assert await api.get("/x") == {"items": ["a", "b"]}
    assert api.trace.requests[0]["attempts"] == 2


async def test_a_body_without_end_is_cut_off(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", b" " * (MAX_BYTES + 1))
    async with api_over(upstreams.url) as api:
        with pytest.raises(UpstreamBadResponse, match="larger than 64 MB"):
            await api.get("/x")


async def test_control_characters_inside_strings_are_read(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", '{"error": "line one\nline two"}')
    async with api_over(upstreams.url) as api:
        assert await api.get("/x") == {"error": "line one\nline two"}


async def test_text_must_begin_as_promised(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", '\ufeff<?xml version="1.0"?><a/>')
    upstreams.play(HOST, "/api/x", HTML)
    async with api_over(upstreams.url) as api:
        assert (await api.get_text("/x", starts_with="<?xml")).endswith("<a/>")
        with pytest.raises(UpstreamBadResponse, match="expected '<\\?xml'"):
            await api.get_text("/x", starts_with="<?xml")


async def test_a_form_is_posted_as_a_form(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/run", {"jobId": "1"}, method="POST")
    async with api_over(upstreams.url) as api:
        assert await api.post_form("/run", {"ids": ["P04626", "P00533"], "to": "Ensembl"}) == {"jobId": "1"}
    (arrival,) = upstreams.arrivals
    assert arrival.body == b"ids=P04626%2CP00533&to=Ensembl"
    assert arrival.headers["content-type"] == "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        ([{"message": "Cannot query field 'x'"}], UpstreamRefused),
        ([{"message": "later", "extensions": {"code": "SOURCE_UNAVAILABLE"}}], UpstreamUnavailable),
    ],
)
async def test_graphql_errors_in_a_good_status_are_errors(
    errors: list[dict[str, Any]], kind: type[UpstreamError], upstreams: FakeUpstreams
) -> None:
    upstreams.play(HOST, "/api", {"data": None, "errors": errors}, method="POST")
    async with api_over(upstreams.url) as api:
        with pytest.raises(kind, match=errors[0]["message"]):
            await api.graphql("Target", "query Target { x }", {"id": "1"})


async def test_only_the_hosts_of_the_databases_are_asked(upstreams: FakeUpstreams) -> None:
    transport = LiveTransport([HOST], user_agent="BURP/test", gateway=upstreams.url)
    for url in ("https://elsewhere.test/x", f"http://{HOST}/x", f"https://user:password@{HOST}/x"):
        with pytest.raises(UpstreamBadResponse, match="belongs to none of the databases"):
            await transport.send(Request("GET", url))
    await transport.aclose()
    assert upstreams.arrivals == []


def too_often(fake: FakeUpstreams) -> None:
    fake.play(HOST, "/api/x", {"error": f"slow down, api_key={SECRET}", "api-key": SECRET}, status=429, times=4)


def refused(fake: FakeUpstreams) -> None:
    fake.play(HOST, "/api/x", f'API key invalid {{"api-key":"{SECRET}","type":"ip"}}', status=400)


def not_json(fake: FakeUpstreams) -> None:
    fake.play(HOST, "/api/x", f'{{"error":"API rate limit exceeded","api-key":"{SECRET}"')


def half_a_body(fake: FakeUpstreams) -> None:
    fake.play(HOST, "/api/x", {"ok": True}, cut_at=3, times=4)


def elsewhere(fake: FakeUpstreams) -> None:
    fake.play(HOST, "/api/x", "", status=302, headers={"Location": f"https://{OTHER}/x?api_key={SECRET}"}, times=4)


@pytest.mark.case("C076")
@pytest.mark.parametrize("fault", [too_often, refused, not_json, half_a_body, elsewhere])
async def test_keys_are_in_no_error_no_request_list_no_progress_message_and_no_log(
    fault: Callable[[FakeUpstreams], None],
    upstreams: FakeUpstreams,
    no_backoff: None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    fault(upstreams)
    told: list[str] = []
    async with api_over(upstreams.url, credentials={"api_key": SECRET}, progress=told.append) as api:
        with pytest.raises(UpstreamError) as caught:
            await api.get("/x", {"q": "BRCA1"})
    assert upstreams.arrivals[0].query["api_key"] == [SECRET]
    assert SECRET not in f"{chain(caught.value)} {api.trace.requests} {told} {api!r} {caplog.text}"
    assert api.trace.requests[0]["url"] == f"https://{HOST}/api/x?q=BRCA1"


@pytest.mark.case("C076")
async def test_keys_are_in_no_error_when_nobody_listens(no_backoff: None) -> None:
    async with FakeUpstreams() as gone:
        url = gone.url
    async with api_over(f"{url}", credentials={"api_key": SECRET}) as api:
        with pytest.raises(UpstreamUnavailable) as caught:
            await api.get("/x")
    assert SECRET not in f"{chain(caught.value)} {api.trace.requests}"


@pytest.mark.case("C076")
@pytest.mark.parametrize(
    "text",
    [
        f"https://x.test/?api_key={SECRET}&q=1",
        f'{{"api-key":"{SECRET}"}}',
        f"apikey: {SECRET}",
        f"https://user:{SECRET}@x.test/",
        f"token = '{SECRET}'",
    ],
)
def test_secrets_are_removed_in_every_spelling(text: str) -> None:
    assert SECRET not in redact(text)


def platform_of(name: str, rate: Rate) -> Platform:
    """Return a platform with one tool that asks once."""
    platform = Platform(name, title=name, base_url=f"https://{HOST}/{name}", docs="", licence="", rate=rate)

    @platform.tool(example={})
    async def get_thing(api: Api) -> Any:
        """Get the thing. Returns it."""
        return await api.get("/thing")

    return platform


@pytest.mark.case("C041")
async def test_platforms_of_one_group_share_one_rate_and_all_calls_succeed(upstreams: FakeUpstreams) -> None:
    rate = Rate(20, group="ncbi")
    platforms = [platform_of("one", rate), platform_of("two", rate)]
    for name in ("one", "two"):
        upstreams.play(HOST, f"/{name}/thing", {"ok": True}, times=6)
    server = ToolServer(platforms, ServerConfig(upstreams="live", gateway=upstreams.url))
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(server.call(f"{n}__get_thing", {})) for n in ("one", "two") for _ in range(6)]
    await server.aclose()
    assert [call.result().content["outcome"] for call in calls] == ["data"] * 12
    gaps = [b.at_s - a.at_s for a, b in zip(upstreams.arrivals, upstreams.arrivals[1:], strict=False)]
    assert sum(gaps) >= 11 * 0.05 * 0.9, "twelve requests at twenty a second take more than half a second"


@pytest.mark.case("C041")
async def test_waiting_for_the_rate_counts_against_the_time_of_the_call(upstreams: FakeUpstreams) -> None:
    platform = platform_of("slow", Rate(1, seconds=30))
    upstreams.play(HOST, "/slow/thing", {"ok": True})
    config = ServerConfig(upstreams="live", gateway=upstreams.url, tool_timeout_s=0.2)
    server = ToolServer([platform], config)
    assert (await server.call("slow__get_thing", {})).content["outcome"] == "data"
    second = await server.call("slow__get_thing", {})
    await server.aclose()
    assert second.content["error"]["code"] == "tool_timeout"


async def test_a_pause_that_one_call_was_told_holds_the_others(upstreams: FakeUpstreams) -> None:
    limits = RateLimits()
    limits.hold("demo", Rate(100), 30)
    async with api_over(upstreams.url, seconds=5, limits=limits) as api:
        with pytest.raises(UpstreamRateLimited, match="asks for a pause of 30 s"):
            await api.get("/x")
    assert upstreams.arrivals == []


async def test_a_waiting_person_is_told_of_a_long_wait_for_the_rate_while_it_lasts(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/api/x", {"ok": True})
    limits, told = RateLimits(), []

    def progress(message: str) -> None:
        told.append((message, len(upstreams.arrivals)))

    limits.hold("demo", Rate(100), TELL_AFTER_S + 0.2)
    async with api_over(upstreams.url, limits=limits, progress=progress) as api:
        await api.get("/x")
    assert told == [(f"waiting for the rate limit of {HOST}", 0)]


async def test_a_call_that_takes_too_long_ends_and_hangs_up(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/one/thing", {"ok": True}, held=asyncio.Event())
    config = ServerConfig(upstreams="live", gateway=upstreams.url, tool_timeout_s=0.2)
    server = ToolServer([platform_of("one", Rate(10))], config)
    envelope = await server.call("one__get_thing", {})
    assert envelope.content["error"]["code"] == "tool_timeout"
    await upstreams.left_alone()
    await server.aclose()


async def test_a_cancelled_call_hangs_up_at_once(upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, "/one/thing", {"ok": True}, held=asyncio.Event())
    server = ToolServer([platform_of("one", Rate(10))], ServerConfig(upstreams="live", gateway=upstreams.url))
    call = asyncio.create_task(server.call("one__get_thing", {}))
    await upstreams.arrived(1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await upstreams.left_alone()
    await server.aclose()


async def test_who_can_not_be_reached_twice_is_given_up(no_backoff: None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        # Bound, but nobody listens: every connection is refused.
        async with api_over(f"http://127.0.0.1:{taken.getsockname()[1]}") as api:
            with pytest.raises(UpstreamUnreachable, match=f"{HOST}: no connection"):
                await api.get("/x")
    assert api.trace.requests[0]["attempts"] == UNREACHABLE_ATTEMPTS == 2


def test_a_dead_network_is_known_within_ten_seconds() -> None:
    longest_wait_s = FIRST_WAIT_S * 2
    assert UNREACHABLE_ATTEMPTS * CONNECT_TIMEOUT_S + (UNREACHABLE_ATTEMPTS - 1) * longest_wait_s < 10
