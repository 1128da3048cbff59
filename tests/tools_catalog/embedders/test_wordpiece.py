"""Texts cut into word pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_catalog.embedders.wordpiece import WordPieces

PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "gene",
    "##s",
    "in",
    "##hi",
    "##bit",
    "tnf",
    "-",
    "α",
    "zurich",
    "日",
    "'",
]
WORDS = WordPieces.read("\n".join(PIECES))


def cut(text: str, longest: int = 64) -> list[str]:
    return [PIECES[number] for number in WORDS.encode(text, longest)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("genes", ["gene", "##s"]),
        ("Gene\tinhibits", ["gene", "in", "##hi", "##bit", "##s"]),
        ("TNF-α", ["tnf", "-", "α"]),
        ("Zürich", ["zurich"]),
        ("日日", ["日", "日"]),
        ("gene's", ["gene", "'", "[UNK]"]),
        ("\x00gene\u200b", ["gene"]),
        ("unknown", ["[UNK]"]),
        ("g" * 200, ["[UNK]"]),
        ("", []),
    ],
)
def test_words_are_cut_into_the_longest_known_pieces(text: str, pieces: list[str]) -> None:
    assert cut(text) == ["[CLS]", *pieces, "[SEP]"]


def test_a_long_text_is_cut_off_and_still_ends() -> None:
    assert cut("gene " * 50, 6) == ["[CLS]", "gene", "gene", "gene", "gene", "[SEP]"]


@given(st.text())
def test_any_text_has_a_start_an_end_and_a_bound(text: str) -> None:
    found = cut(text, 16)
    assert found[0] == "[CLS]" and found[-1] == "[SEP]" and 2 <= len(found) <= 16
