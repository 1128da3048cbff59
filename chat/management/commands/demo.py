"""Answer the headline question, offline and without a key."""

from typing import Any

from django.core.management.base import BaseCommand

from chat.asking import ask
from chat.choices import Choice

HEADLINE = (
    "Which kinase inhibitors in clinical trials target proteins linked to HER2-positive breast cancer, "
    "and what pharmacogenomic variants affect their dosing?"
)


class Command(BaseCommand):
    """`manage.py demo`: the recipe planner over the offline snapshot."""

    help = (
        "Answer the headline question with the recipe planner and the offline snapshot: no key, no network. "
        "Exits with 1 unless the answer is complete and every identifier in it is grounded."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        asked = ask(HEADLINE, choice=Choice("recipes"), upstreams_setting="snapshot")
        self.stdout.write(f"Session    {asked.session_id} is kept: `make serve` opens it in the browser")
        if not asked.is_sound:
            raise SystemExit(1)
