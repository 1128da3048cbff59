"""Report what was spent, put wrong bookings right, free what dead processes held."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from usage.budgets import reservations_release_stale
from usage.ledger import day_totals_repair, entry_correct, wrongly_priced
from usage.models import DayTotal, LedgerEntry, User
from usage.money import format_usd, pico_from_usd
from usage.selectors import Dimension, usage_report
from usage.tables import as_csv, as_json, as_text


def day(text: str) -> datetime:
    """Read a day (UTC) from the command line."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a day such as 2026-11-30") from None


class Command(BaseCommand):
    """`manage.py usage report | correct | reprice | release | check`."""

    help = (
        "What was spent. `report` sums the ledger by day, user, model, tool, session or turn; `correct` books the "
        "difference to what an entry should have cost; `reprice` does so for all calls that were booked at another "
        "price than the configured one; `release` frees what processes that died still hold; `check` compares the sums "
        "that the caps are looked at in with the ledger."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the actions."""
        actions = parser.add_subparsers(dest="action", required=True)
        report = actions.add_parser("report", help="sums of the ledger")
        report.add_argument("--user", default="", help="only what this user spent")
        report.add_argument("--since", type=day, help="from this day (UTC) on, such as 2026-11-01")
        report.add_argument("--until", type=day, help="up to the end of this day (UTC)")
        report.add_argument(
            "--by", nargs="+", choices=[one.value for one in Dimension], default=["day", "user", "model", "tool"]
        )
        shape = report.add_mutually_exclusive_group()
        shape.add_argument("--csv", action="store_true", help="with exact pico-USD, for spreadsheets")
        shape.add_argument("--json", action="store_true", help="with exact pico-USD, for programs")
        correct = actions.add_parser("correct", help="book the difference to what an entry should have cost")
        correct.add_argument("entry", type=int, help="number of the ledger entry, as the administration shows it")
        correct.add_argument("--cost-usd", required=True, help='what is right, such as "0.0125"')
        correct.add_argument("--note", required=True, help="why")
        reprice = actions.add_parser("reprice", help="compare bookings with the configured prices")
        reprice.add_argument("--model", default="", help="only this model")
        reprice.add_argument("--since", type=day, help="only what was booked from this day (UTC) on")
        reprice.add_argument("--apply", action="store_true", help="book the differences; else they are only shown")
        actions.add_parser("release", help="free what processes that died still hold")
        check = actions.add_parser("check", help="compare the sums by day with the ledger, which is the truth")
        check.add_argument("--repair", action="store_true", help="set wrong sums to what the ledger says")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what was asked."""
        {
            "report": self._report,
            "correct": self._correct,
            "reprice": self._reprice,
            "release": self._release,
            "check": self._check,
        }[options["action"]](options)

    def _report(self, options: dict[str, Any]) -> None:
        until = options["until"]
        report = usage_report(
            by=[Dimension(name) for name in options["by"]],
            user_id=self._user_id(options["user"]),
            since=options["since"],
            until=until + timedelta(days=1) if until else None,
        )
        if options["json"]:
            self.stdout.write(json.dumps(as_json(report), indent=2))
        else:
            self.stdout.write(as_csv(report).rstrip("\n") if options["csv"] else as_text(report))

    def _correct(self, options: dict[str, Any]) -> None:
        entry = LedgerEntry.objects.filter(pk=options["entry"]).first()
        if entry is None:
            raise CommandError(f"there is no ledger entry {options['entry']}")
        if entry.kind == LedgerEntry.Kind.CORRECTION:
            raise CommandError(f"entry {entry.pk} is itself a correction; correct entry {entry.corrects_id}")
        try:
            cost = pico_from_usd(options["cost_usd"])
        except ValueError as problem:
            raise CommandError(f"--cost-usd: {problem}") from None
        correction = entry_correct(entry=entry, cost_pico_usd=cost, note=options["note"])
        if correction is None:
            self.stdout.write(f"Entry {entry.pk} already stands at {format_usd(cost)}.")
        else:
            self.stdout.write(f"Booked {format_usd(correction.cost_pico_usd)}: entry {entry.pk} is {format_usd(cost)}.")

    def _reprice(self, options: dict[str, Any]) -> None:
        found = wrongly_priced(model_key=options["model"], since=options["since"])
        for wrong in found:
            booked, right = format_usd(wrong.booked_pico_usd), format_usd(wrong.right_pico_usd)
            self.stdout.write(f"entry {wrong.entry.pk}: {wrong.entry.model_key}, booked {booked}, now {right}")
            if options["apply"]:
                entry_correct(entry=wrong.entry, cost_pico_usd=wrong.right_pico_usd, note="prices were corrected")
        difference = sum(wrong.right_pico_usd - wrong.booked_pico_usd for wrong in found)
        state = "booked" if options["apply"] else "not booked; add --apply"
        self.stdout.write(f"{len(found)} calls, {format_usd(difference)} in all" + (f" ({state})" if found else ""))

    def _release(self, options: dict[str, Any]) -> None:
        self.stdout.write(f"{reservations_release_stale()} reservations of dead processes were released.")

    def _check(self, options: dict[str, Any]) -> None:
        wrong = day_totals_repair() if options["repair"] else DayTotal.objects.wrong()
        for (user_id, at), (kept, booked) in sorted(wrong.items()):
            self.stdout.write(f"user {user_id}, {at}: kept {kept}, booked {booked} pico-USD")
        if wrong and not options["repair"]:
            raise CommandError(f"{len(wrong)} sums differ from the ledger; set them right with --repair")
        self.stdout.write(f"{len(wrong)} sums were set right." if wrong else "All sums agree with the ledger.")

    def _user_id(self, username: str) -> int | None:
        if not username:
            return None
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"there is no user {username!r}")
        return user.pk
