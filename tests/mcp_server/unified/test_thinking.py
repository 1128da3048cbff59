"""Thoughts are kept apart by conversation, with revisions and branches, and nobody is urged on."""

import re
from typing import Any

import pytest

from mcp_server.unified.query import QueryErrors
from mcp_server.unified.thinking import KEPT_S, SESSIONS_MAX, THOUGHTS_MAX, Thinking


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def thinking(clock: Clock) -> Thinking:
    return Thinking(clock)


def thought(number: int, total: int = 5, **more: Any) -> dict[str, Any]:
    return {"thought": f"thought {number}", "thoughtNumber": number, "totalThoughts": total, **more}


def refusals(thinking: Thinking, arguments: dict[str, Any]) -> dict[str | None, str]:
    with pytest.raises(QueryErrors) as refused:
        thinking.record("a", arguments)
    assert {error.code for error in refused.value.errors} == {"E_BAD_VALUE"}
    assert all(error.hint for error in refused.value.errors)
    return {error.argument: error.hint for error in refused.value.errors}


def test_the_reply_says_where_the_conversation_stands(thinking: Thinking) -> None:
    thinking.record("a", thought(1))

    assert thinking.record("a", thought(2)) == {
        "domain": "thinking",
        "thoughtNumber": 2,
        "totalThoughts": 5,
        "nextThoughtNeeded": True,
        "branches": [],
        "historyLength": 2,
        "status": "thought 2 of 5 recorded",
    }


def test_both_spellings_of_an_argument_are_accepted(thinking: Thinking) -> None:
    given = {"thought": "x", "thought_number": 1, "total_thoughts": 3, "next_thought_needed": False}

    reply = thinking.record("a", given)

    assert (reply["thoughtNumber"], reply["totalThoughts"], reply["nextThoughtNeeded"]) == (1, 3, False)


def test_two_spellings_that_differ_are_refused(thinking: Thinking) -> None:
    hints = refusals(thinking, {"thought": "x", "thoughtNumber": 1, "thought_number": 2})

    assert hints == {"thoughtNumber": "give one of the two"}


def test_conversations_do_not_see_each_other(thinking: Thinking) -> None:
    thinking.record("a", thought(1))
    thinking.record("b", thought(1))

    assert thinking.record("b", thought(2))["historyLength"] == 2
    assert [one.number for one in thinking.history("a")] == [1]


def test_a_higher_number_raises_the_total(thinking: Thinking) -> None:
    assert thinking.record("a", thought(7, total=5))["totalThoughts"] == 7


def test_more_thoughts_needed_at_the_end_raise_the_total(thinking: Thinking) -> None:
    assert thinking.record("a", thought(5, total=5, needsMoreThoughts=True))["totalThoughts"] == 6
    assert thinking.record("a", thought(2, total=5, needsMoreThoughts=True))["totalThoughts"] == 5


def test_missing_numbers_go_on_from_the_last(thinking: Thinking) -> None:
    thinking.record("a", thought(1, total=4))

    reply = thinking.record("a", {"thought": "and then"})

    assert (reply["thoughtNumber"], reply["totalThoughts"]) == (2, 4)


def test_a_revision_names_the_thought_that_it_revises(thinking: Thinking) -> None:
    thinking.record("a", thought(1))

    reply = thinking.record("a", thought(2, isRevision=True, revisesThought=1))

    assert reply["status"] == "thought 2 of 5 recorded, revises thought 1"
    assert thinking.history("a")[-1].revises == 1


def test_branches_are_listed_and_go_on_by_their_name(thinking: Thinking) -> None:
    thinking.record("a", thought(1))
    thinking.record("a", thought(2, branchFromThought=1, branchId="other gene"))

    reply = thinking.record("a", thought(3, branchId="other gene"))

    assert reply["branches"] == ["other gene"]
    assert reply["status"] == "thought 3 of 5 recorded, branch 'other gene' from thought 1"


@pytest.mark.parametrize(
    ("more", "argument"),
    [
        ({"thought": "  "}, "thought"),
        ({"thought": None}, "thought"),
        ({"thoughtNumber": 0}, "thoughtNumber"),
        ({"thoughtNumber": "two"}, "thoughtNumber"),
        ({"totalThoughts": True}, "totalThoughts"),
        ({"totalThoughts": 2.5}, "totalThoughts"),
        ({"nextThoughtNeeded": "yes"}, "nextThoughtNeeded"),
        ({"isRevision": True}, "revisesThought"),
        ({"revisesThought": 9}, "revisesThought"),
        ({"branchFromThought": 1}, "branchId"),
        ({"branchFromThought": 9, "branchId": "b"}, "branchFromThought"),
        ({"branchId": "nowhere"}, "branchFromThought"),
        ({"branchId": " "}, "branchId"),
    ],
)
def test_a_bad_argument_is_named_and_records_nothing(thinking: Thinking, more: dict[str, Any], argument: str) -> None:
    thinking.record("a", thought(1))

    assert list(refusals(thinking, thought(2) | more)) == [argument]
    assert len(thinking.history("a")) == 1


def test_all_that_is_wrong_is_said_at_once(thinking: Thinking) -> None:
    hints = refusals(thinking, {"thought": "", "thoughtNumber": -1, "revisesThought": 3})

    assert set(hints) == {"thought", "thoughtNumber", "revisesThought"}


def test_the_hint_shows_which_thoughts_there_are(thinking: Thinking) -> None:
    for number in (1, 2, 3, 7):
        thinking.record("a", thought(number))

    assert refusals(thinking, thought(8, revisesThought=5))["revisesThought"].startswith("recorded are 1–3, 7;")


def test_old_thoughts_make_room(thinking: Thinking) -> None:
    for number in range(1, THOUGHTS_MAX + 2):
        reply = thinking.record("a", thought(number))

    assert reply["historyLength"] == THOUGHTS_MAX
    assert thinking.history("a")[0].number == 2


def test_the_conversation_unused_for_longest_makes_room(thinking: Thinking) -> None:
    for number in range(SESSIONS_MAX):
        thinking.record(f"s{number}", thought(1))
    thinking.record("s0", thought(2))
    thinking.record("new", thought(1))

    assert thinking.history("s1") == ()
    assert len(thinking.history("s0")) == 2


def test_a_conversation_is_forgotten_after_a_day(thinking: Thinking, clock: Clock) -> None:
    thinking.record("a", thought(1))
    clock.now_s += KEPT_S - 1
    assert thinking.record("a", thought(2))["historyLength"] == 2
    clock.now_s += KEPT_S

    assert thinking.record("a", thought(1))["historyLength"] == 1


def test_nobody_is_urged_to_go_on(thinking: Thinking) -> None:
    statuses = [
        thinking.record("a", thought(1))["status"],
        thinking.record("a", thought(2, needsMoreThoughts=True))["status"],
        thinking.record("a", thought(3, nextThoughtNeeded=False))["status"],
    ]

    assert statuses[-1] == "thought 3 of 5 recorded; thinking is finished"
    assert not re.search("must|should|please|continue|!|remember|important", " ".join(statuses), re.IGNORECASE)
