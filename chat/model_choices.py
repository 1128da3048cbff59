"""What people may choose from before they ask: models, their efforts and prices, and what a question may cost."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Sum
from django.db.models.functions import Length
from django.utils import timezone

from chat.config import ModelRow
from chat.estimates import BYTES_A_TOKEN, Estimate, estimate
from chat.models import TranscriptEntry
from usage.budgets import Standing, budget_standing, is_free
from usage.config import ModelPrice
from usage.money import TOKENS_PER_PRICE, format_usd_rough
from usage.pricing import UnknownPrice, price_on
from usage.selectors import turn_costs

Json = Any
REMEMBERED = timedelta(days=30)


@dataclass(frozen=True)
class Option:
    """A model that can be asked now. `estimates` by effort; for a model without efforts under the empty one."""

    row: ModelRow
    price: ModelPrice
    estimates: dict[str, Estimate]

    @property
    def key(self) -> str:
        """The model's key."""
        return self.row.key

    @property
    def label(self) -> str:
        """The model's name."""
        return self.row.label

    @property
    def estimate(self) -> Estimate:
        """The estimate with the effort that the model has by itself."""
        return self.estimates[self.row.default_effort]

    @property
    def estimate_words(self) -> dict[str, str]:
        """The estimates by effort, for people; the default one also under the empty name."""
        return {"": str(self.estimate), **{effort: str(one) for effort, one in self.estimates.items()}}

    @property
    def price_words(self) -> str:
        """What a million tokens cost, read and written; "from" where long prompts cost more."""
        band = self.price.bands[0]
        if not (band.input or band.output):
            return ""
        start = "from " if len(self.price.bands) > 1 else ""
        read, written = (format_usd_rough(tier * TOKENS_PER_PRICE) for tier in (band.input, band.output))
        return f"{start}{read} / {written}"

    def estimate_of(self, effort: str) -> Estimate:
        """Return the estimate with an effort; an unknown one counts as the default."""
        return self.estimates.get(effort, self.estimate)

    def as_json(self) -> Json:
        """Return what the API tells of it, money as exact pico-USD."""
        spans = {name: [one.low_pico_usd, one.high_pico_usd] for name, one in self.estimates.items()}
        return {
            "key": self.key,
            "label": self.label,
            "provider": self.row.provider,
            "context_window": self.row.context_window,
            "efforts": list(self.row.efforts),
            "default_effort": self.row.default_effort,
            "estimate_pico_usd": spans,
        }


def options(*, session_id: UUID | None = None) -> list[Option]:
    """Return the models that can be asked now, with two queries however many there are."""
    today = timezone.now().date()
    past = turn_costs(timezone.now() - REMEMBERED)
    history_tokens = _history_tokens(session_id) if session_id else 0
    found = []
    for row in settings.BURP.chat.usable_models():
        try:
            found.append(_option(row, today, past, history_tokens))
        except UnknownPrice:
            # A model whose first price holds from a later day can't be asked yet.
            continue
    return found


def estimate_for(row: ModelRow, effort: str, *, session_id: UUID | None = None) -> Estimate | None:
    """Return the estimate of one question; nothing for a model without a price."""
    try:
        if is_free(row.key):
            return Estimate(0, 0)
        past = turn_costs(timezone.now() - REMEMBERED)
        option = _option(row, timezone.now().date(), past, _history_tokens(session_id) if session_id else 0)
    except UnknownPrice:
        return None
    return option.estimate_of(effort)


@dataclass(frozen=True)
class Choices:
    """What stands beside the question box."""

    options: list[Option]
    model: str
    effort: str
    turn_pico_usd: int
    standings: list[Standing]

    @property
    def chosen(self) -> Option | None:
        """The model that is asked unless somebody chooses."""
        return next((option for option in self.options if option.key == self.model), None)

    @property
    def model_words(self) -> str:
        """The model that is asked, with its effort, for people; nothing if it can't be."""
        if self.chosen is None:
            return ""
        effort = self.effort or self.chosen.row.default_effort
        return f"{self.chosen.label}, {effort}" if effort else self.chosen.label

    @property
    def efforts(self) -> list[str]:
        """All levels of effort that any of the models has, from the least on."""
        levels = [level for option in self.options for level in option.row.efforts]
        return sorted(dict.fromkeys(levels), key=lambda level: _RANK.get(level, len(_RANK)))

    @property
    def estimate(self) -> Estimate | None:
        """What the next question will probably cost."""
        return self.chosen.estimate_of(self.effort) if self.chosen else None

    @property
    def limit_words(self) -> str:
        """The configured budget of a question, for people."""
        return format_usd_rough(self.turn_pico_usd)


_RANK = {level: rank for rank, level in enumerate(("none", "minimal", "low", "medium", "high", "xhigh", "max"))}


def choices(*, owner_id: int, model: str, effort: str, session_id: UUID | None = None) -> Choices:
    """Return what the owner may choose before asking, with what is chosen unless they do."""
    return Choices(
        options(session_id=session_id),
        model,
        effort,
        settings.BURP.usage.budgets.turn_pico_usd,
        budget_standing(user_id=owner_id),
    )


def _option(row: ModelRow, day: date, past: dict[tuple[str, str], list[int]], history_tokens: int) -> Option:
    prices = settings.BURP.usage.prices
    estimates = {
        effort: estimate(
            prices,
            row.key,
            effort,
            day,
            past_pico_usd=past.get((row.key, effort), ()),
            history_tokens=history_tokens,
        )
        for effort in dict.fromkeys((row.default_effort, *row.efforts))
    }
    return Option(row, price_on(prices, row.key, day), estimates)


def _history_tokens(session_id: UUID) -> int:
    """Return about how many tokens a session's earlier turns are."""
    written = TranscriptEntry.objects.filter(turn__session_id=session_id).aggregate(total=Sum(Length("data")))
    return int(written["total"] or 0) // BYTES_A_TOKEN
