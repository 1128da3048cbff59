"""cBioPortal's cohorts: finding them, what one holds, clinical values, drugs, copy numbers, fusions."""

from typing import Any

import pytest

from mcp_server.platforms.cbioportal import platform
from tests.mcp_server.platforms.cbioportal_cases import (
    GBM,
    IMPACT,
    NONE,
    SEX,
    counted,
    fusion,
    gene,
    panel_row,
    study,
    study_record,
    unknown_study,
)
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

PORTAL = [
    study_record(
        "luad_tcga_pan_can_atlas_2018", "Lung Adenocarcinoma (TCGA)", 566, cancerTypeId="luad", cancerType=None
    ),
    study_record("nsclc_mskcc_2018", "Non-Small Cell Lung Cancer (MSK, J Clin Oncol 2018)", 240, cancerTypeId="nsclc"),
    study_record("msk_ch_2023", "Cancer Therapy and Clonal Hematopoiesis (MSK)", 42714, sequencedSampleCount=42714),
    study_record("mouse_2020", "Mouse Lung", 12, referenceGenome="mm10", cancerTypeId="lung", groups="PRIVATE"),
]
TREE = [
    {"cancerTypeId": "tissue", "name": "Tissue", "parent": ""},
    {"cancerTypeId": "lung", "name": "Lung", "parent": "tissue"},
    {"cancerTypeId": "nsclc", "name": "Non-Small Cell Lung Cancer", "parent": "lung"},
    {"cancerTypeId": "luad", "name": "Lung Adenocarcinoma", "shortName": "LUAD", "parent": "nsclc"},
    {"cancerTypeId": "skcm", "name": "Cutaneous Melanoma", "parent": "mel"},
]


async def ask(tool: str, answers: dict[str, Any], **arguments: Any) -> tuple[Any, FakeUpstream]:
    upstream = FakeUpstream(answers)
    return await call(platform, upstream, tool, **arguments), upstream


async def search(**arguments: Any) -> tuple[list[str], Any]:
    result, _ = await ask(
        "search_cancer_studies", {"/studies": Played(PORTAL), "/cancer-types": Played(TREE)}, **arguments
    )
    return [one["studyId"] for one in result.content["data"]], result


async def test_the_largest_study_comes_first_and_nothing_is_cut_unsaid() -> None:
    ids, result = await search(limit=2)
    rest, _ = await search(limit=2, **result.content["next"])

    assert ids == ["msk_ch_2023", "luad_tcga_pan_can_atlas_2018"]
    assert (result.content["total"], result.content["returned"], result.content["next"]) == (4, 2, {"offset": 2})
    assert rest == ["nsclc_mskcc_2018", "mouse_2020"]


@pytest.mark.case("C040")
async def test_words_narrow_a_search_even_where_the_portal_ignores_them() -> None:
    lung, _ = await search(keyword="lung")
    both, _ = await search(keyword="lung MSK")
    strange, result = await search(keyword="xyzzy")

    assert (len(lung), both, strange) == (3, ["nsclc_mskcc_2018"], [])
    assert (result.content["outcome"], result.content["total"]) == ("empty", 0)


async def test_the_words_are_sent_and_all_studies_come_in_one_page() -> None:
    _, upstream = await ask("search_cancer_studies", {"/studies": Played(PORTAL)}, keyword="lung MSK")

    assert upstream.asked == ["api/studies?keyword=lung MSK&projection=DETAILED"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("luad", ["luad_tcga_pan_can_atlas_2018"]),
        ("LUAD", ["luad_tcga_pan_can_atlas_2018"]),
        ("Lung Adenocarcinoma", ["luad_tcga_pan_can_atlas_2018"]),
        ("nsclc", ["luad_tcga_pan_can_atlas_2018", "nsclc_mskcc_2018"]),
        ("lung", ["luad_tcga_pan_can_atlas_2018", "nsclc_mskcc_2018", "mouse_2020"]),
        ("skcm", []),
    ],
)
async def test_a_cancer_type_brings_its_subtypes(asked: str, found: list[str]) -> None:
    assert (await search(cancer_type=asked))[0] == found


async def test_an_unknown_cancer_type_is_not_an_empty_result() -> None:
    result, _ = await ask(
        "search_cancer_studies", {"/studies": Played(PORTAL), "/cancer-types": Played(TREE)}, cancer_type="lung adeno"
    )

    assert (result.content["outcome"], result.content["data"]["identifier"]) == ("unknown_id", "lung adeno")
    assert "lung adenocarcinoma (luad)" in result.content["note"]


