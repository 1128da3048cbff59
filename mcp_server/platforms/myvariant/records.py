"""The annotation records of known variants: one by id, or up to a thousand in one call."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.envelope import Answer, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.together import together
from mcp_server.platforms.myvariant.base import (
    HOST,
    Assembly,
    AssemblyName,
    as_list,
    known,
    platform,
    search,
    texts,
)
from mcp_server.platforms.myvariant.clauses import rsids_clause
from mcp_server.platforms.myvariant.names import (
    GENOMIC_PATTERN,
    assemblies_for,
    check_assembly,
    genomic_form,
    is_genomic,
    without_assembly,
)
from mcp_server.platforms.myvariant.rows import check_assembly_of, citation, fields_for, ids_of, row
from mcp_server.tool import Arg

Json = Any

BATCH_MAX = 1_000
Block = Literal[
    "clinvar", "dbsnp", "dbnsfp", "gnomad", "snpeff", "cadd", "civic", "cgi", "cosmic", "uniprot", "clingen", "all"
]
_DEFAULT_FIELDS = ("clinvar", "dbsnp", "gnomad_exome", "gnomad_genome", "snpeff")
# Of dbNSFP's hundreds of values those that are read most; the block itself brings all.
_DBNSFP_SUMMARY = (
    "aa", "genename", "hgvsp", "hgvsc", "ensembl", "uniprot", "revel", "alphamissense", "cadd", "bayesdel", "clinpred",
    "esm1b", "metarnn", "polyphen2", "primateai", "sift", "vest4",
)  # fmt: skip
_ONLY_HG19 = ("cadd", "civic", "cgi", "cosmic")
_BLOCK_FIELDS = {"gnomad": ("gnomad_exome", "gnomad_genome")}
_ID_PATTERN = rf"{GENOMIC_PATTERN}|^(rs\d+|RCV\d{{9}}|CA\d+)$"


def variant_id_form(text: str) -> str:
    """Return an rsID in lower case, an RCV or CA id in upper case without version, anything else as a genomic id."""
    plain = text.strip()
    if re.fullmatch(r"rs\d+", plain, re.IGNORECASE):
        return plain.lower()
    if found := re.fullmatch(r"(RCV\d{9}|CA\d+)(\.\d+)?", plain, re.IGNORECASE):
        return found[1].upper()
    return genomic_form(plain)


VariantId = Annotated[
    str,
    Arg("Genomic HGVS id (@hg19 or @hg38 may tell the assembly), rsID, ClinVar RCV or ClinGen CA id.",
        "chr7:g.140753336A>T@hg38", _ID_PATTERN, normalise=variant_id_form),
]  # fmt: skip
VariantIds = Annotated[
    list[str],
    Arg("Genomic HGVS ids or rsIDs, at most 1,000.", ["rs113488022", "rs1047781"], _ID_PATTERN, max_items=BATCH_MAX,
        normalise=variant_id_form),
]  # fmt: skip
Blocks = Annotated[
    list[Block] | None,
    Arg("Parts of the record; cadd, civic, cgi and cosmic exist on hg19 only.", ["clinvar", "gnomad"]),
]
BatchAssembly = Annotated[AssemblyName | None, Arg("Genome assembly; required for genomic ids that do not tell it.")]

# Coordinates of hg18, marks of transcripts that others repeat, and the same change spelt as a splice of residues.
_NOISE = (
    "del(..|._license?, ._version?) "
    "| del(.variants[].record.dbnsfp? | .hg18?, .appris?, .tsl?, .gencode_basic?, .reliability_index?) "
    "| del(.variants[].record.dbsnp?.gene? | .. | .codon_aligned_transcript_change?, .protein?)"
)


def fields_of(blocks: Sequence[Block] | None) -> list[str] | None:
    """Return the fields of some blocks, or of the usual ones, and of the row; None asks for all there is."""
    if blocks is None:
        wanted = [*_DEFAULT_FIELDS, *(f"dbnsfp.{name}" for name in _DBNSFP_SUMMARY)]
    elif "all" in blocks:
        return None
    else:
        wanted = [name for block in blocks for name in _BLOCK_FIELDS.get(block, (block,))]
    inside = tuple(f"{name}." for name in wanted)
    return [*wanted, *(name for name in fields_for("all") if name not in wanted and not name.startswith(inside))]


def check_blocks(blocks: Sequence[Block], assemblies: Sequence[AssemblyName]) -> None:
    """Refuse a block that no record of the assembly has."""
    missing = [block for block in blocks if block in _ONLY_HG19]
    if missing and "hg19" not in assemblies:
        raise InvalidArguments(
            "blocks",
            f"records on hg38 have no {', '.join(missing)}; ask for the variant on hg19, or use "
            "myvariant__variant_clinical_summary, which reads both",
            ["clinvar"],
        )


@platform.tool(
    example={"variant_id": "chr7:g.140753336A>T", "assembly": "hg38"},
    noise=_NOISE,
    keep=(
        ".variants[].record._id",
        ".variants[].record.cadd.phred",
        ".variants[].record.clinvar.variant_id",
        ".variants[].record.clinvar.rcv",
        ".variants[].record.dbsnp.rsid",
        ".variants[].record.dbnsfp.revel",
        ".variants[].record.dbnsfp.alphamissense",
        ".variants[].record.gnomad_exome.af",
        ".variants[].record.snpeff.ann",
    ),
    asks=(
        "CADD and REVEL score of a variant",
        "AlphaMissense prediction",
        "gnomAD allele frequency",
        "how damaging is this variant",
        "in silico pathogenicity predictors, dbNSFP",
        "what do prediction programs say about the variant",
    ),
)
async def variant_get(api: Api, variant_id: VariantId, blocks: Blocks = None, assembly: Assembly = None) -> Answer:
    """One variant's annotations by genomic id or rsID: predictor scores (CADD, REVEL, AlphaMissense), gnomAD, ClinVar,
    dbSNP, snpEff in chosen blocks. Searching by gene and change: variant_search. Many: variant_batch. A short clinical
    card: variant_clinical_summary.

    query, variants: [{summary (row of variant_search), record (blocks as the source has them)}]: several for a
    multi-allelic rsID, and for a genomic id without assembly, which is looked up on both.
    """
    genomic = [variant_id] if is_genomic(variant_id) else []
    check_assembly("variant_id", genomic, assembly)
    assemblies = assemblies_for(genomic, False, assembly)
    check_blocks(blocks or (), assemblies)
    found = await together(_records(api, without_assembly(variant_id), blocks, name) for name in assemblies)
    pairs = [(record, name) for name, records in zip(assemblies, found, strict=True) for record in records]
    if not pairs:
        where = " or ".join(assemblies)
        return unknown_id(variant_id, f"MyVariant has no variant {without_assembly(variant_id)} on {where}.")
    notes = _said_of(variant_id, [record for record, _ in pairs])
    if genomic and len(assemblies) > 1:
        notes.append("No assembly was given: looked up in both, where one id means different variants.")
    variants = [{"summary": row(record, name), "record": record} for record, name in pairs]
    data = {"query": variant_id, "variants": variants}
    return rows(variants, data=data, note=" ".join(notes), citations=[citation(*pair) for pair in pairs])


async def _records(api: Api, variant_id: str, blocks: Sequence[Block] | None, assembly: AssemblyName) -> list[Json]:
    """Return the records of an id: none, one, or one for each allele of an rsID."""
    parameters = {"assembly": assembly, "fields": fields_of(blocks)}
    found = as_list(await known(api, f"/variant/{quote(variant_id, safe=':')}", parameters))
    if not found and variant_id.startswith("rs"):
        # The route knows present dbSNP numbers only, not former ones nor those that ClinVar alone has.
        found, _ = await search(api, {"q": rsids_clause([variant_id]), "size": 100, **parameters})
    for record in found:
        if not isinstance(record, dict) or "_id" not in record:
            raise UpstreamBadResponse(HOST, f"asked for variant {variant_id}, it answered no record")
        check_assembly_of(record, assembly)
        if variant_id not in ids_of(record):
            raise UpstreamBadResponse(HOST, f"asked for variant {variant_id}, it answered {record['_id']}")
    return found


def _said_of(variant_id: str, records: Sequence[Json]) -> list[str]:
    """Say where a number was merged into another one, and where it names several variants."""
    notes = []
    for record in records:
        present = texts(record, "dbsnp.rsid")
        if variant_id.startswith("rs") and present and variant_id not in present:
            notes.append(f"{variant_id} was merged into {present[0]}; use that number with other databases.")
    if variant_id.startswith("rs") and len(records) > 1:
        notes.append(f"{variant_id} names {len(records)} variants, one for each allele.")
    return list(dict.fromkeys(notes))


@platform.tool(
    example={"variant_ids": ["rs113488022", "rs1047781"], "assembly": "hg19"},
    noise=_NOISE,
    keep=(
        ".variants[].query",
        ".variants[].summary",
        ".not_found",
    ),
    asks=(
        "annotate many variants",
        "scores for a list of rs numbers",
        "bulk gnomAD and ClinVar annotation",
    ),
)
async def variant_batch(
    api: Api, variant_ids: VariantIds, blocks: Blocks = None, assembly: BatchAssembly = None
) -> Answer:
    """Annotate up to 1,000 variants at once by genomic id or rsID: for each its ids, gene, changes, ClinVar, gnomAD,
    REVEL and AlphaMissense; whole blocks when asked. One variant in depth: variant_get.

    variants: [{query, summary (row of variant_search), record (only with blocks)}], not_found.
    """
    asked = list(dict.fromkeys(variant_ids))
    genomic = [name for name in asked if is_genomic(name)]
    check_assembly("variant_ids", genomic, assembly)
    assemblies = assemblies_for(genomic, False, assembly)
    if len(assemblies) > 1:
        raise InvalidArguments("assembly", "the same id is another variant in the other assembly: say which", "hg38")
    check_blocks(blocks or (), assemblies)
    sent = list(dict.fromkeys(without_assembly(name) for name in asked))
    fields = fields_of(blocks or [])
    form = {"ids": sent, "assembly": assemblies[0], "fields": fields}
    found = _answered(await api.post_form("/variant", form), sent, assemblies[0])
    variants = [
        {"query": record["query"], "summary": row(record, assemblies[0]), **({"record": record} if blocks else {})}
        for record in found
    ]
    answered = {record["query"] for record in found}
    missing = [name for name in sent if name not in answered]
    note = f"MyVariant has no variant {', '.join(missing)} on {assemblies[0]}." if missing else ""
    if not variants:
        return unknown_id(", ".join(missing), note)
    data = {"assembly": assemblies[0], "variants": variants, "not_found": missing}
    return rows(variants, data=data, note=note, citations=[citation(record, assemblies[0]) for record in found])


def _answered(found: Json, sent: Sequence[str], assembly: AssemblyName) -> list[Json]:
    """Return the records of a batch, checked to speak of every id that was sent."""
    elements = [item for item in as_list(found) if isinstance(item, dict)]
    spoken_of = {str(item.get("query")) for item in elements}
    silent = [name for name in sent if name not in spoken_of]
    if silent:
        raise UpstreamBadResponse(HOST, f"a batch that says nothing of {', '.join(silent[:5])}")
    records = [item for item in elements if not item.get("notfound")]
    for record in records:
        if "_id" not in record or record["query"] not in sent:
            raise UpstreamBadResponse(HOST, f"a batch that answers {record.get('query')!r}, which was not asked")
        check_assembly_of(record, assembly)
        if record["query"].startswith("chr") and record["_id"] != record["query"]:
            raise UpstreamBadResponse(HOST, f"asked for variant {record['query']}, it answered {record['_id']}")
    return records
