"""What a call brought back, in the one form that all readers know."""

from typing import Any

import mcp_types as types
import pytest

from tools_catalog.calls import call_request, finished


def result(content: Any, is_error: bool = False, **meta: Any) -> types.CallToolResult:
    named = {f"burp/{name}": value for name, value in meta.items()}
    text = types.TextContent(type="text", text="{}")
    return types.CallToolResult(content=[text], structured_content=content, is_error=is_error, _meta=named)


async def test_an_envelope_stays_as_it_is() -> None:
    envelope = {"outcome": "empty", "note": "nothing for X"}
    assert (await finished(result(envelope), None)).envelope == envelope


@pytest.mark.parametrize(
    ("meta", "outcome"), [({"outcome": "empty"}, "empty"), ({"outcome": "nonsense"}, "data"), ({}, "data")]
)
async def test_content_in_a_form_of_its_own_is_the_data(meta: Any, outcome: str) -> None:
    content = {"results": [{"id": "pmid:22663011", "title": "A trial", "url": "https://pubmed.example"}]}
    raw = await finished(result(content, **meta), None)
    assert raw.envelope == {"outcome": outcome, "data": content}
    assert raw.is_error is False


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (
            {"error": {"code": "upstream_unavailable", "message": "no source answered"}},
            {"code": "upstream_unavailable", "message": "no source answered"},
        ),
        (
            {"error": {"code": "E_UNKNOWN_FIELD", "message": "no field 'gen'", "position": 4}},
            {
                "code": "tool_invalid_arguments",
                "reason": "E_UNKNOWN_FIELD",
                "message": "no field 'gen'",
                "position": 4,
            },
        ),
        (
            {"error": "what for?"},
            {"code": "tool_invalid_arguments", "message": "what for?"},
        ),
        ({}, {"code": "tool_invalid_arguments", "message": "the tool reports a failure"}),
    ],
    ids=["ours", "its own", "words", "nothing"],
)
async def test_a_failure_in_a_form_of_its_own_has_a_code_and_a_message(content: Any, error: Any) -> None:
    raw = await finished(result(content, is_error=True), None)
    assert raw.is_error
    assert raw.envelope == {"outcome": "failed", "data": content, "error": error}


def test_a_call_names_its_conversation_where_there_is_one() -> None:
    def sent(conversation: str) -> Any:
        return call_request("think", {"a": 1}, conversation).model_dump(by_alias=True, exclude_none=True)["params"]

    assert sent("session 7") == {"name": "think", "arguments": {"a": 1}, "_meta": {"burp/conversation": "session 7"}}
    assert sent("") == {"name": "think", "arguments": {"a": 1}}
