"""No placement of cache marks that the rules allow reads more than the one that requests are sent with."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.context import build_request
from chat.providers.anthropic_wire import request_body
from chat.providers.base import AssistantEntry, Entry, ToolCall, ToolResult, ToolResultsEntry, UserEntry
from evals.prompt_cache.scripts import Script, one_call_a_step, several_questions, twelve_calls_a_step
from evals.strict_messages.conversation import Asked, Memory
from evals.strict_messages.models import MODELS
from evals.strict_messages.parts import cache_blocks, can_be_marked
from evals.strict_messages.prompt_cache import PromptBlock
from evals.strict_messages.signing import Signer
from tests.evals.prompt_cache.conftest import SONNET, TOOLS, played, prefix
from tests.evals.prompt_cache.placement import best_tokens_read, most_tokens_read, tokens_read

Json = Any
RULES = MODELS[SONNET.id]
WITHIN_POINTS = 0.03


def as_cached(body: Json) -> tuple[list[PromptBlock], set[int]]:
    """Return a request as the cache sees it, and where it could be marked."""
    asked = Asked(body, RULES, Memory(Signer("test")))
    return cache_blocks(asked), {i for i, (block, _) in enumerate(asked.parts) if can_be_marked(block)}


def shares(bodies: Sequence[Json], minimum: int = RULES.min_cacheable_tokens) -> tuple[float, float]:
    """Return the share of tokens read from the second prompt on: with the marks as sent, and at best."""
    prompts, markable = zip(*map(as_cached, bodies), strict=True)
    total = sum(block.tokens for prompt in prompts[1:] for block in prompt)
    return tokens_read(prompts, minimum) / total, best_tokens_read(prompts, markable, minimum) / total


def uneven() -> Script:
    """Return a turn of narrow and very wide steps: 60 blocks at once, then one, then 41."""
    return Script("uneven", (((508,),) * 2 + ((300,) * 30,) + ((9275,),) + ((246,) * 21,) + ((1012,),) * 3,))


SCRIPTS = [
    one_call_a_step(5),
    one_call_a_step(15),
    one_call_a_step(40),
    twelve_calls_a_step(3),
    several_questions(6),
    uneven(),
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
async def test_real_requests_read_what_the_best_placement_would_read(script: Script) -> None:
    ours, best = shares([call.body for call in await played(script)])

    assert best > 0.5
    assert ours >= best - WITHIN_POINTS
    assert ours == best


NAMES = [tool.name for tool in TOOLS]
steps = st.lists(st.tuples(st.integers(0, 26), st.booleans(), st.integers(0, 400)), min_size=1, max_size=5)


def conversation(turns: list[list[tuple[int, bool, int]]]) -> list[list[Entry]]:
    """Return the entries of each request: steps of so many calls, some broken off, some with text before the calls."""
    entries: list[Entry] = []
    requests: list[list[Entry]] = []
    for number, turn in enumerate(turns):
        entries = [*entries, UserEntry(f"Question {number}?")]
        for step, (calls, has_text, size) in enumerate(turn):
            requests.append(entries)
            made = tuple(ToolCall(f"toolu_{number}_{step}_{n}", NAMES[n % 13], {}) for n in range(calls))
            text = "I look. " * 5 if has_text or not calls else ""
            found = tuple(ToolResult(call.id, call.name, "x" * (size + 1)) for call in made)
            entries = [*entries, AssistantEntry(text, made), *([ToolResultsEntry(found)] if found else [])]
            if not calls:
                entries = [*entries, UserEntry("Go on.")]
    return requests


@settings(max_examples=80, deadline=None)
@given(st.lists(steps, min_size=1, max_size=3), st.sampled_from([512, 4096, 9000]))
def test_any_conversation_reads_what_the_best_placement_would_read(
    turns: list[list[tuple[int, bool, int]]], minimum: int
) -> None:
    bodies = [request_body(build_request(prefix(), r, max_output_tokens=10), SONNET) for r in conversation(turns)]

    if len(bodies) > 1:
        ours, best = shares(bodies, minimum)
        assert ours >= best - WITHIN_POINTS


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=3), min_size=2, max_size=3),
    st.integers(0, 12),
)
def test_the_search_finds_what_trying_every_placement_finds(added: list[list[tuple[int, bool]]], minimum: int) -> None:
    """The search leaves out shorter entries; on small prompts nothing is lost by that."""
    flat: list[tuple[int, bool]] = []
    prompts, markable = [], []
    for blocks in added:
        flat = [*flat, *blocks]
        prompts.append([PromptBlock(i, tokens) for i, (tokens, _) in enumerate(flat)])
        markable.append({i for i, (_, can_be) in enumerate(flat) if can_be})

    assert best_tokens_read(prompts, markable, minimum) == most_tokens_read(prompts, markable, minimum)


def test_the_search_looks_further_than_one_mark_can() -> None:
    """A mark on the end alone loses what lies more than 20 blocks before it; the search does not."""
    prompts = [[PromptBlock(i, 10) for i in range(number)] for number in (2, 40)]
    marked = [[*prompt[:-1], replace(prompt[-1], ttl="5m")] for prompt in prompts]
    everywhere = [set(range(len(prompt))) for prompt in prompts]

    assert (tokens_read(marked, 1), best_tokens_read(prompts, everywhere, 1)) == (0, 20)
