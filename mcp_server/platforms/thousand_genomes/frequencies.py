"""Allele frequencies of one variant in the populations of 1000 Genomes."""

import asyncio
import re
import time
from typing import Annotated, Any, Literal

from mcp_server.args import Rsid
from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError, UpstreamUnavailable
from mcp_server.platforms.thousand_genomes import ensembl_records, myvariant_records
from mcp_server.platforms.thousand_genomes.service import (
    ENSEMBL_HOST,
    PAGE,
    PEOPLE,
    SUPER,
    Assembly,
    Level,
    Variant,
    cite,
    platform,
    populations_of,
)
from mcp_server.tool import Arg

Json = Any


def variant_id_form(text: str) -> str:
    """Return a genomic change as MyVariant writes it: `19-49206631-A-T` → `chr19:g.49206631A>T`."""
    plain = text.replace(" ", "")
    if found := re.fullmatch(r"(?:chr)?(\w+)[-:](\d+)[-:]([ACGT])[-:>]([ACGT])", plain, re.IGNORECASE):
        return f"chr{found[1].upper()}:g.{found[2]}{found[3].upper()}>{found[4].upper()}"
    found = re.fullmatch(r"(?:chr)?(\w+):(g\..+)", plain, re.IGNORECASE)
    return f"chr{found[1].upper()}:{found[2]}" if found else plain


VariantId = Annotated[
    str,
    Arg("Genomic change instead of an rsID; needs the assembly.", "chr19:g.49206631A>T",
        r"^chr(\d{1,2}|X|Y|MT):g\.\d+\S+$", normalise=variant_id_form),
]  # fmt: skip
From = Annotated[
    Literal["auto", "ensembl", "myvariant"],
    Arg("Where the values are read: Ensembl and, where it fails or has none, MyVariant; or one of them only."),
]


@platform.tool(
    example={"rsid": "rs1047781"},
    asks=(
        "how common is a SNP in Asians, Africans or Europeans",
        "minor allele frequency by ancestry, ethnicity",
        "is the allele rare in my population",
        "frequency in Finns or Han Chinese",
        "is the allele rarer in Africans than in Europeans",
    ),
)
async def population_frequencies(
    api: Api,
    rsid: Rsid | None = None,
    variant_id: VariantId | None = None,
    level: Level = "super",
    source: From = "auto",
    assembly: Assembly = None,
) -> Answer:
    """How common a variant is: frequency of each allele in the 1000 Genomes super-populations (AFR, AMR, EAS, EUR, SAS)
    or all 26 populations, for one rsID. For several use compare_populations; gnomAD: myvariant__variant_get; ALFA:
    clinvar__get_allele_frequencies.

    rsid, merged_into, reference, assembly, location, source, observed, alleles: [{allele, is_reference, observed,
    populations: {code: {frequency, allele_count, allele_number}}}].
    """
    if bool(rsid) == bool(variant_id):
        raise InvalidArguments("rsid", "give either an rsID or a genomic variant id", "rs1047781")
    asked_allele = None
    if variant_id:
        if assembly is None:
            raise InvalidArguments("assembly", f"{variant_id} means nothing without its genome assembly", "GRCh38")
        named = await myvariant_records.rsid_of(api, variant_id, assembly)
        if named is None:
            return unknown_id(variant_id, f"MyVariant knows no {variant_id} on {assembly}.")
        rsid, asked_allele = named
        if rsid is None:
            return empty(f"{variant_id} ({assembly}) has no rs number, by which the frequencies are found.")
    asked = str(rsid)
    found, notes = await _read(api, asked, source, assembly or "GRCh38")
    if found is None:
        return unknown_id(asked, " ".join([*notes, f"No variant {asked} is known."]))
    return _answer(found, asked, asked_allele, level, assembly or "GRCh38", notes)


async def _read(api: Api, rsid: str, source: str, assembly: str) -> tuple[Variant | None, list[str]]:
    """Return the variant from the source that has it, and what is to be said of the other one."""
    if source == "myvariant":
        return await myvariant_records.variant(api, rsid), []
    try:
        found = await _from_ensembl(api, rsid, assembly, leave_time=source == "auto")
    except UpstreamError as error:
        if source == "ensembl":
            raise
        other = await _from_myvariant(api, rsid)
        if other is None or not other.observed:
            # MyVariant lacks many variants, so its silence says nothing while Ensembl is not heard.
            raise
        return other, [f"Ensembl did not answer ({error.code.value}); the values are MyVariant's."]
    if found is None or found.observed or source == "ensembl":
        return found, []
    other = await _from_myvariant(api, found.rsid)
    if other is not None and other.observed:
        return other, ["Ensembl has no values of 1000 Genomes on it; these are MyVariant's."]
    return found, []


async def _from_ensembl(api: Api, rsid: str, assembly: str, *, leave_time: bool) -> Variant | None:
    """Return what Ensembl has; with `leave_time` a silent Ensembl leaves half of the call's time to MyVariant."""
    if not leave_time:
        return await ensembl_records.variant(api, rsid, assembly)
    left_s = max(0.0, api.deadline - time.monotonic()) / 2
    try:
        async with asyncio.timeout(left_s):
            return await ensembl_records.variant(api, rsid, assembly)
    except TimeoutError as error:
        raise UpstreamUnavailable(ENSEMBL_HOST, f"no answer within {left_s:.0f} s") from error


async def _from_myvariant(api: Api, rsid: str) -> Variant | None:
    """Return what the second source has; its trouble must not hide what the first one said."""
    try:
        return await myvariant_records.variant(api, rsid)
    except UpstreamError:
        return None


def _answer(
    found: Variant, asked: str, asked_allele: str | None, level: str, assembly: str, notes: list[str]
) -> Answer:
    notes = [*notes, *found.notes]
    if found.rsid != asked:
        notes.append(f"{asked} was merged into {found.rsid}; use that number with other databases.")
    if found.assembly != assembly:
        notes.append(f"The place is on {found.assembly}, not on {assembly}.")
    alleles = found.allele_rows(populations_of(level))
    if level == "all" and found.source == myvariant_records.SOURCE and found.observed:
        notes.append(f"The 26 populations are known to Ensembl only; here are {', '.join(SUPER)}.")
    data = {
        "rsid": asked,
        "merged_into": found.rsid if found.rsid != asked else None,
        **found.place(),
        "reference": found.reference,
        **({"asked_allele": asked_allele} if asked_allele else {}),
        "source": f"1000 Genomes phase 3, read from {found.source}",
        "url": PAGE.format(id=found.rsid),
        "observed": found.observed,
        "alleles": alleles,
    }
    if not found.observed:
        missing = f"{found.source} has no values of 1000 Genomes phase 3 on {found.rsid}"
        notes.insert(0, f"{missing}: not observed among {PEOPLE:,} people, which is not the same as never.")
        return empty(" ".join(notes), data=data)
    return rows(alleles, data=data, note=" ".join(notes), citations=cite([found.rsid]))
