"""Identifiers in texts: every kind is found, in one normal form, with a link, and nothing else is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.identifiers import BY_NAME, KINDS, find_in_text, kind_of, normalise, record_url

# A PMID, a CID and a clinical annotation are bare numbers: their example needs the words before it.
WORDS = {"pmid": "PMID ", "pubchem": "CID ", "clinpgx_annotation": "clinical annotation "}


def found(text: str) -> list[tuple[str, str]]:
    """Return kinds and normal forms in a text."""
    return [each.key for each in find_in_text(text)]


def test_names_of_kinds_are_unique() -> None:
    assert len(BY_NAME) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_of_each_kind_is_found_in_a_sentence(kind: object) -> None:
    kind = BY_NAME[kind.name]  # type: ignore[attr-defined]
    text = f"As ({WORDS.get(kind.name, '')}{kind.example}), shown before."
    assert found(text) == [(kind.name, kind.normalise(kind.example))]
    (only,) = find_in_text(text)
    assert text[only.start : only.end] == kind.example


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_normal_form_is_its_own_normal_form(kind: object) -> None:
    kind = BY_NAME[kind.name]  # type: ignore[attr-defined]
    once = kind.normalise(kind.example)
    assert kind.normalise(once) == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ENSG00000141736.14 and ENSG00000141736", [("ensembl", "ENSG00000141736")] * 2),
        ("MONDO:0007254 or MONDO_0007254", [("ontology", "MONDO_0007254")] * 2),
        ("ORPHANET:227535", [("ontology", "Orphanet_227535")]),
        ("rs113488022, RS4244285", [("rsid", "rs113488022")]),
        ("P04626-2, A0A024R1R8", [("uniprot", "P04626-2"), ("uniprot", "A0A024R1R8")]),
        ("VCV000013961.70", [("clinvar_variation", "VCV000013961")]),
        ("RCV000067669.3", [("clinvar_record", "RCV000067669")]),
        ("R-HSA-5633007", [("reactome", "R-HSA-5633007")]),
        ("HGNC:3430", [("hgnc", "HGNC:3430")]),
        ("CYP2C19*2/*17", [("star_allele", "CYP2C19*2")]),
        ("HLA-B*57:01", [("star_allele", "HLA-B*57:01")]),
        ("doi:10.1158/0008-5472.CAN-09-4563.", [("doi", "10.1158/0008-5472.can-09-4563")]),
        ("(https://doi.org/10.1056/NEJMoa1203421)", [("doi", "10.1056/nejmoa1203421")]),
        ("PMID: 22663011; PMC9984800", [("pmid", "22663011"), ("pmcid", "PMC9984800")]),
        ("https://pubmed.ncbi.nlm.nih.gov/22663011/", [("pmid", "22663011")]),
        ("https://pubchem.ncbi.nlm.nih.gov/compound/2244", [("pubchem", "2244")]),
        ("NM_004333.6:c.1799T>A", [("hgvs", "NM_004333.6:c.1799T>A")]),
        ("Which gene is NM_004333.6:c.1799T>A?", [("hgvs", "NM_004333.6:c.1799T>A")]),
        ("NP_004324.2:p.Met1?", [("hgvs", "NP_004324.2:p.Met1?")]),
        ("NM_004333.6(BRAF):c.1799T>A (p.Val600Glu)", [("hgvs", "NM_004333.6:c.1799T>A")]),
        ("NCT01808573/NCT00878709", [("nct", "NCT01808573")]),
        ("CHEMBL554-CHEMBL1173655", [("chembl", "CHEMBL554")]),
    ],
)
def test_spellings_come_to_one_normal_form(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "22663011",
        "In 2012, 322 patients of 18 years",
        "HER2, TP53 and BRAF V600E",
        "phase 3, P<0.001, 95% CI 0.33 to 0.63",
        "XENSG00000141736",
        "ENSG0000014173",
        "NCT123",
        "myCHEMBL25x",
        "version 10.1234",
        "abcrs123456",
        "PA4",
    ],
)
def test_what_is_no_identifier_is_not_found(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("kind", "value", "url"),
    [
        ("ensembl", "ENSG00000141736.14", "https://www.ensembl.org/id/ENSG00000141736"),
        ("ontology", "MONDO:0007254", "https://platform.opentargets.org/disease/MONDO_0007254"),
        ("nct", "nct01808573", "https://clinicaltrials.gov/study/NCT01808573"),
        ("clinvar_variation", "VCV000013961.70", "https://www.ncbi.nlm.nih.gov/clinvar/variation/13961/"),
        ("clinvar_variation", "13961", "https://www.ncbi.nlm.nih.gov/clinvar/variation/13961/"),
        ("pmid", "22663011", "https://pubmed.ncbi.nlm.nih.gov/22663011/"),
        ("pubchem", "2244", "https://pubchem.ncbi.nlm.nih.gov/compound/2244"),
        ("star_allele", "CYP2C19*2", ""),
        ("no such kind", "x", ""),
    ],
)
def test_records_have_their_page(kind: str, value: str, url: str) -> None:
    assert record_url(kind, value) == url


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("P04626", "uniprot"),
        (" NCT01808573 ", "nct"),
        ("HER2", ""),
        ("P04626 and more", ""),
        ("", ""),
        ("22663011", ""),
    ],
)
def test_a_bare_identifier_tells_its_kind(value: str, kind: str) -> None:
    assert kind_of(value) == kind


def test_normalise_by_the_name_of_the_kind() -> None:
    assert normalise("doi", "10.1056/NEJMoa1203421.") == "10.1056/nejmoa1203421"


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_gives_spans_in_order_without_overlap_that_hold_what_they_say(text: str) -> None:
    end = 0
    for each in find_in_text(text):
        assert end <= each.start < each.end <= len(text)
        assert BY_NAME[each.kind].normalise(text[each.start : each.end]) == each.value
        end = each.end


@given(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=8),
    st.sampled_from([" ", ", ", "; ", "\n", " (", ") ", " – "]),
)
def test_several_identifiers_in_a_row_are_all_found(kinds: list[object], separator: str) -> None:
    chosen = [BY_NAME[kind.name] for kind in kinds]  # type: ignore[attr-defined]
    text = separator.join(f"{WORDS.get(kind.name, '')}{kind.example}" for kind in chosen)
    assert found(text) == [(kind.name, kind.normalise(kind.example)) for kind in chosen]


@given(st.integers(min_value=1, max_value=99_999_999))
def test_a_number_alone_is_never_an_identifier(number: int) -> None:
    assert found(str(number)) == []
    assert found(f"PMID:{number}") == [("pmid", str(number))]


@given(st.from_regex(re.compile(r"[OPQ][0-9][A-Z0-9]{3}[0-9]"), fullmatch=True))
def test_accessions_in_lower_case_are_no_identifiers_in_a_text(accession: str) -> None:
    assert found(f"see {accession}") == [("uniprot", accession)]
    assert ("uniprot", accession) not in found(f"see {accession.lower()}")
