"""Print a link that signs somebody in once."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from usage.models import User
from usage.services import LOCAL_USERNAME, local_user_get_or_create, one_time_link_create


class Command(BaseCommand):
    """`manage.py sign_in_link [username]`."""

    help = "Print a link that signs a user in once, within a quarter of an hour."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare who and where."""
        parser.add_argument("username", nargs="?", default=LOCAL_USERNAME)
        parser.add_argument("--base-url", default="http://127.0.0.1:8000", help="where the site is reached")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the link and print it."""
        user = self._user(options["username"])
        path = reverse("usage:redeem_link", args=[one_time_link_create(user=user)])
        self.stdout.write(options["base_url"].rstrip("/") + path)

    def _user(self, username: str) -> User:
        if username == LOCAL_USERNAME and settings.BURP_MODE == "local":
            return local_user_get_or_create()
        user = User.objects.filter(username=username, is_active=True).first()
        if user is None:
            raise CommandError(f"there is no active user {username!r}; `manage.py createsuperuser` makes one")
        return user
