"""cBioPortal frequencies: altered samples over samples profiled for the gene, both shown, one study at a time."""

from typing import Any

import pytest

from mcp_server.platforms.cbioportal import platform
from mcp_server.platforms.cbioportal.cohorts import PANCANCER
from tests.mcp_server.platforms.cbioportal_cases import (
    ACC,
    NONE,
    SKCM,
    THCA,
    counted,
    fusion,
    gene,
    mutation,
    not_found,
    panel_row,
    profile,
    studies,
    study,
    study_record,
    unknown_gene,
)
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

# 130 calls in 60 samples: some samples have three, some two.
ROWS = [mutation("panel_2020", f"S{number % 60}", f"R{number}H", "TP53") for number in range(130)]
PROFILED = [panel_row("panel_2020", f"S{number}", "IMPACT341") for number in range(100)]
IMPACT341 = Played([{"genePanelId": "IMPACT341", "genes": [{"hugoGeneSymbol": "TP53", "entrezGeneId": 7157}]}])
ONE_STUDY = {**gene("TP53"), **study("panel_2020", "mutation", "cna", "structural_variant")}


async def frequency(answers: dict[str, Any], **arguments: Any) -> tuple[Any, FakeUpstream]:
    upstream = FakeUpstream(answers)
    asked = {"gene": "TP53", "study_ids": ["panel_2020"], **arguments}
    return await call(platform, upstream, "gene_alteration_frequency", **asked), upstream


@pytest.mark.case("C039")
async def test_samples_are_counted_and_not_calls() -> None:
    row = counted("TP53", 60, 100, totalCount=130)

    result, upstream = await frequency({**ONE_STUDY, "/mutated-genes/fetch": Played([row])})

    found = result.content["data"]["studies"][0]
    assert (found["altered_samples"], found["profiled_samples"], found["percent"]) == (60, 100, 60.0)
    assert result.content["data"]["counted"] == "samples"
    assert upstream.requests[-1].body == {"studyIds": ["panel_2020"]}


@pytest.mark.case("C039")
@pytest.mark.parametrize("moved", [Played("gone", 404), Played({"message": "no"}, 405)], ids=["gone", "refused"])
async def test_without_the_portals_counts_calls_are_counted_by_sample_over_panels(moved: Played) -> None:
    answers = {"/mutated-genes/fetch": moved, "/mutations/fetch": Played(ROWS), "/gene-panels/fetch": IMPACT341}
    panels = {"/gene-panel-data/fetch": Played(PROFILED)}

    result, _ = await frequency({**ONE_STUDY, **answers, **panels})

    found = result.content["data"]["studies"][0]
    assert (found["altered_samples"], found["profiled_samples"], found["percent"]) == (60, 100, 60.0)


@pytest.mark.case("C039")
async def test_a_share_above_all_samples_is_an_error() -> None:
    result, _ = await frequency({**ONE_STUDY, "/mutated-genes/fetch": Played([counted("TP53", 130, 100)])})

    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "130 altered of 100 profiled samples is above 100 %" in result.content["error"]["message"]


@pytest.mark.case("C039")
async def test_an_impossible_study_is_left_out_and_named_and_the_others_are_given() -> None:
    counts = [Played([counted("TP53", 130, 100)]), Played([counted("TP53", 30, 100)])]

    result, _ = await frequency(
        {**gene("TP53"), **studies("one", "two"), "/mutated-genes/fetch": counts}, study_ids=["one", "two"]
    )

    data = result.content["data"]
    assert [row["percent"] for row in data["studies"]] == [30.0]
    assert len(data["failed"]) == 1 and "100 %" in data["failed"][0]["message"]
    assert data["failed"][0]["study_id"] in result.content["note"]


@pytest.mark.case("C039")
async def test_studies_are_never_added_up() -> None:
    counts = [Played([counted("TP53", 60, 100)]), Played([counted("TP53", 60, 80)])]

    result, _ = await frequency(
        {**gene("TP53"), **studies("atlas", "legacy"), "/mutated-genes/fetch": counts}, study_ids=["atlas", "legacy"]
    )

    assert [(row["altered_samples"], row["profiled_samples"]) for row in result.content["data"]["studies"]] == [
        (60, 80),
        (60, 100),
    ]
    assert "120" not in str(result.content["data"]) and "180" not in str(result.content["data"])
    assert "never added up" in result.content["note"]


