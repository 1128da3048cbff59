"""The results of one step together: the largest become artifacts until the step fits."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from artifacts import store
from artifacts.config import ArtifactLimits
from artifacts.tokens import tokens
from chat.adapters import SessionShrinker
from chat.events import ToolStored
from chat.ports import RawToolResult, Shrunk
from chat.providers.anthropic import AnthropicModel, AnthropicProvider
from chat.providers.base import ToolResultsEntry
from chat.providers.scripted import Reply as Said
from chat.providers.scripted import call
from evals.strict_messages import Reply, StrictMessages, Text, ToolUse
from tests.chat.loop_kit import Run, Shrinker
from tests.strict_messages.fixture import strict_messages as strict_messages
from usage.models import User

Json = Any
SONNET = "claude-sonnet-5-5"
# The window of the model in the report that this case comes from.
WINDOW_TOKENS = 131_072


def rows(size_bytes: int) -> RawToolResult:
    """Return a result whose data has about this size."""
    data = [{"n": number, "text": "x" * 80} for number in range(size_bytes // 100)]
    return RawToolResult({"outcome": "data", "data": data, "total": len(data), "returned": len(data)})


def read(run: Run, request: int = 1) -> list[dict[str, Json]]:
    """Return what the model reads of the results before a request."""
    entry = run.provider.requests[request].entries[-1]
    assert isinstance(entry, ToolResultsEntry)
    return [json.loads(result.text.partition("\n")[2]) for result in entry.results]


def sizes(run: Run) -> list[int]:
    """Return the tokens of each result in the transcript."""
    (entry,) = [entry for entry in run.transcript.entries if isinstance(entry, ToolResultsEntry)]
    return [tokens(result.text) for result in entry.results]


async def test_the_largest_are_stored_until_the_step_fits_and_the_others_stay() -> None:
    run = Run.of(Said(calls=[call("gene", n=n) for n in range(4)]), Said("Done."), step_max_tokens=12_500)
    run.tools.answers = [rows(30_000), rows(10_000), rows(40_000), rows(20_000)]
    await run.play()
    results = read(run)
    assert ["data" in result for result in results] == [False, True, False, True]
    assert (results[0]["artifact_id"], results[0]["preview"]) == ("artifact of gene", "a preview of gene")
    assert "too large together" in results[0]["note"]
    assert (results[0]["total"], results[0]["returned"]) == (300, 300)
    assert sum(sizes(run)) <= 12_500
    stored = run.of_type(ToolStored)
    assert [(event.call_id, event.bytes_after < event.bytes_before) for event in stored] == [
        ("call_3", True), ("call_1", True)
    ]  # fmt: skip


async def test_a_step_that_fits_is_left_alone() -> None:
    run = Run.of(Said(calls=[call("gene", n=n) for n in range(4)]), Said("Done."))
    run.tools.answers = [rows(10_000) for _ in range(4)]
    await run.play()
    assert run.of_type(ToolStored) == []
    assert all("data" in result for result in read(run))


class LongPreviews(Shrinker):
    """Stores with previews of full length."""

    async def store(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        return replace(await super().store(data, tool=tool, noise=noise), text="p" * 2_400)


async def test_previews_that_are_still_too_many_go_down_to_references() -> None:
    calls = [call("gene", n=n) for n in range(20)]
    run = Run.of(Said(calls=calls), Said("Done."), step_max_tokens=2_400, shrinker=LongPreviews())
    run.tools.answers = [rows(6_000) for _ in range(20)]
    await run.play()
    assert sum(sizes(run)) <= 2_400
    assert {result["artifact_id"] for result in read(run)} == {"artifact of gene"}
    assert sum("preview" in result for result in read(run)) <= 2
    assert [event.call_id for event in run.of_type(ToolStored)] == [f"call_{number}" for number in range(1, 21)]


async def test_a_repeated_call_gets_what_became_of_its_first_result() -> None:
    twice = [call("gene", n=1), call("gene", n=2)]
    run = Run.of(Said(calls=twice), Said(calls=twice[:1]), Said("Done."), step_max_tokens=5_000)
    run.tools.answers = [rows(19_000), rows(10_000)]
    await run.play()
    (again,) = read(run, 2)
    assert (again["artifact_id"], "data" in again) == ("artifact of gene", False)


@pytest.fixture
async def provider(strict_messages: StrictMessages) -> AsyncIterator[AnthropicProvider]:
    """Give a model with a small window on the strict server."""
    strict_messages.models[SONNET] = replace(strict_messages.models[SONNET], context_window=WINDOW_TOKENS)
    model = AnthropicModel(SONNET, max_output=8_000)
    provider = AnthropicProvider(model, api_key=strict_messages.api_key, base_url=strict_messages.base_url)
    yield provider
    await provider.aclose()


@pytest.mark.case("C058")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("given", [[1_700_000], [120_000] * 4], ids=["one of 1.7 MB", "four of 120 kB"])
@pytest.mark.parametrize("inline_max_tokens", [5_000, 2_000_000], ids=["each too large", "too large together"])
async def test_no_step_bricks_the_session_and_the_whole_text_is_kept(
    provider: AnthropicProvider, strict_messages: StrictMessages, given: list[int], inline_max_tokens: int
) -> None:
    user = await User.objects.acreate(username="reader")
    session_id = uuid4()
    limits = ArtifactLimits(inline_max_tokens=inline_max_tokens)
    shrinker = SessionShrinker(session_id=session_id, owner_id=user.pk, limits=limits)
    calls = [ToolUse("gene", {"n": number}) for number, _ in enumerate(given)]
    strict_messages.script(Reply(*calls), Reply(Text("Read.")), Reply(Text("And on.")))
    run = Run.with_provider(provider, model=SONNET, shrinker=shrinker)
    run.tools.answers = [rows(size) for size in given]

    end = await run.play()
    again = Run.with_provider(provider, model=SONNET, history=tuple(run.transcript.entries))
    next_end = await again.play("And now?")

    assert (end.outcome, next_end.outcome) == ("completed", "completed")
    assert [request.status for request in strict_messages.requests] == [200, 200, 200]
    assert sum(sizes(run)) <= limits.step_max_tokens
    (entry,) = [entry for entry in run.transcript.entries if isinstance(entry, ToolResultsEntry)]
    for size, result in zip(given, entry.results, strict=True):
        content = json.loads(result.text.partition("\n")[2])
        if "artifact_id" in content:
            whole = json.loads(await load(content["artifact_id"], session_id, user.pk))
            assert whole == rows(size).envelope["data"]
    assert any("artifact_id" in result.text for result in entry.results)


async def load(artifact_id: str, session_id: Any, owner_id: int) -> bytes:
    """Return a stored result."""
    return await sync_to_async(store.artifact_load)(artifact_id, session_id=session_id, owner_id=owner_id)
