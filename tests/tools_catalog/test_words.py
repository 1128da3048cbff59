"""The words that tools and queries share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_catalog.words import pieces, stem, tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("genes", ["gene"]),
        ("studies", ["study"]),
        ("analysis of status", ["analysis", "status"]),
        ("geneSymbol", ["gene", "symbol", "genesymbol"]),
        ("ClinicalTrials", ["clinical", "trial", "clinicaltrial"]),
        ("ChEMBL UniProt", ["chembl", "uniprot"]),
        ("NKX2-5", ["nkx25", "nkx2", "5"]),
        ("β-catenin", ["betacatenin", "beta", "catenin"]),
        ("TNF‑α", ["tnfalpha", "tnf", "alpha"]),
        ("λ ς Ω ώ", ["lambda", "sigma", "omega", "omega"]),
        ("leukaemia tumour", ["leukemia", "tumor"]),
        ("the AND of", []),
        ("ﬁbrosis", ["fibrosis"]),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    "forms",
    [
        ("mutation", "mutations", "mutated", "mutate"),
        ("inhibit", "inhibits", "inhibited", "inhibiting", "inhibition"),
        ("metabolise", "metabolize", "metabolised", "metaboliser"),
        ("tumour", "tumors", "tumor"),
        ("homologue", "homologs"),
        ("anaemia", "anemias"),
        ("mapped", "mapping", "maps"),
        ("centre", "center"),
    ],
)
def test_the_forms_of_a_word_are_one(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@given(st.text())
def test_no_text_is_too_odd_to_have_words(text: str) -> None:
    assert all(word and not word.isspace() for word in [*tokens(text), *pieces(text)])
