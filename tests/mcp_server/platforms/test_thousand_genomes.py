"""1000 Genomes: each allele by itself, the reference told apart, merged numbers followed, the source named."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import pytest
import stamina

from mcp_server.config import ServerConfig
from mcp_server.http.messages import Request, Response
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.platforms.thousand_genomes import platform
from mcp_server.platforms.thousand_genomes.frequencies import variant_id_form
from mcp_server.server import ToolServer
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any

# Chromosomes of phase 3 and how many of them carry the T of rs1047781.
SEEN = {"ALL": (5008, 452), "AFR": (1322, 0), "AMR": (694, 1), "EAS": (1008, 443), "EUR": (1006, 0), "SAS": (978, 8)}
FUT2, ENSEMBL, MYVARIANT = "rs1047781", "/variation/human/rs1047781", "/v1/query"


def pops(seen: dict[str, tuple[int, int]], reference: str = "A", alternate: str = "T") -> list[Json]:
    """Return Ensembl's rows: an allele that was not seen in a population has none."""
    found = []
    for code, (number, count) in seen.items():
        for allele, carried in ((reference, number - count), (alternate, count)):
            if carried:
                found.append({"population": f"1000GENOMES:phase_3:{code}", "allele": allele,
                              "frequency": str(round(carried / number, 6)), "allele_count": carried})  # fmt: skip
    return found


# Rows of other projects stand between those of phase 3.
OTHERS = [
    {"population": "gnomADg:eas", "allele": "T", "frequency": 0.4717, "allele_count": 2440},
    {"population": "TOPMed", "allele": "C", "frequency": 0.00001},
]


def variant(name: str = FUT2, populations: list[Json] | None = None, **more: Json) -> Json:
    """Return Ensembl's record."""
    place = {"assembly_name": "GRCh38", "seq_region_name": "19", "location": "19:48703374-48703374", "strand": 1}
    patch = {**place, "seq_region_name": "CHR_HG1", "location": "CHR_HG1:1-1", "allele_string": "T/A"}
    return {
        "name": name, "mappings": [patch, {**place, "allele_string": "A/C/T"}], "synonyms": [], "MAF": None,
        "minor_allele": None, "populations": OTHERS + (pops(SEEN) if populations is None else populations), **more,
    }  # fmt: skip


def document(alternate: str, **more: Json) -> Json:
    """Return MyVariant's document of one alternate allele."""
    alleles = [
        {"allele": "A", "freq": {"1000g": 0.91, "gnomad": 0.977}},
        {"allele": "C", "freq": {"korean": 0}},
        {"allele": "T", "freq": {"1000g": 0.09, "gnomad": 0.023}},
    ]
    return {
        "_id": f"chr19:g.49206631A>{alternate}", "chrom": "19", "dbsnp": {"rsid": FUT2, "alleles": alleles},
        "vcf": {"ref": "A", "alt": alternate, "position": "49206631"}, **more,
    }  # fmt: skip


PHASE_3 = {
    "ac": 452, "af": 0.0902555910543131, "afr_ac": 0, "afr_af": 0, "eur_ac": 0, "eur_af": 0, "amr_ac": 1,
    "amr_af": 0.001440922190201729, "eas_ac": 443, "eas_af": 0.439484126984127, "sas_ac": 8,
    "sas_af": 0.0081799591002045,
}  # fmt: skip
DOCUMENTS = Played({"total": 2, "hits": [document("T", dbnsfp={"1000gp3": PHASE_3}), document("C")]})
NO_DOCUMENT = Played({"took": 1, "total": 0, "hits": []})
DOWN = Played("<html>maintenance</html>", 503)
UNKNOWN = Played({"error": "rs1047781 not found for homo_sapiens"}, 400)


async def asked(answers: dict[str, Played | list[Played]], **arguments: Json) -> tuple[Json, FakeUpstream]:
    upstream = FakeUpstream(answers)
    result = await call(platform, upstream, "population_frequencies", **{"rsid": FUT2, **arguments})
    return {**result.content, "citations": result.meta["burp/citations"]}, upstream


