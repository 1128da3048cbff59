"""Sessions over many turns through the real store: the strict Messages API accepts every request."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from chat import assembly, context, turns
from chat.following import follow_turn
from chat.models import PrefixVersion, Session, TranscriptEntry
from evals.strict_messages import Break, Reply, StrictMessages, Text, Thinking, ToolUse, Unanswered
from evals.strict_messages.server import Recorded
from tests.chat.claude_sessions import (
    HAIKU,
    OPUS,
    SONNET,
    ask,
    claude_service,
    notices,
    short_turn_of,
    switch_model,
    turn_of,
)
from tests.chat.claude_sessions import session as session
from tests.chat.claude_sessions import tool_servers as tool_servers
from tests.strict_messages.fixture import strict_messages as strict_messages
from tools_catalog.runtime import close_tool_servers
from usage.pricing import cost_pico_usd

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio(loop_scope="module")]
Json = Any


def blocks(request: Recorded) -> list[str]:
    """Return each block of a request's messages with its role."""
    return [json.dumps([message["role"], block]) for message in request.messages for block in message["content"]]


def kinds(request: Recorded) -> list[str]:
    """Return the types of a request's blocks."""
    return [block["type"] for message in request.messages for block in message["content"]]


def statuses(requests: Sequence[Recorded]) -> list[int]:
    return [request.status for request in requests]


@pytest.mark.case("C053", "C060")
@pytest.mark.parametrize("number_of_turns", [2, 10])
async def test_a_session_only_ever_grows(
    session: Session, strict_messages: StrictMessages, number_of_turns: int
) -> None:
    for number in range(number_of_turns):
        strict_messages.script(*turn_of(number))
        events = await ask(session, f"Question {number}?")
        assert events[-1]["outcome"] == "completed"
        assert not notices(events)

    requests = strict_messages.requests
    assert statuses(requests) == [200] * (3 * number_of_turns)
    for earlier, later in zip(requests, requests[1:], strict=False):
        before, after = blocks(earlier), blocks(later)
        assert after[: len(before)] == before
        assert len(after) > len(before)
        assert all(json.dumps(earlier.json[part]) == json.dumps(later.json[part]) for part in ("system", "tools"))
        assert later.usage["cache_read_input_tokens"] == sum(
            earlier.usage[tier] for tier in ("cache_read_input_tokens", "cache_creation_input_tokens")
        )
    assert kinds(requests[-1]).count("thinking") == 2 * number_of_turns


DRUGS = (
    *("lapatinib", "tucatinib", "afatinib", "neratinib", "dacomitinib", "pyrotinib", "poziotinib", "alpelisib"),
    *("palbociclib", "erlotinib", "sunitinib", "ribociclib", "canertinib", "varlitinib"),
)


async def test_a_turn_of_15_steps_reads_nine_tenths_and_is_booked_at_a_quarter(
    session: Session, strict_messages: StrictMessages
) -> None:
    """The prefix was written for an hour by the question before, as it is in a session that is in use."""
    strict_messages.script(*short_turn_of(0))
    await ask(session, "What is HER2?")
    searched = [
        Reply(
            Thinking(f"Trials of {drug} are next."),
            ToolUse(
                "clinicaltrials__search_studies", {"condition": "breast cancer", "intervention": drug, "limit": 20}
            ),
        )
        for drug in DRUGS
    ]
    strict_messages.script(*searched, Reply(Thinking("All."), Text("Trials of fourteen drugs were found.")))

    events = await ask(session, "Which trials are there of these drugs?")

    used = [event["tokens"] for event in events if event["type"] == "usage"]
    prompts = [sum(tokens.values()) - tokens["output"] for tokens in used]
    assert len(used) == 15
    assert sum(tokens["cache_read"] for tokens in used[1:]) / sum(prompts[1:]) >= 0.90
    uncached = [{"input": prompt, "output": tokens["output"]} for prompt, tokens in zip(prompts, used, strict=True)]
    prices, today = settings.BURP.usage.prices, datetime.now(UTC).date()
    price = sum(cost_pico_usd(prices, SONNET, tokens, today) for tokens in uncached)
    assert 0 < events[-1]["turn_cost_pico_usd"] <= 0.25 * price


