"""One running turn a session: of many who ask at once one is answered; no lock outlives its holder for long."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

import httpx2
import psycopg
import pytest

from evals.strict_messages import Reply, Text
from tests import programs
from tests.serving.conftest import make_home, warm_up
from tests.serving.phases import ACCESSIONS, BY_NAME, World, calls
from tests.serving.settled import books, said
from tests.serving.site import Device, Home, Running, running

ASKED_AT_ONCE = 20
ONE_IS_TAKEN = [202] + [409] * (ASKED_AT_ONCE - 1)
LEASE_S = 3.0


def at_once(count: int, work: Callable[[int], httpx2.Response]) -> list[httpx2.Response]:
    """Do the work in so many threads that wait for each other first."""
    ready, done = threading.Barrier(count), [httpx2.Response(0)] * count

    def one(number: int) -> None:
        ready.wait()
        done[number] = work(number)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def asked_at_once(devices: list[Device], home: Home, world: World) -> list[int]:
    """Ask a session many questions at once over the given devices; return the statuses, those that were taken first.

    Check that the one is answered, and billed once.
    """
    session_id, requests = devices[0].open_session(), len(world.model.requests)
    world.upstream.hang(ACCESSIONS[0])
    world.model.script(calls(1), Reply(Text("It is ERBB2.")))

    def ask(number: int) -> httpx2.Response:
        return devices[number % len(devices)].post_question(session_id, f"Question {number}")

    responses = at_once(ASKED_AT_ONCE, ask)

    refusals = [response.json()["error"] for response in responses if response.status_code == 409]
    assert {refusal["code"] for refusal in refusals} == {"turn_running"}
    (begun,) = (response.json() for response in responses if response.status_code == 202)
    following = devices[-1].follow(begun["turn_id"])
    following.until_seen("tool_start")
    world.upstream.release(ACCESSIONS[0])
    assert following.ended()["outcome"] == "completed"
    books(home, begun["turn_id"], 2)
    assert len(world.model.requests) == requests + 2
    assert home.rows("SELECT count(*) FROM chat_turn WHERE session_id = ?", home.key(session_id)) == [(1,)]
    return sorted(response.status_code for response in responses)


@pytest.mark.case("C059")
def test_of_many_questions_at_once_exactly_one_is_answered_and_billed(site: Running, home: Home, world: World) -> None:
    assert asked_at_once([site.device(0), site.device(1)], home, world) == ONE_IS_TAKEN


@pytest.mark.case("C059")
def test_so_it_is_when_they_reach_different_workers(
    site: Running, other_worker: Running, home: Home, world: World
) -> None:
    assert asked_at_once([site.device(0), other_worker.device(1)], home, world) == ONE_IS_TAKEN


# --- two machines: neither can see whether the other's processes live ---------------------------


@pytest.fixture(scope="module")
def here(world: World, tmp_path_factory: pytest.TempPathFactory, postgres_url: str, redis_url: str) -> Home:
    """A machine of a site on a database that nobody else uses."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE machines")
    shared = {"DATABASE_URL": postgres_url.replace("/postgres", "/machines"), "REDIS_URL": redis_url}
    return make_home(world, tmp_path_factory.mktemp("here"), grace_s=60, lease_s=LEASE_S, **shared)


@pytest.fixture(scope="module")
def elsewhere(here: Home, world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the same site on another machine."""
    folder = tmp_path_factory.mktemp("elsewhere")
    home = replace(here, folder=folder, environ={**here.environ, "BURP_DATA_DIR": str(folder)})
    with running("uvicorn", home) as site:
        warm_up(site, world)
        yield site


@pytest.fixture
def dying(here: Home, world: World) -> Iterator[Running]:
    """A server on this machine, to be killed or put to sleep."""
    with running("uvicorn", here) as site:
        warm_up(site, world)
        yield site


def lease_until(home: Home, turn_id: str) -> datetime:
    return home.rows("SELECT lease_until FROM chat_turn WHERE id = ?", home.key(turn_id))[0][0]  # type: ignore[no-any-return]


def ask_until_taken(device: Device, session_id: str, until: datetime) -> str:
    """Ask again and again until the lock is free; check that it is when the lease has run out, and not before."""
    began = time.time()
    while (response := device.post_question(session_id, "And now?")).status_code == 409:
        assert response.json()["error"]["code"] == "turn_running"
        assert time.time() < began + 2 * LEASE_S, "the lock outlives its holder"
        threading.Event().wait(programs.PAUSE_S)
    assert response.status_code == 202
    assert datetime.now(until.tzinfo) >= until
    return str(response.json()["turn_id"])


@pytest.mark.case("C059")
def test_the_session_of_a_dead_process_on_another_machine_is_free_when_the_lease_runs_out(
    dying: Running, elsewhere: Running, world: World
) -> None:
    desk, phone = dying.device(0), elsewhere.device(1)
    session_id = desk.open_session()
    moment = world.enter(BY_NAME["in text"], lambda: desk.ask(session_id))
    dying.kill()
    world.model.script(Reply(Text("The session goes on.")))
    again = ask_until_taken(phone, session_id, lease_until(elsewhere.home, moment.following.turn_id))
    assert phone.follow(again).ended()["outcome"] == "completed"
    assert said(world.model) == moment.phase.shown
    left = phone.follow(moment.following.turn_id)
    assert (left.ended()["outcome"], left.answer) == ("aborted_shutdown", moment.phase.shown)
    books(elsewhere.home, left.turn_id, 1)


@pytest.mark.case("C059")
def test_a_process_that_slept_beyond_its_lease_changes_nothing_any_more(
    dying: Running, elsewhere: Running, world: World
) -> None:
    desk, phone = dying.device(0), elsewhere.device(1)
    session_id = desk.open_session()
    moment = world.enter(BY_NAME["in text"], lambda: desk.ask(session_id))
    first = moment.following.turn_id
    os.kill(dying.process.pid, signal.SIGSTOP)
    world.model.script(Reply(Text("The session goes on.")))
    second = ask_until_taken(phone, session_id, lease_until(elsewhere.home, first))
    assert phone.follow(second).ended()["outcome"] == "completed"
    before = stored(elsewhere.home)

    os.kill(dying.process.pid, signal.SIGCONT)
    moment.until_closed()
    # It has woken up, found its turn closed, and serves on.
    world.model.script(Reply(Text("And on.")))
    third = desk.ask(session_id, "And then?")
    assert third.ended()["outcome"] == "completed"
    books(elsewhere.home, first, 1)
    assert stored(elsewhere.home)[: len(before)] == before


def stored(home: Home) -> list[tuple[object, ...]]:
    """Return all events and entries, the oldest turn first."""
    events = "SELECT t.created_at, e.seq, e.data FROM chat_storedevent e JOIN chat_turn t ON t.id = e.turn_id"
    entries = "SELECT t.created_at, e.position, e.data FROM chat_transcriptentry e JOIN chat_turn t ON t.id = e.turn_id"
    return sorted(home.rows(f"{events} UNION ALL {entries}"))
