"""cBioPortal: the protein changes of a gene in a study, and one change over studies."""

from typing import Any

import pytest

from mcp_server.platforms.cbioportal import platform
from mcp_server.platforms.cbioportal.base import change_form
from mcp_server.platforms.cbioportal.changes import is_change
from tests.mcp_server.platforms.cbioportal_cases import (
    ATLAS,
    NONE,
    SKCM,
    THCA,
    counted,
    gene,
    mutation,
    panel_row,
    studies,
    study,
)
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

MSK = "msk_impact_2017"
BRAF_IN_MSK = {**gene("BRAF"), **study(MSK, "mutation")}


async def changes(rows: list[Any], count: Any, **arguments: Any) -> tuple[Any, FakeUpstream]:
    answers = {"/mutations/fetch": Played(rows), "/mutated-genes/fetch": Played([count])}
    upstream = FakeUpstream({**BRAF_IN_MSK, **answers})
    return await call(platform, upstream, "mutations_in_gene", gene="BRAF", study_id=MSK, **arguments), upstream


@pytest.mark.case("C039")
async def test_a_change_is_counted_by_sample_over_profiled_samples() -> None:
    rows = [mutation(MSK, f"P-{number % 60}-T01-IM3", "V600E") for number in range(130)]

    result, upstream = await changes(rows, counted("BRAF", 60, 100))

    data = result.content["data"]
    assert (data["altered_samples"], data["profiled_samples"], data["percent"]) == (60, 100, 60.0)
    change = data["changes"][0]
    assert (change["samples"], change["patients"], change["profiled_samples"], change["percent"]) == (60, 60, 100, 60.0)
    asked = next(request for request in upstream.requests if "mutations/fetch" in request.url)
    assert asked.url.endswith(f"/molecular-profiles/{MSK}_mutations/mutations/fetch?projection=SUMMARY")
    assert asked.body == {"entrezGeneIds": [673], "sampleListId": f"{MSK}_all"}


@pytest.mark.case("C039")
async def test_more_samples_with_a_change_than_profiled_ones_are_an_error() -> None:
    rows = [mutation(MSK, f"P-{number}-T01-IM3", "V600E") for number in range(130)]

    result, _ = await changes(rows, counted("BRAF", 60, 100))

    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "above 100 %" in result.content["error"]["message"]


async def test_several_samples_of_a_patient_are_one_patient() -> None:
    rows = [mutation(MSK, "P-1-T01-IM3", "V600E"), mutation(MSK, "P-1-T02-IM3", "V600E")]

    result, _ = await changes(rows, counted("BRAF", 2, 100))

    change = result.content["data"]["changes"][0]
    assert (change["samples"], change["patients"]) == (2, 1)


async def test_places_carry_their_assembly_and_missing_values_are_left_out() -> None:
    rows = [
        mutation(MSK, "P-1-T01-IM3", "V600E"),
        mutation(MSK, "P-2-T01-IM3", "V600E", tumorAltCount=-1, tumorRefCount=-1, ncbiBuild="NA"),
        mutation(MSK, "P-3-T01-IM3", "V600E", startPosition=-1, endPosition=-1, tumorAltCount=50, tumorRefCount=50),
    ]

    result, _ = await changes(rows, counted("BRAF", 3, 100))

    change = result.content["data"]["changes"][0]
    assert change["positions"] == [
        {
            "chromosome": "7",
            "start": 140453136,
            "end": 140453136,
            "reference": "A",
            "variant": "T",
            "assembly": "GRCh37",
        }
    ]
    assert change["vaf_median"] == 0.4
    assert result.content["data"]["assembly"] == "GRCh37"


async def test_what_is_no_named_change_is_never_shown_as_one() -> None:
    rows = [
        mutation(MSK, "P-1-T01-IM3", "MUTATED"),
        mutation(MSK, "P-2-T01-IM3", "NA"),
        mutation(MSK, "P-3-T01-IM3", "BRAF-intragenic", mutationType="Fusion", startPosition=-1),
        mutation(MSK, "P-4-T01-IM3", "V600E", mutationStatus="UNCALLED"),
        mutation(MSK, "P-5-T01-IM3", "V600E", mutationStatus="GERMLINE"),
    ]

    result, _ = await changes(rows, counted("BRAF", 3, 100))

    data = result.content["data"]
    assert [(one["protein_change"], one["samples"], one["germline_samples"]) for one in data["changes"]] == [
        ("V600E", 1, 1)
    ]
    assert data["samples_without_named_change"] == 2


