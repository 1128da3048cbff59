"""Lines and messages out of whatever a child prints."""

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCError, JSONRPCResponse

from tools_catalog.framing import LINE_TOO_LONG, Line, LineSplitter, read_message

ANSWER = b'{"jsonrpc":"2.0","id":7,"result":{"x":"\xc3\xa4"}}'


def whole(data: bytes) -> Line:
    return Line(data, len(data))


@given(st.lists(st.binary(max_size=40)), st.integers(min_value=1, max_value=64))
def test_lines_do_not_depend_on_how_the_bytes_were_cut(parts: list[bytes], max_bytes: int) -> None:
    text = b"".join(parts)
    cut, at_once = LineSplitter(max_bytes, 8), LineSplitter(max_bytes, 8)
    lines = [line for part in parts for line in cut.feed(part)] + cut.flush()
    expected = at_once.feed(text) + at_once.flush()
    assert [(line.size, line.is_whole) for line in lines] == [(line.size, line.is_whole) for line in expected]
    assert [line.head for line in lines if line.is_whole] == [line.head for line in expected if line.is_whole]
    assert sum(line.size for line in lines) + text.count(b"\n") == len(text)


def test_a_line_of_exactly_the_limit_is_whole_and_one_more_byte_is_not() -> None:
    exact, over = LineSplitter(10, 4), LineSplitter(10, 4)
    assert exact.feed(b"0123456789\n") == [Line(b"0123456789", 10)]
    assert over.feed(b"0123456789A\n") == [Line(b"0123", 11, b"789A")]


@pytest.mark.case("C046")
@pytest.mark.parametrize(
    "line",
    [ANSWER, b"Server running" + ANSWER, b"50%\r 100%\r" + ANSWER, b"\xff\xfe" + ANSWER, b" \t" + ANSWER + b"\r"],
    ids=["clean", "banner", "progress", "not utf-8", "blanks"],
)
def test_a_message_is_read_whatever_stands_before_it(line: bytes) -> None:
    assert read_message(whole(line), "fake") == JSONRPCResponse(jsonrpc="2.0", id=7, result={"x": "ä"})


@pytest.mark.case("C046")
@pytest.mark.parametrize("line", [b"Server running", b'{"a":1}', b"[]", b"42", b"\xff", b'{"jsonrpc":"2.0","id":'])
def test_a_line_that_is_no_message_is_logged_and_skipped(line: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert read_message(whole(line), "fake") is None
    assert "no message" in caplog.text


@pytest.mark.case("C046")
def test_the_log_shows_the_first_200_characters(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        read_message(whole(b"a" * 200 + b"b" * 300), "fake")
    assert "a" * 200 in caplog.text and "b" not in caplog.text.partition("message: ")[2]


def test_an_empty_line_is_not_worth_a_log(caplog: pytest.LogCaptureFixture) -> None:
    assert read_message(whole(b"\r"), "fake") is None
    assert caplog.text == ""


@pytest.mark.case("C047")
@pytest.mark.parametrize("request_id", [7, "listen-1"])
@pytest.mark.parametrize("id_first", [True, False])
def test_a_line_that_is_too_long_ends_the_call_that_it_answers(request_id: int | str, id_first: bool) -> None:
    message = {"jsonrpc": "2.0", "id": request_id, "result": {"id": 99, "text": "x" * 5000}}
    if not id_first:
        message["id"] = message.pop("id")
    (line,) = LineSplitter(1000).feed(json.dumps(message).encode() + b"\n")
    answer = read_message(line, "fake")
    assert isinstance(answer, JSONRPCError)
    assert (answer.id, answer.error.code) == (request_id, LINE_TOO_LONG)
    assert f"{line.size:,} bytes" in answer.error.message


def test_a_line_that_is_too_long_and_no_answer_is_skipped() -> None:
    (line,) = LineSplitter(10).feed(b"x" * 5000 + b"\n")
    assert read_message(line, "fake") is None
