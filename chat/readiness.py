"""Is the database the one that this code needs?"""

from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def refuse_outdated_database() -> None:
    """Raise `CommandError` when migrations wait to be applied."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError("the database is not up to date; run `python manage.py migrate` first")
