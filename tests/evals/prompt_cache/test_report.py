"""The gate tells hits from misses, finds the reason of each miss, and has bounds."""

from dataclasses import replace
from typing import Any

import pytest

from chat.providers.base import TokenUsage
from evals.prompt_cache.report import judged, table
from evals.prompt_cache.scripts import Script, one_call_a_step, several_questions, twelve_calls_a_step
from tests.evals.prompt_cache.conftest import played, price, result_of

Json = Any
MARK = {"type": "ephemeral"}


@pytest.mark.parametrize("script", [one_call_a_step(15), twelve_calls_a_step(3), several_questions(3)], ids=str)
async def test_a_sound_conversation_has_no_fault_and_reads_all_that_can_be_read(script: Script) -> None:
    result = await result_of(script)

    assert [line.missed for line in result.lines] == [""] * script.model_calls
    assert result.read_share == result.best_share
    assert [*result.faults()] == []


async def test_a_long_turn_reads_nine_tenths_and_costs_a_quarter() -> None:
    result = await result_of(one_call_a_step(15))

    assert result.read_share >= 0.90
    assert result.cost_ratio <= 0.25


def clock_in_the_prompt(body: Json, entries: int) -> Json:
    return body | {"system": [{**body["system"][0], "text": f"It is {entries} o'clock. {body['system'][0]['text']}"}]}


def shuffled_tools(body: Json, entries: int) -> Json:
    tools = body["tools"]
    return body | {"tools": [*tools[entries % 5 : 12], *tools[: entries % 5], *tools[12:]]}


def growing_tools(body: Json, entries: int) -> Json:
    grown = {**body["tools"][0], "name": f"core__new_{entries}"}
    return body | {"tools": [grown, *body["tools"]]}


def changed_tool(body: Json, entries: int) -> Json:
    return body | {"tools": [{**body["tools"][0], "description": f"Version {entries}."}, *body["tools"][1:]]}


def edited_history(body: Json, entries: int) -> Json:
    question = {**body["messages"][0]["content"][0], "text": f"Asked {entries} messages ago."}
    first = {**body["messages"][0], "content": [question]}
    return body | {"messages": [first, *body["messages"][1:]]}


def another_effort(body: Json, entries: int) -> Json:
    return body | {"output_config": {"effort": ["low", "medium", "high"][entries // 2 % 3]}}


def no_marks_on_messages(body: Json, entries: int) -> Json:
    messages = [
        {**message, "content": [{k: v for k, v in b.items() if k != "cache_control"} for b in message["content"]]}
        for message in body["messages"]
    ]
    return body | {"messages": messages}


def mark_on_the_end_only(body: Json, entries: int) -> Json:
    bare = no_marks_on_messages(body, entries)
    bare["messages"][-1]["content"][-1]["cache_control"] = MARK
    return bare


SPOILT: dict[str, tuple[Any, str]] = {
    "a clock in the prompt": (clock_in_the_prompt, "another system prompt; the service says system_changed ("),
    "tools in another order": (shuffled_tools, "other tools: in another order; the service says tools_changed ("),
    "a tool that joins": (growing_tools, "other tools: added core__new_3; removed core__new_1; the service says"),
    "a tool that changes": (changed_tool, "other tools: changed core__tool_00; the service says tools_changed ("),
    "an edited history": (edited_history, "messages.0.content.0 is not what it was; the service says messages_changed"),
    "another effort": (
        another_effort,
        "another setting: output_config {'effort': 'low'}, then {'effort': 'medium'}; the service says unavailable",
    ),
    "no marks": (no_marks_on_messages, "the end of the call before was not marked"),
    "a mark that is too far": (mark_on_the_end_only, "out of reach: the call before ended 24 blocks before the next"),
}


@pytest.mark.case("C060")
@pytest.mark.parametrize(("spoil", "reason"), SPOILT.values(), ids=SPOILT.keys())
async def test_each_miss_has_its_reason(spoil: Any, reason: str) -> None:
    result = await result_of(twelve_calls_a_step(2), spoil)

    assert result.lines[1].missed.startswith(reason), result.lines[1].missed
    assert f"MISS: {reason}" in "\n".join(table(result))
    assert [*result.faults()][0] == "2 of 2 calls missed the cache"


async def test_a_model_that_does_not_follow_the_script_is_said() -> None:
    script = twelve_calls_a_step(1)
    asked = [replace(call, tool_calls=1) for call in await played(script)]

    said = "\n".join(table(judged(script, asked, price)))

    assert "the model made at most 1 calls in one message, not 12" in said


async def test_an_entry_that_expired_is_said() -> None:
    times = iter(range(0, 100_000, 400))

    result = await result_of(several_questions(1), clock=lambda: float(next(times)))

    assert [line.missed for line in result.lines[1:]] == ["expired: 13 minutes had passed"] * 2
    # The prefix is written for an hour.
    assert all(line.asked.usage.cache_read > 4000 for line in result.lines[1:])


async def test_a_cache_that_is_silent_altogether_is_no_hit() -> None:
    asked = await played(one_call_a_step(2))
    silent = [replace(a, usage=TokenUsage(input=a.prompt_tokens, output=a.usage.output)) for a in asked]

    result = judged(one_call_a_step(2), silent, price)

    assert [line.missed for line in result.lines[1:]] == ["nothing that was sent explains it"] * 2
    assert result.cost_ratio == 1


async def test_a_dear_turn_is_a_fault_even_if_all_is_read() -> None:
    script = one_call_a_step(15)
    asked = await played(script)

    result = judged(script, asked, lambda usage: price(usage) + 3000 * usage.cache_write_1h)

    assert [*result.faults()] == [f"it costs {result.cost_ratio:.1%} of the uncached price, more than 25.0%"]


async def test_prices_that_allow_no_less_than_a_quarter_are_no_fault() -> None:
    script = one_call_a_step(15)
    asked = await played(script)

    result = judged(script, asked, lambda usage: price(usage) + 15 * usage.cache_read)

    assert result.cost_ratio > 0.25
    assert [*result.faults()] == []
