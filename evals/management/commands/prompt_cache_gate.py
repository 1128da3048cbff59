"""Check that the prompt cache holds, after the SDK, a model, the prompt or the tools changed."""

import asyncio
from argparse import ArgumentParser
from typing import Any

import anthropic
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from chat.config import UnknownModel
from chat.providers.base import ModelFailure
from evals.prompt_cache.gate import measured
from evals.prompt_cache.report import Result, table
from evals.prompt_cache.scripts import one_call_a_step, several_questions, twelve_calls_a_step
from usage.money import format_usd

SCRIPTS = (one_call_a_step(15), twelve_calls_a_step(3), several_questions(3))
FAILED, COULD_NOT_RUN = 1, 2
PROVIDER = "anthropic"


class Command(BaseCommand):
    """`manage.py prompt_cache_gate [--live]`: hits, misses, and the reason of each miss."""

    help = (
        "Play scripted conversations and print for each model call what was read from the prompt cache. Without "
        "--live they are played against a simulator on this machine: no key, no cost. With --live the real service is "
        "asked; that costs some US cents. Exits with 0 where the cache holds, 1 where it does not, 2 where the check "
        "could not be made."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--live", action="store_true", help="ask the real service (needs its key)")
        parser.add_argument("--model", default="", help="key of a Claude model in burp.toml (default: the first one)")

    def handle(self, *args: Any, **options: Any) -> None:
        where = "the real service" if options["live"] else "the simulator"
        key = options["model"] or self._default_model()
        try:
            if settings.BURP.chat.model(key).provider != PROVIDER:
                raise CommandError(f"{key} has no prompt cache that BURP marks", returncode=COULD_NOT_RUN)
            results = asyncio.run(measured(key, SCRIPTS, is_live=options["live"]))
        except (UnknownModel, ModelFailure) as error:
            raise CommandError(f"the check could not be made: {error}", returncode=COULD_NOT_RUN) from error
        self.stdout.write(f"{key} at {where}, SDK anthropic {anthropic.__version__}\n")
        for result in results:
            self.stdout.write("\n" + "\n".join(table(result)))
        self._conclude(results)

    def _conclude(self, results: list[Result]) -> None:
        cost = sum(result.cost_pico_usd for result in results)
        self.stdout.write(f"\n{format_usd(cost)} at the configured prices")
        faults = [f"{result.script.name}: {fault}" for result in results for fault in result.faults()]
        if faults:
            raise CommandError("the prompt cache does not hold\n" + "\n".join(faults), returncode=FAILED)
        self.stdout.write("the prompt cache holds")

    def _default_model(self) -> str:
        chat = settings.BURP.chat
        known = [row.key for row in chat.models if row.provider == PROVIDER]
        if not known:
            raise CommandError("no Claude model is configured", returncode=COULD_NOT_RUN)
        return chat.default_model if chat.default_model in known else known[0]