async def test_each_allele_has_its_frequencies_and_the_reference_is_told_apart() -> None:
    content, upstream = await asked({ENSEMBL: Played(variant())}, rsid="RS1047781")
    data = content["data"]
    assert (data["assembly"], data["location"], data["reference"]) == ("GRCh38", "19:48703374-48703374", "A")
    assert data["source"] == "1000 Genomes phase 3, read from Ensembl"
    by_allele = {row["allele"]: row for row in data["alleles"]}
    assert [(row["allele"], row["is_reference"], row["observed"]) for row in data["alleles"]] == [
        ("A", True, True), ("C", False, False), ("T", False, True),
    ]  # fmt: skip
    east_asian = {"frequency": 0.439484, "allele_count": 443, "allele_number": 1008}
    assert by_allele["T"]["populations"]["EAS"] == east_asian
    assert by_allele["T"]["populations"]["AFR"] == {"frequency": 0.0, "allele_count": 0, "allele_number": 1322}
    assert by_allele["A"]["populations"]["ALL"]["allele_count"] == 4556
    assert by_allele["C"]["populations"]["EAS"] == {"frequency": 0.0, "allele_count": 0, "allele_number": 1008}
    assert list(by_allele["T"]["populations"]) == ["ALL", "AFR", "AMR", "EAS", "EUR", "SAS"]
    assert content["citations"][0]["url"] == "https://www.ensembl.org/Homo_sapiens/Variation/Population?v=rs1047781"
    assert upstream.asked == ["variation/human/rs1047781?pops=1"]


async def test_the_26_populations_come_when_asked_for() -> None:
    seen = {**SEEN, "JPT": (208, 97), "CEU": (198, 0)}
    found, _ = await asked({ENSEMBL: Played(variant(populations=pops(seen)))}, level="all")
    shares = found["data"]["alleles"][2]["populations"]
    assert shares["JPT"] == {"frequency": 0.466346, "allele_count": 97, "allele_number": 208}
    assert shares["CEU"]["frequency"] == 0.0 and "FIN" not in shares


async def test_a_number_that_was_merged_is_followed_and_said() -> None:
    merged = variant("rs900000001", synonyms=["rs1047781", "rs900000002"])
    content, _ = await asked({ENSEMBL: Played(merged)})
    assert (content["data"]["rsid"], content["data"]["merged_into"]) == (FUT2, "rs900000001")
    assert "rs1047781 was merged into rs900000001" in content["note"]
    assert content["citations"][0]["identifier"] == "rs900000001"


async def test_the_record_of_another_variant_or_assembly_is_refused() -> None:
    wrong = {ENSEMBL: Played(variant("rs7412")), MYVARIANT: NO_DOCUMENT}
    content, _ = await asked(wrong)
    assert content["error"]["code"] == "upstream_bad_response"
    content, _ = await asked({ENSEMBL: Played(variant()), MYVARIANT: NO_DOCUMENT}, assembly="GRCh37")
    assert content["error"]["code"] == "upstream_bad_response" and "GRCh38" in content["error"]["message"]


async def test_grch37_is_asked_at_its_own_host() -> None:
    old = variant(mappings=[{"assembly_name": "GRCh37", "seq_region_name": "19", "strand": 1,
                             "location": "19:49206631-49206631", "allele_string": "A/C/T"}])  # fmt: skip
    content, upstream = await asked({ENSEMBL: Played(old)}, assembly="GRCh37")
    assert urlsplit(upstream.requests[0].url).netloc == "grch37.rest.ensembl.org"
    assert (content["data"]["assembly"], content["data"]["location"]) == ("GRCh37", "19:49206631-49206631")


async def test_frequencies_above_one_are_an_error() -> None:
    double = pops(SEEN) + pops({"EAS": (1008, 443)}, alternate="G")
    content, _ = await asked({ENSEMBL: Played(variant(populations=double)), MYVARIANT: NO_DOCUMENT})
    assert content["error"]["code"] == "upstream_bad_response" and "EAS" in content["error"]["message"]


async def test_an_unseen_allele_is_no_zero_where_the_rows_are_not_whole() -> None:
    part = [{"population": "1000GENOMES:phase_3:EAS", "allele": "A", "frequency": 0.56}]
    content, _ = await asked({ENSEMBL: Played(variant(populations=part))})
    assert content["data"]["alleles"][2]["populations"] == {}
    assert content["data"]["alleles"][2]["observed"] is None


