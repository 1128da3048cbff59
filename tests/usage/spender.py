"""A process that makes a turn for each line it reads until it is killed: `python -m tests.usage.spender spend SEED`.

It prints a line before each thing it does, so that whoever kills it can choose the moment. `… close` then
books what the dead left open, and prints what the books say.
"""

import json
import os
import random
import sys
from typing import Any
from uuid import UUID, uuid4

WORST = {"cache_write_1h": 10_000, "cache_write_5m": 20_000, "output": 32_000}
MODEL_KEY = "claude-sonnet-5-5"


def say(*words: object) -> None:
    """Print a line at once."""
    print(*words, flush=True)


def spend(seed: int) -> None:
    """Make a turn of a few calls for each line that somebody writes."""
    from usage import budgets
    from usage.services import local_user_get_or_create

    dice, user = random.Random(seed), local_user_get_or_create()
    for _ in sys.stdin:
        turn = {"user_id": user.pk, "session_id": uuid4(), "turn_id": uuid4(), "model_key": MODEL_KEY}
        say("turn", turn["turn_id"])
        for step in range(1, dice.randrange(2, 6)):
            say("reserve")
            try:
                held = budgets.budget_reserve(**turn, step=step, worst_case=WORST).id
            except budgets.BudgetExceeded:
                say("refused")
                break
            say("reserved", held)
            tokens = {tier: dice.randrange(count) for tier, count in WORST.items()}
            if dice.random() < 0.1:
                budgets.budget_release(reservation_id=held)
                continue
            budgets.budget_settle(
                reservation_id=held, tokens=tokens, provider="anthropic", outcome="end", estimated=dice.random() < 0.2
            )
            say("settled")


def close() -> None:
    """Book what the dead left open and print what the books say."""
    from usage import budgets
    from usage.models import LedgerEntry, Reservation
    from usage.selectors import Dimension, usage_report

    left = list(Reservation.objects.filter(state="open").values_list("turn_id", flat=True))
    for turn_id in left:
        budgets.budget_settle_lost(
            turn_id=turn_id, shown_characters={}, provider="anthropic", outcome="aborted_shutdown"
        )
    report = usage_report(by=Dimension)
    settled = Reservation.objects.filter(state="settled")
    booked = LedgerEntry.objects.filter(kind="call")
    say(
        json.dumps(
            {
                "left_open": len(left),
                "open": Reservation.objects.filter(state="open").count(),
                "settled": settled.count(),
                "booked": booked.count(),
                "unbooked": _ids(settled) != {row.reservation_id for row in booked},
                "above_held": _above_held(booked),
                "estimated": booked.filter(outcome="aborted_shutdown", estimated=True).count(),
                "total": report.totals.cost_pico_usd,
                "sums": {name: sum(x.totals.cost_pico_usd for x in lines) for name, lines in report.lines.items()},
                "entries": sum(LedgerEntry.objects.values_list("cost_pico_usd", flat=True)),
                "daily_spent": budgets.budget_standing(user_id=booked[0].user_id)[0].spent_pico_usd,
                "daily_limit": budgets.budget_standing(user_id=booked[0].user_id)[0].limit_pico_usd,
            }
        )
    )


def _ids(reservations: Any) -> set[UUID]:
    return {row.pk for row in reservations}


def _above_held(booked: Any) -> int:
    """Return how many calls cost more than was held for them."""
    from usage.models import Reservation

    held = dict(Reservation.objects.values_list("pk", "amount_pico_usd"))
    return sum(entry.cost_pico_usd > held[entry.reservation_id] for entry in booked)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "burp_site.settings")
    import django

    django.setup()
    spend(int(sys.argv[2])) if sys.argv[1] == "spend" else close()