async def test_what_the_service_sent_is_stored_and_sent_back_as_it_was(
    session: Session, strict_messages: StrictMessages
) -> None:
    future = {"future_field": {"b": [1, None], "a": {}}}
    strict_messages.script(
        Reply(Thinking("Why."), ToolUse("ensembl__lookup_gene", {"z": 1, "gene_symbol": "HER2"}, extra=future)),
        Reply(Text("ENSG00000141736.")),
    )
    await ask(session, "What is HER2?")

    sent = strict_messages.requests[1].messages[1]["content"]
    stored = json.loads((await TranscriptEntry.objects.aget(kind="assistant", position=2)).data)
    assert [json.dumps(block) for block in stored["raw"]] == [json.dumps(block) for block in sent]
    assert sent[1]["future_field"] == future["future_field"]
    assert list(sent[1]["input"]) == ["z", "gene_symbol"]
    assert stored["message_id"].startswith("msg_")


async def test_a_session_goes_on_with_one_model_after_the_other(
    session: Session, strict_messages: StrictMessages
) -> None:
    models = [SONNET, OPUS, HAIKU, "recipes", SONNET, HAIKU, OPUS, SONNET]
    for number, model in enumerate(models):
        await switch_model(session, model)
        if model != "recipes":
            strict_messages.script(*turn_of(number, thinks=model != HAIKU))
        events = await ask(session, "Which Ensembl gene is HER2?")
        assert (number, events[-1]["outcome"]) == (number, "completed")
        if number:
            degraded = notices(events)["context_degraded"]
            assert "the model" in degraded["message"]
            assert "model" in degraded["detail"]["changed"]

    assert set(statuses(strict_messages.requests)) == {200}
    assert strict_messages.unplayed == 0
    # The last model finds its own two earlier turns whole, with their thinking, and all others as text.
    assert kinds(strict_messages.requests[-1]).count("thinking") == 3 * 2
    assert await PrefixVersion.objects.acount() == 4


