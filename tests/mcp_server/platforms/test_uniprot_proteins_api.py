"""UniProt over EBI's Proteins API: variants by the thousand, genome positions, peptides, epitopes."""

from typing import Any

import pytest

from mcp_server.platforms.uniprot import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.uniprot_entries import MISSING, entry

Json = Any

NOTHING = Played({"requestedURL": "x", "errorMessage": ["Can not find the feature information"]}, 404)
BROKEN = Played("<html>oops</html>", 503)
VARIATION = {
    "accession": "P15056",
    "entryName": "BRAF_HUMAN",
    "geneName": "BRAF",
    "organismName": "Homo sapiens",
    "taxid": 9606,
    "features": [
        {
            "begin": "600",
            "end": "600",
            "wildType": "V",
            "mutatedType": "E",
            "genomicLocation": ["NC_000007.14:g.140753336A>T"],
            "clinicalSignificances": [{"type": "Pathogenic", "sources": ["ClinVar"]}],
            "association": [{"name": "Melanoma", "disease": True}],
        },
        {
            "begin": "600",
            "end": "600",
            "wildType": "V",
            "alternativeSequence": "M",
            "clinicalSignificances": "Uncertain significance",
        },
        {"begin": "39", "end": "44", "wildType": "NKLSGA", "mutatedType": "SKNLGS"},
    ],
}
PEPTIDES = {
    "accession": "Q653S1",
    "taxid": 39947,
    "features": [
        {
            "begin": "206",
            "end": "217",
            "peptide": "AAESDVNVSSPR",
            "ptms": [
                {
                    "name": "Phosphorylation",
                    "position": 10,
                    "sources": ["PTMeXchange"],
                    "dbReferences": [{"id": dataset, "properties": {"Confidence score": "Silver"}}],
                }
            ],
        }
        for dataset in ("PXD019291", "PXD004939")
    ],
}
EPITOPES = {"accession": "P01116", "features": [{"type": "EPITOPE", "begin": "5", "end": "14"}]}


def exon(begin: int, end: int, first: int, last: int) -> Json:
    """Return an exon with its residues."""
    return {
        "proteinLocation": {"begin": {"position": first}, "end": {"position": last}},
        "genomeLocation": {"begin": {"position": begin}, "end": {"position": end}},
    }


def coordinates(length: int, exons: list[Json], reverse: bool = False, assembly: str | None = "GRCh38") -> Json:
    """Return a protein's place on the genome."""
    location = {"exon": exons, "chromosome": "8", "start": 1, "end": 2, "reverseStrand": reverse}
    place = {"ensemblTranscriptId": "ENST00000260130", "genomicLocation": location | {"assemblyName": assembly}}
    return [{"accession": "O00560", "taxid": 9606, "sequence": "A" * length, "gnCoordinate": [place]}]


PLACED = coordinates(80, [exon(101, 151, 1, 17), exon(201, 279, 18, 44), exon(301, 410, 44, 80)])
TOOLS = {
    "get_population_variants": ("P15056", "/variation/P15056", VARIATION),
    "get_genomic_coordinates": ("O00560", "/coordinates", PLACED),
    "get_proteomics_ptms": ("Q653S1", "/proteomics/ptm/Q653S1", PEPTIDES),
}
each_tool = pytest.mark.parametrize("tool", TOOLS)


@each_tool
async def test_json_is_asked_for_and_the_protein_cited(tool: str) -> None:
    accession, path, record = TOOLS[tool]
    upstream = FakeUpstream({path: Played(record)})
    result = await call(platform, upstream, tool, accession=accession)
    assert result.content["outcome"] == "data"
    assert result.meta["burp/citations"][0]["identifier"] == accession
    assert upstream.requests[0].url.startswith("https://www.ebi.ac.uk/proteins/api/")
    assert upstream.requests[0].headers["Accept"] == "application/json"


@each_tool
@pytest.mark.parametrize(
    ("known", "outcome"), [(True, "empty"), (False, "unknown_id")], ids=["known to UniProt", "unknown"]
)
async def test_a_protein_without_data_is_told_from_one_that_nobody_has(tool: str, known: bool, outcome: str) -> None:
    accession, path, _ = TOOLS[tool]
    nothing = Played([]) if tool == "get_genomic_coordinates" else NOTHING
    listed = Played(entry(accession, "GENE")) if known else MISSING
    upstream = FakeUpstream({path: nothing, f"/uniprotkb/{accession}": listed})
    result = await call(platform, upstream, tool, accession=accession)
    assert result.content["outcome"] == outcome
    assert accession in result.content["note"]


