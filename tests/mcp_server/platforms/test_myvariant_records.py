"""MyVariant's records: one, many, and the clinical card; assemblies, merged numbers, several alleles."""

import copy
from typing import Any

import pytest

from mcp_server.envelope import Envelope
from mcp_server.platforms.myvariant import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.myvariant_cases import (
    FUT2_C,
    FUT2_T,
    NO_HITS,
    PANEL,
    UNKNOWN,
    V600E_HG19,
    V600E_HG38,
    hits,
    rcv,
)

Json = Any

# One id text, two variants: GRID1 on hg19, PTEN on hg38.
GRID1 = {
    "_id": "chr10:g.87933119A>C",
    "chrom": "10",
    "hg19": {"start": 87933119, "end": 87933119},
    "dbsnp": {"rsid": "rs1212585646", "gene": {"symbol": "GRID1"}},
    "gnomad_genome": {"af": {"af": 0.0000637471}, "ac": {"ac": 2}, "an": {"an": 31374}},
    "snpeff": {"ann": {"effect": "intron_variant", "genename": "GRID1", "hgvs_c": "c.520+33002T>G"}},
}
PTEN = {
    "_id": "chr10:g.87933119A>C",
    "chrom": "10",
    "hg38": {"start": 87933119, "end": 87933119},
    "dbnsfp": {"genename": "PTEN"},
}
PTEN_DELETION = {
    "_id": "chr10:g.87925512del",
    "hg38": {"start": 87925512, "end": 87925513},
    "clinvar": {
        "variant_id": 1076438,
        "rsid": "rs2132232095",
        "gene": {"symbol": "PTEN"},
        "rcv": [
            rcv("RCV001390352", "Pathogenic", "criteria provided, single submitter", "PTEN hamartoma tumor syndrome")
        ],
    },
    "snpeff": {"ann": [{"effect": "frameshift_variant", "hgvs_p": "p.Arg55fs", "hgvs_c": "c.165del"}]},
}


async def got(upstream: FakeUpstream, variant_id: str, **arguments: Json) -> Envelope:
    return await call(platform, upstream, "variant_get", variant_id=variant_id, **arguments)


@pytest.mark.case("C016")
async def test_one_id_is_two_variants_and_both_are_shown_without_an_assembly() -> None:
    answers = {"/variant/chr10:g.87933119A%3EC?assembly=hg38": Played(PTEN), "/variant/chr10": Played(GRID1)}
    upstream = FakeUpstream({**answers, "87933119A%3EC?assembly=hg19": Played(GRID1)})
    result = await got(upstream, "chr10:g.87933119A>C")
    shown = [(row["summary"]["assembly"], row["summary"]["genes"]) for row in result.content["data"]["variants"]]
    assert shown == [("hg38", ["PTEN"]), ("hg19", ["GRID1"])]
    assert "one id means different variants" in result.content["note"]


@pytest.mark.case("C016")
async def test_the_assembly_goes_from_the_question_to_the_call_and_is_checked() -> None:
    upstream = FakeUpstream({"?assembly=hg19": Played(V600E_HG19)})
    result = await got(upstream, "NC_000007.13:g.140453136A>T")
    assert result.content["data"]["variants"][0]["summary"]["assembly"] == "hg19"
    assert "assembly=hg19" in upstream.asked[0] and len(upstream.asked) == 1
    # A service that does not heed the parameter answers on hg19.
    wrong = await got(FakeUpstream({"": Played(GRID1)}), "chr10:g.87933119A>C", assembly="hg38")
    assert wrong.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C015")
async def test_an_rsid_of_several_alleles_is_a_list_and_all_are_shown() -> None:
    upstream = FakeUpstream({"/variant/rs1047781?assembly=hg19": Played([FUT2_C, FUT2_T])})
    result = await got(upstream, "RS1047781", assembly="hg19")
    rows = result.content["data"]["variants"]
    assert [row["summary"]["variant_id"] for row in rows] == ["chr19:g.49206631A>C", "chr19:g.49206631A>T"]
    assert result.content["returned"] == 2 and "names 2 variants" in result.content["note"]
    one = await got(FakeUpstream({"/variant/rs113488022": Played(V600E_HG38)}), "rs113488022")
    assert one.content["returned"] == 1


@pytest.mark.case("C014")
async def test_a_merged_number_leads_to_the_present_one_and_says_so() -> None:
    upstream = FakeUpstream({"/variant/rs3187804": UNKNOWN, "/query?dbsnp.dbsnp_merges.rsid": hits(FUT2_T)})
    result = await got(upstream, "rs3187804", assembly="hg19")
    assert result.content["data"]["variants"][0]["summary"]["rsid"] == "rs1047781"
    assert "rs3187804 was merged into rs1047781" in result.content["note"]


