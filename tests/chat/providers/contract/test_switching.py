"""One session over several providers: what only one of them can read stays with it, text and results go along."""

from itertools import permutations

import pytest

from chat.providers.base import AssistantEntry, Entry
from tests.chat.providers.contract.conversation import Conversation, turn_of
from tests.chat.providers.contract.harness import Harness, all_harnesses

HARNESSES = all_harnesses()
PAIRS = [*permutations(HARNESSES, 2)]


def messages_of(harness: Harness, entries: list[Entry]) -> list[AssistantEntry]:
    """Return the messages of a transcript that this harness's service made."""
    return [entry for entry in entries if isinstance(entry, AssistantEntry) and entry.provider == harness.name]


def seals_of(harness: Harness, messages: list[AssistantEntry]) -> list[str]:
    """Return what of its messages only this harness's service can read."""
    return [seal for entry in messages for seal in harness.sealed(entry)]


@pytest.mark.parametrize(("first", "second"), PAIRS)
async def test_a_session_goes_to_another_provider_and_comes_back(first: str, second: str) -> None:
    async with HARNESSES[first]() as one, HARNESSES[second]() as other:
        conversation = Conversation()
        for number, harness in enumerate([one, other, one, other]):
            harness.script(*turn_of(number))
            await conversation.turn(harness, harness.provider(), f"Question {number}?")

        assert one.statuses == other.statuses == [200] * 6
        for harness, foreign in ((one, other), (other, one)):
            body = harness.requests[-1].body.decode()
            assert not any(seal in body for seal in seals_of(foreign, messages_of(foreign, conversation.entries)))
            # The last message came after the last request.
            own = seals_of(harness, messages_of(harness, conversation.entries)[:-1])
            assert ("sealed" in harness.abilities) == bool(own)
            assert all(seal in body for seal in own)
            for number in range(2):
                assert all(text in body for text in (f"Question {number}?", f"Answer {number}.", f"HER2 {number}"))
            assert "ENSG00000141736" in body


async def test_a_session_visits_every_provider_twice() -> None:
    conversation, running = Conversation(), [kind() for kind in HARNESSES.values()]
    for harness in running:
        await harness.__aenter__()
    for number, harness in enumerate([*running, *running]):
        harness.script(*turn_of(number))
        await conversation.turn(harness, harness.provider(), f"Question {number}?")

    for harness in running:
        assert harness.statuses == [200] * 6
        earlier, later = (harness.said(harness.requests[number]) for number in (0, 5))
        assert later[: len(earlier)] == earlier
        await harness.__aexit__()


@pytest.mark.parametrize(("first", "second"), PAIRS)
async def test_tools_that_one_provider_found_are_known_to_the_next(first: str, second: str) -> None:
    async with HARNESSES[first]() as one, HARNESSES[second]() as other:
        conversation = Conversation()
        for number, harness in enumerate([one, other]):
            harness.script(*turn_of(number))
            await conversation.turn(harness, harness.provider(), f"Question {number}?")

        assert other.offered(other.requests[0]) == one.offered(one.requests[-1])
