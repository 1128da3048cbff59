"""Reading the frequencies out of MyVariant's documents: one for each alternate allele, on GRCh37 (hg19).

`dbnsfp.1000gp3` has phase 3 by super-population, for coding variants; `dbsnp.alleles` has a rounded frequency
over all people for the others. `cadd.1000g` is phase 1 and is not read.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.thousand_genomes.service import MYVARIANT_HOST, Share, Variant

Json = Any

BASE = f"https://{MYVARIANT_HOST}/v1"
SOURCE = "MyVariant.info"
ASSEMBLY = "GRCh37"
BUILDS = {"GRCh37": "hg19", "GRCh38": "hg38"}
FIELDS = "chrom,vcf,dbsnp.rsid,dbsnp.alleles,dbnsfp.1000gp3"
CODES = {"": "ALL", "afr_": "AFR", "amr_": "AMR", "eas_": "EAS", "eur_": "EUR", "sas_": "SAS"}
# No variant has so many alternate alleles.
DOCUMENTS_MAX = 100


async def variant(api: Api, rsid: str) -> Variant | None:
    """Return a variant, or None when MyVariant has no document of it."""
    parameters = {"q": f"dbsnp.rsid:{rsid}", "assembly": BUILDS[ASSEMBLY], "fields": FIELDS, "size": DOCUMENTS_MAX}
    answer = await api.get("/query", parameters, base=BASE)
    hits = answer.get("hits") if isinstance(answer, dict) else None
    if not isinstance(hits, list):
        raise UpstreamBadResponse(MYVARIANT_HOST, "no list of hits in the answer")
    for hit in hits:
        if (hit.get("dbsnp") or {}).get("rsid") != rsid:
            raise UpstreamBadResponse(MYVARIANT_HOST, f"asked for {rsid}, it answered {hit.get('_id')}")
    return read(rsid, hits) if hits else None


async def rsid_of(api: Api, variant_id: str, assembly: str) -> tuple[str | None, str] | None:
    """Return the rs number, if any, and the alternate allele of a genomic change; None when it is not known."""
    path = f"/variant/{quote(variant_id, safe=':')}"
    parameters = {"assembly": BUILDS[assembly], "fields": "dbsnp.rsid,vcf"}
    try:
        found = await api.get(path, parameters, base=BASE)
    except UpstreamNotFound as error:
        if isinstance(error.body, dict) and error.body.get("success") is False:
            return None
        raise
    if not isinstance(found, dict) or found.get("_id") != variant_id:
        raise UpstreamBadResponse(MYVARIANT_HOST, f"asked for {variant_id}, it answered another document")
    rsid = (found.get("dbsnp") or {}).get("rsid")
    return (str(rsid) if rsid else None), str((found.get("vcf") or {}).get("alt", ""))


def read(rsid: str, hits: Sequence[Json]) -> Variant:
    """Read the documents of a variant's alternate alleles into one variant."""
    first = hits[0]["vcf"]
    reference = first["ref"]
    alternates = sorted(hit["vcf"]["alt"] for hit in hits)
    shares = {hit["vcf"]["alt"]: _phase_3(hit) for hit in hits}
    shares[reference] = {}
    rounded = False
    for allele, share in _over_all(hits[0]).items():
        # dbSNP writes insertions and deletions in another way; those are left out.
        if allele in shares and "ALL" not in shares[allele]:
            shares[allele]["ALL"] = share
            rounded = True
    chromosome = str(hits[0].get("chrom") or hits[0]["_id"].partition(":")[0].removeprefix("chr"))
    notes = ["MyVariant has the super-populations of coding variants only"]
    notes += ["frequencies without a count are dbSNP's, rounded, over all people"] if rounded else []
    return Variant(
        rsid=rsid,
        source=SOURCE,
        assembly=ASSEMBLY,
        location=f"{chromosome}:{first['position']}-{first['position']}" if len(reference) == 1 else None,
        strand=1,
        reference=reference,
        alleles=(reference, *alternates),
        shares=shares,
        notes=(f"{'; '.join(notes)}.",),
    )


def _phase_3(hit: Json) -> dict[str, Share]:
    found = (hit.get("dbnsfp") or {}).get("1000gp3") or {}
    shares = {}
    for prefix, code in CODES.items():
        if f"{prefix}af" in found:
            count = found.get(f"{prefix}ac")
            shares[code] = Share(float(found[f"{prefix}af"]), None if count is None else int(count))
    return shares


def _over_all(hit: Json) -> dict[str, Share]:
    """Return dbSNP's frequencies over all people of 1000 Genomes, by allele."""
    listed = (hit.get("dbsnp") or {}).get("alleles") or []
    rows = listed if isinstance(listed, list) else [listed]
    return {
        row["allele"]: Share(float(row["freq"]["1000g"]))
        for row in rows
        if isinstance(row.get("freq"), dict) and "1000g" in row["freq"]
    }
