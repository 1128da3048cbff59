"""The clauses of a variant leg: what MyVariant is asked for, and what is sifted from its rows."""

from typing import Any

import pytest

from mcp_server.unified.domains.variant_queries import (
    TooMany,
    fits,
    genomic_change,
    is_sifted,
    names_of,
    searches,
)

Json = Any
ROW: Json = {
    "variant_id": "chr7:g.140753336A>T", "assembly": "hg38", "genes": ["BRAF"], "protein_changes": ["V600E"],
    "cdna_changes": ["c.1799T>A"], "consequences": ["missense_variant"], "cadd_phred": 29.8, "revel": 0.93,
    "gnomad": {"frequency": 0.01},
    "clinvar": {"variation_id": "13961", "classified": [
        {"significance": "Pathogenic/Likely pathogenic", "stars": 2, "conditions": ["Cutaneous melanoma"],
         "accessions": ["RCV000014992"]},
        {"significance": "Uncertain significance", "stars": 1, "conditions": ["RASopathy"]},
    ]},
}  # fmt: skip


def asked(params: dict[str, Json]) -> list[dict[str, Json]]:
    """Return the searches without what is empty."""
    return [{name: value for name, value in one.items() if value not in (None, [])} for one in searches(params, [])]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"gene": "BRAF"}, [{"genes": ["BRAF"]}]),
        ({"gene_any": ["BRAF", "NRAS"]}, [{"genes": ["BRAF", "NRAS"]}]),
        ({"gene": "BRAF", "not_gene": ["NRAS"]}, [{"genes": ["BRAF"], "exclude_genes": ["NRAS"]}]),
        ({"condition_any": ["a", "b"]}, [{"condition": "a"}, {"condition": "b"}]),
        # Both must hold: one is asked for, the rows are sifted by both.
        ({"condition_all": ["a", "b"]}, [{"condition": "a"}]),
        ({"hgvs": "NM_004333.4:c.1799T>A"}, [{"cdna_change": "NM_004333.4:c.1799T>A"}]),
        ({"id": "chr7:g.1A>T", "assembly": "hg19"}, [{"hgvs": ["chr7:g.1A>T"], "assembly": "hg19"}]),
        (
            {"region": "7:1-2", "assembly": "both"},
            [{"region": "7:1-2", "assembly": "hg38"}, {"region": "7:1-2", "assembly": "hg19"}],
        ),
        (
            {"gene": "A", "max_frequency": 0.01, "max_frequency_exclusive": True, "population": "afr"},
            [{"genes": ["A"], "max_frequency": 0.01, "population": "afr", "exclusive": ["max_frequency"]}],
        ),
        ({"gene": "A", "min_review_status": 2.0}, [{"genes": ["A"], "min_review_stars": 2}]),
        (
            {"gene": "A", "min_review_status": 1.5, "min_review_status_exclusive": True},
            [{"genes": ["A"], "min_review_stars": 2}],
        ),
        ({"gene": "A", "significance": "uncertain"}, [{"genes": ["A"], "significance": ["uncertain_significance"]}]),
    ],
)
def test_alternatives_that_the_source_takes_singly_are_searches_of_their_own(
    params: dict[str, Json], found: list[dict[str, Json]]
) -> None:
    assert asked(params) == found


def test_more_alternatives_than_may_be_asked_are_refused() -> None:
    with pytest.raises(TooMany, match="16 searches"):
        searches({"condition_any": list("abcd"), "consequence_any": list("abcd")}, [])


@pytest.mark.parametrize(
    ("params", "is_kept"),
    [
        ({"not_significance": ["pathogenic"]}, False), ({"not_significance": ["likely_pathogenic"]}, False),
        ({"not_significance": ["benign"]}, True), ({"not_significance": ["uncertain"]}, False),
        ({"not_condition": ["melanoma"]}, False), ({"not_condition": ["uveal melanoma"]}, True),
        ({"condition_all": ["melanoma", "RASopathy"]}, True), ({"condition_all": ["melanoma", "glioma"]}, False),
        ({"not_consequence": ["missense variant"]}, False), ({"not_consequence": ["stop_gained"]}, True),
        ({"not_region": ["7:140753330-140753340"]}, False), ({"not_region": ["7:1-2"]}, True),
        ({"not_region": ["8:140753330-140753340"]}, True), ({"not_cdna": ["c.1799T>A"]}, False),
        ({"not_hgvs": ["NM_004333.6:c.1799T>A"]}, False), ({"not_hgvs": ["NM_004333.6:c.1798G>A"]}, True),
        ({"not_id": ["chr7:g.140753336A>T"]}, False), ({"not_id": ["chr7:g.140753336A>T@hg38"]}, False),
        ({"not_id": ["chr7:g.140753336A>T@hg19"]}, True), ({"not_clinvar": ["VCV000013961"]}, False),
        ({"not_clinvar": ["RCV000014992"]}, False), ({"not_clinvar": ["VCV000000001"]}, True),
        ({"not_frequency": [{"max": 0.01}]}, False), ({"not_frequency": [{"max": 0.01, "max_exclusive": True}]}, True),
        ({"not_cadd": [{"min": 30}]}, True), ({"not_revel": [{"min": 0.9}]}, False),
        ({"not_review_status": [{"min": 2}]}, False), ({"max_review_status": 1}, False),
        ({"max_review_status": 2}, True), ({"max_review_status": 2, "max_review_status_exclusive": True}, False),
    ],
)  # fmt: skip
def test_rows_are_sifted_by_what_the_source_can_not_be_asked(params: dict[str, Json], is_kept: bool) -> None:
    assert fits(params, ROW) is is_kept and is_sifted(params)


def test_what_the_source_leaves_out_itself_is_counted_right() -> None:
    assert not is_sifted({"gene": "BRAF", "not_gene": ["NRAS"], "not_rsid": ["rs1"]})


def test_a_name_that_only_ensembl_reads_is_told_from_the_others() -> None:
    names = ["NM_004333.4:c.1799T>A", "chr7:g.1A>T", "ENST00000646891:c.1799T>A", "NP_004324.2:p.Val600Glu"]
    assert names_of({"hgvs_any": names}) == names[2:]


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ((5, 5, "A", "T"), "5A>T"), ((5, 6, "AC", "TG"), "5_6delinsTG"), ((5, 5, "A", "-"), "5del"),
        ((5, 7, "ACG", "-"), "5_7del"), ((6, 5, "-", "GG"), "5_6insGG"), ((5, 5, "A", "<DEL>"), ""),
    ],
)  # fmt: skip
def test_alleles_become_a_genomic_name(place: tuple[int, int, str, str], change: str) -> None:
    assert genomic_change(*place) == change
