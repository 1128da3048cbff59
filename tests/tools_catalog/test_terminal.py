"""Arguments from a shell get the types of the tool's schema, and results become lines."""

from typing import Any

import pytest

from tools_catalog.calls import RawToolResult
from tools_catalog.catalog import Catalog, CatalogTool, RawTool
from tools_catalog.terminal import BadArgument, read_arguments, result_lines, tool_lines

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "A name of the thing."},
        "limit": {"type": "integer", "description": "How many there may be."},
        "score": {"type": "number", "description": "The lowest score."},
        "strict": {"type": "boolean", "description": "Whether to be strict."},
        "ids": {"type": "array", "items": {"type": "string"}, "description": "Identifiers of things."},
    },
    "required": ["name"],
    "additionalProperties": False,
}


def tool(name: str = "demo__get_thing", platform: str = "Demo", *, core: bool = False) -> CatalogTool:
    """Make a tool as the catalogue holds it."""
    meta = {"burp/platform": platform, "burp/core": core}
    catalog = Catalog.from_tools([RawTool(name, "Thing", "Get a thing. Returns its name.", SCHEMA, meta)])
    assert catalog.problems == ()
    return catalog.tools[0]


def test_values_get_the_types_of_the_schema() -> None:
    pairs = ["name=a=b", "limit=5", "score=0.5", "strict=true", "ids=P04626, P00533"]
    assert read_arguments(tool(), pairs) == {
        "name": "a=b",
        "limit": 5,
        "score": 0.5,
        "strict": True,
        "ids": ["P04626", "P00533"],
    }
    assert read_arguments(tool(), ['ids=["a,b"]']) == {"ids": ["a,b"]}


@pytest.mark.parametrize("pair", ["name", "nome=x", "limit=five", "strict=maybe"])
def test_what_cannot_be_read_is_refused_with_the_way_to_write_it(pair: str) -> None:
    with pytest.raises(BadArgument, match=r"name=value|of type"):
        read_arguments(tool(), [pair])


def test_the_list_stands_under_its_platforms() -> None:
    tools = [tool("zoo__get_animal", "Zoo"), tool("demo__get_thing", "Demo", core=True)]
    lines = list(tool_lines(tools))
    assert lines[0] == "Demo" and lines[1] == "  demo__get_thing (always loaded)"
    assert lines[3] == "Zoo" and "Returns its name." in lines[2]


def test_a_result_says_what_how_much_and_from_where() -> None:
    envelope: dict[str, Any] = {
        "outcome": "data",
        "data": {"β": 1},
        "total": 9,
        "returned": 1,
        "next": {"offset": 1},
        "note": "the first of nine",
    }
    citation = {"kind": "uniprot", "identifier": "P04626", "label": "ERBB2", "url": "https://x.test/P04626"}
    meta = {
        "burp/citations": [citation] * 12,
        "burp/requests": [{"method": "GET", "url": "https://x.test/a", "status": 200}],
        "burp/snapshot": {"origin": "curated", "date": "2026-11-30", "partial": True},
    }
    text = "\n".join(result_lines(RawToolResult(envelope, meta, False, 1)))
    for part in (
        "outcome data · returned 1 · total 9",
        "note: the first of nine",
        '"β": 1',
        'next: {"offset": 1}',
        "cites uniprot P04626 ERBB2 https://x.test/P04626",
        "cites 2 more",
        "asked GET https://x.test/a → 200",
        "from the offline snapshot: curated, 2026-11-30, partial",
    ):
        assert part in text


def test_a_failure_says_what_to_do_next() -> None:
    error = {
        "code": "tool_invalid_arguments",
        "message": "limit: too many",
        "next_step": "Correct it.",
        "argument": "limit",
    }
    text = "\n".join(result_lines(RawToolResult({"outcome": "failed", "error": error}, {}, True, 1)))
    assert text.splitlines() == [
        "outcome failed",
        "tool_invalid_arguments: limit: too many",
        '  argument: "limit"',
        "Correct it.",
    ]