async def test_changes_are_ranked_and_paged_with_an_honest_total() -> None:
    rows = [mutation(MSK, f"P-{number}-T01-IM3", change) for number, change in enumerate("ABBCCC")]
    rows = [{**row, "proteinChange": f"V60{ord(row['proteinChange']) - 65}E"} for row in rows]

    first, _ = await changes(rows, counted("BRAF", 6, 100), limit=2)
    second, _ = await changes(rows, counted("BRAF", 6, 100), limit=2, **first.content["next"])

    assert [one["protein_change"] for one in first.content["data"]["changes"]] == ["V602E", "V601E"]
    assert (first.content["total"], first.content["returned"], first.content["next"]) == (3, 2, {"offset": 2})
    assert [one["protein_change"] for one in second.content["data"]["changes"]] == ["V600E"]
    assert "next" not in second.content


@pytest.mark.case("C040")
async def test_a_change_to_keep_never_brings_more_and_a_strange_one_brings_none() -> None:
    rows = [mutation(MSK, "P-1-T01-IM3", "V600E"), mutation(MSK, "P-2-T01-IM3", "V600K")]
    rows += [mutation(MSK, "P-3-T01-IM3", "G469A")]
    count = counted("BRAF", 3, 100)

    everything, _ = await changes(rows, count)
    residue, _ = await changes(rows, count, protein_change="V600")
    exact, _ = await changes(rows, count, protein_change="p.Val600Glu")
    strange, _ = await changes(rows, count, protein_change="V600W")

    assert [one.content["total"] for one in (everything, residue, exact, strange)] == [3, 2, 1, 0]
    assert strange.content["outcome"] == "empty"
    assert "no BRAF V600W" in strange.content["note"] and "V600E, V600K" in strange.content["note"]
    assert "3 of 100 profiled samples" in strange.content["note"]


async def test_a_gene_without_mutations_says_of_how_many_samples() -> None:
    answers = {"/mutations/fetch": NONE, "/mutated-genes/fetch": NONE}
    panels = {"/gene-panel-data/fetch": Played([panel_row(MSK, "P-1"), panel_row(MSK, "P-2")])}

    result = await call(
        platform, FakeUpstream({**BRAF_IN_MSK, **answers, **panels}), "mutations_in_gene", gene="BRAF", study_id=MSK
    )

    assert result.content["outcome"] == "empty"
    assert result.content["note"].startswith(f"0 of 2 profiled samples of {MSK} have a BRAF mutation.")


async def test_a_study_without_mutation_data_says_so() -> None:
    upstream = FakeUpstream({**gene("BRAF"), **study(MSK, "cna")})

    result = await call(platform, upstream, "mutations_in_gene", gene="BRAF", study_id=MSK)

    assert (result.content["outcome"], result.content["note"]) == ("empty", f"{MSK} has no mutation data.")


async def recurrence(
    rows: list[Any], looked_at: list[Any], types: list[Any], **arguments: Any
) -> tuple[Any, FakeUpstream]:
    answers = {
        "/mutations/fetch": Played(rows),
        "/gene-panel-data/fetch": Played(looked_at),
        "/clinical-data/fetch": Played(types),
    }
    upstream = FakeUpstream({**ATLAS, **answers})
    asked = {"gene": "BRAF", "protein_change": "V600E", **arguments}
    return await call(platform, upstream, "mutation_recurrence", **asked), upstream


def cancer_type(study_id: str, sample: str, value: str) -> dict[str, str]:
    return {"studyId": study_id, "sampleId": sample, "clinicalAttributeId": "CANCER_TYPE", "value": value}


async def test_a_change_is_followed_over_studies_and_cancer_types() -> None:
    rows = [
        mutation(SKCM, f"S{number}", "V600E", tumorAltCount=number, tumorRefCount=100 - number) for number in (20, 40)
    ]
    rows += [mutation(SKCM, "S20", "V600E"), mutation(SKCM, "S50", "V600K"), mutation(SKCM, "S99", "V600E")]
    rows += [mutation(THCA, "T1", "V600E")]
    looked_at = [panel_row(SKCM, f"S{number}") for number in (20, 40, 50, 60, 70)]
    looked_at += [panel_row(THCA, f"T{number}") for number in range(1, 11)]
    types = [cancer_type(SKCM, "S20", "Melanoma"), cancer_type(SKCM, "S40", "Melanoma")]

    result, upstream = await recurrence(rows, looked_at, types)

    melanoma, thyroid = result.content["data"]["studies"]
    assert (melanoma["study_id"], melanoma["samples"], melanoma["profiled_samples"]) == (SKCM, 2, 5)
    assert (melanoma["percent"], melanoma["vaf_mean"]) == (40.0, 0.3)
    assert melanoma["cancer_types"] == {"Melanoma": 2} and melanoma["changes"] == {"V600E": 2}
    assert (thyroid["samples"], thyroid["profiled_samples"], thyroid["percent"]) == (1, 10, 10.0)
    assert thyroid["cancer_types"] == {"(not given)": 1}
    identifiers = upstream.requests[-1].body["identifiers"]
    assert {"entityId": "S20", "studyId": SKCM} in identifiers and len(identifiers) == 3


