"""Delete stored results whose time is over."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from artifacts.store import artifacts_expire


class Command(BaseCommand):
    """`manage.py expire_artifacts [--dry-run]`. Safe to repeat."""

    help = "Delete stored tool results whose time is over, and the files that no other result needs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def handle(self, *args: Any, **options: Any) -> None:
        """Expire and report."""
        expired = artifacts_expire(dry_run=options["dry_run"])
        verb = "would be" if options["dry_run"] else "were"
        self.stdout.write(f"{expired.artifacts} artifacts {verb} deleted, {expired.stored_bytes:,} bytes freed.")
