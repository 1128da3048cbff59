"""GDC: cases and not occurrences are counted, over the tested ones; genes, changes and projects are the asked ones."""

from typing import Any

import pytest

from mcp_server.config import ServerConfig
from mcp_server.platforms.gdc import platform
from mcp_server.platforms.gdc.mutations import change_form, genomic_form
from mcp_server.platforms.gdc.service import project_form
from mcp_server.server import ToolServer
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.gdc_cases import (
    BRAF,
    BRCA,
    ERBB2,
    G12D,
    G12D_ID,
    GBM,
    KRAS,
    V600E,
    V600E_ID,
    cases_by_project,
    cases_with_calls,
    gene,
    occurrence,
    page,
    ssm,
    study,
)

Json = Any


def values_in(filters: Json) -> dict[str, Json]:
    """Return the value of each field of a filter, however deep."""
    if isinstance(filters["content"], list):
        return {name: value for part in filters["content"] for name, value in values_in(part).items()}
    return {filters["content"]["field"]: filters["content"]["value"]}


def body(upstream: FakeUpstream, path: str) -> Json:
    """Return the body of the last request to a path."""
    return next(request.body for request in reversed(upstream.requests) if request.url.endswith(path))


@pytest.mark.case("C039")
async def test_a_gene_is_counted_by_cases_with_a_mutation_over_tested_cases() -> None:
    # Nearly every germ cell tumour gains KRAS, and KRAS "affects" 97 % of them; 5 % have it mutated.
    upstream = FakeUpstream(
        {"/genes": page(KRAS), "/graphql": cases_by_project({"TCGA-TGCT": 7}, {"TCGA-TGCT": 138, "TCGA-UVM": 80})}
    )
    result = await call(platform, upstream, "mutation_frequency", gene="KRAS")
    assert result.content["data"]["projects"] == [
        {"project_id": "TCGA-TGCT", "affected_cases": 7, "tested_cases": 138, "percent": 5.07}
    ]
    assert result.content["data"]["not_observed"] == [{"project_id": "TCGA-UVM", "tested_cases": 80}]
    asked = body(upstream, "/graphql")["variables"]
    assert values_in(asked["affected"]) == {
        "cases.available_variation_data": ["ssm"],
        "cases.gene.ssm.observation.observation_id": "MISSING",
        "genes.gene_id": ["ENSG00000133703"],
    }
    assert asked["affected"]["content"][1]["content"][0]["op"] == "NOT"
    assert values_in(asked["tested"]) == {"cases.available_variation_data": ["ssm"]}
    assert not any("top_cases_counts_by_genes" in url or "ssm_occurrences" in url for url in upstream.asked)
    assert "copy number does not" in result.content["note"]


@pytest.mark.case("C039")
async def test_more_affected_than_tested_cases_are_an_error() -> None:
    upstream = FakeUpstream(
        {"/genes": page(KRAS), "/graphql": cases_by_project({"TCGA-PAAD": 186}, {"TCGA-PAAD": 185})}
    )
    result = await call(platform, upstream, "mutation_frequency", gene="KRAS")
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "186 affected of 185" in result.content["error"]["message"]


@pytest.mark.case("C040")
async def test_an_ignored_filter_is_not_taken_for_a_frequency_of_100_percent() -> None:
    tested = {"TCGA-PAAD": 185, "TCGA-UVM": 80}
    upstream = FakeUpstream({"/genes": page(KRAS), "/graphql": cases_by_project(tested, tested)})
    result = await call(platform, upstream, "mutation_frequency", gene="KRAS")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C039")