async def test_a_number_that_only_clinvar_has_is_found() -> None:
    upstream = FakeUpstream({"/variant/rs2132232095": UNKNOWN, "/query": hits(PTEN_DELETION)})
    result = await got(upstream, "rs2132232095")
    summary = result.content["data"]["variants"][0]["summary"]
    assert (summary["rsid"], summary["protein_changes"]) == ("rs2132232095", ["R55fs"])
    assert summary["clinvar"]["classified"][0]["stars"] == 1
    none = await got(FakeUpstream({"/variant/rs1": UNKNOWN, "/query": NO_HITS}), "rs1")
    assert none.content["outcome"] == "unknown_id"


@pytest.mark.parametrize("variant_id", ["rs9", "chr7:g.140753336A>G", "RCV000000009", "CA9"])
async def test_another_record_than_the_one_asked_for_is_an_error(variant_id: str) -> None:
    result = await got(FakeUpstream({"": Played(V600E_HG38)}), variant_id, assembly="hg38")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize("variant_id", ["RCV000014992.3", "ca123643"])
async def test_accessions_of_clinvar_and_clingen_lead_to_the_record(variant_id: str) -> None:
    result = await got(FakeUpstream({"": Played(V600E_HG38)}), variant_id)
    assert result.content["data"]["variants"][0]["summary"]["rsid"] == "rs113488022"


async def test_blocks_decide_what_is_asked_for() -> None:
    upstream = FakeUpstream({"": Played(V600E_HG19)})
    await got(upstream, "rs113488022", assembly="hg19", blocks=["gnomad", "civic"])
    fields = upstream.asked[0].partition("fields=")[2].split(",")
    assert {"gnomad_exome", "gnomad_genome", "civic", "clinvar.rcv.accession"} <= set(fields)
    assert "gnomad_exome.af.af" not in fields and "dbnsfp" not in fields
    await got(upstream, "rs113488022", assembly="hg19", blocks=["all"])
    assert "fields" not in upstream.asked[1]


async def test_a_block_that_the_assembly_lacks_is_refused() -> None:
    upstream = FakeUpstream({})
    result = await got(upstream, "rs113488022", blocks=["clinvar", "civic", "cosmic"])
    assert result.content["error"]["argument"] == "blocks"
    assert "civic, cosmic" in result.content["error"]["message"] and upstream.requests == []


@pytest.mark.parametrize("variant_id", ["BRAF V600E", "7:140753336", "NC_000007.14:g.140753336A>T@hg19"])
async def test_what_is_no_id_of_a_variant_is_refused(variant_id: str) -> None:
    result = await got(FakeUpstream({}), variant_id)
    assert result.content["error"]["code"] == "tool_invalid_arguments"


async def batched(answer: Json, *variant_ids: str, **arguments: Json) -> tuple[Envelope, FakeUpstream]:
    upstream = FakeUpstream({"/v1/variant": Played(answer)})
    return await call(platform, upstream, "variant_batch", variant_ids=list(variant_ids), **arguments), upstream


async def test_a_batch_names_what_is_not_known() -> None:
    answer = [{"query": "rs113488022", **V600E_HG38}, {"query": "rs1", "notfound": True}]
    result, upstream = await batched(answer, "rs113488022", "rs1", "rs1")
    assert result.content["data"]["not_found"] == ["rs1"] and result.content["returned"] == 1
    assert "record" not in result.content["data"]["variants"][0]
    assert (upstream.requests[0].text or "").startswith("ids=rs113488022%2Crs1&assembly=hg38&fields=")


async def test_a_batch_that_drops_ids_silently_is_an_error() -> None:
    result, _ = await batched([{"query": "rs113488022", **V600E_HG38}], "rs113488022", "rs1047781")
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "rs1047781" in result.content["error"]["message"]


async def test_a_batch_of_bare_coordinates_needs_an_assembly() -> None:
    result, upstream = await batched([], "chr7:g.140753336A>T", "rs1")
    assert result.content["error"]["argument"] == "assembly" and upstream.requests == []
    told, upstream = await batched([{"query": "chr7:g.140753336A>T", **V600E_HG38}], "NC_000007.14:g.140753336A>T")
    assert told.content["outcome"] == "data" and "assembly=hg38" in (upstream.requests[0].text or "")
    mixed, _ = await batched([], "chr7:g.140753336A>T@hg38", "chr7:g.140453136A>T@hg19")
    assert mixed.content["error"]["argument"] == "assembly"


async def test_a_batch_takes_a_thousand_ids_and_no_more() -> None:
    rsids = [f"rs{number}" for number in range(1, 1002)]
    result, upstream = await batched([], *rsids)
    assert result.content["error"]["argument"] == "variant_ids" and upstream.requests == []
    result, _ = await batched([{"query": rsid, "notfound": True} for rsid in rsids[:1000]], *rsids[:1000])
    assert result.content["outcome"] == "unknown_id"


