"""The strict Responses API refuses what the real one refuses, one rule at a time."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from evals.loopback.server import WAIT_S
from tests.strict_responses import FunctionCall, Reasoning, Reply, StrictResponses, Text, ToolSearch

Json = Any
Change = Callable[[Json], None]
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
FUNCTION = {"type": "function", "name": "search", "description": "Search.", "parameters": SCHEMA, "strict": False}
SEARCH = {"type": "tool_search", "execution": "client", "description": "Find tools.", "parameters": SCHEMA}
QUESTION = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is HER2?"}]}


@pytest.fixture
def client(strict_responses: StrictResponses) -> Iterator[httpx2.Client]:
    """Give a client with the key."""
    headers = {"authorization": f"Bearer {strict_responses.api_key}"}
    with httpx2.Client(base_url=strict_responses.base_url, headers=headers, timeout=WAIT_S) as client:
        yield client


def valid() -> Json:
    """Return a request that is accepted, with one call and one search answered."""
    call = {"type": "function_call", "call_id": "call_a", "name": "search", "arguments": '{"query": "HER2"}'}
    search = {"type": "tool_search_call", "call_id": "call_b", "execution": "client", "arguments": {"query": "x"}}
    loaded = {**FUNCTION, "name": "trials", "defer_loading": True}
    return copy.deepcopy(
        {
            "model": "gpt-6.2-sol",
            "instructions": "Answer from records only.",
            "input": [
                QUESTION,
                call,
                search,
                {"type": "function_call_output", "call_id": "call_a", "output": "found"},
                {"type": "tool_search_output", "call_id": "call_b", "execution": "client", "tools": [loaded]},
            ],
            "tools": [FUNCTION, SEARCH],
            "max_output_tokens": 100,
            "reasoning": {"effort": "low", "summary": "auto"},
            "include": ["reasoning.encrypted_content"],
            "store": False,
            "stream": True,
        }
    )


def refused(client: httpx2.Client, body: Json) -> tuple[int, str]:
    """Return status and message of an error."""
    response = client.post("/responses", json=body)
    return response.status_code, response.json()["error"]["message"]


def items_of(response: httpx2.Response) -> list[Json]:
    """Return the finished items of a stream."""
    events = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: ")]
    return [event["item"] for event in events if event["type"] == "response.output_item.done"]


def put(**changes: Any) -> Change:
    return lambda body: body.update(changes)


def put_item(index: int, **changes: Any) -> Change:
    return lambda body: body["input"][index].update(changes)


def put_tool(index: int, **changes: Any) -> Change:
    return lambda body: body["tools"][index].update(changes)


def drop_item(index: int) -> Change:
    return lambda body: body["input"].pop(index)


def add_item(item: Json) -> Change:
    return lambda body: body["input"].append(item)


CHANGES: dict[str, tuple[Change, str]] = {
    "no input": (put(input=[]), "Missing required parameter: 'input'."),
    "unknown parameter": (put(max_tokens=5), "Unknown parameter: 'max_tokens'."),
    "unknown in reasoning": (put(reasoning={"depth": 1}), "Unknown parameter: 'reasoning.depth'."),
    "stored": (put(store=True), "Storing is not possible"),
    "not streamed": (put(stream=False), "only streams"),
    "previous response": (put(previous_response_id="resp_1"), "Previous response with id 'resp_1' not found."),
    "little output": (put(max_output_tokens=15), "Expected a value >= 16, but got 15"),
    "much output": (put(max_output_tokens=200_000), "at most 128000 completion tokens"),
    "temperature": (put(temperature=1), "'temperature' is not supported with this model"),
    "effort": (put(reasoning={"effort": "none"}), "'none' is not supported with the 'gpt-6.2-sol' model"),
    "effort of a model without": (put(model="gpt-4.1"), "'reasoning.effort' is not supported"),
    "summary": (put(reasoning={"summary": "long"}), "Invalid value for 'reasoning.summary'"),
    "include": (put(include=["everything"]), "Invalid value: 'everything'."),
    "sealed reasoning not asked for": (put(include=[]), "wants to be asked"),
    "cache key": (put(prompt_cache_key="k" * 65), "string too long"),
    "blank instructions": (put(instructions=" "), "blank instructions"),
    "model": (put(model="gpt-9"), "'gpt-9' does not exist"),
    "item of no type": (put_item(0, type="future"), "Invalid value: 'future'."),
    "item without a field": (lambda body: body["input"][1].pop("name"), "'input[1].name'"),
    "role": (put_item(0, role="tool"), "Invalid value: 'tool'."),
    "part of the other side": (
        put_item(0, role="assistant"),
        "Supported values are: 'output_text' and 'refusal'.",
    ),
    "blank message": (put_item(0, content="\n"), "say nothing"),
    "blank output": (put_item(3, output=""), "say nothing"),
    "long call id": (put_item(1, call_id="c" * 65), "maximum length 64"),
    "name of a call": (put_item(1, name="no such tool!"), "does not match pattern"),
    "arguments that are no text": (put_item(1, arguments={}), "expected a string"),
    "foreign item id": (put_item(1, id="call_a"), "Expected an ID that begins with 'fc'."),
    "item that was never issued": (put_item(1, id="fc_1"), "Item with id 'fc_1' not found."),
    "call without output": (drop_item(3), "No tool output found for function call call_a."),
    "output without call": (drop_item(1), "No tool call found for function call output with call_id call_a."),
    "output twice": (
        add_item({"type": "function_call_output", "call_id": "call_a", "output": "again"}),
        "No tool call found",
    ),
    "output of the other kind": (put_item(3, call_id="call_b"), "No tool call found"),
    "call twice": (put_item(2, call_id="call_a"), "Duplicate function call"),
    "kind of tool": (put_tool(0, type="custom"), "Invalid value: 'custom'."),
    "field of a tool": (put_tool(0, cache_control={}), "Unknown parameter: 'tools[0].cache_control'."),
    "name of a tool": (put_tool(0, name="a.b"), "does not match pattern"),
    "strict by default": (lambda body: body["tools"][0].pop("strict"), "'additionalProperties' is required"),
    "schema of no object": (put_tool(0, parameters={"type": "array"}), "schema must have type 'object'"),
    "schema with a choice": (put_tool(0, parameters={**SCHEMA, "anyOf": []}), "schema must have type 'object'"),
    "two of a name": (lambda body: body["tools"].append(FUNCTION), "must be unique"),
    "many tools": (
        lambda body: body["tools"].extend({**FUNCTION, "name": f"t{n}"} for n in range(128)),
        "array too long",
    ),
    "deferred without a search": (
        put(tools=[{**FUNCTION, "defer_loading": True}]),
        "Deferred tools require tools.tool_search.",
    ),
    "search of the service": (put_tool(1, execution="server"), "runs no searches"),
    "search without parameters": (put_tool(1, parameters=None), "needs a description and parameters"),
    "two searches": (lambda body: body["tools"].append(SEARCH), "Only one tool_search"),
    "loaded without a search": (lambda body: body["tools"].pop(), "requires tools.tool_search"),
    "loaded and not deferred": (
        lambda body: body["input"][4]["tools"][0].pop("defer_loading"),
        "must be deferred functions",
    ),
    "reasoning unsealed": (
        add_item({"type": "reasoning", "id": "rs_1", "summary": []}),
        "Items are not persisted when `store` is set to false",
    ),
    "reasoning sealed by another": (
        add_item({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA=="}),
        "could not be verified",
    ),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES.keys())
def test_what_the_service_refuses_is_refused(
    client: httpx2.Client, strict_responses: StrictResponses, change: Change, message: str
) -> None:
    body = valid()
    change(body)
    strict_responses.script(Reply(Text("Yes.")))

    status, said = refused(client, body)

    assert status in {400, 404}
    assert message in said
    assert (strict_responses.unplayed, strict_responses.requests[0].status) == (1, status)


def test_a_valid_request_is_accepted(client: httpx2.Client, strict_responses: StrictResponses) -> None:
    strict_responses.script(Reply(Text("Yes.")))

    assert client.post("/responses", json=valid()).status_code == 200


def test_tool_search_is_for_models_that_have_it(client: httpx2.Client, strict_responses: StrictResponses) -> None:
    body = {**valid(), "model": "gpt-4.1", "tools": [SEARCH], "input": [QUESTION]}
    body.pop("reasoning")

    assert "is not supported with gpt-4.1" in refused(client, body)[1]


def test_a_prompt_above_the_window_is_refused(client: httpx2.Client) -> None:
    body = {**valid(), "instructions": "x" * 3_200_000}

    assert "exceeds the context window" in refused(client, body)[1]


def test_a_wrong_key_is_refused(client: httpx2.Client) -> None:
    response = client.post("/responses", json=valid(), headers={"authorization": "Bearer wrong"})

    assert (response.status_code, response.json()["error"]["code"]) == (401, "invalid_api_key")


def replayed(client: httpx2.Client, strict_responses: StrictResponses, *content: Any) -> Json:
    """Return a request that replays a response of these items, its call answered."""
    strict_responses.script(Reply(*content), Reply(Text("Yes.")))
    body = {**valid(), "input": [QUESTION]}
    items = items_of(client.post("/responses", json=body))
    outputs = [
        {"type": "function_call_output", "call_id": item["call_id"], "output": "found"}
        for item in items
        if item["type"] == "function_call"
    ]
    return {**body, "input": [QUESTION, *items, *outputs]}


def test_a_response_is_taken_back_as_it_was(client: httpx2.Client, strict_responses: StrictResponses) -> None:
    content = (Reasoning(("Look.",)), Text("I look.", {"phase": "commentary"}), FunctionCall("search", {"query": "x"}))

    body = replayed(client, strict_responses, *content)

    assert client.post("/responses", json=body).status_code == 200


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (drop_item(1), "was provided without its required 'reasoning' item"),
        (lambda body: [body["input"].pop(3), body["input"].pop(2)], "without its required following item"),
        (put_item(2, arguments="{}"), "refuses to take back an item that was edited"),
        (put(model="gpt-6-sol"), "could not be verified"),
        (put_item(1, encrypted_content=None), "Items are not persisted"),
    ],
    ids=["call without its reasoning", "reasoning alone", "edited", "other model", "seal lost"],
)
def test_a_response_that_was_changed_is_refused(
    client: httpx2.Client, strict_responses: StrictResponses, change: Change, message: str
) -> None:
    body = replayed(client, strict_responses, Reasoning(), FunctionCall("search", {"query": "x"}))
    change(body)

    assert message in refused(client, body)[1]


def test_another_organisation_can_t_read_sealed_reasoning(
    client: httpx2.Client, strict_responses: StrictResponses
) -> None:
    body = replayed(client, strict_responses, Reasoning(), FunctionCall("search", {"query": "x"}))
    strict_responses.accept_key("other-key")

    response = client.post("/responses", json=body, headers={"authorization": "Bearer other-key"})

    assert response.json()["error"]["code"] == "invalid_encrypted_content"


def test_searches_come_with_their_arguments_whole(client: httpx2.Client, strict_responses: StrictResponses) -> None:
    strict_responses.script(Reply(ToolSearch({"query": "trials"})))

    (item,) = items_of(client.post("/responses", json=valid()))

    assert (item["type"], item["execution"], item["arguments"]) == ("tool_search_call", "client", {"query": "trials"})


def test_what_was_sent_before_is_read_from_the_cache(client: httpx2.Client, strict_responses: StrictResponses) -> None:
    strict_responses.script(*[Reply(Text("Yes."))] * 3)
    body = {**valid(), "instructions": "Answer from records only. " * 200}
    short = valid()

    for sent in (body, {**body, "input": [*body["input"], QUESTION]}, short):
        client.post("/responses", json=sent)

    first, second, third = (request.usage["input_tokens_details"] for request in strict_responses.requests)
    assert first["cached_tokens"] == 0
    assert first["cache_write_tokens"] == strict_responses.requests[0].usage["input_tokens"] > 1024
    assert second["cached_tokens"] == first["cache_write_tokens"]
    assert second["cached_tokens"] + second["cache_write_tokens"] == strict_responses.requests[1].usage["input_tokens"]
    assert (third["cached_tokens"], third["cache_write_tokens"]) == (0, 0)