@pytest.mark.parametrize("first", [DOWN, Played("Too many requests", 429), Played("<html>", 200)])
async def test_where_ensembl_fails_myvariant_answers_and_is_named(first: Played) -> None:
    content, upstream = await asked({ENSEMBL: first, MYVARIANT: DOCUMENTS})
    data = content["data"]
    assert data["source"] == "1000 Genomes phase 3, read from MyVariant.info"
    assert (data["assembly"], data["location"]) == ("GRCh37", "19:49206631-49206631")
    alleles = {row["allele"]: row for row in data["alleles"]}
    assert alleles["T"]["populations"]["EAS"] == {"frequency": 0.439484126984127, "allele_count": 443}
    assert alleles["A"] == {
        "allele": "A", "is_reference": True, "observed": True, "populations": {"ALL": {"frequency": 0.91}},
    }  # fmt: skip
    assert alleles["C"]["observed"] is None and alleles["C"]["populations"] == {}
    assert "Ensembl did not answer" in content["note"] and "not on GRCh38" in content["note"]
    assert upstream.asked[1].startswith("v1/query?q=dbsnp.rsid:rs1047781&assembly=hg19")


async def test_a_silent_ensembl_leaves_time_for_myvariant() -> None:
    class Silent(FakeUpstream):
        async def send(self, request: Request) -> Response:
            if request.host == "rest.ensembl.org":
                await asyncio.Event().wait()
            return await super().send(request)

    server = ToolServer(
        [platform], ServerConfig(upstreams="snapshot", tool_timeout_s=0.4), Silent({MYVARIANT: DOCUMENTS})
    )
    with stamina.set_testing(True):
        result = await server.call("thousand_genomes__population_frequencies", {"rsid": FUT2})
    assert result.content["data"]["source"].endswith("MyVariant.info")


async def test_trouble_of_both_sources_is_never_nothing_found() -> None:
    without_values = Played({"hits": [document("C", dbsnp={"rsid": FUT2, "alleles": []})]})
    for second in (DOWN, NO_DOCUMENT, without_values):
        content, _ = await asked({ENSEMBL: DOWN, MYVARIANT: second})
        assert content["error"]["code"] == "upstream_unavailable", content


async def test_a_variant_without_values_is_not_observed_and_no_error() -> None:
    content, _ = await asked({ENSEMBL: Played(variant(populations=[])), MYVARIANT: NO_DOCUMENT})
    assert (content["outcome"], content["data"]["observed"]) == ("empty", False)
    assert "not observed among 2,504 people" in content["note"]
    content, _ = await asked({ENSEMBL: Played(variant(populations=[])), MYVARIANT: DOWN})
    assert content["outcome"] == "empty"
    content, _ = await asked({ENSEMBL: Played(variant(populations=[])), MYVARIANT: DOCUMENTS}, level="all")
    assert content["data"]["source"].endswith("MyVariant.info")
    assert "26 populations are known to Ensembl only" in content["note"]


@pytest.mark.parametrize(
    ("answers", "source", "outcome"),
    [
        ({ENSEMBL: UNKNOWN}, "auto", "unknown_id"),
        ({MYVARIANT: NO_DOCUMENT}, "myvariant", "unknown_id"),
        ({MYVARIANT: DOCUMENTS}, "myvariant", "data"),
        ({MYVARIANT: DOWN}, "myvariant", "failed"),
        ({ENSEMBL: DOWN}, "ensembl", "failed"),
        ({ENSEMBL: Played({"error": "Wrong parameter"}, 400)}, "ensembl", "failed"),
        ({MYVARIANT: Played({"hits": [document("T", dbsnp={"rsid": "rs7412"})]})}, "myvariant", "failed"),
    ],
)
async def test_outcomes_stay_apart_by_source(answers: dict[str, Any], source: str, outcome: str) -> None:
    content, _ = await asked(answers, source=source)
    assert content["outcome"] == outcome, content


async def test_a_genomic_change_is_looked_up_on_its_assembly() -> None:
    path = "/v1/variant/chr19:g.48703374A%3ET"
    named = Played({"_id": "chr19:g.48703374A>T", "dbsnp": {"rsid": FUT2}, "vcf": {"ref": "A", "alt": "T"}})
    answers = {path: named, ENSEMBL: Played(variant())}
    content, upstream = await asked(answers, rsid=None, variant_id="19-48703374-a-t", assembly="GRCh38")
    assert (content["data"]["rsid"], content["data"]["asked_allele"]) == (FUT2, "T")
    assert "assembly=hg38" in upstream.asked[0]
    gone = {path: Played({"success": False, "error": "ID not found"}, 404)}
    content, _ = await asked(gone, rsid=None, variant_id="chr19:g.48703374A>T", assembly="GRCh38")
    assert content["outcome"] == "unknown_id"
    nameless = {path: Played({"_id": "chr19:g.48703374A>T", "vcf": {"ref": "A", "alt": "T"}})}
    content, _ = await asked(nameless, rsid=None, variant_id="chr19:g.48703374A>T", assembly="GRCh38")
    assert content["outcome"] == "empty"


