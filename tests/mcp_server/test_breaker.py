"""The breaker: an upstream that fails again and again is left alone, and its state can be seen."""

import asyncio

import pytest

from mcp_server.http.breaker import FAILURES_TO_OPEN, PAUSE_S, Breakers
from mcp_server.http.errors import UpstreamNotFound, UpstreamUnavailable

HOST = "rest.ensembl.org"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breakers(clock: Clock) -> Breakers:
    return Breakers(clock)


def fail(breakers: Breakers, times: int) -> None:
    for _ in range(times):
        breakers.check(HOST)
        breakers.note(UpstreamUnavailable(HOST, "no answer within 30 s"))


def test_it_opens_after_failures_in_a_row_and_says_why_and_for_how_long(breakers: Breakers) -> None:
    fail(breakers, FAILURES_TO_OPEN)
    with pytest.raises(
        UpstreamUnavailable, match=r"failed 5 times in a row \(no answer within 30 s\); .* in 30 s"
    ) as e:
        breakers.check(HOST)
    assert e.value.retryable is False
    assert breakers.state(HOST) == {
        "state": "open",
        "failures": FAILURES_TO_OPEN,
        "last_error": "no answer within 30 s",
        "asked_again_in_s": PAUSE_S,
    }


def test_other_hosts_are_not_affected(breakers: Breakers) -> None:
    fail(breakers, FAILURES_TO_OPEN)
    breakers.check("rest.uniprot.org")
    assert breakers.state("rest.uniprot.org") == {"state": "closed", "failures": 0}


def test_after_the_pause_one_request_may_try(breakers: Breakers, clock: Clock) -> None:
    fail(breakers, FAILURES_TO_OPEN)
    clock.now_s += PAUSE_S
    assert breakers.state(HOST)["state"] == "half_open"
    breakers.check(HOST)
    with pytest.raises(UpstreamUnavailable, match="one request is trying it now"):
        breakers.check(HOST)


def test_a_try_that_succeeds_closes_it_and_one_that_fails_opens_it_again(breakers: Breakers, clock: Clock) -> None:
    fail(breakers, FAILURES_TO_OPEN)
    clock.now_s += PAUSE_S
    fail(breakers, 1)
    assert breakers.state(HOST)["state"] == "open"
    clock.now_s += PAUSE_S
    breakers.check(HOST)
    breakers.note_success(HOST)
    assert breakers.state(HOST)["state"] == "closed"


def test_a_try_that_was_cancelled_leaves_the_place_to_another(breakers: Breakers, clock: Clock) -> None:
    fail(breakers, FAILURES_TO_OPEN)
    clock.now_s += PAUSE_S
    breakers.check(HOST)
    breakers.note_cancelled(HOST)
    breakers.check(HOST)


def test_an_unknown_record_shows_that_the_service_works(breakers: Breakers) -> None:
    fail(breakers, FAILURES_TO_OPEN - 1)
    breakers.note(UpstreamNotFound(HOST, "no such id", status=404))
    fail(breakers, FAILURES_TO_OPEN - 1)
    breakers.check(HOST)


async def test_the_real_clock_is_monotonic() -> None:
    breakers = Breakers()
    fail(breakers, FAILURES_TO_OPEN)
    before = breakers.state(HOST)["asked_again_in_s"]
    await asyncio.sleep(0)
    assert breakers.state(HOST)["asked_again_in_s"] <= before  # type: ignore[operator]
