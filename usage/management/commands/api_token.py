"""Issue and revoke API tokens."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from usage.models import User
from usage.services import LOCAL_USERNAME, token_issue, token_revoke


class Command(BaseCommand):
    """`manage.py api_token issue [username]`, `manage.py api_token revoke <prefix>`."""

    help = "Issue an API token (it is shown once) or revoke one by the beginning of its text."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the two actions."""
        actions = parser.add_subparsers(dest="action", required=True)
        issue = actions.add_parser("issue", help="make a token and print it once")
        issue.add_argument("username", nargs="?", default=LOCAL_USERNAME)
        issue.add_argument("--label", default="", help="what the token is for")
        revoke = actions.add_parser("revoke", help="make a token useless at once")
        revoke.add_argument("prefix", help="the beginning that was printed when the token was issued")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the one or the other."""
        if options["action"] == "issue":
            self._issue(options["username"], options["label"])
        else:
            self._revoke(options["prefix"])

    def _issue(self, username: str, label: str) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"there is no user {username!r}; `manage.py createsuperuser` makes one")
        token = token_issue(user=user, label=label)
        self.stderr.write(
            f"Keep it now, it is not shown again. Revoke it with: manage.py api_token revoke {token.prefix}"
        )
        self.stdout.write(token.secret)

    def _revoke(self, prefix: str) -> None:
        if not token_revoke(prefix=prefix):
            raise CommandError(f"no usable token begins with {prefix!r}")
        self.stdout.write(f"{prefix}… is revoked.")
