"""A server that ends, politely or not, with a turn at every moment: nothing runs on, the next start puts all right."""

from collections.abc import Callable

import pytest

from tests import programs
from tests.serving.conftest import warm_up
from tests.serving.phases import PHASES, Moment, World
from tests.serving.settled import settled
from tests.serving.site import Home, Running, running
from tests.tools_catalog.conftest import is_alive

WAYS = {"SIGTERM": Running.terminate, "SIGKILL": Running.kill}


def in_all_phases(site: Running, world: World) -> list[tuple[Moment, str]]:
    """Bring one turn to each phase; return them with their sessions."""
    desk = site.device()
    moments = []
    for phase in PHASES:
        session_id = desk.open_session()
        moments.append((world.enter(phase, lambda s=session_id: desk.ask(s)), session_id))
    return moments


@pytest.mark.case("C051")
@pytest.mark.case("C070")
@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_ends_leaves_nothing_and_the_next_one_puts_all_right(
    server: str, home: Home, world: World, way: str
) -> None:
    end: Callable[[Running], None] = WAYS[way]
    hung_up = world.upstream.hung_up
    with running(server, home) as site:
        warm_up(site, world)
        moments = in_all_phases(site, world)
        family = site.family()
        assert len(family) > 1
        end(site)
        for moment, _ in moments:
            recorded = world.model.requests[moment.request]
            assert recorded.ended.wait(5.0), moment.phase
            moment.following.until_over()
        world.upstream.wait_for_hang_ups(hung_up + sum(len(phase.hanging) for phase in PHASES))
        programs.wait_until(lambda: not any(map(is_alive, family)), "the end of the server's children")
    if way == "SIGTERM":
        # Readers heard the end from the server that ended; nothing is left to be cleared up.
        assert [m.following.events[-1]["type"] for m, _ in moments] == ["turn_end"] * len(PHASES)
        assert home.rows("SELECT count(*) FROM chat_turn WHERE status = 'running'") == [(0,)]
    with running(server, home) as site:
        programs.wait_until(
            lambda: home.rows("SELECT count(*) FROM chat_turn WHERE status = 'running'") == [(0,)], "the clearing up"
        )
        for moment, session_id in moments:
            moment.following = site.device().follow(moment.following.turn_id)
            moment.following.ended()
            settled(site, moment, session_id, "aborted_shutdown")
