"""List the models with what they cost, and ask each for one token."""

import asyncio
import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from chat.config import ModelRow, UnknownModel
from chat.model_check import Check, check_models
from chat.readiness import refuse_outdated_database
from usage.config import PriceBand
from usage.money import TOKENS_PER_PRICE, format_usd_rough
from usage.pricing import TIERS, UnknownPrice, price_on
from usage.services import LOCAL_USERNAME, local_user_get_or_create, user_id_of

Json = Any


class Command(BaseCommand):
    """`manage.py models list`, `manage.py models check [KEY …]`."""

    help = (
        "`list` shows the models of burp.toml: whether they can be asked, their efforts, and USD for a million tokens. "
        "`check` asks those that can be for one token, books what that costs, says in words what is wrong, and exits "
        "with 1 if any of them did not answer."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the two actions."""
        actions = parser.add_subparsers(dest="action", required=True)
        listing = actions.add_parser("list", help="what can be asked, and what it costs")
        check = actions.add_parser("check", help="ask for one token each")
        check.add_argument("keys", nargs="*", metavar="KEY", help="models to check (default: all that have their key)")
        check.add_argument("--user", default=LOCAL_USERNAME, help="whose money pays for it")
        for action in (listing, check):
            action.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the one or the other."""
        if options["action"] == "list":
            self._list(as_json=options["json"])
        else:
            self._check(options["keys"], options["user"], as_json=options["json"])

    def _list(self, *, as_json: bool) -> None:
        rows = [_facts(row) for row in settings.BURP.chat.models]
        if as_json:
            self.stdout.write(json.dumps(rows, indent=2))
            return
        head = ("", "model", "state", "read", "cached", "written", "efforts (default)")
        lines = [head, *(_line(row) for row in rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
        for line in lines:
            self.stdout.write("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        self.stdout.write("USD for a million tokens; + : more for long prompts. * answers when nobody chose.")

    def _check(self, keys: Sequence[str], username: str, *, as_json: bool) -> None:
        refuse_outdated_database()
        chat = settings.BURP.chat
        try:
            rows = [chat.model(key) for key in keys] or [*chat.usable_models()]
        except UnknownModel as error:
            raise CommandError(str(error)) from error
        checks = asyncio.run(check_models(rows, user_id=_payer(username)))
        if as_json:
            self.stdout.write(json.dumps([_result(check) for check in checks], indent=2))
        else:
            width = max(len(check.row.key) for check in checks)
            for check in checks:
                self.stdout.write(f"{'✓' if check.is_good else '✗'} {check.row.key.ljust(width)}  {check.words}")
        if not all(check.is_good for check in checks):
            raise SystemExit(1)


def _payer(username: str) -> int:
    if username == LOCAL_USERNAME and settings.BURP_MODE == "local":
        return local_user_get_or_create().pk
    found = user_id_of(username)
    if found is None:
        raise CommandError(f"there is no user {username!r}: name with --user whose money pays for the check")
    return found


def _facts(row: ModelRow) -> dict[str, Json]:
    """Return what is known of a model; prices in USD for a million tokens, by band."""
    chat = settings.BURP.chat
    service = chat.service(row)
    try:
        bands: Sequence[PriceBand] = price_on(settings.BURP.usage.prices, row.key, timezone.now().date()).bands
    except UnknownPrice:
        bands = ()
    known = {name: value for name, value in asdict(row).items() if name != "key"}
    return {
        "key": row.key,
        **known,
        "is_default": row.key == chat.default_model,
        "is_usable": service.is_usable,
        "missing": "" if service.is_usable else service.key_variable,
        "prices": [
            {"max_prompt_tokens": band.max_prompt_tokens, **{tier: getattr(band, tier) for tier in TIERS}}
            for band in bands
        ],
    }


def _line(row: dict[str, Json]) -> tuple[str, ...]:
    state = "ready" if row["is_usable"] else f"no {row['missing']}"
    efforts = ", ".join(row["efforts"])
    prices = row["prices"]
    more = "+" if len(prices) > 1 else ""
    costs = [_price(prices[0], tier) + more for tier in ("input", "cache_read", "output")] if prices else ["?"] * 3
    default = f"{efforts} ({row['default_effort']})" if efforts else "none"
    return ("*" if row["is_default"] else " ", row["key"], state, *costs, default)


def _price(band: dict[str, int], tier: str) -> str:
    return format_usd_rough(band[tier] * TOKENS_PER_PRICE) if band[tier] else "free"


def _result(check: Check) -> dict[str, Json]:
    facts = asdict(check)
    del facts["row"]
    return {"key": check.row.key, **facts, "trouble": str(check.trouble)}
