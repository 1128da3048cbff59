"""What a model call costs: prices by model, day and size of the prompt."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from usage.config import ModelPrice, PriceBand

PROMPT_TIERS = ("input", "cache_write_5m", "cache_write_1h", "cache_read")
TIERS = (*PROMPT_TIERS, "output")


class UnknownPrice(ValueError):
    """Nobody knows what this model costs on that day, so it must not be called."""

    def __init__(self, model_key: str, day: date, known: Iterable[str]) -> None:
        super().__init__(f"no price for the model {model_key!r} on {day}; priced models: {', '.join(sorted(known))}")
        self.model_key = model_key
        self.day = day


class BadCount(ValueError):
    """A count of tokens, or of a tool's requests, can't be priced."""

    def __init__(self, name: str, count: object, known: Iterable[str]) -> None:
        super().__init__(
            f"{name!r}: {count!r} can't be priced; counts of zero or more are known for {', '.join(known) or 'nothing'}"
        )
        self.name = name


@dataclass(frozen=True)
class Cost:
    """What one model call costs: its tokens, and each tool that the model's service ran for it."""

    tokens_pico_usd: int
    requests_pico_usd: Mapping[str, int]

    @property
    def pico_usd(self) -> int:
        """Return all of it."""
        return self.tokens_pico_usd + sum(self.requests_pico_usd.values())


def cost_of(
    prices: Sequence[ModelPrice],
    model_key: str,
    tokens: Mapping[str, int],
    day: date,
    requests: Mapping[str, int] | None = None,
) -> Cost:
    """Return what one model call costs.

    Each tier is counted once at its own price: `input` holds no cached tokens.
    """
    for tier, count in tokens.items():
        if tier not in TIERS or count < 0:
            raise BadCount(tier, count, TIERS)
    prompt_tokens = sum(tokens.get(tier, 0) for tier in PROMPT_TIERS)
    band = band_for(price_on(prices, model_key, day), prompt_tokens)
    for tool, count in (requests or {}).items():
        if tool not in band.requests or count < 0:
            raise BadCount(tool, count, sorted(band.requests))
    return Cost(
        sum(count * int(getattr(band, tier)) for tier, count in tokens.items()),
        {tool: count * band.requests[tool] for tool, count in (requests or {}).items() if count},
    )


def cost_pico_usd(prices: Sequence[ModelPrice], model_key: str, tokens: Mapping[str, int], day: date) -> int:
    """Return what the tokens of one model call cost."""
    return cost_of(prices, model_key, tokens, day).pico_usd


def price_on(prices: Sequence[ModelPrice], model_key: str, day: date) -> ModelPrice:
    """Return the price of the model that holds on `day`."""
    held = [price for price in prices if price.model_key == model_key and price.starts <= day]
    if not held:
        raise UnknownPrice(model_key, day, {price.model_key for price in prices})
    return max(held, key=lambda price: price.starts)


def band_for(price: ModelPrice, prompt_tokens: int) -> PriceBand:
    """Return the band of a prompt of this size; it holds for every token of the request."""
    for band in price.bands:
        if band.max_prompt_tokens is None or prompt_tokens <= band.max_prompt_tokens:
            return band
    raise ValueError(f"{price.model_key!r}: no price band for {prompt_tokens} prompt tokens")
