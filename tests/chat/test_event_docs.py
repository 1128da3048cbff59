"""The events keep what docs/events.md and the schema say of them."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from chat.event_schema import broken_promises, schema
from chat.events import EVENT_TYPES, EVENTS_VERSION, NOTICES, Event, Unknown, from_wire, to_wire
from chat.model_step import MODEL_RETRY
from chat.presentation import fold
from chat.providers.scripted import Fail, Reply, call
from mcp_server.codes import TURN_OFFERS, TURN_SENTENCES, TurnOutcome
from tests import event_docs
from tests.chat.loop_kit import Clock, Run
from tests.chat.turn_logs import answered

Json = Any
VALIDATOR = Draft202012Validator(schema())
CHAT = Path(__file__).parents[2] / "chat"


def test_page_and_schema_are_up_to_date() -> None:
    assert event_docs.PAGE.read_text(encoding="utf-8") == event_docs.document(), "run `python -m tests.event_docs`"
    assert event_docs.SCHEMA.read_text(encoding="utf-8") == event_docs.schema_text(), "run `python -m tests.event_docs`"


async def test_what_a_turn_yields_fits_the_schema() -> None:
    clock = Clock()
    steps = [Fail(TurnOutcome.MODEL_OVERLOADED, retryable=True), Reply(calls=[call("gene"), call("broken")])]
    run = Run.of(*steps, Reply("HER2 is ENSG00000141736."), stop=clock.stop_signal(), clock=clock)
    await run.play()
    wires = [json.loads(json.dumps(to_wire(event))) for event in run.events]
    assert {wire["type"] for wire in wires} >= {"turn_started", "notice", "tool_end", "text", "usage", "turn_end"}
    for wire in wires:
        VALIDATOR.validate(wire)
    assert wires[0]["events_version"] == EVENTS_VERSION


def test_what_does_not_fit_is_refused() -> None:
    wire = {"type": "text", "seq": 1, "at": "", "step": 1, "text": "HER2"}
    assert VALIDATOR.is_valid(wire)
    assert VALIDATOR.is_valid({**wire, "of_tomorrow": 1})
    assert not VALIDATOR.is_valid({**wire, "type": "texts"})
    assert not VALIDATOR.is_valid({**wire, "step": "1"})
    assert not VALIDATOR.is_valid({name: value for name, value in wire.items() if name != "text"})


def test_every_field_and_type_says_what_it_is() -> None:
    described = schema()["$defs"]
    assert set(described) == set(EVENT_TYPES)
    for kind in described.values():
        assert kind["description"]
        assert all("const" in form or form["description"] for form in kind["properties"].values())


def test_every_outcome_has_a_sentence_and_says_what_it_offers() -> None:
    assert set(TURN_SENTENCES) == set(TURN_OFFERS) == set(TurnOutcome)


def test_every_code_of_a_notice_is_explained() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in CHAT.rglob("*.py"))
    codes = set(re.findall(r'Notice\(\s*code="([a-z_]+)"', source)) | {MODEL_RETRY}
    assert codes == set(NOTICES)


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda defs: defs.pop("notice"), ["notice is gone"]),
        (lambda defs: defs["text"]["properties"].pop("step"), ["text.step is gone"]),
        (lambda defs: defs["text"]["properties"]["step"].update(type="string"), ["text.step has another form"]),
        (lambda defs: defs["text"]["properties"].update(more={"type": "string"}), []),
        (lambda defs: defs.update(more=defs["text"]), []),
    ],
    ids=["a type goes", "a field goes", "a form changes", "a field is added", "a type is added"],
)
def test_what_needs_a_new_version_is_noticed(change: Any, broken: list[str]) -> None:
    changed = copy.deepcopy(schema())
    change(changed["$defs"])
    assert broken_promises(schema(), changed) == broken


def test_an_event_of_a_newer_version_is_passed_over() -> None:
    newer = {"type": "of_tomorrow", "seq": 7, "at": "", "more": {}}
    assert from_wire(newer) == Unknown(seq=7, at="")
    assert not isinstance(from_wire(newer), tuple(EVENT_TYPES.values()))
    log = answered().events
    before, after = fold(log), fold([*log, {**newer, "seq": 10_000}])
    assert (after.seq, after.answer, after.outcome) == (10_000, before.answer, before.outcome)


def test_the_base_of_all_events_has_no_type_of_its_own() -> None:
    assert Event.type == ""
    assert Unknown.type not in EVENT_TYPES


def test_the_api_gives_the_schema(client: Client) -> None:
    response = client.get("/api/events/schema")
    assert (response.status_code, response.json()) == (200, schema())
