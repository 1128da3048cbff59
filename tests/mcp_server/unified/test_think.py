"""`think` and the thinking mode of `search`: thoughts belong to one conversation and are never results."""

from typing import Any

import pytest

from tests.mcp_server.unified.sources import Sources, call

THOUGHT = {"thought": "Which genes are altered?", "thoughtNumber": 1, "totalThoughts": 3, "nextThoughtNeeded": True}


async def test_thoughts_are_kept_for_each_conversation_apart() -> None:
    first = await call(Sources(), "think", "thinking apart a", **THOUGHT)
    second = await call(Sources(), "think", "thinking apart a", **{**THOUGHT, "thoughtNumber": 2})
    other = await call(Sources(), "think", "thinking apart b", **THOUGHT)
    assert [each.content["historyLength"] for each in (first, second, other)] == [1, 2, 1]
    assert set(first.content) == {
        "domain", "thoughtNumber", "totalThoughts", "nextThoughtNeeded", "branches", "historyLength", "status",
    }  # fmt: skip


async def test_search_thinks_too_and_gives_no_rows() -> None:
    sources = Sources()
    result = await call(sources, "search", "thinking by search", domain="thinking", **THOUGHT)
    assert result.content["domain"] == "thinking" and "results" not in result.content
    assert not sources.requests and not result.meta["burp/citations"]


async def test_a_thought_never_shows_among_the_results_of_a_search() -> None:
    await call(Sources(), "think", "thinking aside", **THOUGHT)
    content = (await call(Sources(), "search", "thinking aside", query="disease:melanoma")).content
    assert THOUGHT["thought"] not in str(content) and "thought" not in str(content["_meta"]).lower()


async def test_both_spellings_of_the_arguments_are_taken() -> None:
    spelt: dict[str, Any] = {"thought": "x", "thought_number": 5, "total_thoughts": 3, "next_thought_needed": False}
    content = (await call(Sources(), "think", "thinking spelt", **spelt)).content
    assert (content["thoughtNumber"], content["totalThoughts"], content["nextThoughtNeeded"]) == (5, 5, False)


async def test_a_revision_of_nothing_is_refused_and_says_what_is_there() -> None:
    result = await call(Sources(), "think", "thinking revised", thought="x", revisesThought=7)
    assert result.is_error and result.content["error"]["code"] == "E_BAD_VALUE"


async def test_branches_are_named() -> None:
    await call(Sources(), "think", "thinking branched", **THOUGHT)
    content = (
        await call(Sources(), "think", "thinking branched", thought="or else", branchFromThought=1, branchId="b1")
    ).content
    assert content["branches"] == ["b1"]


@pytest.mark.parametrize(
    ("asked", "argument"),
    [
        ({"thought": "x", "query": "gene:BRAF"}, "query"),
        ({"thought": "x", "domain": "article"}, "domain"),
        ({"domain": "thinking", "thought": "x", "genes": ["BRAF"]}, "genes"),
        ({"query": "gene:BRAF", "thoughtNumber": 2}, "thoughtNumber"),
    ],
)
async def test_a_call_thinks_or_searches_and_passes_nothing_over(asked: dict[str, Any], argument: str) -> None:
    sources = Sources()
    error = (await call(sources, "search", "thinking mixed", **asked)).content["error"]
    assert (error["code"], error["argument"]) == ("E_CONFLICT", argument) and not sources.requests


async def test_what_a_client_leaves_empty_was_not_meant() -> None:
    empty: dict[str, Any] = {"query": "", "genes": [], "explain_query": False}
    content = (await call(Sources(), "search", "thinking filled", **THOUGHT, **empty)).content
    assert content["historyLength"] == 1
    found = await call(Sources(), "search", query="genes.symbol:BRAF", thought="", isRevision=False)
    assert found.content["results"]