async def test_all_dna_changes_of_a_protein_change_count_and_a_case_counts_once() -> None:
    other = ssm("11111111-2222-5333-8444-555555555555", "V600E", "chr7:g.140753335_140753336delinsTT", BRAF)
    upstream = FakeUpstream(
        {
            "/genes": page(BRAF),
            "/ssms": page(V600E, other),
            "/graphql": cases_by_project({"TCGA-SKCM": 188, "FM-AD": 700}, {"TCGA-SKCM": 470, "FM-AD": 18004}),
        }
    )
    result = await call(platform, upstream, "mutation_frequency", gene="braf", protein_change="p.Val600Glu")
    ids = [V600E_ID, "11111111-2222-5333-8444-555555555555"]
    assert values_in(body(upstream, "/graphql")["variables"]["affected"])["ssms.ssm_id"] == ids
    assert [row["ssm_id"] for row in result.content["data"]["ssms"]] == ids
    assert {row["assembly"] for row in result.content["data"]["ssms"]} == {"GRCh38"}
    assert result.content["data"]["projects"] == [
        {"project_id": "TCGA-SKCM", "affected_cases": 188, "tested_cases": 470, "percent": 40.0}
    ]
    assert result.content["data"]["gene"]["is_cancer_gene_census"] is True
    assert values_in(body(upstream, "/ssms")["filters"])["gene_aa_change"] == ["BRAF V600E"]


async def test_a_change_of_another_transcript_is_told_apart_from_that_of_the_canonical_one() -> None:
    twin = ssm("22222222-2222-5333-8444-555555555555", "V600E", "chr7:g.140700000A>T", BRAF, canonical="V640E")
    answers = {"/genes": page(BRAF), "/ssms": page(V600E, twin), "/graphql": cases_by_project({}, {"TCGA-UVM": 80})}
    result = await call(platform, FakeUpstream(answers), "mutation_frequency", gene="BRAF", protein_change="V600E")
    assert [row["ssm_id"] for row in result.content["data"]["ssms"]] == [V600E_ID]
    answers["/ssms"] = page(twin)
    result = await call(platform, FakeUpstream(answers), "mutation_frequency", gene="BRAF", protein_change="V600E")
    assert "not the change of the canonical transcript" in result.content["note"]
    found = await call(platform, FakeUpstream(answers), "search_ssms", gene="BRAF", protein_change="V600E")
    assert [row["on_canonical_transcript"] for row in found.content["data"]["mutations"]] == [False]


async def test_few_cases_and_other_programs_are_left_out_on_request_only() -> None:
    def counted() -> FakeUpstream:
        tested = {"TCGA-SKCM": 470, "TCGA-LUAD": 571, "FM-AD": 18004}
        return FakeUpstream(
            {"/genes": page(BRAF), "/graphql": cases_by_project({"TCGA-SKCM": 240, "TCGA-LUAD": 5, "FM-AD": 9}, tested)}
        )

    whole = await call(platform, counted(), "mutation_frequency", gene="BRAF", program="all")
    assert [row["project_id"] for row in whole.content["data"]["projects"]] == ["TCGA-SKCM", "TCGA-LUAD", "FM-AD"]
    many = await call(platform, counted(), "mutation_frequency", gene="BRAF", min_cases=10)
    assert [row["project_id"] for row in many.content["data"]["projects"]] == ["TCGA-SKCM"]
    assert "1 more projects" in many.content["note"]
    wrong = await call(platform, counted(), "mutation_frequency", gene="BRAF", program="ICGC")
    assert wrong.content["error"]["argument"] == "program" and "FM, TCGA" in wrong.content["error"]["message"]


async def test_a_gene_is_found_by_a_synonym_or_an_ensembl_id_and_says_its_census_flag() -> None:
    answers = {"/genes": page(ERBB2), "/graphql": cases_by_project({"TCGA-BRCA": 20}, {"TCGA-BRCA": 1098})}
    by_synonym = await call(platform, FakeUpstream(answers), "mutation_frequency", gene="her-2")
    assert by_synonym.content["data"]["gene"]["symbol"] == "ERBB2"
    assert "her-2 is a synonym of ERBB2" in by_synonym.content["note"]
    plain = {**gene("ZMPSTE24", "ENSG00000084073", census=None, chromosome="1")}
    answers["/genes/ENSG00000084073"] = Played({"data": plain, "warnings": {}})
    by_id = await call(platform, FakeUpstream(dict(reversed(answers.items()))), "mutation_frequency",
                       gene="ENSG00000084073.12")  # fmt: skip
    assert by_id.content["data"]["gene"]["is_cancer_gene_census"] is False
    assert by_id.content["data"]["gene"]["species"] == "Homo sapiens"