async def test_a_residue_finds_all_its_changes() -> None:
    rows = [mutation(SKCM, "S1", "V600E"), mutation(SKCM, "S2", "V600K"), mutation(SKCM, "S3", "V6001E")]

    result, _ = await recurrence(
        rows, [panel_row(SKCM, f"S{number}") for number in (1, 2, 3)], [], protein_change="V600"
    )

    assert result.content["data"]["studies"][0]["changes"] == {"V600E": 1, "V600K": 1}
    assert result.content["data"]["studies"][0]["samples"] == 2


async def test_a_change_that_nobody_has_comes_with_what_is_seen_there() -> None:
    rows = [mutation(SKCM, "S1", "V600E"), mutation(SKCM, "S2", "V600K"), mutation(SKCM, "S3", "V600E")]
    looked_at = [panel_row(SKCM, f"S{number}") for number in (1, 2, 3)]

    result, upstream = await recurrence(rows, looked_at, [], protein_change="V600R")

    assert (result.content["outcome"], result.content["total"]) == ("empty", 0)
    assert "None of these studies has BRAF V600R. Seen at this residue: V600E, V600K." in result.content["note"]
    assert result.content["data"]["not_seen_in"] == {SKCM: 3}
    assert not any("clinical-data" in path for path in upstream.asked)


async def test_named_studies_have_the_portals_own_denominators() -> None:
    counts = [Played([counted("BRAF", 2, 50)]), Played([counted("BRAF", 1, 20)])]
    answers = {
        "/mutations/fetch": Played([mutation("one", "S1", "V600E"), mutation("two", "S1", "V600E")]),
        "/mutated-genes/fetch": counts,
        "/clinical-data/fetch": NONE,
    }
    upstream = FakeUpstream({**gene("BRAF"), **studies("one", "two"), **answers})

    result = await call(
        platform, upstream, "mutation_recurrence", gene="BRAF", protein_change="V600E", study_ids=["one", "two"]
    )

    found = result.content["data"]["studies"]
    assert sorted((row["samples"], row["profiled_samples"]) for row in found) == [(1, 20), (1, 50)]


async def test_no_study_seen_and_one_not_answering_is_a_failure_and_not_nothing() -> None:
    answers = {
        "/mutations/fetch": NONE,
        "/mutated-genes/fetch": [Played("", 503), Played([counted("BRAF", 1, 20)])],
    }
    upstream = FakeUpstream({**gene("BRAF"), **studies("one", "two"), **answers})

    result = await call(
        platform, upstream, "mutation_recurrence", gene="BRAF", protein_change="V600E", study_ids=["one", "two"]
    )

    assert result.content["error"]["code"] == "upstream_unavailable"
    assert "Not answered" in result.content["error"]["message"]


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("p.(Val600Glu)", "V600E"),
        ("p.V600E", "V600E"),
        ("v600e", "V600E"),
        ("V600", "V600"),
        ("p.Glu746_Ala750del", "E746_A750del"),
        ("p.Asp770_Asn771insSerVal", "D770_N771insSV"),
        ("p.Arg213Ter", "R213*"),
        ("V600del", "V600del"),
        ("X327_splice", "X327_splice"),
    ],
)
def test_a_change_is_understood_as_people_write_it(written: str, form: str) -> None:
    assert change_form(written) == form


@pytest.mark.parametrize(
    ("change", "wanted", "same"),
    [
        ("V600E", "V600E", True),
        ("V600E", "V600", True),
        ("V600_K601delinsE", "V600", True),
        ("V6001E", "V600", False),
        ("V600E", "V600K", False),
        ("L747Pfs*12", "L747fs", True),
        ("L747fs*5", "L747fs", True),
        ("L747_T751del", "L747fs", False),
    ],
)
def test_changes_are_held_against_what_is_wanted(change: str, wanted: str, same: bool) -> None:
    assert is_change(change, wanted) is same


@pytest.mark.parametrize("change", ["BRAF V600E", "glutamate", "600", ""])
async def test_what_is_no_change_is_refused(change: str) -> None:
    upstream = FakeUpstream({})

    result = await call(platform, upstream, "mutation_recurrence", gene="BRAF", protein_change=change)

    error = result.content["error"]
    assert (error["code"], error["argument"], error["example"]) == ("tool_invalid_arguments", "protein_change", "V600E")
    assert upstream.requests == []
