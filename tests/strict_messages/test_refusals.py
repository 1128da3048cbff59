"""Each wrong request is refused, with the text of its own rule."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from evals.strict_messages import Reply, StrictMessages, Text
from evals.strict_messages.models import MODELS
from tests.strict_messages.conftest import DEFERRED, SCHEMA, TOOL, Client, call, result, valid_body

Json = Any
MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
REFERENCE = {"type": "tool_reference", "tool_name": DEFERRED["name"]}


def put(*path: Any) -> Callable[[Json], None]:
    """Return a change that sets the last of `path` at the place that the rest names."""
    *place, name, value = path

    def change(body: Json) -> None:
        for step in place:
            body = body[step]
        body[name] = value

    return change


def add(*path: Any) -> Callable[[Json], None]:
    """Return a change that appends the last of `path` to the list that the rest names."""
    *place, value = path

    def change(body: Json) -> None:
        for step in place:
            body = body[step]
        body.append(value)

    return change


def drop(name: str) -> Callable[[Json], None]:
    """Return a change that removes a parameter."""

    def change(body: Json) -> None:
        del body[name]

    return change


def asks(*messages: Json) -> Callable[[Json], None]:
    """Return a change that sets the messages."""
    return put("messages", list(messages))


def user(*content: Json) -> Json:
    return {"role": "user", "content": list(content)}


def assistant(*content: Json) -> Json:
    return {"role": "assistant", "content": list(content)}


def text(value: str, **more: Json) -> Json:
    return {"type": "text", "text": value, **more}


PARAMETERS = {
    "no output limit": (drop("max_tokens"), "max_tokens: Field required"),
    "no messages": (put("messages", []), "messages: at least one message is required"),
    "unknown field": (put("top_n", 3), "top_n: Extra inputs are not permitted"),
    "not streamed": (put("stream", False), "only streams"),
    "output limit of zero": (put("max_tokens", 0), "greater than or equal to 1"),
    "output limit too high": (put("max_tokens", 200_000), "max_tokens: 200000 > 128000"),
    "temperature": (put("temperature", 1.0), "`temperature` is deprecated for this model."),
    "top_p": (put("top_p", 1.0), "`top_p` is deprecated for this model."),
    "forced tool": (put("tool_choice", {"type": "tool", "name": TOOL["name"]}), "tool_choice.type: 'tool'"),
    "any tool": (put("tool_choice", {"type": "any"}), "tool_choice.type: 'any'"),
    "thinking disabled": (put("thinking", {"type": "disabled"}), '"thinking.type.disabled" is not supported'),
    "thinking enabled": (
        put("thinking", {"type": "enabled", "budget_tokens": 1024}),
        '"thinking.type.enabled" is not supported',
    ),
    "unknown display": (put("thinking", {"type": "adaptive", "display": "full"}), "thinking.adaptive.display"),
    "a field of a beta": (
        put("thinking", {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}),
        "thinking.adaptive.block_binding: Extra inputs are not permitted",
    ),
    "display of thinking between tools": (
        put("thinking", {"type": "between_tools", "display": "summarized"}),
        "thinking.between_tools.display: Extra inputs",
    ),
    "unknown output setting": (put("output_config", {"depth": 3}), "output_config.depth: Extra inputs"),
    "unknown effort": (put("output_config", {"effort": "extreme"}), "output_config.effort: 'extreme'"),
    "empty system": (put("system", [text("")]), "system.0: text content blocks must be non-empty"),
    "blank system": (put("system", [text("  ")]), "system.0: text content blocks must contain non-whitespace"),
}

MESSAGES = {
    "unknown role": (put("messages", 0, "role", "tool"), "messages.0.role: Input should be"),
    "assistant first": (asks(assistant(text("Hello.")), user(text("Hi."))), 'must use the "user" role'),
    "prefill": (asks(user(text("Hi.")), assistant(text("HER2 is"))), "does not support assistant message prefill"),
    "unknown message field": (put("messages", 0, "name", "x"), "messages.0.name: Extra inputs"),
    "no content": (put("messages", 0, "content", []), "messages.0: all messages must have non-empty content"),
    "empty string": (put("messages", 0, "content", ""), "messages.0: all messages must have non-empty content"),
    "content of another type": (put("messages", 0, "content", 3), "messages.0.content: Input should be a valid string"),
    "unknown block": (add("messages", 1, "content", {"type": "future"}), "Input tag 'future' found"),
    "unknown block field": (put("messages", 1, "content", 1, "extra", 1), "tool_use.extra: Extra inputs"),
    "block without its text": (put("messages", 1, "content", 0, {"type": "text"}), "text.text: Field required"),
    "arguments that are a list": (put("messages", 1, "content", 1, "input", []), "input: Input should be a valid dict"),
    "citations of the user": (
        put("messages", 0, "content", [text("HER2", citations=[{"type": "char_location"}])]),
        "messages.0.content.0.text.citations: citations can only be set in `assistant` messages",
    ),
    "call by the user": (add("messages", 2, "content", call("toolu_b")), "can only be in `assistant` messages"),
    "result by the assistant": (add("messages", 1, "content", result("toolu_a")), "can only be in `user` messages"),
    "id with a dot": (put("messages", 1, "content", 1, "id", "call.1"), "tool_use.id: String should match pattern"),
    "empty text beside a call": (put("messages", 1, "content", 0, text("")), "must be non-empty"),
    "empty text in a result": (put("messages", 2, "content", 0, result("toolu_a", [text("")])), "must be non-empty"),
    "blank question": (put("messages", 0, "content", " \n"), "must contain non-whitespace text"),
    "empty error": (
        put("messages", 2, "content", 0, {**result("toolu_a", ""), "is_error": True}),
        "cannot be empty if",
    ),
    "call inside a result": (put("messages", 2, "content", 0, result("toolu_a", [call("toolu_b")])), "tool_use"),
}

PAIRING = {
    "call without a result": (
        asks(user(text("Hi.")), assistant(call("toolu_a")), user(text("Go on."))),
        "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_a.",
    ),
    "one of two results missing": (
        add("messages", 1, "content", call("toolu_b")),
        "blocks immediately after: toolu_b.",
    ),
    "result after text": (
        asks(user(text("Hi.")), assistant(call("toolu_a")), user(text("Here:"), result("toolu_a"))),
        "blocks immediately after: toolu_a.",
    ),
    "result one message late": (
        asks(user(text("Hi.")), assistant(call("toolu_a")), user(text("Wait.")), user(result("toolu_a"))),
        "blocks immediately after: toolu_a.",
    ),
    "result without a call": (
        asks(user(result("toolu_x"))),
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_x.",
    ),
    "result of an older call": (
        add("messages", user(result("toolu_a"))),
        "messages.3.content.0: unexpected `tool_use_id`",
    ),
    "two results for one call": (
        add("messages", 2, "content", result("toolu_a")),
        "messages.2.content.1: each tool_use must have a single result.",
    ),
    "unfinished call of the service": (
        lambda body: body["messages"].extend(
            [assistant({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search"}), user(text("Go on."))]
        ),
        "messages.3: `web_search` tool use with id `srvtoolu_1` was found without a corresponding",
    ),
    "answer to a call of the service": (
        lambda body: body["messages"].extend(
            [assistant({"type": "server_tool_use", "id": "srvtoolu_1", "name": "x"}), user(result("srvtoolu_1"))]
        ),
        "unexpected `tool_use_id` found in `tool_result` blocks: srvtoolu_1.",
    ),
    "id used twice": (
        lambda body: body["messages"].extend([assistant(call("toolu_a")), user(result("toolu_a"))]),
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
}

TOOLS = {
    "dotted name": (put("tools", 0, "name", "open-targets.search"), "tools.0.custom.name: String should match pattern"),
    "long name": (put("tools", 0, "name", "x" * 129), "tools.0.custom.name"),
    "name twice": (add("tools", TOOL), "tools: Tool names must be unique."),
    "no schema": (add("tools", {"name": "think"}), "tools.2.custom.input_schema: Field required"),
    "schema of a string": (put("tools", 0, "input_schema", {"type": "string"}), "input_schema.type: Input should be"),
    "union at the top": (
        put("tools", 0, "input_schema", {**SCHEMA, "anyOf": [{"required": ["pmid"]}, {"required": ["doi"]}]}),
        "does not support oneOf, allOf, or anyOf at the top level",
    ),
    "unknown tool field": (put("tools", 0, "annotations", {}), "tools.0.custom.annotations: Extra inputs"),
    "all deferred": (put("tools", 0, "defer_loading", True), "At least one tool must have defer_loading=false."),
    "reference to nothing": (
        put("messages", 2, "content", 0, result("toolu_a", [{"type": "tool_reference", "tool_name": "gone"}])),
        "Tool reference 'gone' not found in available tools",
    ),
    "reference beside text": (
        put("messages", 2, "content", 0, result("toolu_a", [REFERENCE, text("Found.")])),
        "cannot be mixed with other content",
    ),
    "called name with a dot": (put("messages", 1, "content", 1, "name", "a.b"), "tool_use.custom.name"),
}

CACHE_MARKS = {
    "five marks": (
        put("messages", 0, "content", [text(str(n), cache_control=MARK) for n in range(5)]),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "automatic mark as the fifth": (
        lambda body: body.update(
            cache_control=MARK,
            messages=[user(*(text(str(n), cache_control=MARK) for n in range(4)))],
        ),
        "Found 5.",
    ),
    "automatic mark of another lifetime": (
        lambda body: (
            body.update(cache_control=HOUR),
            put("messages", 2, "content", 0, "cache_control", MARK)(body),
        ),
        "the last cacheable block already has a ttl of '5m'",
    ),
    "unknown lifetime": (put("tools", 0, "cache_control", {"type": "ephemeral", "ttl": "1d"}), "with a ttl of"),
    "hour after five minutes": (
        lambda body: (put("tools", 0, "cache_control", MARK)(body), put("system", 0, "cache_control", HOUR)(body)),
        "system.0.cache_control.ttl: a ttl='1h' cache_control block must not come after",
    ),
    "empty text": (
        put("messages", 0, "content", [text("", cache_control=MARK)]),
        "messages.0.content.0.cache_control: cache_control cannot be set for empty text blocks",
    ),
    "deferred tool": (
        put("tools", 1, "cache_control", HOUR),
        f"Tool '{DEFERRED['name']}' cannot have both defer_loading=true and cache_control set.",
    ),
}


def cases(table: dict[str, Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("change", "expected"), table.values(), ids=table.keys())


def refused(client: Client, change: Callable[[Json], None]) -> str:
    """Send a body that is wrong in one thing; return what the service says of it."""
    body = valid_body()
    change(body)
    return client.refusal(body)


def test_the_body_that_the_changes_start_from_is_accepted(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Text("HER2 is ERBB2.")))

    assert client.reply(valid_body()) == [text("HER2 is ERBB2.")]


@cases(PARAMETERS)
def test_wrong_parameters_are_refused(client: Client, change: Callable[[Json], None], expected: str) -> None:
    assert expected in refused(client, change)


@cases(MESSAGES)
def test_misshapen_messages_are_refused(client: Client, change: Callable[[Json], None], expected: str) -> None:
    assert expected in refused(client, change)


@cases(PAIRING)
def test_calls_and_results_that_do_not_pair_are_refused(
    client: Client, change: Callable[[Json], None], expected: str
) -> None:
    assert expected in refused(client, change)


@cases(TOOLS)
def test_wrong_tools_are_refused(client: Client, change: Callable[[Json], None], expected: str) -> None:
    assert expected in refused(client, change)


@cases(CACHE_MARKS)
def test_wrong_cache_marks_are_refused(client: Client, change: Callable[[Json], None], expected: str) -> None:
    assert expected in refused(client, change)


def test_a_prompt_above_the_window_is_refused(client: Client, strict_messages: StrictMessages) -> None:
    model = "claude-sonnet-5-5"
    strict_messages.models[model] = replace(strict_messages.models[model], context_window=200)
    body = valid_body()
    body["messages"][2]["content"][0]["content"] = "x" * 600

    assert client.refusal(body).startswith("prompt is too long: ")


def test_an_older_model_has_its_own_rules(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Text("Yes.")))
    body = valid_body() | {
        "model": "claude-haiku-4-5",
        "max_tokens": 2000,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "tool_choice": {"type": "any"},
    }

    assert '"thinking.type.adaptive" is not supported' in client.refusal(body | {"thinking": {"type": "adaptive"}})
    assert "budget_tokens" in client.refusal(body | {"max_tokens": 1024})
    assert client.reply(body) == [text("Yes.")]


def test_thinking_can_be_switched_off_where_the_effort_allows_it(
    client: Client, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Text("Yes.")))
    body = valid_body() | {"model": "claude-opus-5", "thinking": {"type": "disabled"}}

    assert "'disabled' is not supported with" in client.refusal(body | {"output_config": {"effort": "max"}})
    assert client.reply(body | {"output_config": {"effort": "high"}}) == [text("Yes.")]


@pytest.mark.parametrize("model", sorted(MODELS))
def test_each_model_takes_the_kinds_of_thinking_that_it_has(
    client: Client, strict_messages: StrictMessages, model: str
) -> None:
    kinds = {"adaptive", "between_tools", "enabled", "disabled"}
    settings = {kind: {"type": kind} for kind in kinds} | {"enabled": {"type": "enabled", "budget_tokens": 1024}}
    strict_messages.script(*(Reply(Text("Yes.")) for _ in MODELS[model].thinking))
    body = valid_body() | {"model": model, "max_tokens": 2000}

    accepted = {kind for kind in kinds if client.post(body | {"thinking": settings[kind]}).status_code == 200}

    assert accepted == MODELS[model].thinking


@pytest.mark.parametrize(
    ("headers", "status", "error_type"),
    [
        ({"anthropic-version": "2026-10-21"}, 401, "authentication_error"),
        ({"anthropic-version": "2026-10-21", "authorization": "Bearer wrong"}, 401, "authentication_error"),
        ({"authorization": "Bearer test-key"}, 400, "invalid_request_error"),
    ],
    ids=["no key", "wrong key", "no version"],
)
def test_requests_without_key_or_version_are_refused(
    client: Client, headers: dict[str, str], status: int, error_type: str
) -> None:
    response = client.post(valid_body(), headers)

    assert (response.status_code, response.json()["error"]["type"]) == (status, error_type)


def test_an_unknown_model_is_not_found(client: Client) -> None:
    response = client.post(valid_body() | {"model": "claude-none"})

    assert (response.status_code, response.json()["error"]["message"]) == (404, "model: claude-none")


def test_a_refused_request_uses_up_no_step_and_is_recorded(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Text("Yes.")))

    client.refusal(valid_body() | {"temperature": 0})

    assert strict_messages.unplayed == 1
    assert [(r.status, r.error) for r in strict_messages.requests] == [
        (400, "`temperature` is deprecated for this model.")
    ]


def test_a_used_up_script_is_an_error(client: Client) -> None:
    response = client.post(valid_body())

    assert (response.status_code, response.json()["error"]["message"]) == (500, "the script is used up")