async def test_another_prompt_goes_on_without_the_notes_of_the_old_one(
    session: Session, strict_messages: StrictMessages, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict_messages.script(*turn_of(0))
    await ask(session, "Question 0?")
    monkeypatch.setattr(assembly, "SYSTEM_PROMPT", f"{context.SYSTEM_PROMPT}\nBe brief.")
    strict_messages.script(*turn_of(1))

    events = await ask(session, "Question 1?")

    assert set(statuses(strict_messages.requests)) == {200}
    assert notices(events).keys() == {"context_degraded"}
    assert notices(events)["context_degraded"]["detail"] == {"changed": ["prompt"]}
    assert kinds(strict_messages.requests[3]).count("thinking") == 0
    assert "Answer 0: HER2 is ENSG00000141736." in str(strict_messages.requests[3].messages)


@pytest.mark.case("C053", "C060")
async def test_another_catalogue_is_noticed_with_the_names_of_what_changed(
    session: Session, strict_messages: StrictMessages, caplog: pytest.LogCaptureFixture
) -> None:
    strict_messages.script(*turn_of(0))
    await ask(session, "Question 0?")
    await close_tool_servers()
    burp = settings.BURP
    catalog = replace(burp.catalog, always_loaded_tools={"ensembl": ["ensembl__get_homologs", "ensembl__lookup_gene"]})
    with override_settings(BURP=replace(burp, catalog=catalog)):
        strict_messages.script(*turn_of(1))
        events = await ask(session, "Question 1?")
        await close_tool_servers()

    assert set(statuses(strict_messages.requests)) == {200}
    assert "ensembl__get_homologs" in notices(events)["catalog_changed"]["detail"]["changed"]
    assert notices(events)["catalog_changed"]["detail"]["added"] == []
    assert notices(events)["context_degraded"]["detail"] == {"changed": ["tools"]}
    assert "catalog_changed in session" in caplog.text
    assert "ensembl__get_homologs" in caplog.text


async def test_a_new_key_goes_on_without_the_notes_that_it_can_not_read(
    session: Session, strict_messages: StrictMessages
) -> None:
    strict_messages.script(*turn_of(0))
    await ask(session, "Question 0?")
    strict_messages.accept_key("new-key")
    with claude_service(api_key="new-key"):
        strict_messages.script(*turn_of(1))
        events = await ask(session, "Question 1?")

    assert set(statuses(strict_messages.requests)) == {200}
    assert "the account" in notices(events)["context_degraded"]["message"]
    assert "new-key" not in str([version.parts async for version in PrefixVersion.objects.all()])


@pytest.mark.case("C053")
async def test_a_service_that_forgot_its_signatures_is_asked_again_once_and_never_more(
    session: Session, strict_messages: StrictMessages, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing on this side can tell that the account's key was moved to another organisation."""
    strict_messages.script(*turn_of(0))
    await ask(session, "Question 0?")
    strict_messages.accept_key(strict_messages.api_key)

    strict_messages.script(*turn_of(1))
    second = await ask(session, "Question 1?")
    strict_messages.script(*turn_of(2))
    third = await ask(session, "Question 2?")

    assert statuses(strict_messages.requests) == [200] * 3 + [400] + [200] * 6
    assert "context_degraded" in notices(second)
    assert not notices(third)
    assert "was refused and starts afresh" in caplog.text
    # What was thought since then is replayed.
    assert kinds(strict_messages.requests[-1]).count("thinking") == 4


CALL_A = {"type": "tool_use", "id": "a", "name": "think", "input": {}}
BROKEN: dict[str, list[tuple[str, Json]]] = {
    "a call without a result": [
        ("user", {"text": "Three genes?"}),
        ("assistant", {"text": "", "calls": ["a", "b", "c"]}),
    ],
    "one result of three": [
        ("user", {"text": "Three genes?"}),
        ("assistant", {"text": "", "calls": ["a", "b", "c"]}),
        ("tool_results", {"results": ["b"]}),
    ],
    "results of calls that nobody made": [
        ("user", {"text": "Genes?"}),
        ("tool_results", {"results": ["x"]}),
        ("assistant", {"text": "None."}),
        ("tool_results", {"results": ["y"]}),
    ],
    "thinking without a signature": [
        ("user", {"text": "Why?"}),
        ("assistant", {"text": "Because.", "raw": [{"type": "thinking", "thinking": "Ha", "signature": ""}, "text"]}),
    ],
    "thinking and nothing else": [
        ("user", {"text": "Why?"}),
        ("assistant", {"text": "", "raw": [{"type": "thinking", "thinking": "Ha", "signature": ""}]}),
    ],
    "thinking that nobody signed": [
        ("user", {"text": "Why?"}),
        ("assistant", {"text": "Yes.", "raw": [{"type": "thinking", "thinking": "Ha", "signature": "c2ln"}, "text"]}),
    ],
    "blank texts": [
        ("user", {"text": " \n"}),
        ("user", {"text": "Why?"}),
        ("assistant", {"text": "", "raw": [{"type": "text", "text": ""}], "calls": ["a"]}),
        ("tool_results", {"results": ["a"], "text": ""}),
        ("assistant", {"text": "\n", "raw": [{"type": "text", "text": "\n"}]}),
    ],
    "an answer without a question": [("assistant", {"text": "HER2 is ERBB2."})],
    "a call whose arguments are no object": [
        ("user", {"text": "Why?"}),
        ("assistant", {"text": "", "calls": ["a"], "raw": [{**CALL_A, "input": "BRCA1 AND ("}]}),
    ],
    "a block of a form that is gone": [
        ("user", {"text": "Why?"}),
        ("assistant", {"text": "So.", "raw": [{"type": "retired_block", "payload": 1}, "text"]}),
    ],
    "the same call twice": [
        ("user", {"text": "Why?"}),
        ("assistant", {"text": "", "calls": ["a"]}),
        ("tool_results", {"results": ["a"]}),
        ("assistant", {"text": "", "calls": ["a"]}),
        ("tool_results", {"results": ["a", "a"]}),
    ],
}


@pytest.mark.case("C051", "C052", "C054", "C055")
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
async def test_a_stored_history_that_is_broken_goes_on(
    session: Session, strict_messages: StrictMessages, broken: list[tuple[str, Json]]
) -> None:
    strict_messages.script(*short_turn_of(0))
    await ask(session, "Question 0?")
    turn = await session.turns.aget()
    version = (await Session.objects.aget(pk=session.pk)).context_version
    for position, (kind, short) in enumerate(broken, start=100):
        await TranscriptEntry.objects.acreate(
            turn=turn, position=position, kind=kind, data=json.dumps(written_out(kind, short, version))
        )

    for number in (1, 2):
        strict_messages.script(*short_turn_of(number))
        assert (await ask(session, f"Question {number}?"))[-1]["outcome"] == "completed"

    refused = [request.error for request in strict_messages.requests if request.status != 200]
    assert len(refused) <= 1, refused
    assert statuses(strict_messages.requests)[-3:] == [200] * 3


def written_out(kind: str, short: Json, version: str) -> Json:
    """Return the stored form of an entry from its short one."""
    if kind == "user":
        return short
    if kind == "tool_results":
        result = {"name": "think", "text": short.get("text", "noted"), "is_error": False, "tool_references": []}
        return {"results": [{**result, "call_id": call_id} for call_id in short["results"]]}
    calls = [{"id": call_id, "name": "think", "arguments": {}, "problem": ""} for call_id in short.get("calls", ())]
    text = {"type": "text", "text": short["text"]}
    sound = [*([text] if short["text"] else []), *({**CALL_A, "id": call["id"]} for call in calls)]
    raw = [text if block == "text" else block for block in short.get("raw", sound)]
    made_by = {"provider": "anthropic", "model": SONNET, "context_version": version}
    return {"text": short["text"], "tool_calls": calls, "raw": raw, **made_by}


@pytest.mark.case("C052", "C055")
@pytest.mark.parametrize("how", ["error", "close", "cut"])
@pytest.mark.parametrize("block", [0, 1, 2], ids=["in thinking", "in text", "in arguments"])
async def test_a_session_goes_on_after_a_stream_that_broke(
    session: Session, strict_messages: StrictMessages, how: Any, block: int
) -> None:
    content = (Thinking("A synonym."), Text("HER2 is "), ToolUse("ensembl__lookup_gene", {"gene_symbol": "HER2"}))
    strict_messages.script(*[Reply(*content, broken=Break(how, block=block))] * 4)
    broken = await ask(session, "What is HER2?")
    while strict_messages.unplayed:
        await ask(session, "Again?")
    strict_messages.script(*short_turn_of(1))

    after = await ask(session, "What is HER2?")

    assert broken[-1]["outcome"] in {"model_overloaded", "model_unreachable"}
    assert after[-1]["outcome"] == "completed"
    assert set(statuses(strict_messages.requests)) == {200}


STOPPED = {
    "before an answer": Unanswered("silence"),
    "before the first event": Break("silence"),
    "in thinking": Break("silence", block=0),
    "in text": Break("silence", block=1),
    "in arguments": Break("silence", block=2, deltas=2),
    "before the final event": Break("silence", block="stop"),
}


@pytest.mark.case("C051", "C052")
@pytest.mark.parametrize("where", STOPPED.values(), ids=STOPPED.keys())
async def test_a_session_goes_on_after_a_stop(
    session: Session, strict_messages: StrictMessages, where: Break | Unanswered
) -> None:
    strict_messages.script(*short_turn_of(0))
    await ask(session, "Question 0?")
    content = (Thinking("A synonym."), Text("HER2 is "), ToolUse("ensembl__lookup_gene", {"gene_symbol": "HER2"}))
    strict_messages.script(where if isinstance(where, Unanswered) else Reply(*content, broken=where))

    turn_id = await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question="What is HER2?")
    silent = await strict_messages.request(2)
    await turns.stop_turn(turn_id=turn_id, owner_id=session.owner_id)
    stopped = [event async for event in follow_turn(turn_id)]
    assert await silent.client_closed()
    for number in (1, 2):
        strict_messages.script(*short_turn_of(number))
        assert (await ask(session, f"Question {number}?"))[-1]["outcome"] == "completed"

    assert stopped[-1]["outcome"] == "aborted_by_user"
    answered = statuses([request for request in strict_messages.requests if request is not silent])
    assert answered == [200] * 6
    assert kinds(strict_messages.requests[-1]).count("thinking") >= 5
