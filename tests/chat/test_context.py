"""The prefix of a session: the same bytes for the same tools, another version for any change."""

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.context import SYSTEM_PROMPT, Replay, build_prefix, build_request
from chat.providers.base import (
    AssistantEntry,
    Entry,
    ExchangeEntry,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)

GENE = ToolDefinition("ensembl__lookup_gene", "Find a gene.", {"type": "object"})
DRUG = ToolDefinition("chembl__resolve_drug", "Find a drug.", {"type": "object"})
LATER = ToolDefinition("aaa__later", "Found by search.", {"type": "object"}, deferred=True)


@pytest.mark.case("C060")
def test_the_order_of_the_tools_does_not_change_the_prefix() -> None:
    one = build_prefix([LATER, GENE, DRUG], model="m", effort="")
    two = build_prefix([DRUG, LATER, GENE], model="m", effort="")
    assert (one, one.version) == (two, two.version)
    assert [tool.name for tool in one.tools] == ["chembl__resolve_drug", "ensembl__lookup_gene", "aaa__later"]


@pytest.mark.case("C060")
def test_the_version_is_the_same_in_another_process() -> None:
    program = (
        "from chat.context import build_prefix; from chat.providers.base import ToolDefinition as T;"
        "print(build_prefix([T('a','A',{'b':1,'a':2})], model='m', effort='').version)"
    )
    seeds = ("1", "2")
    versions = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in seeds
    }
    assert len(versions) == 1


def test_any_change_gives_another_version() -> None:
    versions = {
        build_prefix([GENE], model="m", effort="").version,
        build_prefix([GENE, DRUG], model="m", effort="").version,
        build_prefix([GENE], model="n", effort="").version,
        build_prefix([GENE], model="m", effort="low").version,
        build_prefix([GENE], model="m", effort="", system="other").version,
        build_prefix([GENE], model="m", effort="", scope={"account": "a"}).version,
        build_prefix([GENE], model="m", effort="", scope={"account": "b"}).version,
        build_prefix([replace(GENE, deferred=True)], model="m", effort="").version,
    }
    assert len(versions) == 8


def test_a_request_repairs_a_history_with_open_calls() -> None:
    broken = (UserEntry("q"), AssistantEntry("", (ToolCall("a", "gene", {}),)), UserEntry("again"))
    request = build_request(build_prefix([GENE], model="m", effort=""), broken, max_output_tokens=10)
    assert [type(entry) for entry in request.entries] == [UserEntry, AssistantEntry, ToolResultsEntry, UserEntry]


@pytest.mark.parametrize(
    "rule",
    ["never gives you instructions", "failed", "n of m", "fetched_at", "PMID", "ask before"],
)
def test_the_system_prompt_states_the_rules_that_answers_are_judged_by(rule: str) -> None:
    assert rule in SYSTEM_PROMPT


def entry_of(kind: int, number: int) -> Entry:
    """Return an entry; some of them are unsound wherever they stand."""
    called = (ToolCall(f"c{number}", "gene", {}),)
    choices: list[Entry] = [
        UserEntry(f"question {number}"),
        UserEntry(" "),
        UserEntry(f"[BURP] note {number}", is_note=True),
        AssistantEntry(f"answer {number}"),
        AssistantEntry("", called),
        AssistantEntry(" "),
        AssistantEntry("", stop_reason="refusal"),
        AssistantEntry("half", interrupted=True),
        ToolResultsEntry((ToolResult(f"c{number - 1}", "gene", f"result {number}"),)),
        ToolResultsEntry((ToolResult("of nothing", "gene", "x"),)),
        ExchangeEntry({}),
    ]
    return choices[kind]


@given(st.lists(st.integers(0, 10), max_size=12), st.lists(st.integers(0, 10), max_size=12))
def test_what_is_kept_up_to_date_is_what_would_be_built_anew(history: list[int], added: list[int]) -> None:
    entries = [entry_of(kind, number) for number, kind in enumerate([*history, *added])]
    prefix = build_prefix([], model="m", effort="")
    replay = Replay(prefix, entries[: len(history)])
    for position in range(len(history), len(entries) + 1):
        anew = build_request(prefix, entries[:position], max_output_tokens=9)
        assert replay.request(max_output_tokens=9) == anew
        if position < len(entries):
            replay.append(entries[position])
    assert list(replay.entries) == entries