async def test_small_studies_can_be_left_out_and_a_study_tells_its_assembly_and_species() -> None:
    ids, _ = await search(min_samples=500)
    _, result = await search(keyword="mouse")

    assert ids == ["msk_ch_2023", "luad_tcga_pan_can_atlas_2018"]
    mouse = result.content["data"][0]
    assert (mouse["species"], mouse["assembly"], mouse["allSampleCount"]) == ("Mus musculus", "GRCm38", 12)
    assert "groups" not in mouse


async def test_a_study_is_shown_with_its_parts_and_without_html() -> None:
    description = 'NCI-60; raw data at <A HREF="http://discover.nci.nih.gov">CellMiner</A> &amp; more.'
    record = {
        **study("cellline_nci60", "mutation", "cna", description=description),
        "/clinical-attributes": Played([SEX]),
    }

    result, _ = await ask("get_cancer_study", record, study_id="cellline_nci60")

    data = result.content["data"]
    assert data["description"] == "NCI-60; raw data at CellMiner & more."
    assert [one["molecularProfileId"] for one in data["profiles"]] == [
        "cellline_nci60_mutations",
        "cellline_nci60_gistic",
    ]
    assert data["sample_lists"][0]["sampleListId"] == "cellline_nci60_all"
    assert data["clinical_attributes"][0]["clinicalAttributeId"] == "SEX"
    assert {cited["kind"]: cited["url"] for cited in result.meta["burp/citations"]} == {
        "cbioportal_study": "https://www.cbioportal.org/study/summary?id=cellline_nci60",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/28481359/",
    }


async def test_an_unknown_study_comes_with_near_ids() -> None:
    result, _ = await ask("get_cancer_study", unknown_study("msk_chord"), study_id="MSK_CHORD")

    assert (result.content["outcome"], result.content["data"]["identifier"]) == ("unknown_id", "msk_chord")
    assert "Near ids: msk_chord_2." in result.content["note"]


AGE = {"clinicalAttributeId": "AGE", "displayName": "Diagnosis Age", "datatype": "NUMBER", "patientAttribute": True}
TYPE = {
    "clinicalAttributeId": "CANCER_TYPE",
    "displayName": "Cancer Type",
    "datatype": "STRING",
    "patientAttribute": False,
}


async def clinical(
    attribute: Any, values: list[Any], patients: str = "5", **arguments: Any
) -> tuple[Any, FakeUpstream]:
    case = "patientId" if attribute["patientAttribute"] else "sampleId"
    asked = attribute["clinicalAttributeId"]
    rows = [
        {"studyId": "gbm_tcga_pub", "clinicalAttributeId": asked, case: f"C{number}", "value": value}
        for number, value in enumerate(values)
    ]
    answers = {
        **study("gbm_tcga_pub", samples=206),
        "/clinical-attributes": Played([SEX, AGE, TYPE]),
        "/clinical-data": Played(rows),
        "/patients?projection=META": Played("", headers={"total-count": patients}),
    }
    return await ask("clinical_summary", answers, **{"study_id": "gbm_tcga_pub", "attribute_id": asked, **arguments})


async def test_values_are_counted_by_case_and_missing_ones_are_none() -> None:
    result, upstream = await clinical(SEX, ["Female", "Female", "Male", "NA", ""])

    data = result.content["data"]
    assert [(row["value"], row["count"], row["percent"]) for row in data["values"]] == [
        ("Female", 2, 66.67),
        ("Male", 1, 33.33),
    ]
    assert (data["counted"], data["cases_with_value"], data["cases_in_study"]) == ("patients", 3, 5)
    assert any("clinicalDataType=PATIENT" in path for path in upstream.asked)


async def test_numbers_have_quartiles_and_other_values_are_counted_apart() -> None:
    result, _ = await clinical(AGE, ["22", "40", "60", "80", ">89"])

    data = result.content["data"]
    assert data["numbers"] == {
        "cases": 4, "min": 22.0, "first_quartile": 35.5, "median": 50.0, "third_quartile": 65.0, "max": 80.0,
    }  # fmt: skip
    assert data["values"] == [{"value": ">89", "count": 1, "percent": 20.0}]
    assert "no numbers are counted apart" in result.content["note"]


async def test_samples_are_the_studys_samples_and_a_name_is_understood() -> None:
    result, upstream = await clinical(TYPE, ["Glioma", "Glioma"], attribute_id="cancer type")

    data = result.content["data"]
    assert (data["attribute"]["id"], data["counted"], data["cases_in_study"]) == ("CANCER_TYPE", "samples", 206)
    assert not any("/patients" in path for path in upstream.asked)


async def test_the_wrong_level_and_an_unknown_attribute_are_told() -> None:
    level, _ = await clinical(SEX, ["Female"], level="SAMPLE")
    unknown, _ = await clinical(SEX, ["Female"], attribute_id="CANCER_TYP")

    assert (level.content["error"]["argument"], level.content["error"]["example"]) == ("level", "PATIENT")
    assert unknown.content["outcome"] == "unknown_id" and "CANCER_TYPE" in unknown.content["note"]


