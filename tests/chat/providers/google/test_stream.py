"""What is Google's own in a stream: signed parts, endings of many kinds, usage that leaves the thoughts out."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from chat.providers.base import ModelFailure, ModelReply, ReasoningDelta, UserEntry
from chat.providers.google import UNREAD_MAX, GoogleProvider
from chat.providers.google_wire import GO_ON
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import QUESTION, TARGETS, collect, reply, results
from tests.chat.providers.google.conftest import OLD_PRO, Make, asked
from tests.strict_generate import FunctionCall, OtherPart, Reply, StrictGenerate, Text, Thought

Json = Any
CALL = FunctionCall(TARGETS.name, {"query": "HER2"})


def test_base64_of_the_sdk_is_that_of_the_service() -> None:
    """The SDK writes signatures in the alphabet for addresses: other letters, the same bytes."""
    assert base64.urlsafe_b64decode("-__-AGFiYw==") == base64.b64decode("+//+AGFiYw==")


async def test_parts_are_stored_as_they_came_and_signed_ones_are_never_joined(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(
        Reply(Thought("Which gene is meant? "), Thought("ERBB2."), Text("HER2 is ERBB2, a kinase.", signed=True)),
        Reply(Text("Yes.")),
    )

    first = await reply(provider, asked())
    await reply(provider, asked(QUESTION, first.entry, UserEntry("And?")))

    thought, text, signed = first.entry.raw
    assert thought == {"text": "Which gene is meant? ERBB2.", "thought": True}
    assert text == {"text": "HER2 is ERBB2, a"}
    assert signed.keys() == {"text", "thoughtSignature"}
    assert first.entry.text == text["text"] + signed["text"] == "HER2 is ERBB2, a kinase."
    assert strict_generate.requests[1].json["contents"][1]["parts"] == [*first.entry.raw]


async def test_a_signature_without_text_is_a_part_of_its_own(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(Reply(Text("Yes.")), Reply(Text("No.")))

    first = await reply(provider, asked())
    await reply(provider, asked(QUESTION, first.entry, UserEntry("And?")))

    assert first.entry.text == "Yes."
    assert [part.get("text") for part in first.entry.raw] == ["Yes.", ""]
    assert strict_generate.requests[1].status == 200


async def test_of_calls_side_by_side_the_first_is_signed_and_all_go_back(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(Reply(CALL, CALL, FunctionCall(TARGETS.name, None), at_once=True), Reply(Text("Yes.")))

    first = await reply(provider, asked())
    await reply(provider, asked(QUESTION, first.entry, results(first.entry)))

    assert ["thoughtSignature" in part for part in first.entry.raw] == [True, False, False]
    assert [call.arguments for call in first.entry.tool_calls] == [{"query": "HER2"}, {"query": "HER2"}, {}]
    assert [call.id for call in first.entry.tool_calls] == ["fc_000001", "fc_000002", "fc_000003"]
    sent = strict_generate.requests[1].json["contents"][2]["parts"]
    assert [part["functionResponse"]["id"] for part in sent] == ["fc_000001", "fc_000002", "fc_000003"]


async def test_calls_of_models_that_give_no_ids_are_told_apart(make: Make, strict_generate: StrictGenerate) -> None:
    strict_generate.script(Reply(CALL, CALL, with_ids=False), Reply(CALL, with_ids=False), Reply(Text("Yes.")))
    provider = make(strict_generate, OLD_PRO)

    said = [await reply(provider, asked(model=OLD_PRO))]
    entries = [QUESTION, said[0].entry, results(said[0].entry)]
    said.append(await reply(provider, asked(*entries, model=OLD_PRO)))
    entries += [said[1].entry, results(said[1].entry)]
    await reply(provider, asked(*entries, model=OLD_PRO))

    ids = [call.id for one in said for call in one.entry.tool_calls]
    assert len(set(ids)) == 3
    assert [request.status for request in strict_generate.requests] == [200] * 3


async def test_a_call_id_that_comes_twice_is_two_calls(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    same = replace(CALL, call_id="fc_same")
    strict_generate.script(Reply(same, same), Reply(Text("Yes.")))

    first = await reply(provider, asked())
    await reply(provider, asked(QUESTION, first.entry, results(first.entry)))

    assert len({call.id for call in first.entry.tool_calls}) == 2
    assert strict_generate.requests[1].status == 200


async def test_parts_of_other_kinds_are_kept_where_the_sdk_knows_them(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1 + 1"}}
    strict_generate.script(Reply(OtherPart(code), OtherPart({"hologram": {"points": 3}}), Text("2."), strange=True))

    last = await reply(provider, asked())

    assert last.entry.raw[0] == code
    assert last.entry.text == "2."
    assert not any("hologram" in part or not part for part in last.entry.raw)


@pytest.mark.case("C057")
@pytest.mark.parametrize(
    "reason", ["SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE", "IMAGE_SAFETY"]
)
async def test_an_ending_for_what_was_said_is_a_refusal_without_its_half_answer(
    provider: GoogleProvider, strict_generate: StrictGenerate, reason: str
) -> None:
    strict_generate.script(Reply(Text("First, "), CALL, finish=reason))

    last = await reply(provider, asked())

    assert (last.stop_reason, last.entry.stop_reason) == ("refusal", "refusal")
    assert last.entry.stop_details == {"category": reason}
    assert (last.entry.text, last.entry.tool_calls, last.entry.raw) == ("", (), ())
    assert last.usage.output > 0


@pytest.mark.case("C057")
@pytest.mark.parametrize("reason", ["PROHIBITED_CONTENT", "SAFETY", "OTHER"])
async def test_a_prompt_that_is_not_answered_is_a_refusal(
    provider: GoogleProvider, strict_generate: StrictGenerate, reason: str
) -> None:
    strict_generate.script(Reply(blocked=reason), Reply(Text("Yes.")))

    events = await collect(provider, asked(UserEntry("How is anthrax grown?")))
    (refused,) = events
    assert isinstance(refused, ModelReply)
    await reply(provider, asked(UserEntry("How is anthrax grown?"), refused.entry, QUESTION))

    assert refused.stop_reason == "refusal"
    assert refused.entry.stop_details["category"] == reason
    assert refused.usage.input > 0 == refused.usage.output
    assert "anthrax" not in strict_generate.requests[1].body.decode()


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "CONTINUATION"])
async def test_an_answer_that_hits_the_output_limit_is_cut(
    provider: GoogleProvider, strict_generate: StrictGenerate, reason: str
) -> None:
    strict_generate.script(Reply(Text("HER2 is"), finish=reason), Reply(CALL, finish=reason), Reply(Text("Yes.")))

    first = await reply(provider, asked())
    second = await reply(provider, asked())
    await reply(provider, asked(QUESTION, second.entry, results(second.entry)))

    assert (first.stop_reason, first.entry.text) == ("max_tokens", "HER2 is")
    assert "cut off by the output limit" in second.entry.tool_calls[0].problem
    # Asked once each: the SDK goes on by itself unless it is told not to.
    assert [request.status for request in strict_generate.requests] == [200] * 3


async def test_a_call_that_the_service_could_not_read_is_told_to_the_model(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(
        Reply(Text("I look."), finish="MALFORMED_FUNCTION_CALL"),
        Reply(finish="MALFORMED_FUNCTION_CALL"),
        Reply(CALL),
    )

    first = await reply(provider, asked())
    second = await reply(provider, asked(QUESTION, first.entry))
    third = await reply(provider, asked(QUESTION, first.entry, second.entry))

    assert (first.stop_reason, first.entry.tool_calls) == ("pause", ())
    assert third.stop_reason == "tool_use"
    sent = strict_generate.requests[1].json["contents"]
    assert sent[2] == {"role": "user", "parts": [{"text": GO_ON}]}
    assert strict_generate.requests[2].status == 200


async def test_a_model_that_never_writes_a_call_that_can_be_read_is_given_up(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(*(Reply(finish="MALFORMED_FUNCTION_CALL") for _ in range(UNREAD_MAX + 1)))
    for _ in range(UNREAD_MAX):
        await reply(provider, asked())

    with pytest.raises(ModelFailure, match="MALFORMED_FUNCTION_CALL") as caught:
        await reply(provider, asked())

    assert (caught.value.outcome, caught.value.retryable) == (TurnOutcome.MODEL_OVERLOADED, False)
    assert caught.value.usage is not None
    assert caught.value.usage.input > 0
    assert not caught.value.estimated


async def test_a_call_of_a_tool_that_was_not_offered_is_handed_on(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(
        Reply(FunctionCall("chembl__get_drug", {"id": "X"}), finish="UNEXPECTED_TOOL_CALL"), Reply(Text("Yes."))
    )

    first = await reply(provider, asked())
    await reply(provider, asked(QUESTION, first.entry, results(first.entry)))

    (call,) = first.entry.tool_calls
    assert (call.name, call.problem, first.stop_reason) == ("chembl__get_drug", "", "tool_use")
    assert strict_generate.requests[1].status == 200


@pytest.mark.filterwarnings("ignore:SUNSPOTS is not a valid FinishReason")
@pytest.mark.parametrize(
    ("reason", "outcome", "retryable"),
    [
        ("OTHER", TurnOutcome.MODEL_OVERLOADED, True),
        ("SUNSPOTS", TurnOutcome.MODEL_OVERLOADED, True),
        ("PUP_LIMITED_DISABLED", TurnOutcome.MODEL_AUTH, False),
        ("MISSING_THOUGHT_SIGNATURE", TurnOutcome.MODEL_BAD_REQUEST, False),
    ],
)
async def test_an_ending_that_is_no_answer_is_a_failure(
    provider: GoogleProvider, strict_generate: StrictGenerate, reason: str, outcome: TurnOutcome, retryable: bool
) -> None:
    strict_generate.script(Reply(finish=reason))

    with pytest.raises(ModelFailure, match=f"ended the message: {reason}.") as caught:
        await reply(provider, asked())

    assert (caught.value.outcome, caught.value.retryable, caught.value.shown) == (outcome, retryable, False)


async def test_the_last_report_counts_and_thoughts_are_shown_apart(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(Reply(Thought("A synonym, I think."), Text("HER2 is ERBB2.")))

    *deltas, last = await collect(provider, asked())

    assert isinstance(last, ModelReply)
    shown = "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta))
    assert shown == "A synonym, I think."
    raw = last.entry.usage_raw
    assert last.usage.output == raw["candidatesTokenCount"] + raw["thoughtsTokenCount"]
    assert raw["thoughtsTokenCount"] > 0
    assert last.entry.message_id == "resp_000001"


async def test_usage_that_comes_after_the_end_counts(provider: GoogleProvider, strict_generate: StrictGenerate) -> None:
    usage = {"promptTokenCount": 500, "candidatesTokenCount": 20, "thoughtsTokenCount": 30}
    strict_generate.script(Reply(Text("Yes."), late_usage=True, usage=usage))

    last = await reply(provider, asked())

    assert (last.usage.input, last.usage.output) == (500, 50)
