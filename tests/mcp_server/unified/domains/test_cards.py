"""One row of each domain: what it must say, however little or much its source knows."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from mcp_server.unified.domains import article, disease, drug, gene, pathway, pgx, protein, trial, variant_cards
from mcp_server.unified.results import TEXT_MAX_CHARS, Result

Json = Any
LONG = "a very long remark that goes on and on, " * 50
MANY = [f"Name {number} of a long list of names" for number in range(60)]
GROUP = {"significance": "Pathogenic", "stars": 2, "conditions": [f"{LONG[:150]} {number}" for number in range(9)]}
FULL: Mapping[str, tuple[Callable[[Any], Result | None], Json, tuple[str, ...]]] = {
    "article": (
        article.card,
        {"pmid": "1", "title": "T", "year": 2012, "journal": "N Engl J Med", "first_author": "Flaherty KT",
         "abstract": LONG},
        ("2012", "N Engl J Med", "Flaherty KT", "a very long"),
    ),
    "retracted preprint": (
        article.card,
        {"doi": "10.1101/1", "title": "T", "year": 2024, "is_preprint": True, "server": "medRxiv", "is_retracted": True,
         "abstract": LONG, "url": "https://europepmc.org/article/PPR/PPR1"},
        ("Preprint (medRxiv), not peer-reviewed", "RETRACTED", "2024"),
    ),
    "preprint in PubMed": (
        article.card,
        {"pmid": "1", "title": "T", "year": 2024, "journal": "bioRxiv"},
        ("Preprint (bioRxiv), not peer-reviewed",),
    ),
    "trial": (
        trial.card,
        {"nctId": "NCT00000001", "briefTitle": "T", "phases": ["PHASE1", "PHASE2"], "overallStatus": "RECRUITING",
         "leadSponsor": "Novartis", "interventions": [{"name": name} for name in MANY], "briefSummary": LONG},
        ("phase 1/phase 2", "recruiting", "Novartis", "Name 0", "and 56 more", "a very long"),
    ),
    "observational trial": (
        trial.card,
        {"nctId": "NCT00000001", "briefTitle": "T", "studyType": "OBSERVATIONAL", "overallStatus": "COMPLETED"},
        ("observational", "completed"),
    ),
    "variant": (
        variant_cards.card,
        {"variant_id": "chr7:g.1A>T", "assembly": "hg38", "genes": ["BRAF"], "protein_changes": ["V600E"],
         "consequences": MANY, "clinvar": {"variation_id": "1", "classified": [GROUP] * 5},
         "gnomad": {"frequency": 3.98e-06, "dataset": "gnomAD exomes 2.1.1", "population": "all"},
         "cadd_phred": 29.8, "rsid": "rs113488022"},
        ("BRAF", "p.V600E", "ClinVar Pathogenic, 2 stars", "3.98e-06 (gnomAD exomes 2.1.1, all)", "assembly hg38"),
    ),
    "gene": (
        gene.card,
        {"entrez_gene_id": "673", "symbol": "BRAF", "name": "B-Raf", "type_of_gene": "protein-coding", "aliases": MANY,
         "places": [{"assembly": "GRCh38", "chromosome": "7", "start": 1, "end": 2}], "summary": LONG},
        ("B-Raf", "protein-coding", "Name 0", "chr7:1-2 (GRCh38)", "a very long"),
    ),
    "drug": (
        drug.card,
        {"id": "CHEMBL941", "name": "IMATINIB", "max_phase": 4.0, "withdrawn": True, "facts": [LONG]},
        ("approved", "WITHDRAWN somewhere"),
    ),
    "disease": (
        disease.card,
        {"id": "MONDO:0005105", "name": "melanoma", "definition": "A malignant neoplasm.",
         "xrefs": {"mesh": ["D008545"]}},
        ("A malignant neoplasm.", "mesh D008545"),
    ),
    "protein": (
        protein.card,
        {"primaryAccession": "P15056", "proteinName": "B-raf", "geneName": "BRAF", "organism": "Homo sapiens",
         "reviewed": True, "length": 766, "function": LONG},
        ("BRAF", "Homo sapiens", "reviewed", "766 aa"),
    ),
    "pathway": (
        pathway.card,
        {"stId": "R-HSA-5633007", "name": "Regulation of TP53 Activity", "species": ["Homo sapiens"], "isDisease": True,
         "summation": LONG},
        ("Homo sapiens", "in disease", "a very long"),
    ),
    "guideline": (
        pgx.card,
        {"id": "PA166104948", "name": "CPIC", "source": "CPIC", "relatedGenes": [{"symbol": "CYP2C19"}],
         "relatedChemicals": [{"name": "clopidogrel"}], "summary": LONG, "cpiclevel": "A"},
        ("guideline of CPIC", "CPIC level A", "CYP2C19", "clopidogrel"),
    ),
    "annotation": (
        pgx.card,
        {"id": 1451282340, "levelOfEvidence": {"term": "1A"}, "types": ["Efficacy"],
         "location": {"displayName": "rs4244285", "genes": [{"symbol": "CYP2C19"}]},
         "relatedChemicals": [{"name": "clopidogrel"}]},
        ("level 1A", "Efficacy", "CYP2C19"),
    ),
}  # fmt: skip
BARE: tuple[tuple[Callable[[Any], Result | None], Json], ...] = (
    (article.card, {"id": "1", "source": "AGR", "is_preprint": False}),
    (article.card, {"pmcid": "PMC1"}),
    (trial.card, {"nctId": "NCT00000001"}),
    (variant_cards.card, {"variant_id": "chr1:g.1A>T", "assembly": "hg19"}),
    (variant_cards.clinvar_card, {"variation_id": "13961"}),
    (gene.card, {"entrez_gene_id": "1"}),
    (drug.card, {"id": "CHEMBL1", "facts": []}),
    (disease.card, {"id": "MONDO:0000001"}),
    (protein.card, {"primaryAccession": "P15056"}),
    (pathway.card, {"stId": "R-HSA-1"}),
    (pgx.card, {"id": "PA1"}),
    (pgx.card, {"id": 1}),
)


@pytest.mark.parametrize("name", FULL)
def test_a_row_says_what_its_domain_is_about(name: str) -> None:
    made, row, facts = FULL[name]
    found = made(row)
    assert found is not None
    for fact in facts:
        assert fact in found.text, (fact, found.text)
    assert len(found.text) <= TEXT_MAX_CHARS and found.url.startswith("https://")


@pytest.mark.parametrize("number", range(len(BARE)))
def test_a_row_of_which_nearly_nothing_is_known_has_four_full_texts(number: int) -> None:
    made, row = BARE[number]
    found = made(row)
    assert found is not None
    assert all(found.wire().values()) and "None" not in " ".join(found.wire().values())
    assert found.url.startswith("https://")
