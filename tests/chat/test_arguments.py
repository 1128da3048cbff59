"""Arguments are checked before a call goes out, and what is wrong is told so that it can be put right."""

import json
from typing import Any

import pytest

from chat.arguments import ArgumentCheck, allowed, as_error
from mcp_server.registry import discover

SCHEMA = {
    "type": "object",
    "properties": {
        "gene_symbol": {"type": "string", "pattern": "^[A-Z0-9-]+$"},
        "organism": {"type": "string", "enum": ["human", "mouse"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "ids": {"type": "array", "items": {"type": "string", "pattern": r"^rs\d+$"}, "minItems": 1, "maxItems": 3},
        "nct_id": {"type": "string", "pattern": r"^NCT\d{8}$"},
    },
    "required": ["gene_symbol"],
    "additionalProperties": False,
}
EXAMPLE = {"gene_symbol": "ERBB2", "limit": 10}
CHECK = ArgumentCheck(SCHEMA, EXAMPLE, normalised=frozenset({"nct_id"}))


@pytest.mark.parametrize(
    ("arguments", "argument", "problem", "told"),
    [
        ({}, "gene_symbol", "this argument is required", "a text of the form ^[A-Z0-9-]+$"),
        ({"gene_symbol": "  "}, "gene_symbol", "this argument is required", "a text of the form ^[A-Z0-9-]+$"),
        ({"gene_symbol": 7}, "gene_symbol", "7 is not a text", "a text of the form ^[A-Z0-9-]+$"),
        ({"gene_symbol": "her 2"}, "gene_symbol", "'her 2' does not have the required form", "a text of the form"),
        ({"gene_symbol": "A", "organism": "cat"}, "organism", "'cat' is not an allowed value", "one of 'human'"),
        ({"gene_symbol": "A", "limit": "10"}, "limit", "'10' is not a whole number", "a whole number from 1 to 100"),
        ({"gene_symbol": "A", "limit": True}, "limit", "True is not a whole number", "a whole number from 1 to 100"),
        ({"gene_symbol": "A", "limit": 500}, "limit", "500 is too large", "a whole number from 1 to 100"),
        ({"gene_symbol": "A", "ids": ["rs1", "x"]}, "ids", "'x' at 1 does not have the required form", r"form ^rs"),
        ({"gene_symbol": "A", "ids": ["rs1"] * 4}, "ids", "is too long", "a list from 1 to 3 entries, each a text"),
        ({"gene_symbol": "A", "gene": "B"}, "gene", "there is no such argument", "gene_symbol, organism, limit"),
        ({"gene_symbol": "A", "limits": 1}, "limits", "did you mean 'limit'?", "gene_symbol"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_told_with_what_is_allowed(arguments: Any, argument: str, problem: str, told: str) -> None:
    (found,) = CHECK.problems(arguments)
    assert found.argument == argument
    assert problem in found.problem
    assert told in found.allowed


@pytest.mark.parametrize(
    "arguments",
    [
        EXAMPLE,
        {"gene_symbol": " ERBB2 ", "organism": None},
        {"gene_symbol": "A", "limit": 10.0},
        {"gene_symbol": "A", "nct_id": "nct01234567"},
        {"gene_symbol": "A", "organism": "Human"},
    ],
    ids=[
        "as declared",
        "blanks around, null for left out",
        "a whole float",
        "a form that the tool puts right",
        "a word of a choice in another case",
    ],
)
def test_what_the_tool_takes_may_go_out(arguments: Any) -> None:
    assert CHECK.problems(arguments) == []


def test_a_form_that_the_tool_puts_right_must_still_have_its_type() -> None:
    (found,) = CHECK.problems({"gene_symbol": "A", "nct_id": 1234567})
    assert (found.argument, found.problem) == ("nct_id", "1234567 is not a text")


def test_all_that_is_wrong_is_told_at_once_with_an_example() -> None:
    error = as_error(CHECK.problems({"limit": 500, "organism": "cat"}))
    assert error["message"] == (
        "gene_symbol: this argument is required; allowed: a text of the form ^[A-Z0-9-]+$. "
        "organism: 'cat' is not an allowed value; allowed: one of 'human', 'mouse'. "
        "limit: 500 is too large; allowed: a whole number from 1 to 100"
    )
    assert (error["argument"], error["example"]) == ("gene_symbol", "ERBB2")


def test_a_long_value_is_not_repeated_whole() -> None:
    (found,) = CHECK.problems({"gene_symbol": "x" * 100_000})
    assert len(found.sentence) < 300


def test_a_problem_of_the_arguments_as_a_whole_is_told_too() -> None:
    check = ArgumentCheck({"type": "object", "minProperties": 1}, {"a": 1})
    (found,) = check.problems({})
    assert (found.argument, found.example) == ("arguments", {"a": 1})


def test_types_of_several_kinds_are_named() -> None:
    assert allowed({"type": ["string", "null"]}) == "a text or null"
    assert (
        allowed({"type": "array", "items": {"type": "integer", "minimum": 0}})
        == "a list, each a whole number of at least 0"
    )


def test_every_tools_own_example_may_go_out() -> None:
    for platform in discover():
        for tool in platform.tools:
            check = ArgumentCheck(tool.input_schema, tool.example, frozenset(tool.normalised))
            assert check.problems(json.loads(json.dumps(dict(tool.example)))) == [], tool.name