@each_tool
async def test_a_broken_service_and_another_protein_are_failures(tool: str) -> None:
    _, path, record = TOOLS[tool]
    asked = path.rpartition("/")[0] + "/P99999" if path != "/coordinates" else path
    broken = await call(platform, FakeUpstream({asked: BROKEN}), tool, accession="P99999")
    assert broken.content["error"]["code"] == "upstream_unavailable"
    other = await call(platform, FakeUpstream({asked: Played(record)}), tool, accession="P99999")
    assert other.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["600", "600", "39"]),
        ({"position": 41}, ["39"]),
        ({"change": "p.Val600Glu"}, ["600"]),
        ({"change": "V600M"}, ["600"]),
        ({"clinical_significance": "pathogenic"}, ["600"]),
        ({"clinical_significance": "uncertain"}, ["600"]),
        ({"disease": "melanoma"}, ["600"]),
        ({"position": 600, "disease": "gout"}, []),
    ],
    ids=["all", "inside a stretch", "change", "older key", "list", "older text", "disease", "none"],
)
async def test_variants_are_chosen_here_whatever_the_service_filters(arguments: Json, found: list[str]) -> None:
    upstream = FakeUpstream({"/variation/P15056": Played(VARIATION)})
    result = await call(platform, upstream, "get_population_variants", accession="P15056", **arguments)
    assert [row["begin"] for row in result.content["data"]["variants"]] == found
    assert result.content["outcome"] == ("data" if found else "empty")
    if "position" in arguments:
        assert f"location={arguments['position']}-{arguments['position']}" in upstream.asked[0]


@pytest.mark.parametrize(
    ("position", "reverse", "codon"),
    [
        (1, False, {"start": 101, "end": 103}),
        (69, False, {"start": 375, "end": 377}),
        # Two bases end the second exon, the third begins the next one.
        (44, False, {"start": 279, "end": 302, "bases": [279, 301, 302]}),
        (1, True, {"start": 149, "end": 151}),
    ],
    ids=["first", "third exon", "split by an intron", "reverse strand"],
)
async def test_a_codon_is_counted_along_the_coding_exons(position: int, reverse: bool, codon: Json) -> None:
    exons = [exon(101, 151, 1, 17), exon(201, 279, 18, 44), exon(301, 410, 44, 80)]
    upstream = FakeUpstream({"/coordinates": Played(coordinates(80, exons, reverse))})
    result = await call(platform, upstream, "get_genomic_coordinates", accession="O00560", position=position)
    (place,) = result.content["data"]["transcripts"]
    assert (place["codon"], place["assemblyName"], place["strand"]) == (codon, "GRCh38", -1 if reverse else 1)


async def test_exons_that_do_not_fit_the_protein_give_no_codon_and_a_missing_assembly_is_told() -> None:
    upstream = FakeUpstream({"/coordinates": Played(coordinates(80, [exon(1, 51, 1, 17)], assembly=None))})
    result = await call(platform, upstream, "get_genomic_coordinates", accession="O00560", position=5)
    assert result.content["data"]["transcripts"][0]["codon"] is None
    assert "assembly" in result.content["note"]
    behind = await call(platform, upstream, "get_genomic_coordinates", accession="O00560", position=81)
    assert behind.content["outcome"] == "empty" and "80 residues" in behind.content["note"]


async def test_peptides_become_sites_of_the_protein() -> None:
    upstream = FakeUpstream({"/proteomics/ptm/Q653S1": Played(PEPTIDES)})
    result = await call(platform, upstream, "get_proteomics_ptms", accession="Q653S1")
    (site,) = result.content["data"]["sites"]
    assert (site["position"], site["residue"], site["name"]) == (215, "S", "Phosphorylation")
    assert [row["id"] for row in site["datasets"]] == ["PXD019291", "PXD004939"]
    none = await call(platform, upstream, "get_proteomics_ptms", accession="Q653S1", position=3)
    assert none.content["outcome"] == "empty" and "at 3" in none.content["note"]


@pytest.mark.parametrize(
    ("epitopes", "antigens", "listed", "outcome"),
    [
        (Played(EPITOPES), NOTHING, MISSING, "data"),
        (NOTHING, NOTHING, Played(entry("P01116", "KRAS")), "empty"),
        (NOTHING, NOTHING, MISSING, "unknown_id"),
        (Played(EPITOPES), BROKEN, MISSING, "failed"),
    ],
    ids=["epitopes alone", "neither", "unknown", "half broken"],
)
async def test_epitopes_and_antigens_are_asked_for_both(
    epitopes: Played, antigens: Played, listed: Played, outcome: str
) -> None:
    upstream = FakeUpstream({"/epitope/P01116": epitopes, "/antigen/P01116": antigens, "/uniprotkb/P01116": listed})
    result = await call(platform, upstream, "get_epitopes_and_antigens", accession="P01116")
    assert result.content["outcome"] == outcome
