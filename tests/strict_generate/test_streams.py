"""Streams come in the order and form of the real service, and break where and how they were told to."""

import json
from typing import Any

import httpx2
import pytest

from evals.loopback.server import WAIT_S
from tests.strict_generate import (
    Break,
    Failure,
    FunctionCall,
    OtherPart,
    Reply,
    StrictGenerate,
    Text,
    Thought,
    Unanswered,
)
from tests.strict_generate.test_refusals import MODEL, valid

Json = Any
SAID = (Thought("A synonym."), Text("I look at it."), FunctionCall("search", {"query": "HER2"}), FunctionCall("search"))
PATH = f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"


def stream(server: StrictGenerate, reply: Any) -> tuple[int, list[Json]]:
    """Return the status of one answer, and its chunks."""
    server.script(reply)
    headers = {"x-goog-api-key": server.api_key}
    with httpx2.Client(base_url=server.base_url, headers=headers, timeout=WAIT_S) as client:
        response = client.post(PATH, json=valid())
        lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: ")]
        return response.status_code, [json.loads(line) for line in lines]


def parts(chunks: list[Json]) -> list[Json]:
    contents = [one.get("content", {}) for chunk in chunks for one in chunk.get("candidates", ())]
    return [part for content in contents for part in content.get("parts", ())]


def reasons(chunks: list[Json]) -> list[str]:
    return [one["finishReason"] for chunk in chunks for one in chunk.get("candidates", ()) if "finishReason" in one]


def test_a_message_comes_part_by_part_and_says_last_why_it_ends(strict_generate: StrictGenerate) -> None:
    _, chunks = stream(strict_generate, Reply(*SAID))

    found = parts(chunks)
    assert "".join(part["text"] for part in found if part.get("thought")) == "A synonym."
    assert "".join(part.get("text", "") for part in found if not part.get("thought")) == "I look at it."
    calls = [part for part in found if "functionCall" in part]
    assert [call["functionCall"]["id"] for call in calls] == ["fc_000001", "fc_000002"]
    assert ["thoughtSignature" in call for call in calls] == [True, False]
    assert reasons(chunks) == ["STOP"] == reasons(chunks[-1:])
    assert {chunk["responseId"] for chunk in chunks} == {"resp_000003"}


@pytest.mark.parametrize(
    ("signed", "texts"), [(True, ["", "HER2 is ", "ERBB2."]), (False, ["", "HER2 is ", "ERBB2.", ""])]
)
def test_a_message_without_calls_is_signed_at_its_end(
    strict_generate: StrictGenerate, signed: bool, texts: list[str]
) -> None:
    _, chunks = stream(strict_generate, Reply(Text("HER2 is ERBB2.", signed=signed)))

    found = parts(chunks)
    assert [part["text"] for part in found] == texts
    assert ["thoughtSignature" in part for part in found] == [False] * (len(texts) - 1) + [True]


def test_the_reason_may_come_with_the_last_part_and_calls_without_ids(strict_generate: StrictGenerate) -> None:
    _, chunks = stream(strict_generate, Reply(FunctionCall("search"), at_once=True, with_ids=False))

    (candidate,) = chunks[-1]["candidates"]
    assert candidate["finishReason"] == "STOP"
    assert candidate["content"]["parts"][0]["functionCall"] == {"name": "search", "args": {}}


def test_usage_grows_and_counts_thoughts_beside_the_answer(strict_generate: StrictGenerate) -> None:
    _, chunks = stream(strict_generate, Reply(*SAID))

    reports = [chunk["usageMetadata"] for chunk in chunks]
    last = reports[-1]
    assert last["promptTokenCount"] > 0 < last["thoughtsTokenCount"]
    totals = [report["totalTokenCount"] for report in reports]
    assert totals == sorted(totals)
    assert last["totalTokenCount"] == sum(
        last[name] for name in ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
    )


