"""Open Targets on variants and signals: spellings, rsIDs, transcripts, credible sets whose ids do not last."""

from typing import Any

import pytest

from mcp_server.platforms.opentargets import platform
from tests.mcp_server.platforms.opentargets_answers import answer, arguments, example, played, sent
from tests.mcp_server.played import Played, call


async def run(tool: str, **others: Any) -> dict[str, Any]:
    """Call a tool on its example's answer and return the content."""
    envelope = await call(platform, played(example(tool)), tool, **arguments(tool, **others))
    return envelope.content


@pytest.mark.parametrize("spelling", ["19_44908822_C_T", "chr19:44908822:c:t", "19-44908822-C-T", "chr19:44908822:C>T"])
async def test_a_variant_is_found_in_its_usual_spellings(spelling: str) -> None:
    play = played(example("get_variant_info"))
    await call(platform, play, "get_variant_info", variant_id=spelling)
    assert sent(play) == {"variantId": "19_44908822_C_T"}


def named(*variants: tuple[str, list[str]]) -> dict[str, Any]:
    """Return a search answer with these variants and their rsIDs."""
    hits = [{"id": id, "name": id, "entity": "variant", "object": {"rsIds": rsids}} for id, rsids in variants]
    return answer(search={"total": len(hits), "hits": hits})


async def test_an_rsid_is_looked_up_and_the_variant_used_is_named() -> None:
    play = played(named(("19_44908822_C_T", ["rs7412"]), ("1_1_A_T", ["rs74120"])), example("get_variant_info"))
    envelope = await call(platform, play, "get_variant_info", variant_id="RS7412")
    assert envelope.content["note"] == "rs7412 is 19_44908822_C_T."
    assert (sent(play, 0)["entityNames"], sent(play, 1)["variantId"]) == (["variant"], "19_44908822_C_T")


async def test_an_rsid_of_several_alleles_answers_with_the_candidates() -> None:
    play = played(named(("7_140753336_A_T", ["rs113488022"]), ("7_140753336_A_C", ["rs113488022"])))
    envelope = await call(platform, play, "get_variant_evidence", variant_id="rs113488022")
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["data"]["replacement"] == ["7_140753336_A_T", "7_140753336_A_C"]
    assert "names 2 variants" in envelope.content["note"]


async def test_an_rsid_that_nobody_knows_is_unknown() -> None:
    envelope = await call(platform, played(named()), "get_variant_credible_sets", variant_id="rs999999999999")
    assert (envelope.content["outcome"], envelope.content["data"]) == ("unknown_id", {"identifier": "rs999999999999"})


@pytest.mark.parametrize("value", ["BRAF V600E", "19_44908822_C", "p.Val600Glu"])
async def test_what_is_no_variant_of_the_genome_is_refused(value: str) -> None:
    envelope = await call(platform, Played(), "get_variant_info", variant_id=value)
    assert envelope.content["error"]["argument"] == "variant_id"


@pytest.mark.parametrize(("everything", "shown"), [(False, 1), (True, 2)])
async def test_canonical_transcripts_come_unless_all_are_wanted(everything: bool, shown: int) -> None:
    content = await run("get_variant_info", all_transcripts=everything)
    assert len(content["data"]["transcriptConsequences"]) == shown
    assert content["data"]["transcriptConsequenceCount"] == 2
    assert (content["data"]["assembly"], content["data"]["species"]) == ("GRCh38", "Homo sapiens")


async def test_a_variant_is_cited_by_its_page_and_its_rsid() -> None:
    envelope = await call(
        platform, played(example("get_variant_info")), "get_variant_info", variant_id="19_44908822_C_T"
    )
    assert [(cited["kind"], cited["url"]) for cited in envelope.meta["burp/citations"]] == [
        ("variant", "https://platform.opentargets.org/variant/19_44908822_C_T"),
        ("rsid", "https://www.ncbi.nlm.nih.gov/snp/rs7412"),
    ]


async def test_drug_response_rows_alone_are_data() -> None:
    body = example("get_variant_evidence")
    body["data"]["variant"]["evidences"] = {"count": 0, "cursor": None, "rows": []}
    envelope = await call(platform, played(body), "get_variant_evidence", variant_id="19_44908822_C_T")
    assert (envelope.content["outcome"], envelope.content["total"]) == ("data", 0)
    assert envelope.content["data"]["pharmacogenomicsCount"] == 1
    assert "19106084" in [cited["identifier"] for cited in envelope.meta["burp/citations"]]


async def test_kinds_of_studies_reach_the_request() -> None:
    play = played(example("get_variant_credible_sets"))
    envelope = await call(
        platform, play, "get_variant_credible_sets", variant_id="1_154453788_C_T", study_types=["gwas", "pqtl"]
    )
    assert sent(play)["studyTypes"] == ["gwas", "pqtl"]
    assert envelope.content["data"]["variant"]["assembly"] == "GRCh38"
    assert envelope.content["total"] == envelope.content["returned"] == 2


async def test_signals_of_a_gene_go_on() -> None:
    content = await run("get_target_credible_sets")
    assert (content["total"], content["next"]) == (800, {"offset": 1})


async def test_a_study_without_signals_is_still_a_record() -> None:
    body = example("get_gwas_study")
    body["data"]["study"]["credibleSets"] = {"count": 0, "rows": []}
    envelope = await call(platform, played(body), "get_gwas_study", study_id="GCST004131")
    assert (envelope.content["outcome"], envelope.content["total"]) == ("data", 0)
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["GCST004131", "28067908"]


@pytest.mark.parametrize("with_features", [False, True])
async def test_a_signal_shows_genes_neighbours_and_members_with_their_counts(with_features: bool) -> None:
    content = await run("get_credible_set", with_features=with_features)
    assert {name: content["data"][name]["count"] for name in ("l2GPredictions", "colocalisation", "locus")} == {
        "l2GPredictions": 1,
        "colocalisation": 2217,
        "locus": 1,
    }
    assert ("features" in content["data"]["l2GPredictions"]["rows"][0]) is with_features
    assert (content["total"], content["next"]) == (2217, {"offset": 2})


async def test_an_unknown_credible_set_says_that_its_id_does_not_last() -> None:
    envelope = await call(platform, played(answer(credibleSet=None)), "get_credible_set", study_locus_id="0" * 32)
    assert envelope.content["outcome"] == "unknown_id"
    assert "change with every release" in envelope.content["note"]
