"""Logs carry their context and no secrets."""

import json
import logging
import sys

import pytest

from burp_site.logging import JsonFormatter, PlainFormatter, redact


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    """Make a log record."""
    made = logging.LogRecord("chat.turns", logging.WARNING, __file__, 1, message, args, None)
    made.__dict__.update(extra, created=1_796_040_000.0)
    return made


def test_a_json_record_is_one_line_with_its_context() -> None:
    line = JsonFormatter().format(record("step took %s s", 3, session_id="s-1", turn_id="t-1", step=2))

    assert json.loads(line) == {
        "at": "2026-11-30T12:00:00.000+00:00",
        "level": "warning",
        "logger": "chat.turns",
        "message": "step took 3 s",
        "session_id": "s-1",
        "turn_id": "t-1",
        "step": 2,
    }


def test_a_plain_record_is_readable() -> None:
    line = PlainFormatter().format(record("stopped", turn_id="t-1"))

    assert line == "12:00:00 warning chat.turns: stopped turn_id=t-1"


@pytest.mark.parametrize("formatter", [PlainFormatter(), JsonFormatter()])
def test_secrets_are_taken_out_of_message_context_and_traceback(formatter: logging.Formatter) -> None:
    key = "sk-" + "ant-0123456789"
    try:
        raise ValueError(f"refused {key}")
    except ValueError:
        failed = record("with %s", key, code=key)
        failed.exc_info = sys.exc_info()

    line = formatter.format(failed)

    assert key not in line
    assert line.count("[redacted]") == 3
    assert "Traceback" in line


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer [redacted]"),
        ("GET /x?gene=HER2&api_key=123&limit=5", "GET /x?gene=HER2&[redacted]&limit=5"),
        ("postgres://ada:pass@db/burp", "postgres://[redacted]@db/burp"),
        ("GET /sign-in/AbCdEfGhIjKlMnOpQrStUv/", "GET /sign-in/[redacted]/"),
        ("token burp_" + "a" * 43, "token [redacted]"),
        ("ENSG00000141736 and c.1799T>A stay", "ENSG00000141736 and c.1799T>A stay"),
    ],
)
def test_what_looks_like_a_secret_is_taken_out(text: str, redacted: str) -> None:
    assert redact(text) == redacted