async def test_calls_outside_a_samples_panel_do_not_count() -> None:
    row = {**counted("TP53", 57, 150), "numberOfAlteredCasesOnPanel": 45}

    result, _ = await frequency({**ONE_STUDY, "/mutated-genes/fetch": Played([row])})

    found = result.content["data"]["studies"][0]
    assert (found["altered_samples"], found["profiled_samples"], found["percent"]) == (45, 150, 30.0)


async def test_an_older_portal_without_panel_counts_is_told() -> None:
    row = counted("TP53", 57, 150)
    del row["numberOfAlteredCasesOnPanel"]

    result, _ = await frequency({**ONE_STUDY, "/mutated-genes/fetch": Played([row])})

    assert result.content["data"]["studies"][0]["altered_samples"] == 57
    assert "does not tell calls on a sample's panel from others" in result.content["note"]


async def test_a_gene_without_calls_is_none_of_those_whose_panel_holds_it() -> None:
    panels = [
        {"genePanelId": "SMALL", "genes": [{"hugoGeneSymbol": "BRAF", "entrezGeneId": 673}]},
        {"genePanelId": "LARGE", "genes": [{"hugoGeneSymbol": "TP53", "entrezGeneId": 7157}]},
    ]
    looked_at = [
        panel_row("panel_2020", "S1", "SMALL"),
        panel_row("panel_2020", "S2", "LARGE"),
        panel_row("panel_2020", "S3", "LARGE"),
        panel_row("panel_2020", "S4"),
        panel_row("panel_2020", "S5", "LARGE", profiled=False),
    ]
    answers = {"/mutated-genes/fetch": NONE, "/mutations/fetch": NONE, "/gene-panels/fetch": Played(panels)}

    result, _ = await frequency({**ONE_STUDY, **answers, "/gene-panel-data/fetch": Played(looked_at)})

    found = result.content["data"]["studies"][0]
    assert (found["altered_samples"], found["profiled_samples"], found["percent"]) == (0, 3, 0.0)


async def test_a_gene_on_no_panel_was_not_looked_at_which_is_not_zero() -> None:
    panels = Played([{"genePanelId": "SMALL", "genes": [{"hugoGeneSymbol": "BRAF", "entrezGeneId": 673}]}])
    answers = {"/mutated-genes/fetch": NONE, "/mutations/fetch": NONE, "/gene-panels/fetch": panels}

    result, _ = await frequency(
        {**ONE_STUDY, **answers, "/gene-panel-data/fetch": Played([panel_row("panel_2020", "S1", "SMALL")])}
    )

    assert result.content["outcome"] == "empty"
    assert "No sample was profiled" in result.content["note"] and "panel_2020" in result.content["note"]


async def test_a_panel_that_cannot_be_read_is_a_failure() -> None:
    answers = {"/mutated-genes/fetch": NONE, "/mutations/fetch": NONE, "/gene-panels/fetch": NONE}

    result, _ = await frequency({**ONE_STUDY, **answers, "/gene-panel-data/fetch": Played(PROFILED)})

    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_the_default_set_is_the_pancancer_atlas_in_few_requests() -> None:
    calls = [mutation(SKCM, "S1", "V600E"), mutation(SKCM, "S1", "G469A"), mutation(SKCM, "S2", "V600E")]
    calls += [mutation(SKCM, "S9", "V600E"), mutation(THCA, "S3", "V600E", mutationStatus="UNCALLED")]
    looked_at = [panel_row(SKCM, f"S{number}") for number in range(1, 5)] + [panel_row(THCA, "S3")]
    upstream = FakeUpstream(
        {
            **gene("BRAF"),
            **studies(SKCM, THCA),
            "/mutations/fetch": Played(calls),
            "/gene-panel-data/fetch": Played(looked_at),
        }
    )

    result = await call(platform, upstream, "gene_alteration_frequency", gene="BRAF")

    data = result.content["data"]
    assert [(row["study_id"], row["altered_samples"], row["profiled_samples"]) for row in data["studies"]] == [
        (SKCM, 2, 4),
        (THCA, 0, 1),
    ]
    assert data["set"] == "TCGA PanCancer Atlas 2018" and ACC in data["not_in_portal"]
    assert len(PANCANCER) == 32 and len(upstream.requests) == 5
    bodies = {request.url.partition("/api")[2]: request.body for request in upstream.requests}
    assert bodies["/studies/fetch?projection=DETAILED"] == list(PANCANCER)
    assert bodies["/mutations/fetch?projection=SUMMARY"]["molecularProfileIds"] == [
        f"{SKCM}_mutations",
        f"{THCA}_mutations",
    ]