async def test_a_name_of_several_genes_or_of_none_is_not_guessed() -> None:
    both = page(gene("MARCH1", "ENSG00000145416", "MARCH"), gene("MARC1", "ENSG00000186205", "MARCH"))
    several = await call(platform, FakeUpstream({"/genes": both}), "copy_number", gene="MARCH")
    assert several.content["outcome"] == "unknown_id" and "ENSG00000186205" in several.content["note"]
    upstream = FakeUpstream(
        {"/genes": [page(), page(gene("BRAF", "ENSG00000157764"), gene("BRD4", "ENSG00000141867"))]}
    )
    near = await call(platform, upstream, "copy_number", gene="BRAFF")
    assert near.content["outcome"] == "unknown_id" and "Near symbols: BRAF" in near.content["note"]
    assert values_in(body(upstream, "/genes")["filters"]) == {"symbol": ["BRA*"]}
    gone = FakeUpstream({"/genes/ENSG00000000001": Played({"message": "not found"}, 404)})
    unknown = await call(platform, gone, "copy_number", gene="ENSG00000000001")
    assert unknown.content["outcome"] == "unknown_id"


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("V600E", "V600E"),
        ("p.(Val600Glu)", "V600E"),
        ("p.Glu746_Ala750del", "E746_A750del"),
        ("Trp288CysfsTer12", "W288Cfs*12"),
        ("V600_K601delinsVAL", "V600_K601delinsVAL"),
        ("X125_splice", "X125_splice"),
    ],
)
def test_a_protein_change_is_taken_as_people_write_it(written: str, form: str) -> None:
    assert change_form(written) == change_form(form) == form


@pytest.mark.parametrize(
    "written", ["chr12:g.25245350C>T", "12:25245350:C:T", "12-25245350-c-t", "NC_000012.12:g.25245350C>T"]
)
def test_a_genomic_change_is_taken_as_people_write_it(written: str) -> None:
    assert genomic_form(written) == "chr12:g.25245350C>T"


def test_a_bare_code_is_a_project_of_tcga() -> None:
    assert [project_form(text) for text in ("brca", "tcga_brca", "beataml1.0-cohort")] == [
        "TCGA-BRCA", "TCGA-BRCA", "BEATAML1.0-COHORT",
    ]  # fmt: skip


async def test_a_mutation_says_its_alleles_assembly_and_consequences() -> None:
    upstream = FakeUpstream({"/ssms": page(G12D)})
    result = await call(platform, upstream, "search_ssms", cosmic_id="cosm521")
    found = result.content["data"]["mutations"][0]
    assert (found["ssm_id"], found["assembly"]) == (G12D_ID, "GRCh38")
    assert (found["reference_allele"], found["tumor_allele"], found["start_position"]) == ("C", "T", 25245350)
    assert found["consequences"][0] == {
        "gene_symbol": "KRAS", "gene_id": "ENSG00000133703", "transcript_id": "ENST00000256078",
        "is_canonical": True, "aa_change": "G12D", "consequence_type": "missense_variant", "vep_impact": "MODERATE",
    }  # fmt: skip
    assert result.meta["burp/citations"][0]["url"] == f"https://portal.gdc.cancer.gov/ssms/{G12D_ID}"


async def test_a_mutation_is_found_by_its_own_id() -> None:
    one = {name: value for name, value in G12D.items() if name not in ("id", "ssm_id")}
    upstream = FakeUpstream({f"/ssms/{G12D_ID}": Played({"data": one, "warnings": {}})})
    result = await call(platform, upstream, "search_ssms", ssm_id=G12D_ID.upper())
    assert result.content["data"]["mutations"][0]["ssm_id"] == G12D_ID
    gone = FakeUpstream({f"/ssms/{G12D_ID}": Played({"message": "not found"}, 404)})
    assert (await call(platform, gone, "search_ssms", ssm_id=G12D_ID)).content["outcome"] == "unknown_id"


