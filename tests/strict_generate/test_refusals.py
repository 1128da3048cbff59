"""The strict Gemini API refuses what the real one refuses, one rule at a time."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from evals.loopback.server import WAIT_S
from tests.strict_generate import FunctionCall, ModelRules, Reply, StrictGenerate, Text

Json = Any
Change = Callable[[Json], Any]
MODEL = "gemini-4-hydrogen"
DUMMY = "skip_thought_signature_validator"
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
FUNCTION = {"name": "search", "description": "Search.", "parametersJsonSchema": SCHEMA}
CALL = {"functionCall": {"id": "a", "name": "search", "args": {"query": "HER2"}}}
OTHER = {"functionCall": {"id": "b", "name": "search", "args": {"query": "EGFR"}}}
FOUND = {"functionResponse": {"id": "a", "name": "search", "response": {"output": "found"}}}
OTHERS = {"functionResponse": {"id": "b", "name": "search", "response": {"error": "failed"}}}


@pytest.fixture
def client(strict_generate: StrictGenerate) -> Iterator[httpx2.Client]:
    """Give a client with the key."""
    headers = {"x-goog-api-key": strict_generate.api_key}
    with httpx2.Client(base_url=strict_generate.base_url, headers=headers, timeout=WAIT_S) as client:
        yield client


def valid() -> Json:
    """Return a request that is accepted, with two calls answered."""
    return copy.deepcopy(
        {
            "systemInstruction": {"parts": [{"text": "Answer from records only."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "What is HER2?"}]},
                {"role": "model", "parts": [{"text": "I look."}, {**CALL, "thoughtSignature": DUMMY}, OTHER]},
                {"role": "user", "parts": [FOUND, OTHERS, {"text": "Be short."}]},
            ],
            "tools": [{"functionDeclarations": [FUNCTION]}],
            "generationConfig": {
                "maxOutputTokens": 100,
                "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "LOW"},
            },
        }
    )


def post(client: httpx2.Client, body: Json, model: str = MODEL) -> httpx2.Response:
    return client.post(f"/v1beta/models/{model}:streamGenerateContent?alt=sse", json=body)


def refused(client: httpx2.Client, body: Json, model: str = MODEL) -> tuple[int, str]:
    """Return status and message of an error."""
    response = post(client, body, model)
    return response.status_code, response.json()["error"]["message"]


def said(response: httpx2.Response) -> list[Json]:
    """Return the parts of a stream."""
    chunks = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: ")]
    contents = [one.get("content", {}) for chunk in chunks for one in chunk.get("candidates", ())]
    return [part for content in contents for part in content.get("parts", ())]


def put(**changes: Any) -> Change:
    return lambda body: body.update(changes)


def put_part(content: int, part: int, **changes: Any) -> Change:
    return lambda body: body["contents"][content]["parts"][part].update(changes)


def set_parts(content: int, *parts: Json) -> Change:
    return lambda body: body["contents"][content].update(parts=copy.deepcopy([*parts]))


def put_setting(**changes: Any) -> Change:
    return lambda body: body["generationConfig"].update(changes)


def put_function(**changes: Any) -> Change:
    return lambda body: body["tools"][0]["functionDeclarations"][0].update(changes)


def put_schema(**changes: Any) -> Change:
    return put_function(parametersJsonSchema={**SCHEMA, **changes})


def test_a_valid_request_is_accepted(strict_generate: StrictGenerate, client: httpx2.Client) -> None:
    strict_generate.script(Reply(Text("HER2 is ERBB2.")))

    response = post(client, valid())

    assert response.status_code == 200
    assert "".join(part["text"] for part in said(response)) == "HER2 is ERBB2."


def test_both_spellings_of_the_apis_own_names_are_read(strict_generate: StrictGenerate, client: httpx2.Client) -> None:
    body = valid()
    body["system_instruction"] = body.pop("systemInstruction")
    body["generation_config"] = {"max_output_tokens": 100, "thinking_config": {"thinking_level": "LOW"}}
    del body["generationConfig"]
    function = body["tools"][0].pop("functionDeclarations")[0]
    function["parameters_json_schema"] = function.pop("parametersJsonSchema")
    body["tools"][0]["function_declarations"] = [function]
    strict_generate.script(Reply(Text("Yes.")))

    assert post(client, body).status_code == 200


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(store=False), 'Unknown name "store"'),
        (put(contents=[]), "contents is not specified"),
        (put(systemInstruction={"parts": [{"text": " "}]}), "blank system instruction"),
        (put_setting(temperature=0), 'Unknown name "temperature"'),
        (put_setting(maxOutputTokens=0), "max_output_tokens must be from 1"),
        (put_setting(maxOutputTokens=65_537), "max_output_tokens must be from 1"),
        (put_setting(thinkingConfig={"effort": "low"}), 'Unknown name "effort"'),
        (put_setting(thinkingConfig={"thinkingLevel": "MINIMAL"}), "Thinking level MINIMAL is not supported"),
        (put_setting(thinkingConfig={"thinkingBudget": 100}), "refuses a thinking budget"),
        (put_setting(thinkingConfig={"thinkingBudget": 1, "thinkingLevel": "LOW"}), "only one of thinking budget"),
        (put(toolConfig={"functionCallingConfig": {"mode": "MUST"}}), "Invalid value at 'tool_config"),
        (
            put(toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["x"]}}),
            "allowed_function_names should be a subset",
        ),
    ],
)
def test_settings(client: httpx2.Client, change: Change, message: str) -> None:
    body = valid()
    change(body)

    status, text = refused(client, body)

    assert (status, message in text) == (400, True), text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda body: body["contents"][1].update(role="assistant"), "use a valid role"),
        (lambda body: body["contents"].pop(0), "to begin and to end with the user"),
        (lambda body: body["contents"].pop(), "to begin and to end with the user"),
        (lambda body: body["contents"].append(body["contents"][0]), "roles of a conversation to alternate"),
        (set_parts(0), "contents.parts must not be empty"),
        (set_parts(1, {"text": "Hm.", "thought": True}), "thoughts alone"),
        (set_parts(0, {"text": " \n"}), "refuses blank texts"),
        (set_parts(0, {"partMetadata": {}}), "required oneof field 'data'"),
        (set_parts(0, {"text": "x", "functionCall": {}}), "required oneof field 'data'"),
        (put_part(0, 0, mood="calm"), 'Unknown name "mood"'),
        (put_part(1, 1, functionCall={**CALL["functionCall"], "why": 1}), 'Unknown name "why"'),
        (put_part(1, 1, functionCall={**CALL["functionCall"], "name": "9"}), "Invalid function name"),
        (put_part(1, 1, functionCall={**CALL["functionCall"], "args": "x"}), "a Struct is wanted"),
        (put_part(2, 0, functionResponse={**FOUND["functionResponse"], "response": {}}), "a Struct is wanted"),
        (set_parts(0, CALL), "is in a content of the model"),
    ],
)
def test_contents(client: httpx2.Client, change: Change, message: str) -> None:
    body = valid()
    change(body)

    status, text = refused(client, body)

    assert (status, message in text) == (400, True), text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_parts(2, FOUND), "number of function response parts is equal"),
        (set_parts(2, FOUND, OTHERS, OTHERS), "number of function response parts is equal"),
        (set_parts(2, {"text": "Never mind."}), "number of function response parts is equal"),
        (set_parts(1, {"text": "No calls."}), "immediately after a function call turn"),
        (set_parts(2, OTHERS, FOUND), "in the order of their calls"),
        (put_part(2, 0, functionResponse={**FOUND["functionResponse"], "id": "c"}), "in the order of their calls"),
        (put_part(2, 0, functionResponse={**FOUND["functionResponse"], "name": "x"}), "in the order of their calls"),
        (set_parts(2, {"text": "Here:"}, FOUND, OTHERS), "before everything else"),
    ],
)
def test_calls_and_what_answers_them(client: httpx2.Client, change: Change, message: str) -> None:
    body = valid()
    change(body)

    status, text = refused(client, body)

    assert (status, message in text) == (400, True), text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(tools=[{"googleSearch": {}}]), 'Unknown name "googleSearch"'),
        (put(tools=[{}]), "required one_of 'tool_type'"),
        (put_function(strict=True), 'Unknown name "strict"'),
        (put_function(description=" "), "without a description"),
        (put_function(name="9lives"), "Invalid function name"),
        (put(tools=[{"functionDeclarations": [FUNCTION, FUNCTION]}]), "Duplicate function declaration"),
        (put_function(parametersJsonSchema={"type": "array"}), "must be of type object"),
        (put_schema(pattern="x"), "Unknown name 'pattern'"),
        (put_schema(properties={"query": {"type": "string", "default": "x"}}), "Unknown name 'default'"),
        (put_schema(properties={"query": {"description": "x"}}), "no type"),
        (put_schema(properties={"query": {"type": "text"}}), ".type"),
        (put_schema(properties={"query": {"type": "array"}}), "items: missing field"),
        (put_schema(properties={"query": {"type": "integer", "enum": [1]}}), "only texts"),
        (put_schema(properties={"query": {"type": "string", "enum": [""]}}), "only texts"),
        (put_schema(properties={"query": {"type": "string", "format": "uri"}}), ".format: uri"),
        (put_schema(properties={"query": {"type": "string"}, "9": {"type": "string"}}), "invalid property name"),
        (put_schema(required=["gene"]), "'gene' is not defined"),
        (put_schema(required=[]), "required: empty"),
    ],
)
def test_tools(client: httpx2.Client, change: Change, message: str) -> None:
    body = valid()
    change(body)

    status, text = refused(client, body)

    assert (status, message in text) == (400, True), text


def answered(parts: list[Json]) -> Json:
    """Return a request in which the calls of a message are answered."""
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    body = valid()
    body["contents"][1]["parts"] = [part for part in parts if part.get("text") != ""]
    body["contents"][2]["parts"] = [
        {"functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": "x"}}} for call in calls
    ]
    return body


@pytest.fixture
def parts(strict_generate: StrictGenerate, client: httpx2.Client) -> list[Json]:
    """Give the parts of two calls, as the service signed them."""
    strict_generate.script(Reply(Text("I look."), FunctionCall("search", {"query": "a"}), FunctionCall("search")))
    return said(post(client, valid()))


def test_what_it_signed_it_takes_back(
    strict_generate: StrictGenerate, client: httpx2.Client, parts: list[Json]
) -> None:
    strict_generate.script(Reply(Text("Yes.")), Reply(Text("Yes.")))
    other_alphabet = answered(parts)
    signed = next(part for part in other_alphabet["contents"][1]["parts"] if "thoughtSignature" in part)
    signed["thoughtSignature"] = signed["thoughtSignature"].replace("+", "-").replace("/", "_")

    assert post(client, answered(parts)).status_code == 200
    assert post(client, other_alphabet).status_code == 200


def test_a_call_of_the_running_turn_has_to_be_signed(client: httpx2.Client, parts: list[Json]) -> None:
    for part in parts:
        part.pop("thoughtSignature", None)

    status, text = refused(client, answered(parts))

    assert (status, "missing a thought_signature" in text) == (400, True), text


def test_a_call_of_a_turn_that_is_over_need_not_be(
    strict_generate: StrictGenerate, client: httpx2.Client, parts: list[Json]
) -> None:
    for part in parts:
        part.pop("thoughtSignature", None)
    body = answered(parts)
    body["contents"] += [
        {"role": "model", "parts": [{"text": "ERBB2."}]},
        {"role": "user", "parts": [{"text": "And EGFR?"}]},
    ]
    strict_generate.script(Reply(Text("Yes.")))

    assert post(client, body).status_code == 200


@pytest.mark.parametrize("how", ["edited", "moved", "other account", "other model", "no base64", "of the user"])
def test_a_signature_fits_its_own_part_and_no_other(
    strict_generate: StrictGenerate, client: httpx2.Client, parts: list[Json], how: str
) -> None:
    strict_generate.accept_key("other-key")
    body, model = answered(parts), "gemini-4-neon" if how == "other model" else MODEL
    texts = body["contents"][1]["parts"]
    signed = next(part for part in texts if "thoughtSignature" in part)
    match how:
        case "edited":
            signed["functionCall"]["args"]["query"] = "b"
        case "moved":
            texts[-1]["thoughtSignature"] = signed["thoughtSignature"]
        case "other account":
            client.headers["x-goog-api-key"] = "other-key"
        case "no base64":
            signed["thoughtSignature"] = "no base64!"
        case "of the user":
            body["contents"][0]["parts"][0]["thoughtSignature"] = signed["thoughtSignature"]

    status, text = refused(client, body, model)

    assert (status, "signature" in text) == (400, True), text


def test_a_model_without_levels_signs_nothing_and_takes_a_budget(
    strict_generate: StrictGenerate, client: httpx2.Client
) -> None:
    body = valid()
    body["contents"][1]["parts"][1].pop("thoughtSignature")
    strict_generate.script(Reply(FunctionCall("search")))

    assert refused(client, body, "gemini-2.5-pro")[1] == "Thinking level is not supported for this model."
    body["generationConfig"]["thinkingConfig"] = {"thinkingBudget": 40_000}
    assert "is invalid" in refused(client, body, "gemini-2.5-pro")[1]
    body["generationConfig"]["thinkingConfig"] = {"thinkingBudget": 1024}
    assert not any("thoughtSignature" in part for part in said(post(client, body, "gemini-2.5-pro")))


def test_a_prompt_that_does_not_fit_is_refused(strict_generate: StrictGenerate, client: httpx2.Client) -> None:
    strict_generate.models[MODEL] = ModelRules(context_window=100)

    status, text = refused(client, valid())

    assert (status, "exceeds the maximum number of tokens allowed (100)" in text) == (400, True)


def test_a_refusal_uses_up_no_step(strict_generate: StrictGenerate, client: httpx2.Client) -> None:
    strict_generate.script(Reply(Text("Yes.")))

    refused(client, {})

    assert strict_generate.unplayed == 1
    assert post(client, valid()).status_code == 200
    assert refused(client, valid()) == (500, "the script is used up")


def test_keys_models_and_addresses(strict_generate: StrictGenerate, client: httpx2.Client) -> None:
    assert refused(client, valid(), "gemini-1")[0] == 404
    assert client.post(f"/v1beta/models/{MODEL}:generateContent", json=valid()).status_code == 404
    in_address = client.post(f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse&key=k", json=valid())
    assert "keys in addresses" in in_address.json()["error"]["message"]
    client.headers["x-goog-api-key"] = "wrong"
    error = post(client, valid()).json()["error"]
    assert (error["code"], error["status"], error["details"][0]["reason"]) == (
        400,
        "INVALID_ARGUMENT",
        "API_KEY_INVALID",
    )
    del client.headers["x-goog-api-key"]
    assert refused(client, valid())[0] == 403
