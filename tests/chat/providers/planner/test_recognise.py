"""Questions are read into names and a shape, whatever their wording."""

import pytest

from chat.providers.planner.parts.diseases import look_up_words
from chat.providers.planner.recognise import one_letter_form, recognise
from chat.providers.planner.shapes import Shape

HEADLINE = (
    "Which kinase inhibitors in clinical trials target proteins linked to HER2-positive breast cancer, "
    "and what pharmacogenomic variants affect their dosing?"
)

SHAPES = {
    HEADLINE: (Shape.TARGET_DRUGS, "HER2", "breast cancer"),
    "HER2+ breast cancer: kinase inhibitors in trials": (Shape.TARGET_DRUGS, "HER2", "breast cancer"),
    "Kinase inhibitors for NSCLC with EGFR": (Shape.TARGET_DRUGS, "EGFR", "non-small cell lung cancer"),
    "Which drugs are used in FLT3-positive acute myeloid leukemia?": (
        Shape.GENE_IN_DISEASE,
        "FLT3",
        "acute myeloid leukemia",
    ),
    "EGFR-mutant non-small-cell lung cancer: how does osimertinib act on T790M, and what comes next?": (
        Shape.GENE_IN_DISEASE,
        "EGFR",
        "non-small-cell lung cancer",
    ),
    "Which TKIs are in trials for ALK-rearranged lung cancer?": (Shape.TARGET_DRUGS, "ALK", "lung cancer"),
    "KRAS G12C-mutated colorectal cancer: inhibitors": (Shape.GENE_IN_DISEASE, "KRAS", "colorectal cancer"),
    "BRAF V600E in melanoma: which drugs target it, and what does ClinVar say?": (Shape.VARIANT, "BRAF", "melanoma"),
    "What is rs113488022?": (Shape.VARIANT, "", ""),
    "NM_004333.6:c.1799T>A": (Shape.VARIANT, "", ""),
    "How do CYP2C19 star alleles change the response to clopidogrel?": (Shape.PHARMACOGENOMICS, "CYP2C19", ""),
    "codeine and CYP2D6": (Shape.PHARMACOGENOMICS, "CYP2D6", ""),
    "FK506 dosing and CYP3A5": (Shape.PHARMACOGENOMICS, "CYP3A5", ""),
    "Does VKORC1 affect warfarin?": (Shape.PHARMACOGENOMICS, "VKORC1", ""),
    "Which Reactome pathways contain TP53, and which approved drugs target their members?": (
        Shape.PATHWAYS,
        "TP53",
        "",
    ),
    "pathways of p53": (Shape.PATHWAYS, "p53", ""),
    "What are the Ensembl, UniProt and ChEMBL identifiers of HER2?": (Shape.IDENTIFIERS, "HER2", ""),
    "What's the UniProt accession of ERBB2?": (Shape.IDENTIFIERS, "ERBB2", ""),
    "Which gene is MLL?": (Shape.GENE, "MLL", ""),
    "Summarise the role of PD-L1": (Shape.GENE, "PD-L1", ""),
    "What does ENSG00000141736 stand for?": (Shape.GENE, "", ""),
    "Which gene causes Holt-Oram syndrome?": (Shape.DISEASE_GENES, "", "Holt-Oram syndrome"),
    "Which targets are associated with melanoma?": (Shape.DISEASE, "", "melanoma"),
    "MONDO and ICD-10 codes of Marfan syndrome": (Shape.DISEASE_CODES, "", "Marfan syndrome"),
    "Can my patient with glioma join NCT02576665?": (Shape.TRIAL, "", "glioma"),
    "PMID 22663011: is it retracted?": (Shape.PAPER, "", ""),
    "What is R-HSA-5673001?": (Shape.PATHWAY_RECORD, "", ""),
    "Which variants (rsIDs) define TPMT*3A?": (Shape.STAR_ALLELES, "TPMT", ""),
    "Drugs at CPIC level A for CYP2D6": (Shape.CPIC_LEVEL, "CYP2D6", ""),
    "Which drugs act on both EGFR and ERBB2?": (Shape.DRUGS_ON_GENES, "EGFR", ""),
    "BRAF V600E: ClinVar VariationID and HGVS?": (Shape.VARIANT_CARD, "BRAF", ""),
    "Which gene is chr10:g.87933119A>C?": (Shape.VARIANT_CARD, "", ""),
    "UniProt accession and length of ENSG00000010404": (Shape.IDENTIFIERS, "", ""),
    "When was imatinib first approved by the FDA?": (Shape.DRUG_CARD, "", ""),
    "What is imatinib?": (Shape.DRUG, "", ""),
    "CHEMBL554": (Shape.DRUG, "", ""),
    "Trials of tucatinib in breast cancer": (Shape.DRUG, "", "breast cancer"),
    "Which drugs treat cystic fibrosis?": (Shape.DISEASE, "", "cystic fibrosis"),
    "triple-negative breast cancer": (Shape.DISEASE, "", "triple-negative breast cancer"),
    "Write me a poem about whales.": (Shape.UNSUPPORTED, "", ""),
    "What is the capital of France?": (Shape.UNSUPPORTED, "", ""),
    "": (Shape.UNSUPPORTED, "", ""),
    "WHICH DRUGS ARE IN TRIALS?": (Shape.UNSUPPORTED, "", ""),
}


@pytest.mark.parametrize("text", SHAPES, ids=lambda text: text[:50] or "nothing")
def test_a_question_has_its_shape_gene_and_disease(text: str) -> None:
    question = recognise(text)
    assert (question.shape, question.gene, question.disease) == SHAPES[text]


