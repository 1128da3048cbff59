"""Ask a question from the terminal."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from chat.asking import NoSuchSession, ask
from chat.choices import BadChoice, Choice, read_budget
from chat.config import UnknownModel
from chat.services import BlankQuestion, TurnAlreadyRunning


class Command(BaseCommand):
    """`manage.py ask "…"`: the same turn as on the page."""

    help = (
        "Answer a question, streaming what happens. Exits with 1 unless the answer is complete and every "
        "identifier in it is grounded. Ctrl-C stops the turn and keeps what there is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question", help="the question, in quotes")
        parser.add_argument("--model", default="", help="key of a model in burp.toml (default: the configured one)")
        parser.add_argument("--effort", default="", help="level of effort of the model (default: the model's own)")
        parser.add_argument("--budget", default="", metavar="USD", help='what the answer may cost, such as "0.50"')
        parser.add_argument("--session", type=UUID, help="go on in this session; its databases stay what they are")
        parser.add_argument("--upstreams", choices=("live", "snapshot"), default="", help="where records come from")
        parser.add_argument("--json", action="store_true", help="print one event a line")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asked = ask(
                options["question"],
                choice=Choice(options["model"], options["effort"], read_budget(options["budget"])),
                session_id=options["session"],
                upstreams_setting=options["upstreams"],
                as_json=options["json"],
            )
        except (UnknownModel, BadChoice, BlankQuestion, NoSuchSession, TurnAlreadyRunning) as error:
            raise CommandError(str(error)) from error
        if not options["json"]:
            self.stdout.write(f"Session    {asked.session_id}: `make serve` opens it in the browser")
        if not asked.is_sound:
            raise SystemExit(1)