@pytest.mark.case("C040")
@pytest.mark.parametrize(
    "answer",
    [
        page(V600E),
        page({**G12D, "ncbi_build": "GRCh37"}),
        page(G12D, warnings={"filters": "unrecognized values: [cosmic_id]"}),
    ],
    ids=["another mutation", "another assembly", "ignored filter"],
)
async def test_an_answer_to_another_question_is_refused(answer: Played) -> None:
    result = await call(platform, FakeUpstream({"/ssms": answer}), "search_ssms", cosmic_id="COSM521")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_every_condition_is_sent_and_a_long_list_goes_on() -> None:
    listed = [{**G12D, "ssm_id": f"id-{number}"} for number in range(2)]
    upstream = FakeUpstream({"/genes": page(KRAS), "/ssms": page(*listed, total=9)})
    result = await call(
        platform, upstream, "search_ssms", gene="KRAS", protein_change="G12D", cosmic_id="COSM521",
        genomic_change="12:25245350:C:T", limit=2, offset=4,
    )  # fmt: skip
    sent = body(upstream, "/ssms")
    assert values_in(sent["filters"]) == {
        "consequence.transcript.gene.gene_id": ["ENSG00000133703"], "gene_aa_change": ["KRAS G12D"],
        "cosmic_id": ["COSM521"], "genomic_dna_change": ["chr12:g.25245350C>T"],
    }  # fmt: skip
    assert (sent["filters"]["op"], sent["size"], sent["from"]) == ("and", 2, 4)
    assert (result.content["total"], result.content["returned"], result.content["next"]) == (9, 2, {"offset": 6})


@pytest.mark.parametrize(
    ("tool", "arguments", "argument"),
    [
        ("search_ssms", {}, "gene"),
        ("search_ssms", {"protein_change": "V600E"}, "gene"),
        ("search_ssms", {"ssm_id": G12D_ID, "gene": "KRAS"}, "ssm_id"),
        ("search_ssms", {"genomic_change": "somewhere"}, "genomic_change"),
        ("ssm_occurrences", {"gene": "KRAS"}, "ssm_id"),
        ("ssm_occurrences", {"ssm_id": G12D_ID, "gene": "KRAS", "protein_change": "G12D"}, "ssm_id"),
        ("search_cases", {}, "project"),
        ("search_cases", {"age_min": 50, "age_max": 40}, "age_min"),
        ("search_cases", {"project": "TCGA-BRCA", "age_min": 50, "facets": ["sex"]}, "facets"),
        ("survival", {"project": "TCGA-BRCA", "gene": "TP53", "ssm_id": G12D_ID}, "ssm_id"),
        ("mutation_frequency", {"gene": "BRAF", "min_cases": 0}, "min_cases"),
        ("copy_number", {"gene": "ERBB2", "change": "Deletion"}, "change"),
    ],
)
async def test_wrong_arguments_are_refused_before_anything_is_asked(
    tool: str, arguments: dict[str, Json], argument: str
) -> None:
    upstream = FakeUpstream({})
    result = await call(platform, upstream, tool, **arguments)
    assert result.content["error"]["code"] == "tool_invalid_arguments"
    assert result.content["error"]["argument"] == argument
    assert upstream.requests == []


async def test_carriers_of_a_protein_change_say_that_they_are_occurrences() -> None:
    other = "11111111-2222-5333-8444-555555555555"
    upstream = FakeUpstream(
        {
            "/genes": page(KRAS),
            "/ssms": page(G12D, ssm(other, "G12D", "chr12:g.25245350_25245351delinsTA", KRAS)),
            "/ssm_occurrences": page(
                occurrence(G12D_ID, "case-1", "TCGA-PAAD"), occurrence(other, "case-1", "TCGA-PAAD", 2)
            ),
        }
    )
    result = await call(platform, upstream, "ssm_occurrences", gene="KRAS", protein_change="G12D", project="paad")
    assert result.content["data"]["ssm_ids"] == [G12D_ID, other]
    assert [row["case_id"] for row in result.content["data"]["occurrences"]] == ["case-1", "case-1"]
    assert "stands here twice" in result.content["note"]
    sent = values_in(body(upstream, "/ssm_occurrences")["filters"])
    assert sent == {"ssm.ssm_id": [G12D_ID, other], "case.project.project_id": ["TCGA-PAAD"]}


