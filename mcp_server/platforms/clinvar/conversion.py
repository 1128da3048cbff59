"""Exact names of a variant checked, normalised and written in every form, by NCBI Variation Services."""

import re
from typing import Annotated, Any
from urllib.parse import quote

from mcp_server.args import look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamError, UpstreamNotFound, UpstreamRefused
from mcp_server.platforms.clinvar.base import ASSEMBLY_NAMES, VARIATION_SERVICES, platform
from mcp_server.tool import Arg

Json = Any

HOST = "api.ncbi.nlm.nih.gov"
ACCESSIONS = {"GRCh38": "GCF_000001405.40", "GRCh37": "GCF_000001405.25"}
# Version of each chromosome's sequence in GRCh38; GRCh37 has the one before.
_GRCH38_VERSIONS = dict(
    zip(
        range(1, 25),
        (11, 12, 12, 12, 10, 12, 14, 11, 12, 11, 10, 12, 11, 9, 10, 10, 11, 10, 10, 11, 9, 11, 11, 10),
        strict=True,
    )
)
_HGVS = re.compile(r"N[CGMRP]_\d+\.\d+(?:\([^)]+\))?:[cgmnpr]\..+")
_SPDI = re.compile(r"N[CGMRTWP]_\d+\.\d+:\d+:[A-Z]*:[A-Z]*")
_POSITION = re.compile(
    r"(?:chr)?(?P<chromosome>\d{1,2}|X|Y|MT?)[-:_ ](?P<position>\d+)[-:_ ]?(?P<ref>[ACGT]+)[-:_ >/](?P<alt>[ACGT]+)",
    re.IGNORECASE,
)


@platform.tool(
    example={"variant": "NC_000011.10:g.5227002T>A"},
    asks=(
        "HGVS to SPDI",
        "check whether a variant name is valid",
        "VCF line to HGVS",
        "left-align, normalise a variant",
        "is this nomenclature right",
        "is the name of the variant written correctly",
    ),
)
async def convert_variant(
    api: Api,
    variant: Annotated[
        str,
        Arg(
            "Exact name: HGVS with accession and version, SPDI, or chromosome-position-reference-alternate.",
            "NM_000518.5:c.20A>T",
            normalise=look_up_form,
        ),
    ],
    assembly: Annotated[ASSEMBLY_NAMES | None, Arg("Genome assembly; required for a position with alleles.")] = None,
) -> Answer:
    """Check and normalise one exact variant name (HGVS, SPDI, or position with alleles) and write it as SPDI, HGVS,
    rsIDs and VCF fields. Loose wording to ClinVar ids: resolve_variant; all names of a known rsID:
    ensembl__recode_variant.

    query, read_as, validity, forms: [{spdi, hgvs, rsids, assembly_name, vcf: {chrom, pos, ref, alt}}]; a form that
    could not be had is null.
    """
    kind, path, parameters = _first_step(variant, assembly)
    answer = await api.get(path, parameters, base=VARIATION_SERVICES)
    data = answer.get("data") or {}
    normal = data.get("spdis") or ([data] if "seq_id" in data else [])
    asked = variant.partition(":")[0].partition("(")[0]
    others = [row["seq_id"] for row in normal if row["seq_id"] != asked]
    if kind != "position" and others:
        raise UpstreamBadResponse(HOST, f"asked for a variant of {asked}, it answered one of {others[0]}")
    spdis = [_spdi_text(row) for row in normal]
    notes: list[str] = []
    forms = [await _forms(api, spdi, notes) for spdi in spdis]
    found = [Citation("rsid", rsid) for form in forms for rsid in form["rsids"] or []]
    result = {"query": variant, "read_as": kind, "validity": data.get("input_hgvs_validity"), "forms": forms}
    if not forms:
        notes.append("Variation Services wrote no normal form of this name.")
    return Answer(result, total=len(forms), returned=len(forms), note=" ".join(notes), citations=found)


def _first_step(variant: str, assembly: str | None) -> tuple[str, str, dict[str, Json]]:
    """Return what a name is and the request that normalises it."""
    if position := _POSITION.fullmatch(variant):
        if assembly is None:
            raise InvalidArguments("assembly", "a position means nothing without its genome assembly", "GRCh38")
        chromosome = position["chromosome"].upper().replace("MT", "M").replace("M", "MT")
        place = f"{chromosome}/{position['position']}/{position['ref'].upper()}/{position['alt'].upper()}"
        return "position", f"/vcf/{place}/contextuals", {"assembly": ACCESSIONS[assembly]}
    if assembly is not None:
        raise InvalidArguments("assembly", "an accession with its version already says the assembly")
    if _SPDI.fullmatch(variant):
        return "spdi", f"/spdi/{quote(variant, safe=':')}/contextual", {}
    if _HGVS.fullmatch(variant):
        # A gene in brackets after the accession is a comment for people.
        name = re.sub(r"\([^)]+\)(?=:)", "", variant)
        return "hgvs", f"/hgvs/{quote(name, safe=':')}/contextuals", {}
    message = f"{variant!r} is no HGVS name with accession and version, no SPDI and no position with alleles"
    raise InvalidArguments("variant", message, "NM_000518.5:c.20A>T")


async def _forms(api: Api, spdi: str, notes: list[str]) -> Json:
    path = f"/spdi/{quote(spdi, safe=':')}"
    hgvs = await _part(api, f"{path}/hgvs", "HGVS", notes)
    numbers = await _part(api, f"{path}/rsids", "rsIDs", notes)
    is_chromosome = spdi.startswith("NC_")
    fields = await _part(api, f"{path}/vcf_fields", "VCF fields", notes) if is_chromosome else None
    vcf = {name: fields.get(name) for name in ("chrom", "pos", "ref", "alt")} if fields else None
    return {
        "spdi": spdi,
        "hgvs": (hgvs or {}).get("hgvs"),
        "rsids": None if numbers is None else [f"rs{number}" for number in numbers.get("rsids") or []],
        "assembly_name": _assembly(spdi),
        "vcf": vcf,
    }


async def _part(api: Api, path: str, what: str, notes: list[str]) -> Json:
    """Return the data of one form; nothing known of it is an empty object, a fault is None with a note."""
    try:
        return (await api.get(path, base=VARIATION_SERVICES)).get("data") or {}
    except UpstreamNotFound:
        return {}
    except UpstreamRefused as error:
        notes.append(f"No {what}: {error.message}.")
    except UpstreamError as error:
        notes.append(f"The {what} are missing, because that request failed: {error}.")
    return None


def _spdi_text(row: Json) -> str:
    return f"{row['seq_id']}:{row['position']}:{row['deleted_sequence']}:{row['inserted_sequence']}"


def _assembly(spdi: str) -> str | None:
    """Return the assembly that a chromosome's accession and version belong to."""
    found = re.match(r"NC_0000(\d\d)\.(\d+):", spdi)
    if not found or int(found[1]) not in _GRCH38_VERSIONS:
        return None
    newer = _GRCH38_VERSIONS[int(found[1])]
    return {newer: "GRCh38", newer - 1: "GRCh37"}.get(int(found[2]))
