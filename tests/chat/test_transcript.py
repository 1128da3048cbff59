"""What is stored of a transcript is what it was, to the last key."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from chat.providers.base import AssistantEntry, Entry, ExchangeEntry, ToolCall, ToolResult, ToolResultsEntry, UserEntry
from chat.transcript import from_json, kind_of, to_json

Json = Any
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=4)
CALLS = st.builds(ToolCall, id=TEXT, name=TEXT, arguments=OBJECTS, problem=TEXT)
RESULTS = st.builds(
    ToolResult, call_id=TEXT, name=TEXT, text=TEXT, is_error=st.booleans(), tool_references=st.tuples(TEXT, TEXT)
)
ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(UserEntry, text=TEXT, is_note=st.booleans()),
    st.builds(ExchangeEntry, texts=st.dictionaries(TEXT, TEXT, max_size=3)),
    st.builds(ToolResultsEntry, results=st.tuples(RESULTS, RESULTS)),
    st.builds(
        AssistantEntry,
        text=TEXT,
        tool_calls=st.tuples(CALLS),
        raw=st.tuples(OBJECTS, OBJECTS),
        context_version=TEXT,
        message_id=TEXT,
        starts_afresh=st.booleans(),
        usage_raw=OBJECTS,
        stop_details=OBJECTS,
    ),
)


@settings(max_examples=150, deadline=None)
@given(ENTRIES)
def test_an_entry_comes_back_as_it_went_with_its_keys_in_their_order(entry: Entry) -> None:
    stored = json.dumps(to_json(entry), ensure_ascii=False)

    back = from_json(kind_of(entry), json.loads(stored))

    assert back == entry
    assert json.dumps(to_json(back), ensure_ascii=False) == stored


def test_an_entry_of_an_earlier_version_gets_the_defaults_of_what_it_lacks() -> None:
    old = {"text": "HER2 is ERBB2.", "tool_calls": [], "raw": [], "provider": "anthropic"}

    assert from_json("assistant", old) == AssistantEntry("HER2 is ERBB2.", provider="anthropic")


def test_an_entry_of_a_later_version_is_read_without_what_is_not_known_here() -> None:
    later: Json = {"text": "HER2 is ERBB2.", "tool_calls": [], "raw": [], "mood": "good"}

    assert from_json("assistant", later) == AssistantEntry("HER2 is ERBB2.")
