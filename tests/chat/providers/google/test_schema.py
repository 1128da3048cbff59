"""Schemas as Google's models take them."""

from typing import Any

import pytest

from chat.providers.base import ToolDefinition
from chat.providers.google_schema import accepted, tool_problem
from mcp_server.config import ServerConfig
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.registry import discover
from mcp_server.server import ToolServer
from tests.strict_generate.rules.tools import schema_problems

LISTED = ToolServer(discover(), ServerConfig(), SnapshotTransport((PACKAGED,))).listing()


def test_every_tool_of_the_catalogue_is_accepted() -> None:
    assert len(LISTED) >= 328
    problems = {
        tool.name: [
            *schema_problems(accepted(tool.input_schema)),
            *filter(None, [tool_problem(ToolDefinition(tool.name, tool.description or "", tool.input_schema))]),
        ]
        for tool in LISTED
    }

    assert {name: found for name, found in problems.items() if found} == {}


def test_the_server_would_refuse_schemas_of_the_catalogue_as_they_are() -> None:
    refused = [tool.name for tool in LISTED if [*schema_problems(tool.input_schema)]]

    assert len(refused) > 100


def test_nothing_that_an_argument_may_be_is_lost() -> None:
    """Names, types, choices and limits stay as they are; only what the API does not document is put into words."""

    def shape(schema: Any) -> Any:
        kept = {name: schema[name] for name in ("type", "enum", "minimum", "maximum", "minItems") if name in schema}
        inner = {name: shape(part) for name, part in schema.get("properties", {}).items()}
        return kept, schema.get("required") or [], inner, shape(schema["items"]) if "items" in schema else None

    for tool in LISTED:
        assert shape(accepted(tool.input_schema)) == shape(tool.input_schema)


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"type": "integer", "description": "How many.", "default": 10}, {"description": "How many. Default: 10."}),
        ({"type": "boolean", "default": False}, {"description": "Default: false."}),
        ({"type": "string", "default": None}, {}),
        ({"type": "string", "pattern": "^ENSG\\d{11}$"}, {"description": "Pattern: ^ENSG\\d{11}$"}),
        ({"type": "integer", "enum": [1, 2]}, {"description": "One of [1, 2]."}),
        ({"type": "string", "enum": ["", "a"]}, {"description": 'One of ["", "a"].'}),
        ({"type": "string", "format": "uri"}, {"description": "Format: uri."}),
        ({"type": "string", "format": "date"}, {"format": "date"}),
        ({"type": "integer", "exclusiveMinimum": 0}, {"description": "More than 0."}),
        (
            {"type": "string", "minLength": 2, "maxLength": 5},
            {"description": "At least 2 characters. At most 5 characters."},
        ),
        ({"type": "string", "$comment": "internal", "deprecated": True}, {}),
    ],
)
def test_what_is_not_documented_is_said_in_words(schema: dict[str, Any], sent: dict[str, Any]) -> None:
    found = accepted(schema)

    assert found == {"type": schema["type"], **sent}
    assert [*schema_problems({"type": "object", "properties": {"x": found}})] == []


def test_choices_between_schemas_are_one_choice() -> None:
    either = [{"type": "string", "pattern": "x"}, {"type": "null"}]

    found = accepted({"type": "object", "properties": {"gene": {"oneOf": either}}, "required": []})

    assert found["properties"]["gene"] == {"anyOf": [{"type": "string", "description": "Pattern: x"}, {"type": "null"}]}
    assert [*schema_problems(found)] == []


def test_an_argument_called_like_a_keyword_stays() -> None:
    schema = {"type": "object", "properties": {"pattern": {"type": "string"}, "default": {"type": "string"}}}

    assert accepted(schema) == schema


@pytest.mark.parametrize("name", ["9lives", "-x", "tool name", "", "x" * 65])
def test_a_name_that_the_service_refuses_is_said(name: str) -> None:
    assert "must begin with a letter" in tool_problem(ToolDefinition(name, "", {"type": "object"}))


def test_a_schema_of_something_else_is_said() -> None:
    assert "must have the type 'object'" in tool_problem(ToolDefinition("a__b", "", {"type": "array"}))
