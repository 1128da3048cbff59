"""What the tests of `usage` share: a user, round prices, a way to reserve in one line."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID, uuid4

import pytest
from pytest_django import Settings

from usage.budgets import budget_reserve
from usage.config import Budgets, ModelPrice, PriceBand, UsageConfig
from usage.models import User
from usage.money import PICO_PER_USD

USD = PICO_PER_USD
PRICES = (
    # 3 / 15 / 3.75 / 0.30 USD per million tokens
    ModelPrice("sonnet", date(2026, 1, 1), (PriceBand(3_000_000, 15_000_000, 3_750_000, 6_000_000, 300_000),)),
    # 1 USD per million tokens, so that a million output tokens are a dollar
    ModelPrice("dollar", date(2026, 1, 1), (PriceBand(10**6, 10**6, 10**6, 10**6, 10**6),)),
    ModelPrice("free", date(2026, 1, 1), (PriceBand(0, 0, 0, 0, 0),)),
)


@pytest.fixture
def user(db: None) -> User:
    """Give a user."""
    return User.objects.create_user("ada")


@pytest.fixture
def budgets(settings: Settings) -> Callable[..., None]:
    """Give a function that sets the caps in USD; the prices above hold."""

    def set_budgets(*, turn: int = 1000, daily: int = 1000, monthly: int = 1000) -> None:
        caps = Budgets(turn * USD, daily * USD, monthly * USD)
        settings.BURP = replace(settings.BURP, usage=UsageConfig(PRICES, caps))

    set_budgets()
    return set_budgets


@pytest.fixture
def reserve(user: User, budgets: Callable[..., None]) -> Callable[..., UUID]:
    """Give a function that reserves so many cents of the model `dollar`."""

    def reserve_cents(cents: int, **changes: Any) -> UUID:
        call = {"user_id": user.pk, "session_id": uuid4(), "turn_id": uuid4(), "step": 1, "model_key": "dollar"}
        return budget_reserve(**{**call, "worst_case": {"output": cents * 10_000}, **changes}).id

    return reserve_cents