async def test_more_cases_with_a_value_than_there_are_is_an_error() -> None:
    result, _ = await clinical(SEX, ["Female"] * 6)

    assert "6 patients have a value, the study has 5" in result.content["error"]["message"]


async def test_values_of_another_attribute_are_refused() -> None:
    rows = [{"studyId": "gbm_tcga_pub", "clinicalAttributeId": "AGE", "patientId": "P1", "value": "22"}]
    answers = {**study("gbm_tcga_pub"), "/clinical-attributes": Played([SEX]), "/clinical-data": Played(rows)}
    answers["/patients"] = Played("", headers={"total-count": "5"})

    result, _ = await ask("clinical_summary", answers, study_id="gbm_tcga_pub", attribute_id="SEX")

    assert "asked for SEX in gbm_tcga_pub, got AGE" in result.content["error"]["message"]


DRUGS = [{"treatment": "LETROZOLE", "count": 1}, {"treatment": "FLUOROURACIL", "count": 3}]


async def test_drugs_are_counted_over_the_patients_with_a_drug() -> None:
    report = {"totalPatients": 4, "totalSamples": 0, "patientTreatments": DRUGS}
    answers = {**study("msk_chord_2024"), "/treatments/patient-counts/fetch": Played(report)}

    result, upstream = await ask("treatments_in_study", answers, study_id="msk_chord_2024", limit=1)

    data = result.content["data"]
    assert data["treatments"] == [{"treatment": "FLUOROURACIL", "patients": 3, "percent": 75.0}]
    assert (data["patients_with_treatment"], result.content["total"], result.content["next"]) == (4, 2, {"offset": 1})
    assert upstream.requests[-1].body == {"studyIds": ["msk_chord_2024"]}


async def test_an_older_portals_samples_lead_to_the_same_numbers() -> None:
    samples = [{"patientId": f"P{number}", "sampleId": f"S{number}"} for number in range(4)]
    rows = [{**DRUGS[0], "samples": samples[:1]}, {**DRUGS[1], "samples": samples[1:]}]
    answers = {**study("msk_chord_2024"), "/patient-counts/fetch": Played("gone", 404)}

    result, _ = await ask(
        "treatments_in_study", {**answers, "/treatments/patient": Played(rows)}, study_id="msk_chord_2024"
    )

    assert result.content["data"]["patients_with_treatment"] == 4
    assert result.content["data"]["treatments"][0]["percent"] == 75.0


async def test_more_patients_of_a_drug_than_treated_ones_are_an_error() -> None:
    report = {"totalPatients": 2, "totalSamples": 0, "patientTreatments": DRUGS}
    answers = {**study("msk_chord_2024"), "/treatments/patient-counts/fetch": Played(report)}

    result, _ = await ask("treatments_in_study", answers, study_id="msk_chord_2024")

    assert result.content["error"]["code"] == "upstream_bad_response"


def copy_number(sample: str, level: Any) -> dict[str, Any]:
    ids = {"studyId": GBM, "molecularProfileId": f"{GBM}_gistic", "sampleId": sample}
    return {**ids, "entrezGeneId": 1956, "alteration": level}


async def copy_numbers(rows: list[Any], **arguments: Any) -> tuple[Any, FakeUpstream]:
    answers = {**gene("EGFR"), **study(GBM, "log2", "cna"), "/discrete-copy-number/fetch": Played(rows)}
    answers["/cna-genes/fetch"] = Played([counted("EGFR", 2, 20, alteration=2)])
    return await ask("copy_number_in_gene", answers, gene="EGFR", study_id=GBM, **arguments)


async def test_copy_numbers_are_counted_by_sample_over_profiled_ones() -> None:
    rows = [copy_number("S1", 2), copy_number("S1", 2), copy_number("S2", "2"), copy_number("S3", -2)]

    result, upstream = await copy_numbers(rows)

    counts = {row["name"]: (row["altered_samples"], row["percent"]) for row in result.content["data"]["counts"]}
    assert counts == {"deep deletion": (1, 5.0), "amplification": (2, 10.0)}
    assert result.content["data"]["profiled_samples"] == 20
    asked = next(request for request in upstream.requests if "discrete-copy-number" in request.url)
    assert f"/{GBM}_gistic/" in asked.url and "discreteCopyNumberEventType=HOMDEL_AND_AMP" in asked.url


@pytest.mark.case("C040")
async def test_a_copy_number_that_was_not_asked_for_is_refused() -> None:
    result, _ = await copy_numbers([copy_number("S1", 1)], events="AMP")

    assert "asked for AMP, got the copy number 1" in result.content["error"]["message"]