def test_a_genomic_change_is_taken_as_people_write_it() -> None:
    for written in ("chr19:g.49206631A>T", "19:49206631:A:T", "19-49206631-a-t", "19:g.49206631A>T"):
        assert variant_id_form(written) == "chr19:g.49206631A>T"


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({}, "rsid"),
        ({"rsid": FUT2, "variant_id": "chr19:g.49206631A>T"}, "rsid"),
        ({"variant_id": "chr19:g.49206631A>T"}, "assembly"),
        ({"rsid": "FUT2"}, "rsid"),
        ({"rsid": FUT2, "level": "continents"}, "level"),
    ],
)
async def test_wrong_arguments_are_refused_before_anything_is_asked(arguments: dict[str, Json], argument: str) -> None:
    upstream = FakeUpstream({})
    result = await call(platform, upstream, "population_frequencies", **arguments)
    assert result.content["error"]["argument"] == argument and upstream.requests == []


async def test_variants_stand_side_by_side_with_the_largest_difference_first() -> None:
    common = variant("rs1815739", pops({code: (1000, 500 + 10 * index) for index, code in enumerate(SEEN)}, "C", "T"))
    common["mappings"] = [{"assembly_name": "GRCh38", "seq_region_name": "11", "allele_string": "C/T",
                           "location": "11:66560624-66560624", "strand": 1}]  # fmt: skip
    answers = {
        "/variation/homo_sapiens?pops=1": Played(
            {"rs1815739": common, FUT2: variant(synonyms=["rs900000002"]), "rs113488022": variant("rs113488022", [])}
        )
    }
    upstream = FakeUpstream(answers)
    rsids = ["rs1815739", "rs900000002", "rs113488022", "rs999999999", "rs1815739"]
    result = await call(platform, upstream, "compare_populations", rsids=rsids)
    data = result.content["data"]
    assert upstream.requests[0].body == {"ids": rsids[:4]}
    top = data["alleles"][0]
    assert (top["rsid"], top["query"], top["allele"], top["reference"]) == (FUT2, "rs900000002", "T", "A")
    assert (top["max_difference"], top["highest"], top["lowest"]) == (0.43948, "EAS", "AFR")
    assert top["populations"]["EAS"]["allele_count"] == 443
    unseen = next(row for row in data["alleles"] if row["allele"] == "C" and row["rsid"] == FUT2)
    assert unseen["max_difference"] == 0 and not {"highest", "lowest"} & set(unseen)
    assert [(row["rsid"], row["allele"]) for row in data["alleles"]][1] == ("rs1815739", "T")
    assert (data["not_observed"], data["not_found"]) == (["rs113488022"], ["rs999999999"])
    assert "rs900000002 was merged into rs1047781" in result.content["note"]


@pytest.mark.case("C038")
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Played({FUT2: variant()}), "data"),
        (Played({FUT2: variant(populations=[])}), "empty"),
        (Played({}), "unknown_id"),
        (DOWN, "failed"),
        (Played("<html>Ensembl</html>"), "failed"),
        (Played(["rs1047781"]), "failed"),
    ],
)
async def test_outcomes_of_the_comparison_stay_apart(answer: Played, outcome: str) -> None:
    result = await call(
        platform, FakeUpstream({"/variation/homo_sapiens": answer}), "compare_populations", rsids=[FUT2]
    )
    assert result.content["outcome"] == outcome
    assert outcome in ("data", "failed") or result.content["note"]


async def test_the_release_names_the_phase_and_ensembls_own() -> None:
    server = ToolServer(
        [platform], ServerConfig(upstreams="snapshot"), FakeUpstream({"/info/data": Played({"releases": [116]})})
    )
    result = await server.call("about_sources", {"platform": "thousand_genomes"})
    assert result.content["data"][0]["release"] == "phase 3, Ensembl 116"


async def test_the_packaged_record_knows_how_common_rs1047781_is_in_east_asia() -> None:
    server = ToolServer([platform], ServerConfig(), SnapshotTransport((PACKAGED,)))
    result = await server.call("thousand_genomes__population_frequencies", {"rsid": FUT2})
    t_allele = next(row for row in result.content["data"]["alleles"] if row["allele"] == "T")
    assert round(t_allele["populations"]["EAS"]["frequency"], 3) == 0.439
    assert result.content["data"]["source"].endswith("MyVariant.info")
