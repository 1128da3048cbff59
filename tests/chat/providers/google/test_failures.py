"""Failures in Google's own form: details of an error, an error in an open stream, chunks that nobody can read."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from chat.providers.base import ModelFailure, TextDelta, TokenUsage
from chat.providers.google import GoogleProvider
from evals.loopback.faults import Unanswered
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import TARGETS, collect, reply
from tests.chat.providers.google.conftest import Make, asked
from tests.strict_generate import Break, Failure, FunctionCall, OtherPart, Reply, StrictGenerate, Text, Thought

Json = Any
INVALID, EXHAUSTED = "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"
RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


async def failure_of(provider: GoogleProvider) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        await collect(provider, asked())
    return caught.value


def exhausted(*details: Json, message: str = "You exceeded your current quota.", **headers: str) -> Failure:
    return Failure(429, EXHAUSTED, message, headers, {"details": [*details]})


@pytest.mark.case("C044")
@pytest.mark.parametrize(
    ("delay", "header", "seconds"),
    [
        ("34.074824224s", "", 34.074824224),
        ("7s", "60", 60.0),
        ("90s", "5", 90.0),
        ("soon", "", None),
        ("-5s", "", None),
    ],
)
async def test_the_wait_that_the_error_asks_for_is_handed_on(
    provider: GoogleProvider, strict_generate: StrictGenerate, delay: str, header: str, seconds: float | None
) -> None:
    headers = {"retry-after": header} if header else {}
    strict_generate.script(exhausted({"@type": RETRY_INFO, "retryDelay": delay}, **headers))

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable) == (TurnOutcome.MODEL_RATE_LIMITED, True)
    assert failure.retry_after_s == seconds
    assert len(strict_generate.requests) == 1


@pytest.mark.parametrize(
    "failure",
    [
        exhausted({"violations": [{"quotaId": "GenerateContentInputTokensPerDayPerModel"}]}, {"retryDelay": "20s"}),
        exhausted(message="Your prepayment credits are depleted."),
        exhausted(message="The project has reached its monthly spending cap."),
    ],
    ids=["day", "credits", "cap"],
)
async def test_a_limit_that_no_wait_lifts_is_not_waited_for(
    provider: GoogleProvider, strict_generate: StrictGenerate, failure: Failure
) -> None:
    strict_generate.script(failure)

    found = await failure_of(provider)

    assert (found.outcome, found.retryable) == (TurnOutcome.MODEL_RATE_LIMITED, False)


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        (Failure(400, "FAILED_PRECONDITION", "User location is not supported."), TurnOutcome.MODEL_AUTH),
        (Failure(400, INVALID, "Request payload size exceeds the limit."), TurnOutcome.CONTEXT_OVERFLOW),
        (Failure(504, "DEADLINE_EXCEEDED", "Deadline expired."), TurnOutcome.MODEL_OVERLOADED),
        (Failure(499, "CANCELLED", "The operation was cancelled."), TurnOutcome.MODEL_OVERLOADED),
        (Failure(418, "", "Short and stout."), TurnOutcome.MODEL_BAD_REQUEST),
        (Failure(302, "", "", {"location": "http://127.0.0.1:9/"}), TurnOutcome.MODEL_OVERLOADED),
        (Failure(500, "", "", body=b'["not", "an error"]'), TurnOutcome.MODEL_OVERLOADED),
        (Failure(400, "", "", body=b'{"error": "a text"}'), TurnOutcome.MODEL_BAD_REQUEST),
        (Failure(400, "", "", body=b'{"error": {"message": 3, "details": [1]}}'), TurnOutcome.MODEL_BAD_REQUEST),
        (Failure(503, "", "", body=b""), TurnOutcome.MODEL_OVERLOADED),
    ],
    ids=lambda given: str(given.status) if isinstance(given, Failure) else given.value,
)
async def test_errors_of_every_form_are_told_apart(
    provider: GoogleProvider, strict_generate: StrictGenerate, failure: Failure, outcome: TurnOutcome
) -> None:
    strict_generate.script(failure)

    found = await failure_of(provider)

    assert (found.outcome, found.usage, found.estimated) == (outcome, TokenUsage(), False)
    assert found.message
    assert len(strict_generate.requests) == 1


async def test_an_error_before_a_stream_may_come_as_a_list(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    body = b'[{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}]'
    strict_generate.script(Failure(503, "", "", body=body))

    found = await failure_of(provider)

    assert (found.outcome, found.retryable) == (TurnOutcome.MODEL_OVERLOADED, True)


@pytest.mark.case("C055")
@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("overloaded_error", TurnOutcome.MODEL_OVERLOADED),
        ("internal", TurnOutcome.MODEL_OVERLOADED),
        ("cancelled", TurnOutcome.MODEL_OVERLOADED),
        ("rate_limit", TurnOutcome.MODEL_RATE_LIMITED),
    ],
)
async def test_an_error_in_an_open_stream_means_what_it_means_before_one(
    provider: GoogleProvider, strict_generate: StrictGenerate, kind: str, outcome: TurnOutcome
) -> None:
    broken = Break("error", block=0, deltas=2, error_type=kind, message="Its own words.")
    strict_generate.script(Reply(Text("HER2 is ERBB2, a kinase."), broken=broken))

    found = await failure_of(provider)

    assert (found.outcome, found.retryable, found.shown) == (outcome, True, True)
    assert "Its own words." in found.message
    assert found.partial is not None
    assert found.partial.text == "HER2 is ERBB2, a"
    assert found.usage is not None
    assert found.usage.input > 0 < found.usage.output
    assert found.estimated


@pytest.mark.parametrize("how", ["cut", "close", "error"])
async def test_a_stream_that_says_how_it_ends_is_whole_whatever_happens_then(
    provider: GoogleProvider, strict_generate: StrictGenerate, how: Any
) -> None:
    broken = Break(how, block="stop")
    strict_generate.script(Reply(FunctionCall(TARGETS.name), at_once=True, late_usage=True, broken=broken))

    last = await reply(provider, asked())

    assert last.stop_reason == "tool_use"
    assert last.usage.input > 0 < last.usage.output


async def test_a_stream_that_never_says_how_it_ends_is_not_whole(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(Reply(Text("HER2 is ERBB2."), FunctionCall(TARGETS.name), finish=""))

    found = await failure_of(provider)

    assert (found.outcome, found.retryable) == (TurnOutcome.MODEL_UNREACHABLE, True)
    assert found.partial is not None
    assert (found.partial.text, found.partial.tool_calls, found.partial.raw) == ("HER2 is ERBB2.", (), ())


@pytest.mark.parametrize(
    "part",
    [
        {"functionCall": {"name": "x", "args": ["a list"]}},
        {"functionCall": "a text"},
        {"text": {"an": "object"}},
        {"text": "x", "thoughtSignature": "no base64!"},
    ],
    ids=["list", "text", "object", "signature"],
)
async def test_a_part_that_can_not_be_read_is_a_failure_of_the_service(
    provider: GoogleProvider, strict_generate: StrictGenerate, part: Json
) -> None:
    strict_generate.script(Reply(Text("First."), OtherPart(part)))

    found = await failure_of(provider)

    assert (found.outcome, found.shown) == (TurnOutcome.MODEL_UNREACHABLE, True)
    assert "could not be read" in found.message


@pytest.mark.parametrize(
    "answer",
    [b"data: [1, 2]\n\n", b"data: 3\n\n", b'data: {"error": {"message": "no code"}}\n\n', b"data: {cut", b": ping\n\n"],
    ids=["list", "number", "error without a code", "no JSON", "comment"],
)
async def test_a_stream_of_something_else_is_a_failure_of_the_service(
    make: Make, strict_generate: StrictGenerate, answer: bytes
) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n" + answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with server:
        found = await failure_of(make(strict_generate, base_url=f"http://{host}:{port}"))

    assert found.outcome in {TurnOutcome.MODEL_UNREACHABLE, TurnOutcome.MODEL_OVERLOADED}
    assert found.message
    assert not found.shown


@pytest.mark.parametrize("how", ["silence", "cut"])
async def test_no_answer_at_all_is_unreachable_and_booked_as_an_estimate(
    make: Make, strict_generate: StrictGenerate, how: Any
) -> None:
    strict_generate.script(Unanswered(how))

    found = await failure_of(make(strict_generate, read_timeout_s=0.3))

    assert (found.outcome, found.retryable, found.estimated) == (TurnOutcome.MODEL_UNREACHABLE, True, True)
    assert found.usage is not None
    assert found.usage.input > 0 == found.usage.output


async def test_a_drip_keeps_a_stream_open_until_its_reader_goes(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(Reply(Thought("Hm."), Text("HER2 is ERBB2."), broken=Break("drip", block=1)))

    async with aclosing(provider.stream(asked())) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                break

    assert await strict_generate.requests[0].client_closed()
    partial, usage = provider.partial()
    assert partial is not None
    assert partial.text == "HER2 is "
    assert usage.input > 0 < usage.output