async def test_all_copy_numbers_have_their_names() -> None:
    result, _ = await copy_numbers([copy_number(f"S{level}", level) for level in range(-2, 3)], events="ALL")

    assert [(row["alteration"], row["altered_samples"]) for row in result.content["data"]["counts"]] == [
        (level, 1) for level in range(-2, 3)
    ]


async def fusions(rows: list[Any], **arguments: Any) -> tuple[Any, FakeUpstream]:
    answers = {**gene("ALK"), **gene("EML4"), **study(IMPACT, "structural_variant")}
    answers |= {
        "/structural-variant/fetch": Played(rows),
        "/structuralvariant-genes/fetch": Played([counted("ALK", 3, 50)]),
    }
    return await ask("fusions_in_gene", answers, **{"gene": "ALK", "study_ids": [IMPACT], **arguments})


async def test_fusions_are_named_by_their_genes_and_counted_by_sample() -> None:
    frame = {"site2EffectOnFrame": "In_frame", "site1Exon": 6, "site2Exon": 20}
    rows = [
        *(fusion(IMPACT, "P-1-T01-IM3", site2Position=29446394 + further, **frame) for further in range(1, 9)),
        fusion(IMPACT, "P-1-T01-IM3", **frame),
        fusion(IMPACT, "P-1-T01-IM3"),
        fusion(IMPACT, "P-2-T01-IM3", **frame),
        fusion(IMPACT, "P-3-T01-IM3", "ALK", "ALK"),
        fusion(IMPACT, "P-4-T01-IM3", "NA", "ALK", site1EntrezGeneId=None, site1Position=-1),
    ]

    result, upstream = await fusions(rows)

    found = {one["fusion"]: one["studies"][0] for one in result.content["data"]["fusions"]}
    assert {name: row["samples"] for name, row in found.items()} == {
        "EML4::ALK": 2,
        "ALK intragenic": 1,
        "no gene named::ALK": 1,
    }
    assert (found["EML4::ALK"]["in_frame_samples"], found["EML4::ALK"]["profiled_samples"]) == (2, 50)
    assert found["EML4::ALK"]["percent"] == 4.0
    assert found["EML4::ALK"]["distinct_breakpoints"] > len(found["EML4::ALK"]["breakpoints"]) > 0
    first = found["EML4::ALK"]["breakpoints"][0]
    assert (first["assembly"], first["site1_position"], first["site1_exon"], first["site2_exon"]) == (
        "GRCh37", 42492092, 6, 20,
    )  # fmt: skip
    assert found["no gene named::ALK"]["breakpoints"][0]["site1_position"] is None
    sent = next(request.body for request in upstream.requests if request.url.endswith("/structural-variant/fetch"))
    assert sent == {"entrezGeneIds": [238], "molecularProfileIds": [f"{IMPACT}_structural_variants"]}


@pytest.mark.case("C040")
async def test_a_partner_narrows_the_fusions() -> None:
    rows = [fusion(IMPACT, "P-1-T01-IM3"), fusion(IMPACT, "P-2-T01-IM3", "STRN"), fusion(IMPACT, "P-3-T01-IM3", "ALK")]

    everything, _ = await fusions(rows)
    eml4, _ = await fusions(rows, partner="eml4")
    itself, _ = await fusions(rows, partner="ALK")
    nothing, _ = await fusions(rows[1:], partner="EML4")

    assert [one.content["total"] for one in (everything, eml4, itself, nothing)] == [3, 1, 1, 0]
    assert eml4.content["data"]["partner"]["entrez_gene_id"] == 27436
    assert itself.content["data"]["fusions"][0]["fusion"] == "ALK intragenic"
    assert "No structural variant of ALK with EML4" in nothing.content["note"]


async def test_structural_variants_without_the_gene_are_refused() -> None:
    result, _ = await fusions([fusion(IMPACT, "P-1-T01-IM3", "EML4", "STRN")])

    assert "without it" in result.content["error"]["message"]


async def test_a_gene_that_no_panel_of_the_study_looks_at_has_no_fusions_to_count() -> None:
    panels = Played([{"genePanelId": "SMALL", "genes": [{"hugoGeneSymbol": "BRAF", "entrezGeneId": 673}]}])
    answers = {
        **gene("ALK"),
        **study(IMPACT, "structural_variant"),
        "/structural-variant/fetch": NONE,
        "/structuralvariant-genes/fetch": NONE,
        "/gene-panel-data/fetch": Played([panel_row(IMPACT, "P-1", "SMALL", kind="structural_variant")]),
        "/gene-panels/fetch": panels,
    }

    result, _ = await ask("fusions_in_gene", answers, gene="ALK", study_ids=[IMPACT])

    assert result.content["outcome"] == "empty"
    assert result.content["data"]["not_profiled"] == [IMPACT]
