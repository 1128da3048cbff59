"""BURP's own tools: the catalogue's search and the look into a stored result."""

import pytest

from chat.system_tools import DEFINITIONS, FoundTool, FoundTools, OwnTools


async def no_artifact(artifact_id: str, jq_filter: str) -> str:
    raise ValueError("jq: syntax error; paths that exist: .results[].id")


def tools(*found: FoundTool, notice: str = "") -> OwnTools:
    async def search(query: str, limit: int) -> FoundTools:
        return FoundTools(found[:limit], notice)

    return OwnTools(search, no_artifact)


async def test_a_search_names_the_tools_it_found() -> None:
    hits = [FoundTool("clinvar__search_variants", "Find variants.", "words: clinvar"), FoundTool("b__x", "X.", "")]
    answer = await tools(*hits).call("search_available_tools", {"query": "clinvar", "limit": 1})
    assert answer.tool_references == ("clinvar__search_variants",)
    assert answer.envelope["data"][0]["description"] == "Find variants."


async def test_a_search_without_hits_is_empty_and_says_what_to_try() -> None:
    answer = await tools().call("search_available_tools", {"query": "weather"})
    assert (answer.envelope["outcome"], answer.tool_references) == ("empty", ())
    assert "Try others" in answer.envelope["note"]


async def test_the_model_is_told_what_a_search_had_to_do_without() -> None:
    notice = "search by keywords only: no embedder is configured"
    hit = FoundTool("b__x", "X.", "words: x")
    assert (await tools(hit, notice=notice).call("search_available_tools", {"query": "x"})).envelope["note"] == notice
    empty = await tools(notice="no tool is for docking").call("search_available_tools", {"query": "dock"})
    assert "no tool is for docking" in empty.envelope["note"]


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({}, "query"),
        ({"query": "  "}, "query"),
        ({"query": 7}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": "5"}, "limit"),
        ({"query": "x", "max_results": 5}, "max_results"),
    ],
)
async def test_a_wrong_argument_is_named(arguments: dict[str, object], argument: str) -> None:
    answer = await tools().call("search_available_tools", arguments)
    assert answer.envelope["outcome"] == "failed"
    assert answer.envelope["error"]["argument"] == argument


async def test_a_filter_that_fails_comes_back_with_jqs_own_words() -> None:
    answer = await tools().call("inspect_artifact", {"artifact_id": "x", "filters": [".["]})
    assert "paths that exist: .results[].id" in answer.envelope["error"]["message"]


@pytest.mark.parametrize("given", [{"filter": ".["}, {"filters": ".["}])
async def test_a_filter_that_stands_alone_is_a_list_of_one(given: dict[str, object]) -> None:
    answer = await tools().call("inspect_artifact", {"artifact_id": "x", **given})
    assert answer.envelope["error"]["argument"] == "filters"
    assert "paths that exist" in answer.envelope["error"]["message"]


def test_only_these_two_are_own_tools() -> None:
    assert [definition.name for definition in DEFINITIONS if definition.name in tools()] == [
        "inspect_artifact",
        "search_available_tools",
    ]
    assert "ensembl__lookup_gene" not in tools()
