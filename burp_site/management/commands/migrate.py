"""Migrate, one process at a time.

Several processes may start on one database at once. Without a lock each of them finds the same migrations
missing, and all but one crash on a table that is there already.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.commands.migrate import Command as MigrateCommand
from django.db import connections

# Any number that nothing else in this database uses.
ADVISORY_LOCK = 0x42555250


class Command(MigrateCommand):
    """Django's command behind a lock: whoever comes second waits and then finds nothing to do."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate under the lock."""
        with only_one(options["database"]):
            super().handle(*args, **options)


@contextmanager
def only_one(alias: str) -> Iterator[None]:
    """Hold the database's lock: on PostgreSQL one of its own, on SQLite one on a file beside it."""
    connection = connections[alias]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [ADVISORY_LOCK])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [ADVISORY_LOCK])
        return
    with (settings.DATA_DIR / "migrate.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
