"""The strict server refuses what local servers and their models' templates refuse, one rule at a time."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from evals.loopback.server import WAIT_S
from tests.strict_chat import LLAMA_CPP, OLLAMA, VLLM, Failure, Reply, StrictChat, Text

Json = Any
Change = Callable[[Json], None]
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
FUNCTION = {"name": "search", "description": "Search.", "parameters": SCHEMA}


@pytest.fixture
def client(strict_chat: StrictChat) -> Iterator[httpx2.Client]:
    """Give a client with the key."""
    with http(strict_chat) as client:
        yield client


def http(server: StrictChat, key: str = "test-key") -> httpx2.Client:
    """Return a client of a server."""
    headers = {"authorization": f"Bearer {key}"}
    return httpx2.Client(base_url=f"{server.base_url}/v1", headers=headers, timeout=WAIT_S)


def valid() -> Json:
    """Return a request that every rule accepts: a call, its result, one more question to answer."""
    call = {"id": "call_a", "type": "function", "function": {"name": "search", "arguments": '{"query": "HER2"}'}}
    return copy.deepcopy(
        {
            "model": "gpt-oss:20b",
            "messages": [
                {"role": "system", "content": "Answer from records only."},
                {"role": "user", "content": "What is HER2?"},
                {"role": "assistant", "content": None, "reasoning": "Look.", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "call_a", "content": "found"},
                {"role": "assistant", "content": "ERBB2."},
                {"role": "user", "content": "And EGFR?"},
            ],
            "tools": [{"type": "function", "function": FUNCTION}],
            "max_tokens": 100,
            "reasoning_effort": "low",
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    )


def put(**changes: Any) -> Change:
    return lambda body: body.update(changes)


def drop(*names: str) -> Change:
    return lambda body: [body.pop(name) for name in names] and None


def put_message(index: int, **changes: Any) -> Change:
    return lambda body: body["messages"][index].update(changes)


def drop_message(index: int) -> Change:
    return lambda body: body["messages"].pop(index) and None


def add_message(index: int, **message: Any) -> Change:
    return lambda body: body["messages"].insert(index, message)


def put_call(**changes: Any) -> Change:
    return lambda body: body["messages"][2]["tool_calls"][0].update(changes)


def put_called(**changes: Any) -> Change:
    return lambda body: body["messages"][2]["tool_calls"][0]["function"].update(changes)


def put_tool(**changes: Any) -> Change:
    return lambda body: body["tools"][0]["function"].update(changes)


REFUSALS: dict[str, tuple[Change, str]] = {
    "no model": (drop("model"), "'model' is required"),
    "no messages": (drop("messages"), "'messages' is required"),
    "unknown parameter": (put(max_completion_tokens=5), "parameter 'max_completion_tokens'"),
    "not streamed": (put(stream=False), "stream=True"),
    "no output limit": (drop("max_tokens"), "max_tokens must be at least 1"),
    "output limit of 0": (put(max_tokens=0), "max_tokens must be at least 1"),
    "effort": (put(reasoning_effort="xhigh"), "invalid reasoning value: 'xhigh'"),
    "no tool": (put(tools=[]), "must not be an empty array"),
    "choice without tools": (lambda body: (drop("tools")(body), put(tool_choice="auto")(body)), "`tools` must be set"),
    "tool of another kind": (put(tools=[{"type": "web_search"}]), "Unsupported tool type"),
    "deferred tool": (put_tool(defer_loading=True), "wants exactly description, name, parameters"),
    "tool name": (put_tool(name="two words"), "Invalid function name: 'two words'"),
    "tool twice": (put(tools=[{"type": "function", "function": FUNCTION}] * 2), "must be unique"),
    "schema": (put_tool(parameters={"anyOf": [SCHEMA]}), "no object"),
    "role": (put_message(0, role="developer"), "Unexpected message role"),
    "no role": (lambda body: body["messages"][1].pop("role"), "Missing 'role'"),
    "no content": (lambda body: body["messages"][1].pop("content"), "must contain 'content'"),
    "cache mark": (put_message(1, cache_control={"type": "ephemeral"}), "messages[1].cache_control"),
    "call of the user": (put_message(1, tool_calls=[]), "messages[1].tool_calls"),
    "null content": (put_message(4, content=None), "invalid message content type: NoneType"),
    "content in parts": (put_message(1, content=[{"type": "text", "text": "Hi."}]), "content type: list"),
    "blank content": (put_message(3, content="\n"), "blank messages[3]"),
    "late system": (add_message(5, role="system", content="Be brief."), "must be at the beginning"),
    "two questions": (add_message(5, role="user", content="And?"), "roles must alternate"),
    "two answers": (add_message(5, role="assistant", content="And."), "roles must alternate"),
    "question behind results": (drop_message(4), "roles must alternate"),
    "answer first": (drop_message(1), "roles must alternate"),
    "answer last": (drop_message(5), "prefill"),
    "empty calls": (lambda body: (drop_message(3)(body), put_message(2, content="Hm.", tool_calls=[])(body)), "roles"),
    "call without id": (lambda body: body["messages"][2]["tool_calls"][0].pop("id"), "Unsupported tool call type"),
    "call of another kind": (put_call(type="custom"), "Unsupported tool call type"),
    "arguments as object": (put_called(arguments={"query": "HER2"}), "Missing tool call arguments"),
    "name of a call": (put_called(name="no such tool!"), "Invalid function name"),
    "id twice": (
        lambda body: body["messages"][2]["tool_calls"].extend(copy.deepcopy(body["messages"][2]["tool_calls"])),
        "id of its own",
    ),
    "cut arguments": (put_called(arguments='{"query": "BRC'), "Failed to parse tool call arguments"),
    "empty arguments": (put_called(arguments=""), "Failed to parse tool call arguments"),
    "arguments as list": (put_called(arguments='["HER2"]'), "invalid tool call arguments"),
    "no result": (drop_message(3), "Not the same number of function calls and responses: call_a"),
    "two results": (add_message(4, role="tool", tool_call_id="call_a", content="again"), "must follow"),
    "result of another call": (put_message(3, tool_call_id="call_b"), "must follow a message with its call"),
    "no place for the output": (put(max_tokens=131_072), "maximum context length is 131072 tokens"),
    "prompt too long": (put_message(5, content="word " * 90_000), "exceeds the available context size"),
}


def test_a_valid_request_is_accepted(client: httpx2.Client, strict_chat: StrictChat) -> None:
    strict_chat.script(Reply(Text("EGFR.")))

    assert client.post("/chat/completions", json=valid()).status_code == 200


@pytest.mark.parametrize(("change", "message"), REFUSALS.values(), ids=REFUSALS.keys())
def test_each_rule_refuses(client: httpx2.Client, strict_chat: StrictChat, change: Change, message: str) -> None:
    strict_chat.script(Reply(Text("Never played.")))
    body = valid()

    change(body)
    response = client.post("/chat/completions", json=body)

    assert response.status_code == (500 if message.startswith("Failed to parse") else 400)
    assert message in response.json()["error"]["message"]
    assert strict_chat.unplayed == 1


def test_not_every_model_takes_tools(client: httpx2.Client) -> None:
    body = {**valid(), "model": "gemma:2b"}
    body.pop("reasoning_effort")

    assert client.post("/chat/completions", json=body).json()["error"]["message"] == "gemma:2b does not support tools"


def test_an_unknown_model_or_path_is_not_found(client: httpx2.Client) -> None:
    unknown = client.post("/chat/completions", json={**valid(), "model": "gpt-7"})
    elsewhere = client.post("/responses", json=valid())

    assert (unknown.status_code, unknown.json()["error"]["message"]) == (404, "model 'gpt-7' not found")
    assert (elsewhere.status_code, elsewhere.text) == (404, "404 page not found")


def test_only_llama_cpp_answers_without_the_version_in_the_path() -> None:
    statuses = []
    for dialect in (LLAMA_CPP, VLLM, OLLAMA):
        with StrictChat(dialect=dialect) as server, http(server) as client:
            server.script(Reply(Text("Yes.")))
            statuses.append(client.post(f"{server.base_url}/chat/completions", json=valid()).status_code)

    assert statuses == [200, 404, 404]


def test_a_key_is_asked_for_where_there_is_one() -> None:
    with StrictChat() as keyed, StrictChat(api_key="") as open_server:
        open_server.script(Reply(Text("Yes.")))
        with http(keyed, "wrong") as client:
            assert client.post("/chat/completions", json=valid()).status_code == 401
        with http(open_server, "any") as client:
            assert client.post("/chat/completions", json=valid()).status_code == 200


def test_each_server_has_a_form_of_its_own_for_errors() -> None:
    bodies = []
    for dialect, key in ((VLLM, "test-key"), (OLLAMA, "test-key"), (VLLM, "wrong")):
        with StrictChat(dialect=dialect) as server, http(server, key) as client:
            server.script(Failure(400, "BadRequestError", "No."))
            bodies.append(client.post("/chat/completions", json=valid()).json())

    error = {"message": "No.", "type": "BadRequestError", "param": None}
    assert bodies == [{"error": {**error, "code": 400}}, {"error": {**error, "code": None}}, {"error": "Unauthorized"}]


def test_a_used_up_script_shows(client: httpx2.Client) -> None:
    response = client.post("/chat/completions", json=valid())

    assert (response.status_code, response.json()["error"]["message"]) == (500, "the script is used up")
