"""Whoever stops a turn, at any moment: all its connections close, nothing dangles, the session goes on."""

import json

import pytest

from tests import programs
from tests.serving.phases import ACCESSIONS, BY_NAME, PHASES, Moment, Phase, World, calls, seen
from tests.serving.settled import settled
from tests.serving.site import WAIT_S, Device, Following, Home, Running

FROM_ELSEWHERE = (BY_NAME["in text"], BY_NAME["while three calls run and one is finished"])


@pytest.mark.case("C051")
@pytest.mark.case("C062")
@pytest.mark.parametrize("phase", PHASES, ids=str)
def test_the_stop_button_closes_everything(site: Running, world: World, phase: Phase) -> None:
    desk = site.device()
    session_id = desk.open_session()
    moment = world.enter(phase, lambda: desk.ask(session_id))
    desk.stop(moment.following.turn_id)
    moment.until_closed()
    assert moment.following.ended()["outcome"] == "aborted_by_user"
    settled(site, moment, session_id, "aborted_by_user")


@pytest.mark.case("C051")
@pytest.mark.case("C062")
@pytest.mark.parametrize("phase", PHASES, ids=str)
def test_a_reader_who_leaves_for_good_ends_the_turn_after_the_grace_period(
    site: Running, world: World, phase: Phase
) -> None:
    desk = site.device()
    session_id = desk.open_session()
    moment = world.enter(phase, lambda: desk.ask(session_id))
    moment.following.leave()
    moment.until_closed()
    # Asking the site itself would be reading again.
    programs.wait_until(lambda: site.home.status(moment.following.turn_id) == "ended", "the end of the turn")
    moment.following = desk.follow(moment.following.turn_id)
    assert moment.following.ended()["outcome"] == "aborted_disconnect"
    settled(site, moment, session_id, "aborted_disconnect")


@pytest.mark.parametrize("phase", FROM_ELSEWHERE, ids=str)
def test_a_turn_outlives_the_connections_to_its_database(site: Running, home: Home, world: World, phase: Phase) -> None:
    if not home.has_row_locks:
        pytest.skip("SQLite has none")
    desk = site.device()
    session_id = desk.open_session()
    moment = world.enter(phase, lambda: desk.ask(session_id))
    home.drop_connections()
    desk.stop(moment.following.turn_id)
    moment.until_closed()
    programs.wait_until(lambda: home.status(moment.following.turn_id) == "ended", "the end of the turn")
    moment.following = desk.follow(moment.following.turn_id)
    assert moment.following.ended()["outcome"] == "aborted_by_user"
    settled(site, moment, session_id, "aborted_by_user")


@pytest.mark.case("C062")
def test_a_stop_while_money_is_reserved_asks_the_model_nothing_more(site: Running, home: Home, world: World) -> None:
    desk = site.device()
    session_id = desk.open_session()
    one = Phase("", (calls(1),), seen("tool_start"), "I look.", hanging=ACCESSIONS[:1], is_streaming=False, calls=1)
    moment = world.enter(one, lambda: desk.ask(session_id))
    with home.nothing_reserved():
        world.upstream.release(ACCESSIONS[0])
        if home.has_row_locks:
            # There it can be seen; SQLite stops the turn at its first write after the result.
            programs.wait_until(home.is_waiting_for_a_lock, "the reservation")
        desk.stop(moment.following.turn_id)
    moment.following.ended()
    assert len(world.model.requests) == moment.request + 1
    settled(site, moment, session_id, "aborted_by_user")


@pytest.fixture(scope="module")
def cookie(site: Running) -> str:
    """The cookie of a browser that is signed in."""
    return site.signed_in()


@pytest.mark.parametrize("way", ["stop", "leave"])
def test_so_do_the_stop_button_and_the_end_of_a_page(site: Running, world: World, cookie: str, way: str) -> None:
    desk = site.device()
    session_id = desk.open_session()
    with site.open_page(session_id, cookie) as page:
        page.send(json.dumps({"action": "subscribe"}))
        moment = world.enter(BY_NAME["in text"], lambda: desk.ask(session_id))
        while "HER2 is" not in str(page.recv(WAIT_S)):
            pass
        moment.following.leave()
        if way == "stop":
            page.send(json.dumps({"action": "stop", "turn": moment.following.turn_id}))
            moment.until_closed()
    moment.until_closed()
    programs.wait_until(lambda: site.home.status(moment.following.turn_id) == "ended", "the end of the turn")
    moment.following = desk.follow(moment.following.turn_id)
    outcome = {"stop": "aborted_by_user", "leave": "aborted_disconnect"}[way]
    assert moment.following.ended()["outcome"] == outcome
    settled(site, moment, session_id, outcome)


def test_a_reader_who_comes_back_in_time_finds_the_turn_running(site: Running, world: World) -> None:
    desk = site.device()
    session_id = desk.open_session()
    moment = world.enter(BY_NAME["in text"], lambda: desk.ask(session_id))
    seen, moment.following = moment.following, desk.follow(moment.following.turn_id)
    moment.following.until_seen("text")
    seen.leave()
    # The other reader is still there when the grace period of the first is long over.
    ping = site.device().follow(moment.following.turn_id, after=moment.following.events[-1]["seq"])
    desk.stop(moment.following.turn_id)
    ping.ended()
    moment.following.ended()
    assert moment.following.raw.startswith(seen.raw)
    settled(site, moment, session_id, "aborted_by_user")


def stopped_at_phone(world: World, phase: Phase, desk: Device, phone: Device) -> tuple[Moment, str, Following]:
    """Ask at the desk, stop at the phone, and read both to their end: the turn, its session, what the phone read."""
    session_id = desk.open_session()
    moment = world.enter(phase, lambda: desk.ask(session_id))
    at_phone = phone.follow(moment.following.turn_id)
    at_phone.until_seen(moment.following.events[-1]["type"])
    phone.stop(moment.following.turn_id)
    moment.until_closed()
    moment.following.ended()
    at_phone.ended()
    at_phone.until_over()
    moment.following.until_over()
    return moment, session_id, at_phone


@pytest.mark.case("C062")
@pytest.mark.parametrize("phase", FROM_ELSEWHERE, ids=str)
def test_a_second_device_stops_the_turn_of_the_first(site: Running, world: World, phase: Phase) -> None:
    desk, phone = site.device(0), site.device(1)
    moment, session_id, at_phone = stopped_at_phone(world, phase, desk, phone)
    assert at_phone.raw == moment.following.raw
    settled(site, moment, session_id, "aborted_by_user")


@pytest.mark.case("C062")
@pytest.mark.parametrize("phase", FROM_ELSEWHERE, ids=str)
def test_a_stop_that_reaches_another_worker_is_heard(
    site: Running, other_worker: Running, world: World, phase: Phase
) -> None:
    desk, phone = site.device(0), other_worker.device(1)
    moment, session_id, at_phone = stopped_at_phone(world, phase, desk, phone)
    assert at_phone.raw == moment.following.raw
    settled(site, moment, session_id, "aborted_by_user")
