"""Money as integer pico-USD (10⁻¹² USD). Text and Decimal exist only here, at the edge; floats nowhere."""

from decimal import Decimal, InvalidOperation

PICO_PER_USD = 10**12
PICO_PER_MICRO = 10**6
MICRO_PER_USD = 10**6
TOKENS_PER_PRICE = 10**6
REQUESTS_PER_PRICE = 10**3
# What reads as ten cents in two figures.
TEN_CENTS = 995 * 10**8


def pico_from_usd(text: str) -> int:
    """Return an amount such as "2.50" as pico-USD. Raises ValueError for what is not a whole amount ≥ 0."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number") from None
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"{text!r} is not an amount of zero or more")
    pico = amount.scaleb(12)
    if pico != pico.to_integral_value():
        raise ValueError(f"{text!r} is finer than a pico-USD")
    return int(pico)


def pico_per_token(usd_per_million: str) -> int:
    """Return a price in USD per million tokens as pico-USD a token. Raises ValueError when it is finer than that."""
    return _whole(usd_per_million, TOKENS_PER_PRICE, "token")


def pico_per_request(usd_per_thousand: str) -> int:
    """Return a price in USD per thousand requests as pico-USD a request. Raises ValueError when it is finer."""
    return _whole(usd_per_thousand, REQUESTS_PER_PRICE, "request")


def _whole(usd: str, parts: int, unit: str) -> int:
    pico, rest = divmod(pico_from_usd(usd), parts)
    if rest:
        raise ValueError(f"{usd!r} is finer than one pico-USD a {unit}")
    return pico


def format_usd(pico: int) -> str:
    """Return the amount for people: micro-USD, halves rounded up, never a nought for something."""
    sign, size = ("-" if pico < 0 else ""), abs(pico)
    micro = (size + PICO_PER_MICRO // 2) // PICO_PER_MICRO
    if size and not micro:
        return "<$0.000001" if pico > 0 else ">-$0.000001"
    usd, fraction = divmod(micro, MICRO_PER_USD)
    return f"{sign}${usd:,}.{fraction:06}"


def format_usd_rough(pico: int) -> str:
    """Return an estimate for people: two figures that count, cents from ten cents on."""
    if pico >= TEN_CENTS or pico <= 0:
        usd, cents = divmod((max(pico, 0) * 100 + PICO_PER_USD // 2) // PICO_PER_USD, 100)
        return f"${usd:,}.{cents:02}"
    figures = Decimal(pico).scaleb(-12)
    places = 1 - figures.adjusted()
    return f"${round(figures, places):.{places}f}"
