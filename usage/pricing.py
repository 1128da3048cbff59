"""What a model call costs: prices by model, day and size of the prompt."""

from collections.abc import Iterable, Mapping, Sequence
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


class BadTokenCount(ValueError):
    """A count of tokens can't be priced."""

    def __init__(self, tier: str, count: object) -> None:
        super().__init__(
            f"{tier!r}: {count!r} can't be priced; counts of zero or more are known for {', '.join(TIERS)}"
        )
        self.tier = tier


def cost_pico_usd(prices: Sequence[ModelPrice], model_key: str, tokens: Mapping[str, int], day: date) -> int:
    """Return what one request costs.

    Each tier is counted once at its own price: `input` holds no cached tokens.
    """
    for tier, count in tokens.items():
        if tier not in TIERS or count < 0:
            raise BadTokenCount(tier, count)
    prompt_tokens = sum(tokens.get(tier, 0) for tier in PROMPT_TIERS)
    band = band_for(price_on(prices, model_key, day), prompt_tokens)
    return sum(count * int(getattr(band, tier)) for tier, count in tokens.items())


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
