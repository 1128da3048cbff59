"""The provider on a real server with a real model: `make local-model`, see docs/local-models.md."""

import os
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from chat.config import ModelRow, Service
from chat.providers.base import (
    AssistantEntry,
    Entry,
    ModelFailure,
    ModelReply,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.openai_compatible import OpenAICompatibleProvider, create
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import QUESTION, TARGETS, collect, reply, request, results
from tests.llama_server import WINDOW_TOKENS
from tests.local_model import IS_OURS, KEY, MODEL, URL

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(URL not in os.environ, reason="asks a server of your own; run with `make local-model`"),
]
ours_only = pytest.mark.skipif(IS_OURS not in os.environ, reason="needs the server that `make local-model` starts")
# A busy machine writes a few words a second and reads some dozens.
PATIENCE_S = 600.0
ROW = ModelRow(
    "local",
    provider="local",
    model=os.environ.get(MODEL, ""),
    label="Local",
    context_window=WINDOW_TOKENS,
    max_output_tokens=200,
    inline_max_tokens=4_000,
)
FIND = ToolDefinition("find_gene", "Find the Ensembl id of a gene.", TARGETS.input_schema)
SHOWN = {"EGFR": "ENSG00000146648", "BRAF": "ENSG00000157764", "KRAS": "ENSG00000133703"}


def made(**changes: Any) -> OpenAICompatibleProvider:
    """Return a provider of the server's model; `api_key` and changes to the row."""
    api_key = changes.pop("api_key", os.environ.get(KEY, ""))
    service = Service("local", base_url=os.environ[URL], api_key=api_key, read_timeout_s=PATIENCE_S)
    return create(replace(ROW, **changes), service)


def asked(*entries: Entry, **changes: Any) -> ModelRequest:
    """Return a request for few words and without tools."""
    return request(ROW.model, *entries, **{"tools": (), "max_output_tokens": 12, **changes})


@pytest.fixture
async def provider() -> AsyncIterator[OpenAICompatibleProvider]:
    """Give a provider of the server's model."""
    provider = made()
    yield provider
    await provider.aclose()


async def failure_of(provider: OpenAICompatibleProvider, asked: ModelRequest) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        await collect(provider, asked)
    await provider.aclose()
    return caught.value


async def test_text_is_streamed_and_counted(provider: OpenAICompatibleProvider) -> None:
    *deltas, last = await collect(provider, asked())

    assert isinstance(last, ModelReply)
    text = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    assert (last.entry.text, last.stop_reason in {"end", "max_tokens"}) == (text, True)
    assert 0 < last.usage.output <= 12
    assert last.usage.input + last.usage.cache_read > 10


async def test_a_session_is_read_from_the_server_s_cache(provider: OpenAICompatibleProvider) -> None:
    first = await reply(provider, asked())
    second = await reply(provider, asked(QUESTION, first.entry, UserEntry("Go on.")))

    before, after = first.usage, second.usage
    assert after.input + after.cache_read > before.input + before.cache_read
    assert IS_OURS not in os.environ or after.cache_read > 10


async def test_the_model_calls_a_tool_and_reads_its_result(provider: OpenAICompatibleProvider) -> None:
    """Three turns show how it is done, in calls of another provider; the fourth is the model's own."""
    entries: list[Entry] = []
    for gene, found in SHOWN.items():
        call = ToolCall(f"call {gene}", FIND.name, {"query": gene})
        shown = AssistantEntry("", (call,), provider="planner")
        answer = AssistantEntry(f"{gene} is {found}.", provider="planner")
        result = ToolResultsEntry((ToolResult(call.id, call.name, found),))
        entries += [UserEntry(f"Find {gene}."), shown, result, answer]
    entries.append(UserEntry("Find TP53."))
    more = {"tools": (FIND,), "system": f"Call {FIND.name} for each gene.", "max_output_tokens": 60}

    called = await reply(provider, asked(*entries, **more))
    answered = ToolResultsEntry(tuple(replace(r, text="ENSG00000141510") for r in results(called.entry).results))
    last = await reply(provider, asked(*entries, called.entry, answered, **more))

    (made_call,) = called.entry.tool_calls
    assert (called.stop_reason, made_call.name, made_call.problem) == ("tool_use", FIND.name, "")
    # A model of this size seldom gets the gene right.
    assert isinstance(made_call.arguments["query"], str)
    assert made_call.arguments["query"]
    assert last.entry.text or last.entry.tool_calls


async def test_a_history_that_was_stored_broken_is_accepted(provider: OpenAICompatibleProvider) -> None:
    call = AssistantEntry("", (ToolCall("call.1 ü", "no such tool!", {"a": 1}),), provider="planner")
    half = AssistantEntry("Half an answer", interrupted=True)

    last = await reply(provider, asked(UserEntry("Hi."), UserEntry("Hi again."), call, half, half, QUESTION))

    assert last.usage.output > 0


async def test_a_stream_that_is_closed_frees_the_server(provider: OpenAICompatibleProvider) -> None:
    async with aclosing(provider.stream(asked(max_output_tokens=200))) as events:
        await anext(events)
        closing_at = time.monotonic()
    took_s = time.monotonic() - closing_at

    entry, usage = provider.partial()
    again = await reply(provider, asked(max_output_tokens=2))

    assert took_s < 1
    assert usage.input > 0
    assert entry is None or entry.interrupted
    assert again.usage.output > 0


@ours_only
async def test_a_prompt_above_the_window_is_known_as_that() -> None:
    long = UserEntry("word " * (WINDOW_TOKENS + 500))

    failure = await failure_of(made(context_window=1_000_000), asked(long))

    assert (failure.outcome, failure.retryable) == (TurnOutcome.CONTEXT_OVERFLOW, False)


@ours_only
async def test_a_wrong_key_is_known_as_that() -> None:
    failure = await failure_of(made(api_key="wrong"), asked())

    assert (failure.outcome, failure.retryable) == (TurnOutcome.MODEL_AUTH, False)
