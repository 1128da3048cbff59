"""Cancer Hotspots: residues with their tumours, and the traps of the service."""

from typing import Any

import pytest

from mcp_server.platforms.cbioportal import platform
from tests.mcp_server.platforms.cbioportal_cases import NONE, V600, gene, hotspot, not_found, unknown_gene
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

SPLICE = hotspot("BRAF", "X327", 3, 327, type="splice site", variantAminoAcid={"sp": 3})
INDEL = {
    **hotspot("BRAF", "486-494", 17, 486, type="in-frame indel", variantAminoAcid={"N486_P490del": 17}),
    "aminoAcidPosition": {"start": 486, "end": 494},
}
G469 = hotspot("BRAF", "G469", 61, 469, variantAminoAcid={"A": 34, "V": 11, "G": 1, "*": 1})
BRAF = Played([SPLICE, G469, INDEL, V600])


async def hotspots(answers: dict[str, Any], **arguments: Any) -> tuple[Any, FakeUpstream]:
    upstream = FakeUpstream(answers)
    return await call(platform, upstream, "hotspots", **{"gene": "BRAF", **arguments}), upstream


async def test_residues_come_with_most_tumours_first_and_numbers_as_numbers() -> None:
    result, upstream = await hotspots({"/byGene/BRAF": BRAF})

    data = result.content["data"]
    assert [row["residue"] for row in data["hotspots"]] == ["V600", "G469", "486-494", "X327"]
    assert data["hotspots"][0]["q_value"] == 3.65e-82
    assert data["hotspots"][0]["transcript_id"] == "ENST00000288602"
    assert (data["version"], data["tumors_in_dataset"], data["assembly"]) == ("v2", 24592, "GRCh37")
    assert (result.content["total"], data["species"]) == (4, "Homo sapiens")
    assert upstream.asked == ["api/hotspots/single/byGene/BRAF"]


async def test_synonymous_changes_are_kept_apart() -> None:
    result, _ = await hotspots({"/byGene/BRAF": BRAF})

    first = result.content["data"]["hotspots"][0]
    assert (first["tumors"], first["variants"], first["synonymous"]) == (897, {"E": 893}, 4)
    assert "synonymous" not in result.content["data"]["hotspots"][3]


@pytest.mark.parametrize(
    ("residue", "found"),
    [("V600", ["V600"]), ("600", ["V600"]), ("490", ["486-494"]), ("486-494", ["486-494"]), ("X327", ["X327"])],
)
async def test_a_residue_is_found_by_name_and_by_position(residue: str, found: list[str]) -> None:
    result, _ = await hotspots({"/byGene/BRAF": BRAF}, residue=residue)

    assert [row["residue"] for row in result.content["data"]["hotspots"]] == found


async def test_places_on_the_protein_are_not_named_as_places_on_the_genome() -> None:
    result, _ = await hotspots({"/byGene/BRAF": BRAF}, residue="486-494")

    (row,) = result.content["data"]["hotspots"]
    assert (row["residue_start"], row["residue_end"]) == (486, 494)
    assert not {"start", "end"} & set(row)


async def test_a_residue_that_is_none_comes_with_those_that_are() -> None:
    result, _ = await hotspots({"/byGene/BRAF": BRAF}, residue="K999")

    assert (result.content["outcome"], result.content["total"]) == ("empty", 0)
    assert "no hotspot K999 of BRAF" in result.content["note"] and "V600, G469" in result.content["note"]


async def test_an_alias_and_a_number_are_looked_up() -> None:
    erbb2 = Played({"entrezGeneId": 2064, "hugoGeneSymbol": "ERBB2", "type": "protein-coding"})
    rows = Played([hotspot("ERBB2", "S310", 113, 310)])
    alias = {"/genes/HER2": not_found("Gene", "HER2"), "/genes?alias=HER2": Played([erbb2.body])}

    by_alias, _ = await hotspots({"/byGene/HER2": NONE, "/byGene/ERBB2": rows, **alias}, gene="HER2")
    by_number, _ = await hotspots({"/byGene/ERBB2": rows, "/genes/2064": erbb2}, gene="2064")

    for result in (by_alias, by_number):
        assert result.content["data"]["gene_symbols"] == ["ERBB2"]
        assert result.content["data"]["hotspots"][0]["residue"] == "S310"


async def test_several_genes_are_asked_for_at_once() -> None:
    rows = Played([V600, hotspot("MYD88", "L265", 37, 265)])

    result, upstream = await hotspots({"/byGene/BRAF,MYD88": rows}, gene="BRAF,MYD88")

    assert [(row["gene_symbol"], row["residue"]) for row in result.content["data"]["hotspots"]] == [
        ("BRAF", "V600"),
        ("MYD88", "L265"),
    ]
    assert len(upstream.requests) == 1


async def test_one_unknown_gene_among_several_is_named() -> None:
    result, _ = await hotspots({"/byGene/BRAF,TP35": BRAF, **unknown_gene_named("TP35")}, gene="BRAF,TP35")

    assert (result.content["outcome"], result.content["data"]["identifier"]) == ("unknown_id", "TP35")


def unknown_gene_named(symbol: str) -> dict[str, Any]:
    return {**unknown_gene("BRAF"), f"/genes/{symbol}": not_found("Gene", symbol)}


async def test_a_known_gene_without_hotspots_is_empty() -> None:
    result, _ = await hotspots({"/byGene/ALK": NONE, **gene("ALK")}, gene="ALK")

    assert (result.content["outcome"], result.content["note"]) == ("empty", "Cancer Hotspots lists no hotspot of ALK.")


async def test_hotspots_of_another_gene_are_refused() -> None:
    result, _ = await hotspots({"/byGene/BRAF": Played([hotspot("KRAS", "G12", 2175, 12)])})

    assert "asked for BRAF, got KRAS" in result.content["error"]["message"]


@pytest.mark.case("C040")
async def test_version_3_that_is_answered_with_version_2_is_not_called_version_3() -> None:
    same, _ = await hotspots({"/byGene/BRAF": BRAF}, version="v3")
    other = {"/byGene/BRAF?version=v3": Played([V600, G469, hotspot("BRAF", "K601", 38, 601)]), "/byGene/BRAF": BRAF}
    new, _ = await hotspots(other, version="v3")

    assert same.content["data"]["version"] == "v2" and "version 3 is not there" in same.content["note"]
    assert new.content["data"]["version"] == "v3" and "tumors_in_dataset" not in new.content["data"]


async def test_structure_clusters_are_listed_apart() -> None:
    row = hotspot("BRAF", "N581", 21, 581, type="Hotspot-linked", qValue=None, pValue="0.001")
    answers = {"/hotspots/3d/byGene/BRAF": Played([row]), "/hotspots/single/byGene/BRAF": BRAF}

    result, _ = await hotspots(answers, include_3d=True)

    data = result.content["data"]
    assert [(one["residue"], one["type"], one["p_value"]) for one in data["hotspots_3d"]] == [
        ("N581", "Hotspot-linked", 0.001)
    ]
    assert len(data["hotspots"]) == 4


@pytest.mark.parametrize("asked", ["BRAF;KRAS", ",,", ",".join(f"GENE{number}" for number in range(11))])
async def test_what_is_no_list_of_genes_is_refused(asked: str) -> None:
    result, upstream = await hotspots({}, gene=asked)

    assert (result.content["error"]["code"], result.content["error"]["argument"]) == ("tool_invalid_arguments", "gene")
    assert upstream.requests == []
