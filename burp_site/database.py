"""Say where the tables are: SQLite in the data folder, or PostgreSQL by URL."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from burp_site.environment import EnvironmentProblem

SQLITE_BUSY_TIMEOUT_S = 10
POSTGRES_CONNECT_TIMEOUT_S = 10

# IMMEDIATE takes the write lock at BEGIN, where the busy timeout applies; a deferred transaction that
# reads first and writes later fails at once with "database is locked". The log is written back every 32 MB:
# at SQLite's own 4 MB, turns that store many small rows spend a quarter of their time on it.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": SQLITE_BUSY_TIMEOUT_S,
    "init_command": (
        "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON;PRAGMA wal_autocheckpoint=8000;"
    ),
}


def sqlite_database(path: Path) -> dict[str, Any]:
    """Return Django's description of the SQLite file at `path`; tests use a file beside it."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": SQLITE_OPTIONS,
        "TEST": {"NAME": path.with_name("test.sqlite3")},
    }


def database_from_url(url: str) -> dict[str, Any]:
    """Return Django's description of the PostgreSQL database at `url`."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql") or not parts.path.strip("/"):
        raise EnvironmentProblem("DATABASE_URL", "is not of the form postgres://user:password@host:port/name")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": POSTGRES_CONNECT_TIMEOUT_S, **dict(parse_qsl(parts.query))},
    }
