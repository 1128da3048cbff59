"""The card of a gene in cancer: fast, small, each part with study and denominator, honest about a failed part."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

from mcp_server.http.errors import UpstreamUnavailable
from mcp_server.http.messages import Request, Response
from mcp_server.platforms.cbioportal import platform
from mcp_server.platforms.cbioportal.card import within
from tests.mcp_server.platforms.cbioportal_cases import (
    ATLAS,
    ATLAS_CALLS,
    ATLAS_SILENT,
    CALLS,
    GENES,
    LOOKED_AT,
    NONE,
    SKCM,
    THCA,
    V600,
    gene,
    hotspot,
    mutation,
    not_found,
    panel_row,
    studies,
    unknown_gene,
)
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

DOWN = Played("<html>502 Bad Gateway</html>", 502)
RESIDUES = {"/byGene/BRAF": Played([V600, hotspot("BRAF", "G469", 61, 469)])}


async def card(answers: dict[str, Any], **arguments: Any) -> tuple[Any, FakeUpstream]:
    upstream = FakeUpstream(answers)
    return await call(platform, upstream, "gene_enrichment_summary", **{"gene": "BRAF", **arguments}), upstream


async def test_every_part_has_its_study_and_denominator() -> None:
    result, upstream = await card({**ATLAS, **ATLAS_CALLS, **RESIDUES}, mutation="V600E")

    data = result.content["data"]
    assert data["gene"] == {"symbol": "BRAF", "entrez_gene_id": 673, "species": "Homo sapiens"}
    assert (data["set"], data["counted"], data["failed"]) == ("TCGA PanCancer Atlas 2018", "samples", [])
    assert [
        (row["study_id"], row["altered_samples"], row["profiled_samples"]) for row in data["frequency"]["studies"]
    ] == [
        (SKCM, 2, 3),
        (THCA, 1, 2),
    ]
    assert (data["frequency"]["studies_profiled"], data["frequency"]["studies_with_mutation"]) == (2, 2)
    assert {(row["study_id"], row["protein_change"], row["profiled_samples"]) for row in data["top_changes"]} == {
        (SKCM, "V600E", 3),
        (SKCM, "V600K", 3),
        (THCA, "V600E", 2),
    }
    assert [(row["study_id"], row["samples"], row["profiled_samples"]) for row in data["mutation"]["studies"]] == [
        (THCA, 1, 2),
        (SKCM, 1, 3),
    ]
    assert (data["hotspots"]["tumors_in_dataset"], data["hotspots"]["assembly"]) == (24592, "GRCh37")
    assert [row["residue"] for row in data["hotspots"]["residues"]] == ["V600", "G469"]
    first = data["hotspots"]["residues"][0]
    assert len(first["top_variants"]) <= 3 and first["variants_total"] >= len(first["top_variants"])
    assert data["distinct_changes"] == 2
    assert len(upstream.requests) == 6


async def test_the_card_in_words_is_short_and_says_of_how_many() -> None:
    result, _ = await card({**ATLAS, **ATLAS_CALLS, **RESIDUES}, mutation="V600E")

    text = result.content["data"]["text"]
    assert "2/3 (66.67 %)" in text and "V600E:" in text and "V600 897" in text and "24592" in text
    assert len(text) <= 600
    assert len(json.dumps(result.content)) < 8000
    assert result.content["data"]["url"].startswith("https://www.cbioportal.org/results/mutations?cancer_study_list=")


async def test_without_a_mutation_none_is_spoken_of() -> None:
    result, _ = await card({**ATLAS, **ATLAS_CALLS, **RESIDUES})

    assert "mutation" not in result.content["data"]
    assert "V600E in Mixed Cancer Types 1/" in result.content["data"]["text"]


async def test_a_mutation_that_is_not_seen_is_said_to_be_in_none() -> None:
    result, _ = await card({**ATLAS, **ATLAS_CALLS, **RESIDUES}, mutation="V600R")

    found = result.content["data"]["mutation"]
    assert (found["studies_with_it"], found["studies_profiled"], found["studies"]) == (0, 2, [])
    assert "V600R: in none of them" in result.content["data"]["text"]


async def test_without_hotspots_the_portals_parts_are_given_and_the_failure_named() -> None:
    result, _ = await card({**ATLAS, **ATLAS_CALLS, "/byGene/BRAF": DOWN}, mutation="V600E")

    data = result.content["data"]
    assert result.content["outcome"] == "data" and data["frequency"]["studies"]
    assert [(one["part"], one["source"]) for one in data["failed"]] == [("hotspots", "www.cancerhotspots.org")]
    assert "502" in data["failed"][0]["message"]
    assert "hotspots" not in data and "Not answered: hotspots" in result.content["note"]
    assert "Not answered: hotspots" in data["text"]


async def test_without_the_portal_the_hotspots_are_given_and_the_failures_named() -> None:
    result, _ = await card({**RESIDUES, "": DOWN}, mutation="V600E")

    data = result.content["data"]
    assert result.content["outcome"] == "data" and data["hotspots"]["residues"][0]["tumors"] == 897
    assert [one["part"] for one in data["failed"]] == ["frequency", "top_changes", "mutation"]
    assert {one["source"] for one in data["failed"]} == {"www.cbioportal.org"}
    assert "frequency" not in data


async def test_without_panels_there_are_no_frequencies_rather_than_wrong_ones() -> None:
    answers = {"/mutations/fetch": Played(CALLS), "/gene-panel-data/fetch": DOWN}

    result, _ = await card({**ATLAS, **answers, **RESIDUES})

    assert "frequency" not in result.content["data"] and "top_changes" not in result.content["data"]
    assert [one["part"] for one in result.content["data"]["failed"]] == ["frequency", "top_changes"]


async def test_with_both_sources_down_the_call_has_failed() -> None:
    result, _ = await card({"": DOWN})

    assert (result.content["outcome"], result.content["error"]["code"]) == ("failed", "upstream_unavailable")


async def test_nothing_anywhere_is_empty() -> None:
    result, _ = await card({**ATLAS, **ATLAS_SILENT, "/byGene/BRAF": NONE})

    assert (result.content["outcome"], result.content["total"]) == ("empty", 0)
    assert "No mutation of BRAF" in result.content["note"]


async def test_an_unknown_gene_is_not_an_empty_card() -> None:
    result, _ = await card({**unknown_gene("BRAF"), **studies(SKCM), "/byGene/BRAF": NONE})

    assert result.content["outcome"] == "unknown_id"


async def test_an_alias_and_a_number_bring_the_hotspots_of_the_gene() -> None:
    erbb2 = {"entrezGeneId": GENES["ERBB2"], "hugoGeneSymbol": "ERBB2", "type": "protein-coding"}
    found = {"/byGene/HER2": NONE, "/byGene/ERBB2": Played([hotspot("ERBB2", "S310", 113, 310)])}
    calls = {"/mutations/fetch": Played([mutation(SKCM, "S1", "S310F", "ERBB2")])}
    panels = {"/gene-panel-data/fetch": Played([panel_row(SKCM, "S1")])}
    shared = {**studies(SKCM), **calls, **panels, **found}
    alias = {"/genes/HER2": not_found("Gene", "HER2"), "/genes?alias=HER2": Played([erbb2])}

    by_alias, _ = await card({**shared, **alias}, gene="HER2")
    by_number, numbered = await card({**shared, "/genes/2064": Played(erbb2)}, gene="2064")

    for result in (by_alias, by_number):
        assert result.content["data"]["gene"]["symbol"] == "ERBB2"
        assert result.content["data"]["hotspots"]["residues"][0]["residue"] == "S310"
    assert not any("byGene/2064" in path for path in numbered.asked)


class Gathering:
    """Answers only once all requests of a group are under way: asked for one after the other they would hang."""

    def __init__(self, inner: FakeUpstream, *groups: tuple[str, ...]) -> None:
        self._inner = inner
        barriers = [(group, asyncio.Barrier(len(group))) for group in groups]
        self._barriers = {path: barrier for group, barrier in barriers for path in group}

    async def send(self, request: Request) -> Response:
        path = urlsplit(request.url).path
        for ending, barrier in self._barriers.items():
            if path.endswith(ending):
                async with asyncio.timeout(5):
                    await barrier.wait()
        return await self._inner.send(request)

    async def aclose(self) -> None:
        """Hold nothing."""


async def test_the_requests_of_a_card_run_side_by_side_in_two_steps() -> None:
    first = ("/genes/BRAF", "/studies/fetch", "/molecular-profiles/fetch", "/byGene/BRAF")
    second = ("/mutations/fetch", "/gene-panel-data/fetch")
    inner = FakeUpstream({**ATLAS, **ATLAS_CALLS, **RESIDUES})
    upstream: Any = Gathering(inner, first, second)

    result = await call(platform, upstream, "gene_enrichment_summary", gene="BRAF", mutation="V600E")

    assert result.content["outcome"] == "data" and result.content["data"]["failed"] == []
    assert len(inner.requests) == 6


async def test_a_part_that_takes_too_long_is_given_up() -> None:
    found = await within(asyncio.Event().wait(), asyncio.get_running_loop().time(), "www.cancerhotspots.org")

    assert isinstance(found, UpstreamUnavailable)
    assert "no answer within the 8 s" in str(found) and found.host == "www.cancerhotspots.org"


async def test_samples_outside_the_panels_count_nowhere() -> None:
    answers = {
        "/mutations/fetch": Played([*CALLS, mutation(SKCM, "OFF", "V600E")]),
        "/gene-panel-data/fetch": Played(LOOKED_AT),
    }

    result, _ = await card({**gene("BRAF"), **studies(SKCM, THCA), **answers, **RESIDUES}, mutation="V600E")

    data = result.content["data"]
    assert data["frequency"]["studies"][0]["altered_samples"] == 2
    assert {row["study_id"]: row["samples"] for row in data["mutation"]["studies"]} == {SKCM: 1, THCA: 1}
