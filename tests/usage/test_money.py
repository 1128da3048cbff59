"""Money is exact, and readable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from usage.money import PICO_PER_MICRO, PICO_PER_USD, format_usd, format_usd_rough, pico_from_usd, pico_per_token

AMOUNTS = st.integers(min_value=-(10**18), max_value=10**18)


@pytest.mark.parametrize(
    ("pico", "text"),
    [
        (0, "$0.000000"),
        (54_399_000_000, "$0.054399"),
        (1, "<$0.000001"),
        (499_999, "<$0.000001"),
        (500_000, "$0.000001"),
        (-1, ">-$0.000001"),
        (-2_500_000_000_000, "-$2.500000"),
        (1_234_567 * PICO_PER_USD, "$1,234,567.000000"),
    ],
)
def test_amounts_are_shown_in_micro_usd(pico: int, text: str) -> None:
    assert format_usd(pico) == text


@given(AMOUNTS)
def test_what_is_shown_is_half_a_micro_from_the_truth_at_most(pico: int) -> None:
    shown = format_usd(pico)
    if shown[0] in "<>":
        assert 0 < abs(pico) < PICO_PER_MICRO
        return
    sign = -1 if shown.startswith("-") else 1
    read_back = sign * pico_from_usd(shown.lstrip("-$").replace(",", ""))
    assert abs(read_back - pico) * 2 <= PICO_PER_MICRO


@given(st.integers(min_value=0, max_value=10**18))
def test_every_pico_survives_being_written_as_usd(pico: int) -> None:
    usd, fraction = divmod(pico, PICO_PER_USD)

    assert pico_from_usd(f"{usd}.{fraction:012}") == pico


@pytest.mark.parametrize("text", ["", "two", "-1", "NaN", "Infinity", "0.0000000000001"])
def test_what_is_no_amount_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match=repr(text)):
        pico_from_usd(text)


def test_a_price_per_million_is_whole_pico_per_token() -> None:
    assert pico_per_token("0.125") == 125_000
    with pytest.raises(ValueError, match="finer than one pico-USD a token"):
        pico_per_token("0.0000001")


@pytest.mark.parametrize(
    ("pico", "text"),
    [
        (0, "$0.00"),
        (1_234_567_890_000, "$1.23"),
        (99_999_999_999, "$0.10"),
        (81_234_000_000, "$0.081"),
        (8_350_000_000, "$0.0084"),
        (12_345_000_000_000_000, "$12,345.00"),
    ],
)
def test_estimates_are_shown_in_two_figures(pico: int, text: str) -> None:
    assert format_usd_rough(pico) == text