async def test_a_batch_with_a_record_of_another_variant_is_an_error() -> None:
    result, _ = await batched([{"query": "chr7:g.1A>T", **V600E_HG38}], "chr7:g.1A>T", assembly="hg38")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def carded(answers: dict[str, Any], variant: str, **arguments: Json) -> tuple[Envelope, FakeUpstream]:
    upstream = FakeUpstream(answers)
    return await call(platform, upstream, "variant_clinical_summary", variant=variant, **arguments), upstream


BOTH = {"/query?assembly=hg38": hits(V600E_HG38), "/query?assembly=hg19": hits(V600E_HG19)}


@pytest.mark.case("C017")
@pytest.mark.parametrize(
    "variant", ["BRAF V600E", "BRAF p.Val600Glu", "BRAF:p.V600E", "braf v600e", "BRAF VAL600GLU", "rs113488022"]
)
async def test_a_card_joins_both_assemblies_into_one_variant(variant: str) -> None:
    result, _ = await carded(BOTH, variant)
    (card,) = result.content["data"]
    assert card["genomic_ids"] == {"hg38": "chr7:g.140753336A>T", "hg19": "chr7:g.140453136A>T"}
    assert card["clinvar"]["variation_id"] == "13961" and card["rsid"] == "rs113488022"
    assert card["civic"]["variant_id"] == "12" and card["civic"]["molecular_profiles"] == ["BRAF V600E"]
    assert card["cosmic"]["ids"] == ["COSM476"]
    assert card["gnomad"]["allele_count"] == 1 and card["gnomad"]["allele_number"] == 251260


async def test_a_card_groups_clinvar_by_significance_with_the_best_review() -> None:
    record = copy.deepcopy(V600E_HG38)
    record["clinvar"]["rcv"].append(rcv("RCV000037936", "Pathogenic", PANEL, "Melanoma", "Lung cancer"))
    result, _ = await carded({"/query": hits(record)}, "rs113488022", assembly="hg38")
    best = result.content["data"][0]["clinvar"]["classified"][0]
    assert best == {
        "significance": "Pathogenic", "records": 2, "review_status": PANEL, "stars": 3,
        "conditions": ["Carcinoma of colon (CRC)", "Melanoma", "Lung cancer"],
        "accessions": ["RCV000014992", "RCV000037936"],
    }  # fmt: skip


async def test_a_card_of_one_assembly_says_that_the_other_is_missing() -> None:
    answers = {"/query?assembly=hg38": hits(V600E_HG38), "/query?assembly=hg19": Played("<html>busy</html>", 503)}
    result, _ = await carded(answers, "BRAF V600E")
    assert result.content["outcome"] == "data" and "civic" not in result.content["data"][0]
    assert "What only hg19 has is missing" in result.content["note"]
    nothing, _ = await carded({**answers, "/query?assembly=hg38": NO_HITS}, "rs113488022")
    assert nothing.content["error"]["code"] == "upstream_unavailable"


async def test_alleles_of_one_number_stay_apart_on_a_card() -> None:
    result, _ = await carded({"/query": hits(FUT2_T, FUT2_C)}, "rs1047781", assembly="hg19")
    assert [card["protein_changes"] for card in result.content["data"]] == [["I140F"], ["I140L"]]


@pytest.mark.parametrize("variant", ["melanoma", "BRAF kinase", "V600E"])
async def test_a_card_needs_a_variant(variant: str) -> None:
    result, upstream = await carded({}, variant)
    assert result.content["error"]["argument"] == "variant" and upstream.requests == []


async def test_fields_are_found_by_word_and_block_and_paged() -> None:
    names = {f"gnomad_exome.af.af_{group}": {"type": "float"} for group in ("afr", "amr", "eas")}
    upstream = FakeUpstream({"/metadata/fields": Played({**names, "cadd.phred": {"type": "float", "index": False}})})
    result = await call(platform, upstream, "list_fields", search="AF_a", prefix="gnomad_exome", limit=1)
    assert [row["field"] for row in result.content["data"]] == ["gnomad_exome.af.af_afr"]
    assert (result.content["total"], result.content["next"]) == (2, {"offset": 1})
    assert "assembly=hg38&search=AF_a&prefix=gnomad_exome" in upstream.asked[0]
    phred = await call(platform, upstream, "list_fields", search="phred", assembly="hg19")
    assert phred.content["data"] == [{"field": "cadd.phred", "type": "float", "is_searchable": False}]
    neither = await call(platform, upstream, "list_fields")
    assert neither.content["error"]["argument"] == "search"