@pytest.mark.case("C040")
async def test_an_occurrence_of_another_project_is_refused() -> None:
    upstream = FakeUpstream({"/ssm_occurrences": page(occurrence(G12D_ID, "case-1", "TCGA-COAD"))})
    result = await call(platform, upstream, "ssm_occurrences", ssm_id=G12D_ID, project="TCGA-PAAD")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_top_genes_say_cases_over_tested_cases() -> None:
    ranked = [{"symbol": "KMT2D", "gene_id": "ENSG00000167548", "_score": 13.0}]
    answers = {
        "/top_mutated_genes_by_project": page(*ranked, total=3500),
        "/mutated_cases_count_by_project": cases_with_calls(TCGA_DLBC=50),
    }
    upstream = FakeUpstream(answers)
    result = await call(platform, upstream, "top_mutated_genes", project="dlbc", limit=1)
    assert result.content["data"]["genes"] == [
        {"gene_id": "ENSG00000167548", "symbol": "KMT2D", "affected_cases": 13, "tested_cases": 50, "percent": 26.0}
    ]
    assert (result.content["total"], result.content["next"]) == (3500, {"offset": 1})
    assert any('"value":["HIGH","MODERATE"]' in url for url in upstream.asked)
    upstream = FakeUpstream(answers)
    await call(platform, upstream, "top_mutated_genes", project="dlbc", impact="any")
    # Without a condition on mutations, cases with a copy number change alone would count.
    assert any('"value":["HIGH","MODERATE","LOW","MODIFIER"]' in url for url in upstream.asked)
    answers["/mutated_cases_count_by_project"] = cases_with_calls(TCGA_DLBC=12)
    result = await call(platform, FakeUpstream(answers), "top_mutated_genes", project="dlbc")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C040")
async def test_each_further_word_narrows_the_projects() -> None:
    lung = study("TCGA-LUAD", "Lung Adenocarcinoma", ["Bronchus and lung"], ["Adenomas and Adenocarcinomas"], 585)
    organoid = study("ORGANOID-PANCREATIC", "Pancreas Cancer Organoid Profiling", ["Pancreas"], ["Adenomas"], 70)

    async def found(**words: str) -> list[str]:
        upstream = FakeUpstream({"/projects": page(BRCA, GBM, lung, organoid)})
        result = await call(platform, upstream, "search_projects", **words)
        return [row["project_id"] for row in result.content["data"]]

    assert await found() == ["TCGA-BRCA", "TCGA-GBM", "TCGA-LUAD", "ORGANOID-PANCREATIC"]
    assert await found(program="tcga") == ["TCGA-BRCA", "TCGA-GBM", "TCGA-LUAD"]
    assert await found(program="TCGA", primary_site="lung bronchus") == ["TCGA-LUAD"]
    assert await found(program="TCGA", primary_site="lung", disease_type="gliomas") == []
    assert await found(program="zzqx") == []


async def test_projects_are_read_to_the_last_page_and_cut_honestly() -> None:
    upstream = FakeUpstream({"/projects": [page(BRCA, total=2), page(GBM, total=2)]})
    result = await call(platform, upstream, "search_projects", limit=1)
    assert [request.body["from"] for request in upstream.requests] == [0, 1]
    assert (result.content["total"], result.content["next"]) == (2, {"offset": 1})
    assert result.content["data"][0]["case_count"] == 1098
    stuck = FakeUpstream({"/projects": [page(BRCA, total=3), page(total=3)]})
    assert (await call(platform, stuck, "search_projects")).content["error"]["code"] == "upstream_bad_response"


async def test_the_release_names_data_and_interface() -> None:
    status = {"status": "OK", "tag": "8.5.0", "version": 1, "data_release": "Data Release 46.0 - September 10, 2026"}
    upstream = FakeUpstream({"/status": Played(status)})
    server = ToolServer([platform], ServerConfig(upstreams="snapshot"), upstream)
    result = await server.call("about_sources", {"platform": "gdc"})
    assert result.content["data"][0]["release"] == "Data Release 46.0 - September 10, 2026, API 8.5.0"
