"""Ask a question from the terminal."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chat.asking import ask
from chat.config import UnknownModel
from chat.services import BlankQuestion


class Command(BaseCommand):
    """`manage.py ask "…"`: the same turn as on the page."""

    help = (
        "Answer a question, streaming what happens. Exits with 1 unless the answer is complete and every "
        "identifier in it is grounded. Ctrl-C stops the turn and keeps what there is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question", help="the question, in quotes")
        parser.add_argument("--model", default="", help="key of a model in burp.toml (default: the configured one)")
        parser.add_argument("--upstreams", choices=("live", "snapshot"), default="", help="where records come from")
        parser.add_argument("--json", action="store_true", help="print one event a line")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asked = ask(
                options["question"],
                model=options["model"],
                upstreams_setting=options["upstreams"],
                as_json=options["json"],
            )
        except (UnknownModel, BlankQuestion) as error:
            raise CommandError(str(error)) from error
        if not options["json"]:
            self.stdout.write(f"Session    {asked.session_id}: `make serve` opens it in the browser")
        if not asked.is_sound:
            raise SystemExit(1)
