"""What `usage` is configured with: prices of models and budgets, in integer pico-USD."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True)
class PriceBand:
    """Prices in pico-USD a token, for requests of up to `max_prompt_tokens` (None: of any size).

    `requests` are the tools that the model's service itself runs, in pico-USD each.
    """

    input: int
    output: int
    cache_write_5m: int
    cache_write_1h: int
    cache_read: int
    max_prompt_tokens: int | None = None
    requests: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelPrice:
    """The prices of one model from the day `starts` (UTC) on, bands from small prompts to large."""

    model_key: str
    starts: date
    bands: tuple[PriceBand, ...]


@dataclass(frozen=True)
class Budgets:
    """Caps that hold unless a user has a quota of their own."""

    turn_pico_usd: int
    daily_pico_usd: int
    monthly_pico_usd: int


@dataclass(frozen=True)
class UsageConfig:
    """All that `usage` needs to know."""

    prices: tuple[ModelPrice, ...]
    budgets: Budgets
