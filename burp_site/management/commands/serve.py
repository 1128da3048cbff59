"""Serve the site from this machine."""

import asyncio
from argparse import ArgumentParser
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.urls import reverse

from chat import upstreams
from usage.services import local_user_get_or_create, one_time_link_create


class Command(BaseCommand):
    """`manage.py serve [--port 8000]`."""

    help = "Serve the site with daphne; in local mode on loopback only, with a link that signs in once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare where to listen."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on; loopback in local mode")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (0: any free one)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check, serve, and say where."""
        host, port = options["host"], options["port"]
        if settings.BURP_MODE == "local" and not is_loopback(host):
            raise CommandError(
                f"--host {host}: in local mode BURP has no passwords and is for this machine only; use 127.0.0.1, "
                "or set BURP_MODE=server"
            )
        refuse_outdated_database()
        # Imported here: it installs twisted's reactor, which no other command needs.
        from burp_site import server
        from burp_site.asgi import application

        link = sign_in_path() if settings.BURP_MODE == "local" else ""
        what = what_lines()

        def say_where(bound_port: int) -> None:
            base = f"http://{f'[{host}]' if ':' in host else host}:{bound_port}"
            self.stdout.write("\n".join([*where_lines(base, link), *what, "Stop with Ctrl+C."]))
            self.stdout.flush()

        if not server.run(application, host=host, port=port, on_ready=say_where):
            raise CommandError(f"{host}:{port} can't be listened on; is another server running? Try --port {port + 1}")


def refuse_outdated_database() -> None:
    """Raise when migrations wait to be applied."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError("the database is not up to date; run `manage.py migrate` first (`make serve` does)")


def sign_in_path() -> str:
    """Return the path of a fresh link for the user of this installation."""
    return reverse("usage:redeem_link", args=[one_time_link_create(user=local_user_get_or_create())])


def where_lines(base: str, link: str) -> list[str]:
    """Return where the site answers and, in local mode, the link that lets one in."""
    if not link:
        return [f"BURP answers on {base}"]
    return [
        f"BURP answers on {base}",
        f"Sign in:   {base}{link}",
        "           (works once, for a quarter of an hour)",
    ]


def what_lines() -> list[str]:
    """Return which model and which upstreams a new session uses."""
    chat = settings.BURP.chat
    mode = asyncio.run(upstreams.choose(chat.upstreams, chat.upstream_gateway))
    where = "the databases themselves" if mode == "live" else "the offline snapshot"
    return [f"Model:     {chat.model(chat.default_model).label}", f"Upstreams: {mode} ({where})"]


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches `host`."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