async def test_copy_numbers_are_amplifications_and_deep_deletions_together_and_apart() -> None:
    rows = [counted("TP53", 10, 200, alteration=-2, qValue=0.001), counted("TP53", 4, 200, alteration=2)]

    result, _ = await frequency({**ONE_STUDY, "/cna-genes/fetch": Played(rows)}, alteration="cna")

    found = result.content["data"]["studies"][0]
    assert (found["altered_samples"], found["profiled_samples"], found["percent"]) == (14, 200, 7.0)
    assert (found["amplified_samples"], found["deep_deleted_samples"], found["q_value"]) == (4, 10, 0.001)


async def test_copy_numbers_come_as_numbers_or_as_text() -> None:
    values = ["-1", 2, "2", -2, "NA", 0]
    rows = [
        {
            "studyId": SKCM,
            "molecularProfileId": f"{SKCM}_gistic",
            "sampleId": f"S{number}",
            "entrezGeneId": 7157,
            "value": value,
        }
        for number, value in enumerate(values)
    ]
    answers = {"/molecular-profiles/fetch": Played([profile(SKCM, "log2"), profile(SKCM, "cna")])}
    upstream = FakeUpstream({**gene("TP53"), **studies(SKCM), **answers, "/molecular-data/fetch": Played(rows)})

    result = await call(platform, upstream, "gene_alteration_frequency", gene="TP53", alteration="cna")

    found = result.content["data"]["studies"][0]
    assert (found["altered_samples"], found["profiled_samples"]) == (3, 5)
    assert (found["amplified_samples"], found["deep_deleted_samples"]) == (2, 1)


async def test_structural_variants_of_the_default_set_are_counted_over_their_own_profile() -> None:
    calls = [fusion(THCA, "S1"), fusion(THCA, "S1", "STRN"), fusion(THCA, "S2", "ALK", "EML4")]
    looked_at = [panel_row(THCA, f"S{number}", kind="structural_variant") for number in range(1, 9)]
    answers = {
        "/molecular-profiles/fetch": Played([profile(THCA, "structural_variant")]),
        "/structural-variant/fetch": Played(calls),
        "/gene-panel-data/fetch": Played(looked_at),
    }
    upstream = FakeUpstream({**gene("ALK"), **studies(THCA), **answers})

    result = await call(platform, upstream, "gene_alteration_frequency", gene="ALK", alteration="structural_variant")

    found = result.content["data"]["studies"][0]
    assert (found["altered_samples"], found["profiled_samples"], found["percent"]) == (2, 8, 25.0)


async def test_rows_of_another_gene_are_refused() -> None:
    answers = {"/mutations/fetch": Played([mutation(SKCM, "S1", "R175H", "TP53")]), "/gene-panel-data/fetch": NONE}
    upstream = FakeUpstream({**gene("BRAF"), **studies(SKCM), **answers})

    result = await call(platform, upstream, "gene_alteration_frequency", gene="BRAF")

    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "asked for BRAF, got a row of gene 7157" in result.content["error"]["message"]


async def test_a_study_that_does_not_answer_is_named_and_the_others_are_given() -> None:
    counts = [Played("<html>504</html>", 504), Played([counted("TP53", 30, 100)])]

    result, _ = await frequency(
        {**gene("TP53"), **studies("one", "two"), "/mutated-genes/fetch": counts}, study_ids=["one", "two"]
    )

    data = result.content["data"]
    assert result.content["outcome"] == "data" and len(data["studies"]) == len(data["failed"]) == 1
    assert data["failed"][0]["source"] == "www.cbioportal.org" and "504" in data["failed"][0]["message"]
    assert "Not answered" in result.content["note"]


async def test_an_alias_leads_to_the_gene() -> None:
    erbb2 = {"entrezGeneId": 2064, "hugoGeneSymbol": "ERBB2", "type": "protein-coding"}
    answers = {"/genes/HER2": not_found("Gene", "HER2"), "/genes?alias=HER2": Played([erbb2])}

    result, _ = await frequency(
        {**answers, **study("panel_2020", "mutation"), "/mutated-genes/fetch": Played([counted("ERBB2", 5, 50)])},
        gene="HER2",
    )

    data = result.content["data"]
    assert data["gene"] == {"symbol": "ERBB2", "entrez_gene_id": 2064, "species": "Homo sapiens"}
    assert data["studies"][0]["percent"] == 10.0


