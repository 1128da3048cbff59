"""When a query is taken for a thing that no tool does."""

import pytest

from tools_catalog.absent import Nearness, absent_things, is_absent


@pytest.mark.parametrize(
    ("near", "absent"),
    [
        # Nearer by meaning, and the words say so too.
        (Nearness(10.0, 9.0, 0.50, 0.55), True),
        (Nearness(30.0, 9.0, 0.50, 0.55), False),
        # As near, with far more of its words.
        (Nearness(10.0, 30.0, 0.60, 0.58), True),
        (Nearness(10.0, 15.0, 0.60, 0.58), False),
        (Nearness(10.0, 30.0, 0.70, 0.60), False),
        # So much nearer that no word counts.
        (Nearness(30.0, 0.0, 0.40, 0.60), True),
        # Near to nothing.
        (Nearness(1.0, 9.0, 0.10, 0.30), False),
        # Words alone.
        (Nearness(10.0, 16.0), True),
        (Nearness(10.0, 14.0), False),
        (Nearness(0.0, 0.0), False),
    ],
)
def test_an_absent_thing_must_be_nearer_than_any_tool(near: Nearness, absent: bool) -> None:
    assert is_absent(near, names_database=False) is absent


def test_who_names_a_database_wants_something_of_it() -> None:
    assert not is_absent(Nearness(10.0, 30.0, 0.50, 0.55), names_database=True)
    assert not is_absent(Nearness(10.0, 30.0), names_database=True)
    assert is_absent(Nearness(10.0, 0.0, 0.40, 0.60), names_database=True)


def test_every_absent_thing_is_asked_for_in_several_ways() -> None:
    things = absent_things()
    assert all(len(thing.asks) >= 5 and len(set(thing.asks)) == len(thing.asks) for thing in things)
    assert len({thing.what for thing in things}) == len(things) > 5