def test_usage_may_be_told_and_may_come_late(strict_generate: StrictGenerate) -> None:
    usage = {"promptTokenCount": 7}

    _, chunks = stream(strict_generate, Reply(Text("Yes."), usage=usage, late_usage=True))

    assert chunks[-1].keys() == {"usageMetadata", "modelVersion", "responseId"}
    assert [chunk["usageMetadata"] == usage for chunk in chunks] == [False] * (len(chunks) - 1) + [True]


def test_a_blocked_prompt_has_no_candidate(strict_generate: StrictGenerate) -> None:
    _, chunks = stream(strict_generate, Reply(blocked="PROHIBITED_CONTENT"))

    (chunk,) = chunks
    assert chunk["promptFeedback"] == {"blockReason": "PROHIBITED_CONTENT"}
    assert "candidates" not in chunk


def test_strange_things_come_beside_what_is_known(strict_generate: StrictGenerate) -> None:
    _, chunks = stream(strict_generate, Reply(OtherPart({"future": 1}), Text("Yes."), strange=True, finish="SUNSPOTS"))

    assert {"hologram": {"points": 3}} in parts(chunks)
    assert {"future": 1} in parts(chunks)
    assert reasons(chunks) == ["OTHER", "SUNSPOTS"]
    assert [one["index"] for chunk in chunks for one in chunk["candidates"] if "finishReason" in one] == [1, 0]


@pytest.mark.parametrize(
    ("block", "deltas", "arrived"),
    [
        (None, 1, []),
        ("start", 0, [""]),
        (0, 1, ["", "A synony"]),
        (1, 0, ["", "A synony", "m."]),
        (2, 0, None),
        ("end", 0, None),
    ],
)
def test_a_stream_breaks_where_it_was_told_to(
    strict_generate: StrictGenerate, block: Any, deltas: int, arrived: list[str] | None
) -> None:
    _, chunks = stream(strict_generate, Reply(*SAID, broken=Break("close", block=block, deltas=deltas)))

    found = parts(chunks)
    assert reasons(chunks) == []
    if arrived is not None:
        assert [part["text"] for part in found] == arrived
    else:
        assert any("functionCall" in part for part in found) == (block == "end")


def test_an_error_in_a_stream_has_the_form_of_one_before_it(strict_generate: StrictGenerate) -> None:
    broken = Break("error", block=1, error_type="rate_limit", message="Slow down.")

    status, chunks = stream(strict_generate, Reply(*SAID, broken=broken))

    assert status == 200
    assert chunks[-1] == {"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}}


def test_a_cut_is_an_error_of_the_line(strict_generate: StrictGenerate) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        stream(strict_generate, Reply(*SAID, broken=Break("cut", block=1)))
    with pytest.raises(httpx2.RemoteProtocolError):
        stream(strict_generate, Unanswered("cut"))


def test_a_failure_is_what_was_scripted(strict_generate: StrictGenerate) -> None:
    strict_generate.script(Failure(503, "UNAVAILABLE", "Overloaded.", {"retry-after": "7"}, {"details": [{"a": 1}]}))
    headers = {"x-goog-api-key": strict_generate.api_key}

    response = httpx2.post(strict_generate.base_url + PATH, json=valid(), headers=headers, timeout=WAIT_S)

    assert (response.status_code, response.headers["retry-after"]) == (503, "7")
    error = {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE", "details": [{"a": 1}]}
    assert response.json() == {"error": error}
    assert strict_generate.requests[0].error == "Overloaded."


def test_a_prompt_that_was_sent_before_is_read_from_the_cache(strict_generate: StrictGenerate) -> None:
    body = valid()
    body["systemInstruction"]["parts"][0]["text"] = "Answer from records only. " * 2000
    strict_generate.script(*(Reply(Text("Yes.")) for _ in range(2)))
    headers = {"x-goog-api-key": strict_generate.api_key}
    reads = []
    for _ in range(2):
        response = httpx2.post(strict_generate.base_url + PATH, json=body, headers=headers, timeout=WAIT_S)
        last = json.loads(response.text.strip().splitlines()[-1].removeprefix("data: "))["usageMetadata"]
        reads.append((last.get("cachedContentTokenCount", 0), last["promptTokenCount"]))

    assert reads == [(0, reads[0][1]), (reads[0][1], reads[0][1])]