@pytest.mark.case("C017")
@pytest.mark.parametrize(
    "text", ["BRAF V600E", "BRAF p.Val600Glu", "BRAF:p.V600E", "braf v600e", "VAL600GLU in BRAF", "BRAF p.(Val600Glu)"]
)
def test_all_spellings_of_a_protein_change_are_one_variant(text: str) -> None:
    question = recognise(text)
    assert (question.gene.upper(), question.variants) == ("BRAF", ("V600E",))


@pytest.mark.case("C017")
def test_a_protein_change_of_four_digits_is_no_sample_name() -> None:
    assert recognise("BRCA1 A1234P").variants == ("A1234P",)


@pytest.mark.parametrize(
    ("change", "expected"),
    [("p.Arg175His", "R175H"), ("R175H", "R175H"), ("p.(Trp26Ter)", "W26*"), ("Q61X", "Q61*"), ("g12c", "G12C")],
)
def test_a_protein_change_is_written_with_one_letter(change: str, expected: str) -> None:
    assert one_letter_form(change) == expected


@pytest.mark.case("C002")
@pytest.mark.parametrize("name", ["HER2", "HER-2", "her2", "HER2/neu", "Her2"])
def test_an_everyday_gene_name_is_kept_as_the_user_wrote_it(name: str) -> None:
    assert recognise(f"identifiers of {name}").gene == name


@pytest.mark.case("C005")
@pytest.mark.parametrize("name", ["C9orf72", "c9orf72", "C9ORF72"])
def test_the_gene_name_of_a_reading_frame_is_recognised(name: str) -> None:
    assert recognise(f"Tell me about {name}").genes == (name,)


@pytest.mark.case("C003")
def test_a_cell_that_a_spreadsheet_damaged_is_no_gene() -> None:
    question = recognise("TP53, 1-Mar, 12-Sep, 6-Sep")
    assert (question.shape, question.damaged_cells) == (Shape.DAMAGED_CELLS, ("1-Mar", "12-Sep", "6-Sep"))


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("HER2-positive breast cancer drugs", "positive"),
        ("HER2 negative breast cancer drugs", "negative"),
        ("EGFR mutant NSCLC drugs", "mutant"),
        ("hormone receptor-positive breast cancer drugs", ""),
        ("node-positive breast cancer drugs", ""),
    ],
)
def test_the_state_of_a_biomarker_is_read(text: str, marker: str) -> None:
    assert recognise(text).marker == marker


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("What is imatinib?", ("imatinib",)),
        ("TAK-285 mechanism", ("TAK-285",)),
        ("How should simvastatin be dosed in SLCO1B1 carriers?", ("simvastatin",)),
        ("How does tacrolimus dosing depend on CYP3A5?", ("tacrolimus",)),
        ("dose of furosemide", ("furosemide",)),
        ("Which drugs are in trials for melanoma?", ()),
    ],
)
def test_a_drug_is_recognised_by_stem_code_or_place(text: str, drugs: tuple[str, ...]) -> None:
    assert recognise(text).drugs == drugs


def test_a_star_allele_brings_its_gene() -> None:
    question = recognise("clopidogrel and CYP2C19*2")
    assert (question.genes, question.alleles) == (("CYP2C19",), ("CYP2C19*2",))


@pytest.mark.parametrize(
    ("text", "alleles"),
    [
        ("rsIDs of *2, *3 and *17 of CYP2C19", ("CYP2C19*2", "CYP2C19*3", "CYP2C19*17")),
        ("the TPMT variants of *3A and the NUDT15 allele *3", ("TPMT*3A", "NUDT15*3")),
        ("HLA-B and *58:01", ("HLA-B*58:01",)),
        ("*2 of that gene", ()),
    ],
)
def test_an_allele_without_its_gene_takes_the_one_named_before_it(text: str, alleles: tuple[str, ...]) -> None:
    assert recognise(text).alleles == alleles


def test_genes_that_a_question_sets_aside_are_not_what_it_is_about() -> None:
    question = recognise("Which gene changes the drug response to warfarin, apart from VKORC1 and CYP2C9?")
    assert (question.genes, question.excluded) == ((), ("VKORC1", "CYP2C9"))


@pytest.mark.parametrize(
    ("text", "disease"),
    [
        ("codes of type 2 diabetes mellitus", "type 2 diabetes mellitus"),
        ("the gene behind Currarino syndrome", "Currarino syndrome"),
        ("two further syndromes", ""),
        ("pseudohypoparathyroidism 1C, with lengths", "pseudohypoparathyroidism 1C"),
    ],
)
def test_a_disease_has_its_whole_name_and_no_word_around_it(text: str, disease: str) -> None:
    assert recognise(text).disease == disease


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("Familial hypercholesterolaemia", "Familial hypercholesterolemia"),
        ("haemolytic uraemic syndrome", "hemolytic uremic syndrome"),
        ("ischaemic oedema", "ischemic edema"),
        ("Fanconi anaemia", "Fanconi anemia"),
        ("brain tumour", "brain tumor"),
    ],
)
def test_a_british_spelling_is_looked_up_as_databases_file_it(british: str, american: str) -> None:
    assert look_up_words(british) == american


def test_words_of_the_trade_are_no_genes() -> None:
    assert recognise("FDA and CPIC labels with DNA testing by NGS, phase3").genes == ()


@pytest.mark.parametrize(("text", "wants"), [("which trials are open?", True), ("which trials are there?", False)])
def test_a_question_for_open_trials_is_read_as_one(text: str, wants: bool) -> None:
    assert recognise(f"BRAF V600E in melanoma: {text}").wants_open_trials is wants
