"""Counting about how many tokens a text has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.tokens import cut, fits, tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("imatinib", 2),
        ("HER2", 4),
        ("CHEMBL941", 7),
        ('{"id":1}', 5),
        ("12345", 2),
        ("α-synuclein", 4),
        ("a  b", 3),
    ],
)
def test_pieces_are_counted_as_a_vocabulary_would_cut_them(text: str, count: int) -> None:
    assert tokens(text) == count


@given(st.text(max_size=200), st.integers(min_value=0, max_value=60))
def test_a_text_fits_exactly_when_it_has_no_more_tokens(text: str, limit: int) -> None:
    text = "".join(text.split())
    assert fits(text.encode(), limit) == (tokens(text) <= limit)
    assert tokens(cut(text, limit)) == min(limit, tokens(text))
    assert text.startswith(cut(text, limit))


@given(st.text(max_size=200))
def test_no_token_has_less_than_a_byte(text: str) -> None:
    assert tokens(text) <= len(text.encode())


def test_what_is_far_too_long_is_not_counted() -> None:
    assert not fits(b"\xff" * 10_000_000, 1_000)
