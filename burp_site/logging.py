"""Write logs to stderr, plain or as JSON, with the session and turn they belong to and without secrets."""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

CONTEXT_FIELDS = ("session_id", "turn_id", "step", "tool", "code")
REDACTED = "[redacted]"
SECRET_PATTERNS = (
    re.compile(r"sk-[A-Za-z0-9_-]{8,}"),
    re.compile(r"burp_[A-Za-z0-9_-]{20,}"),
    re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?i)(?<=[?&])(?:api[_-]?key|apikey|key|token|access_token)=[^&\s\"']+"),
    re.compile(r"(?i)(?<=/sign-in/)[A-Za-z0-9_-]{16,}"),
    re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"),
)


def redact(text: str) -> str:
    """Return `text` with everything that looks like a key, token or password taken out."""
    for pattern in SECRET_PATTERNS:
        text = pattern.sub(REDACTED, text)
    return text


def context_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields that callers handed over with `extra=`."""
    found = {name: getattr(record, name, None) for name in CONTEXT_FIELDS}
    return {name: value if isinstance(value, int) else str(value) for name, value in found.items() if value is not None}


class PlainFormatter(logging.Formatter):
    """One readable line a record, the traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        context = "".join(f" {name}={value}" for name, value in context_of(record).items())
        at = datetime.fromtimestamp(record.created, UTC)
        line = f"{at:%H:%M:%S} {record.levelname.lower():7} {record.name}: {record.getMessage()}{context}"
        if record.exc_info:
            line = f"{line}\n{self.formatException(record.exc_info)}"
        return redact(line)


class JsonFormatter(logging.Formatter):
    """One JSON object a record."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object as one line."""
        entry: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage()),
            **{name: redact(value) if isinstance(value, str) else value for name, value in context_of(record).items()},
        }
        if record.exc_info:
            entry["traceback"] = redact(self.formatException(record.exc_info))
        return json.dumps(entry, ensure_ascii=False)


def logging_config(*, log_format: str, level: str) -> dict[str, Any]:
    """Return the argument for `logging.config.dictConfig`."""
    formatter = JsonFormatter if log_format == "json" else PlainFormatter
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"burp": {"()": formatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "burp"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            "httpx2": {"level": "WARNING"},
            "daphne": {"level": "WARNING"},
            "asyncio": {"level": "WARNING"},
        },
    }
