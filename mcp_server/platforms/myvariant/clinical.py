"""The clinical card of a variant: ClinVar, CIViC, COSMIC, frequencies and predictions of both assemblies in one."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from mcp_server.args import gene_symbol_form, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError
from mcp_server.http.together import together
from mcp_server.platforms.myvariant import clauses
from mcp_server.platforms.myvariant.base import (
    BOTH,
    Assemblies,
    AssemblyName,
    filled,
    first_text,
    platform,
    search,
    texts,
    values,
)
from mcp_server.platforms.myvariant.names import (
    PROTEIN_PATTERN,
    assembly_of,
    check_assembly,
    genomic_form,
    is_genomic,
    protein_form,
)
from mcp_server.platforms.myvariant.rows import citation, fields_for, row
from mcp_server.tool import Arg

Json = Any

CARDS_MAX = 20
_CLINICAL_FIELDS = (
    "clinvar.rcv.origin", "clinvar.rcv.last_evaluated", "cosmic.cosmic_id", "cosmic.tumor_site",
    "civic.id", "civic.variant_id", "civic.name", "civic.molecularProfiles.name",
    "civic.molecularProfiles.evidenceItems.evidenceType",
)  # fmt: skip


def variant_words_form(text: str) -> str:
    """Return one of `rs113488022`, `chr7:g.140753336A>T@hg38`, `BRAF V600E`."""
    plain = look_up_form(text)
    if re.fullmatch(r"rs\d+", plain, re.IGNORECASE):
        return plain.lower()
    if is_genomic(genomic_form(plain)):
        return genomic_form(plain)
    gene, _, change = plain.replace(":", " ", 1).partition(" ")
    return f"{gene_symbol_form(gene)} {protein_form(change)}" if change else plain


Variant = Annotated[
    str,
    Arg("rsID, gene and protein change, or genomic HGVS id.", "BRAF V600E", normalise=variant_words_form),
]


@platform.tool(
    example={"variant": "BRAF V600E"},
    asks=(
        "is a mutation clinically relevant",
        "short clinical card of EGFR L858R",
        "clinical meaning of a variant",
        "is it druggable, CIViC and COSMIC",
    ),
)
async def variant_clinical_summary(api: Api, variant: Variant, assembly: Assemblies = None) -> Answer:
    """Clinical card of one variant, by rsID or gene plus protein change: ClinVar significance by condition with review
    stars, CIViC and COSMIC ids, predicted effect, gnomAD frequency. ClinVar in depth: clinvar__get_variant_record. All
    annotations: variant_get.

    Cards, one a variant: genomic_ids by assembly, rsid, genes, protein_changes, cdna_changes, consequences, clinvar,
    civic, cosmic, gnomad, cadd_phred, revel, alphamissense, clingen_id. What only one assembly has is joined in.
    """
    genomic = [variant] if is_genomic(variant) else []
    check_assembly("variant", genomic, assembly)
    told = assembly_of(variant) if genomic else None
    names = (assembly or told,) if assembly or told else BOTH
    clause = _clause(variant)
    found, problems = await _found(api, clause, [name for name in names if name])
    change = variant.partition(" ")[2]
    asked = [change] if change else []
    cards = _cards(found, asked)
    if not cards:
        where = " and ".join(found)
        words = f"MyVariant has no variant {variant} on {where}."
        return unknown_id(variant, words) if variant.startswith(("rs", "chr")) else empty(words, data=[])
    pairs = [(record, name) for name, (records, _) in found.items() for record in records]
    notes = [*problems]
    if genomic and not told and not assembly:
        notes.append("No assembly was given: looked up in both, where one id means different variants.")
    notes += [
        f"{total} variants match on {name}; the first {CARDS_MAX} were read: variant_search gives all."
        for name, (_, total) in found.items()
        if total > CARDS_MAX
    ]
    return rows(cards, note=" ".join(notes), citations=[citation(*pair, asked) for pair in pairs])


def _clause(variant: str) -> str:
    """Return the query of a variant in normal form."""
    if variant.startswith("rs") and variant[2:].isdigit():
        return clauses.rsids_clause([variant])
    if is_genomic(variant):
        return clauses.genomic_clause([variant])
    gene, _, change = variant.partition(" ")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.@_-]*", gene) or not re.fullmatch(PROTEIN_PATTERN, change):
        raise InvalidArguments(
            "variant", f"{variant!r} is no rsID, genomic id, or gene with a protein change", "BRAF V600E"
        )
    return clauses.joined([clauses.genes_clause([gene]), clauses.proteins_clause([change])], [])


async def _found(
    api: Api, clause: str, names: Sequence[AssemblyName]
) -> tuple[dict[AssemblyName, tuple[list[Json], int]], list[str]]:
    """Return the hits by assembly, and what to say of an assembly that did not answer; all failing is a failure."""
    fields = [*fields_for("all"), *_CLINICAL_FIELDS]

    async def asked(name: AssemblyName) -> tuple[list[Json], int] | UpstreamError:
        try:
            return await search(api, {"q": clause, "assembly": name, "fields": fields, "size": CARDS_MAX})
        except UpstreamError as error:
            return error

    answers = dict(zip(names, await together(asked(name) for name in names), strict=True))
    failed = {name: answer for name, answer in answers.items() if isinstance(answer, UpstreamError)}
    # Nothing found in a half of what was to be searched is not nothing.
    if failed and not any(answer[0] for answer in answers.values() if not isinstance(answer, UpstreamError)):
        raise next(iter(failed.values()))
    said = [f"What only {name} has is missing, as that request failed: {error}." for name, error in failed.items()]
    return {name: answer for name, answer in answers.items() if not isinstance(answer, UpstreamError)}, said


def _cards(found: dict[AssemblyName, tuple[list[Json], int]], asked: Sequence[str]) -> list[dict[str, Json]]:
    """Join the records of both assemblies that are the same variant."""
    cards: dict[tuple[str, ...], dict[str, Json]] = {}
    for name, (records, _) in found.items():
        for record in records:
            card = _card(record, name, asked)
            mine = cards.setdefault(_identity(record, name), {"genomic_ids": {}})
            ids = {**mine["genomic_ids"], name: record["_id"]}
            # hg38 comes first: its values stay, hg19 adds what is missing.
            mine.update({**card, **mine, "genomic_ids": ids})
    return list(cards.values())


def _identity(record: Json, assembly: AssemblyName) -> tuple[str, ...]:
    """Return what the two records of one variant share: ClinVar's or dbSNP's number with the alleles, else their id."""
    alleles = (first_text(record, "vcf.ref") or "", first_text(record, "vcf.alt") or "")
    if variation := first_text(record, "clinvar.variant_id"):
        return ("clinvar", variation)
    if rsid := first_text(record, "dbsnp.rsid", "clinvar.rsid"):
        return ("rsid", rsid, *alleles) if all(alleles) else ("rsid", rsid, record["_id"].partition("g.")[2])
    return (assembly, record["_id"])


def _card(record: Json, assembly: AssemblyName, asked: Sequence[str]) -> dict[str, Json]:
    summary = row(record, assembly, asked=asked)
    del summary["variant_id"], summary["assembly"]
    types = [str(kind) for kind in values(record, "civic.molecularProfiles.evidenceItems.evidenceType")]
    civic_id = first_text(record, "civic.id", "civic.variant_id")
    civic = {
        "variant_id": civic_id,
        "url": f"https://civicdb.org/variants/{civic_id}" if civic_id else None,
        "molecular_profiles": texts(record, "civic.molecularProfiles.name", "civic.name"),
        "evidence_items": {kind: types.count(kind) for kind in dict.fromkeys(types)},
    }
    cosmic = {"ids": texts(record, "cosmic.cosmic_id"), "tumour_sites": texts(record, "cosmic.tumor_site")}
    origins = texts(record, "clinvar.rcv.origin")
    more = {
        "civic": filled(civic),
        "cosmic": filled(cosmic),
        "clinvar_origins": origins,
        "clinvar_last_evaluated": max(texts(record, "clinvar.rcv.last_evaluated"), default=None),
    }
    return {**summary, **filled(more)}