@pytest.mark.parametrize("asked", ["7157", "tp53"])
async def test_numbers_and_small_letters_name_a_gene(asked: str) -> None:
    record = {"entrezGeneId": 7157, "hugoGeneSymbol": "TP53", "type": "protein-coding"}
    answers = {f"/genes/{asked.upper()}": Played(record), **study("panel_2020", "mutation")}

    result, _ = await frequency({**answers, "/mutated-genes/fetch": Played([counted("TP53", 60, 100)])}, gene=asked)

    assert result.content["data"]["gene"]["symbol"] == "TP53"


async def test_an_alias_of_several_genes_must_be_made_plain() -> None:
    both = [{"entrezGeneId": number, "hugoGeneSymbol": name, "type": ""} for number, name in ((1, "AAA"), (2, "BBB"))]
    answers = {"/genes/P40": not_found("Gene", "P40"), "/genes?alias=P40": Played(both)}

    result, _ = await frequency({**answers, **study("panel_2020", "mutation")}, gene="P40")

    error = result.content["error"]
    assert (error["code"], error["argument"], error["example"]) == ("tool_invalid_arguments", "gene", "AAA")
    assert "AAA, BBB" in error["message"]


async def test_an_unknown_gene_comes_with_near_names() -> None:
    result, upstream = await frequency(
        {**unknown_gene("BRAF", "BRAFP1"), **study("panel_2020", "mutation")}, gene="BRAF"
    )

    assert (result.content["outcome"], result.content["data"]) == ("unknown_id", {"identifier": "BRAF"})
    assert "Near names: BRAFP1" in result.content["note"]
    assert not any("mutated-genes" in path for path in upstream.asked)


async def test_another_gene_than_the_one_asked_for_is_refused() -> None:
    answers = {
        "/genes/TP53": Played({"entrezGeneId": 673, "hugoGeneSymbol": "BRAF"}),
        **study("panel_2020", "mutation"),
    }

    result, _ = await frequency(answers)

    assert "asked for the gene TP53, got BRAF" in result.content["error"]["message"]


async def test_an_unknown_study_among_several_is_named_with_near_ids() -> None:
    answers = {**gene("TP53"), **studies("msk_chord_2024"), "/api/studies": Played([study_record("msk_impact_2017")])}

    result, _ = await frequency(answers, study_ids=["msk_chord_2024", "msk_impact_2071"])

    assert (result.content["outcome"], result.content["data"]["identifier"]) == ("unknown_id", "msk_impact_2071")
    assert "msk_impact_2017" in result.content["note"]


async def test_another_study_than_the_one_asked_for_is_refused() -> None:
    answers = {**ONE_STUDY, "/studies/panel_2020": Played(study_record("another_2020"))}

    result, _ = await frequency(answers)

    assert "asked for panel_2020, got another_2020" in result.content["error"]["message"]


async def test_studies_without_such_data_are_listed_apart() -> None:
    answers = {"/molecular-profiles/fetch": Played([profile("two", "structural_variant")])}
    counts = {"/structuralvariant-genes/fetch": Played([counted("TP53", 1, 10)])}

    result, _ = await frequency(
        {**gene("TP53"), **studies("one", "two"), **answers, **counts},
        study_ids=["one", "two"],
        alteration="structural_variant",
    )

    assert result.content["data"]["not_profiled"] == ["one"]
    assert [row["study_id"] for row in result.content["data"]["studies"]] == ["two"]


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"gene": "BRAF, KRAS"}, "gene"),
        ({"gene": "BRAF", "study_ids": ["MSK IMPACT"]}, "study_ids"),
        ({"gene": "BRAF", "study_ids": [f"s{number}" for number in range(21)]}, "study_ids"),
        ({"gene": "BRAF", "alteration": "expression"}, "alteration"),
        ({"gene": "BRAF", "include_driver_only": True}, "include_driver_only"),
    ],
)
async def test_an_argument_that_cannot_be_asked_is_refused(arguments: dict[str, Any], argument: str) -> None:
    upstream = FakeUpstream({})

    result = await call(platform, upstream, "gene_alteration_frequency", **arguments)

    assert (result.content["error"]["code"], result.content["error"]["argument"]) == (
        "tool_invalid_arguments",
        argument,
    )
    assert upstream.requests == []
