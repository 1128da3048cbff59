"""What each server says in its own way, and what it is never told."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from chat.config import Service
from chat.providers.base import ModelFailure, ModelNotice, ModelReply, ReasoningDelta, TextDelta, TokenUsage, UserEntry
from chat.providers.openai_compatible import OpenAICompatibleProvider, create
from chat.providers.openai_compatible_progress import usage_by_tier
from evals.loopback.faults import Break, Failure
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import QUESTION, TARGETS, collect, reply, results
from tests.chat.providers.openai_compatible.conftest import ROW, Make, asked
from tests.strict_chat import LLAMA_CPP, OLLAMA, VLLM, Dialect, FunctionCall, Reasoning, Reply, StrictChat, Text

Json = Any
DIALECTS = pytest.mark.parametrize("dialect", [LLAMA_CPP, VLLM, OLLAMA], ids=lambda dialect: dialect.name)


@pytest.fixture
def server(dialect: Dialect) -> Iterator[StrictChat]:
    """Run the strict server as one of the servers."""
    with StrictChat(dialect=dialect) as server:
        yield server


async def failure_of(provider: OpenAICompatibleProvider) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        await collect(provider, asked())
    return caught.value


@DIALECTS
async def test_a_step_with_reasoning_and_parallel_calls(make: Make, server: StrictChat, dialect: Dialect) -> None:
    calls = [FunctionCall(TARGETS.name, {"query": gene}) for gene in ("HER2", "EGFR")]
    server.script(Reply(Reasoning("Both at once."), Text("I look."), *calls), Reply(Text("Yes.")))
    provider = make(server)

    *deltas, last = await collect(provider, asked())
    await reply(provider, asked(QUESTION, last.entry, results(last.entry)))  # type: ignore[union-attr]

    assert "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta)) == "Both at once."
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "I look."
    assert [call.arguments["query"] for call in last.entry.tool_calls] == ["HER2", "EGFR"]  # type: ignore[union-attr]
    # Reasoning goes back under the name that this server has for it.
    assert server.requests[1].json["messages"][2][dialect.reasoning_field] == "Both at once."


@DIALECTS
@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        (Failure(401, "authentication_error", "Unauthorized"), TurnOutcome.MODEL_AUTH),
        (Failure(404, "not_found_error", "model 'x' not found"), TurnOutcome.MODEL_BAD_REQUEST),
        (Failure(404, "", "404 page not found", body=b"404 page not found"), TurnOutcome.MODEL_BAD_REQUEST),
        (Failure(400, "BadRequestError", "x does not support tools"), TurnOutcome.MODEL_BAD_REQUEST),
        (Failure(501, "not_supported_error", "This server does not support it"), TurnOutcome.MODEL_BAD_REQUEST),
        (Failure(500, "server_error", "Failed to parse tools: no such type"), TurnOutcome.MODEL_BAD_REQUEST),
        (Failure(500, "server_error", "out of memory"), TurnOutcome.MODEL_OVERLOADED),
        (Failure(503, "unavailable_error", "Loading model"), TurnOutcome.MODEL_OVERLOADED),
        (Failure(400, "exceed_context_size_error", "request (9 tokens) is too long"), TurnOutcome.CONTEXT_OVERFLOW),
        (
            Failure(400, "BadRequestError", "This model's maximum context length is 4096 tokens."),
            TurnOutcome.CONTEXT_OVERFLOW,
        ),
        (
            Failure(400, "", "The decoder prompt (length 9) is longer than the maximum model length of 8."),
            TurnOutcome.CONTEXT_OVERFLOW,
        ),
        (
            Failure(400, "api_error", "the input length exceeds the context length"),
            TurnOutcome.CONTEXT_OVERFLOW,
        ),
    ],
    ids=lambda value: value.message if isinstance(value, Failure) else "",
)
async def test_errors_are_known_in_each_server_s_words(
    make: Make, server: StrictChat, failure: Failure, outcome: TurnOutcome
) -> None:
    server.script(failure)

    found = await failure_of(make(server))

    assert (found.outcome, found.usage, found.estimated) == (outcome, TokenUsage(), False)
    assert found.retryable == (outcome is TurnOutcome.MODEL_OVERLOADED)
    assert failure.message in found.message


@DIALECTS
async def test_an_error_in_the_stream_is_the_server_s_fault(make: Make, server: StrictChat) -> None:
    server.script(Reply(Text("HER2 is ERBB2."), broken=Break("error", 0, message="out of memory")))

    found = await failure_of(make(server))

    assert (found.outcome, found.retryable, found.shown, found.estimated) == (
        TurnOutcome.MODEL_OVERLOADED,
        True,
        True,
        True,
    )
    assert "out of memory" in found.message


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (b'{"error": "boom"}', TurnOutcome.MODEL_OVERLOADED),
        (b'{"error": {"code": 400, "message": "the context size was exceeded"}}', TurnOutcome.CONTEXT_OVERFLOW),
        (b'{"error": {"code": 400, "message": "bad grammar"}}', TurnOutcome.MODEL_BAD_REQUEST),
        (b'{"error": {"code": 401, "message": "key was revoked"}}', TurnOutcome.MODEL_AUTH),
        (b"{not json}", TurnOutcome.MODEL_UNREACHABLE),
    ],
    ids=["a word", "overflow", "bad request", "auth", "no JSON"],
)
async def test_a_stream_that_begins_with_an_error_means_what_its_code_says(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat, body: bytes, outcome: TurnOutcome
) -> None:
    strict_chat.script(Failure(200, "", "", {"content-type": "text/event-stream"}, body=b"data: " + body + b"\n\n"))

    found = await failure_of(provider)

    assert found.outcome is outcome


@pytest.mark.parametrize("ids", [("call_a", "call_b"), ("", "")], ids=["ids", "no ids"])
async def test_calls_that_all_have_the_number_0(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat, ids: tuple[str, str]
) -> None:
    """Where not even ids tell calls apart, what came is no JSON and does not run."""
    calls = [FunctionCall(TARGETS.name, {"query": call_id}, id=call_id, index=0) for call_id in ids]
    strict_chat.script(Reply(*calls))

    last = await reply(provider, asked())

    if all(ids):
        assert [call.arguments["query"] for call in last.entry.tool_calls] == [*ids]
    else:
        assert [bool(call.problem) for call in last.entry.tool_calls] == [True]


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "function_call"])
async def test_calls_run_whatever_word_ends_the_message(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat, finish: str
) -> None:
    strict_chat.script(Reply(FunctionCall(TARGETS.name, {"query": "x"}), finish=finish))

    last = await reply(provider, asked())

    assert (last.stop_reason, last.entry.tool_calls[0].problem) == ("tool_use", "")


async def test_a_message_that_the_server_gave_up_is_a_failure(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat
) -> None:
    strict_chat.script(Reply(Text("HER2 is"), finish="abort"))

    found = await failure_of(provider)

    assert (found.outcome, found.retryable) == (TurnOutcome.MODEL_OVERLOADED, True)
    assert found.message.endswith("abort.")
    assert found.partial is not None


async def test_a_message_without_its_count_is_not_finished(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat
) -> None:
    strict_chat.script(Reply(Text("HER2 is ERBB2."), keeps_count=False))

    found = await failure_of(provider)

    assert (found.outcome, found.estimated) == (TurnOutcome.MODEL_UNREACHABLE, True)


@pytest.mark.parametrize("how", ["close", "cut", "silence"])
async def test_a_line_that_breaks_behind_the_whole_message_takes_nothing_from_it(
    strict_chat: StrictChat, how: Any
) -> None:
    strict_chat.script(Reply(Text("HER2 is ERBB2."), broken=Break(how, block="done")))  # type: ignore[arg-type]
    service = Service("local", base_url=f"{strict_chat.base_url}/v1", api_key="test-key", read_timeout_s=0.2)
    provider = create(ROW, service)

    last = await reply(provider, asked())
    await provider.aclose()

    assert last.entry.text == "HER2 is ERBB2."
    assert last.usage.output > 0


async def test_a_server_that_takes_no_reasoning_back_is_asked_from_text_from_then_on(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat, make: Make
) -> None:
    strict_chat.refuse_reasoning()
    calls = [FunctionCall(TARGETS.name, {"query": "HER2"})]
    strict_chat.script(Reply(Reasoning("A synonym."), *calls), Reply(Text("Yes.")), Reply(Text("No.")))
    first = (await reply(provider, asked())).entry
    entries = [QUESTION, first, results(first)]

    notice, *_, second = await collect(provider, asked(*entries))
    assert isinstance(second, ModelReply)
    await reply(make(strict_chat), asked(*entries, second.entry, UserEntry("And EGFR?")))

    assert isinstance(notice, ModelNotice)
    assert (notice.code, second.entry.starts_afresh) == ("context_degraded", True)
    assert [sent.status for sent in strict_chat.requests] == [200, 400, 200, 200]
    afresh, later = (sent.json["messages"] for sent in strict_chat.requests[2:])
    assert later[: len(afresh)] == afresh


async def test_a_history_that_cannot_be_parsed_is_written_anew(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat
) -> None:
    strict_chat.script(Reply(FunctionCall(TARGETS.name, {"query": "x"})), Reply(Text("Yes.")))
    first = (await reply(provider, asked())).entry
    raw: Json = {**first.raw[0], "tool_calls": [{**first.raw[0]["tool_calls"][0]}]}
    raw["tool_calls"][0]["function"] = {"name": TARGETS.name, "arguments": '{"query": '}

    second = await reply(provider, asked(QUESTION, replace(first, raw=(raw,)), results(first)))

    assert [sent.status for sent in strict_chat.requests] == [200, 500, 200]
    assert second.entry.starts_afresh


async def test_a_prompt_that_is_too_long_is_not_asked_again_from_text(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat
) -> None:
    too_long = Failure(400, "exceed_context_size_error", "request (9 tokens) exceeds the available context size")
    strict_chat.script(Reply(Reasoning("Hm."), FunctionCall(TARGETS.name, {"query": "x"})), too_long)
    first = (await reply(provider, asked())).entry

    with pytest.raises(ModelFailure):
        await reply(provider, asked(QUESTION, first, results(first)))

    assert len(strict_chat.requests) == 2


async def test_words_of_refusal_are_a_refusal(provider: OpenAICompatibleProvider, strict_chat: StrictChat) -> None:
    strict_chat.script(Reply(refusal="I can't help with that."))

    last = await reply(provider, asked())

    assert (last.stop_reason, last.entry.text) == ("refusal", "I can't help with that.")


@pytest.mark.case("C061")
@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        # 64 of the 100 prompt tokens came from the cache; 4 of the 9 output tokens were reasoning
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            TokenUsage(input=36, cache_read=64, output=9),
        ),
        ({"prompt_tokens": 100, "completion_tokens": 9, "prompt_tokens_details": None}, TokenUsage(100, 9)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 7}}, TokenUsage(cache_read=5)),
    ],
    ids=["cached", "without details", "more cached than read"],
)
def test_the_prompt_holds_what_was_cached_and_the_output_the_reasoning(raw: Json, usage: TokenUsage) -> None:
    assert usage_by_tier(raw) == usage


@pytest.mark.case("C076")
async def test_a_local_server_is_told_no_key_and_nothing_that_is_meant_for_openai(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, f"secret of {name}".replace(" ", "-"))
    with StrictChat(api_key="") as server:
        server.script(Reply(Text("Yes.")))
        provider = create(ROW, Service("local", base_url=f"{server.base_url}/v1"))
        await reply(provider, asked())
        await provider.aclose()

    headers = server.requests[0].headers
    assert "authorization" not in headers
    assert "secret" not in f"{headers}"


async def test_a_key_that_need_not_be_there_is_sent_if_it_is(strict_chat: StrictChat) -> None:
    strict_chat.script(Reply(Text("Yes.")))
    service = Service(
        "local",
        key_variable="LOCAL_API_KEY",
        key_required=False,
        base_url=f"{strict_chat.base_url}/v1",
        api_key="test-key",
    )
    provider = create(ROW, service)

    await reply(provider, asked())
    await provider.aclose()

    assert strict_chat.requests[0].headers["authorization"] == "Bearer test-key"


def test_a_service_without_an_address_is_said_before_any_request() -> None:
    with pytest.raises(ModelFailure, match=r"No address for gpt-oss: set base_url of \[services.local\]") as caught:
        create(ROW, Service("local"))

    assert caught.value.outcome is TurnOutcome.MODEL_BAD_REQUEST


async def test_two_servers_with_the_same_model_have_contexts_of_their_own(make: Make, strict_chat: StrictChat) -> None:
    with StrictChat() as other:
        scopes = [make(server).replay_scope for server in (strict_chat, other, strict_chat)]

    assert scopes[0] == scopes[2] != scopes[1]
