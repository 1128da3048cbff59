"""What lies on a region, on a gene or transcript, and on a protein."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import EnsemblId, Limit, Offset
from mcp_server.envelope import Answer, Citation, InvalidArguments, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.ensembl.base import (
    AnswerAssembly,
    Region,
    RegionAssembly,
    Species,
    bounds,
    filled,
    is_human,
    known,
    matched,
    matched_assembly,
    on_id,
    on_region,
    page,
    platform,
    region_words,
)
from mcp_server.tool import Arg, Cite

Json = Any

REGION_MAX = 5_000_000
VARIATION_REGION_MAX = 50_000
FEATURES = Literal[
    "band",
    "gene",
    "transcript",
    "cds",
    "exon",
    "repeat",
    "simple",
    "misc",
    "variation",
    "somatic_variation",
    "structural_variation",
    "somatic_structural_variation",
    "constrained",
    "regulatory",
    "motif",
    "mane",
]
Features = Annotated[list[FEATURES], Arg("Kinds of features to list.", ["gene"])]
SoTerm = Annotated[
    str | None,
    Arg(
        "Only features with this Sequence Ontology term: a consequence of variants, or a type.",
        "missense_variant",
        r"^[A-Za-z0-9_]+$",
    ),
]
Biotype = Annotated[str | None, Arg("Only genes or transcripts of this biotype.", "protein_coding", r"^[A-Za-z0-9_]+$")]
ProteinId = Annotated[
    str,
    Arg(
        "Ensembl protein id; a version suffix is ignored.",
        "ENSP00000288602",
        r"^ENS[A-Z]*P\d{11}$",
        normalise=lambda text: text.upper().partition(".")[0],
    ),
]
# What the server keeps for itself.
INTERNAL = (
    "db_type",
    "logic_name",
    "object_type",
    "translation_id",
    "align_type",
    "cigar_string",
    "hseqname",
    "ccdsid",
)
_VARIANTS = ("variation", "somatic_variation")


@platform.tool(
    example={"region": "1:36526-40778", "features": ["gene"], "assembly": "GRCh38"},
    cites=Cite("ensembl", "features[]", "gene_id", "external_name"),
    noise="del(.features[].source)",
    keep=(
        ".region",
        ".features[].id",
        ".features[].start",
        ".features[].end",
        ".features[].assembly_name",
    ),
    asks=(
        "which genes are in this locus",
        "what lies at chr7:140Mb",
        "genes between two coordinates",
        "enhancers and promoters in an interval",
        "what is in a GWAS locus",
        "what sits between these two positions",
    ),
)
async def get_region_features(
    api: Api,
    region: Region,
    features: Features,
    assembly: RegionAssembly = None,
    biotype: Biotype = None,
    so_term: SoTerm = None,
    species: Species = "homo_sapiens",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Region to what lies on it: genes, transcripts, known variants, regulatory elements, repeats, bands. At most 5 Mb,
    50 kb for variants. For what overlaps an Ensembl id use get_gene_features.

    region, assembly_name, species, features: rows of Ensembl (feature_type, id, external_name, start, end, strand,
    biotype, consequence_type, clinical_significance, alleles).
    """
    wide = any("variation" in feature for feature in features)
    name, start, end = bounds(region, VARIATION_REGION_MAX if wide else REGION_MAX)
    _refuse_idle(features, biotype, so_term)
    api = on_region(api, assembly, species)
    path = f"/overlap/region/{species}/{name}:{start}-{end}{_repeated(features)}"
    found = await known(api, path, region_words(name, start, end), {"biotype": biotype, "so_term": so_term})
    if found is None:
        return unknown_id(region, f"{species} has no region {region}.")
    for row in found:
        matched(api, "chromosome", name, row.get("seq_region_name"))
        if row["start"] > end or row["end"] < start:
            host = api.base_url.partition("//")[2]
            raise UpstreamBadResponse(host, f"asked for {region}, it answered {row['start']}-{row['end']}")
    matched_assembly(api, found, assembly)
    version = assembly or next((row["assembly_name"] for row in found if row.get("assembly_name")), None)
    wrap = {"region": region, "assembly_name": version, "species": species}
    note = "" if found else f"No {' or '.join(features)} overlaps {region}."
    rows = [_row(row) for row in found]
    cited = _variants(rows[offset : offset + limit])
    return page(rows, limit, offset, wrap=wrap, under="features", note=note, citations=cited)


@platform.tool(
    example={"ensembl_id": "ENSG00000012048", "features": ["variation"]},
    noise="del(.features[].source)",
    keep=(
        ".ensembl_id",
        ".features[].id",
        ".features[].consequence_type",
        ".features[].start",
        ".features[].end",
        ".features[].assembly_name",
    ),
    asks=(
        "exons of a gene",
        "variants within a gene",
        "regulatory elements overlapping a gene",
        "all SNPs in a transcript",
    ),
)
async def get_gene_features(
    api: Api,
    ensembl_id: EnsemblId,
    features: Features,
    biotype: Biotype = None,
    so_term: SoTerm = None,
    clinical_only: Annotated[bool, Arg("Only variants that have a clinical significance.")] = False,
    assembly: AnswerAssembly = "GRCh38",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Ensembl gene or transcript id to what overlaps it: its variants by consequence, exons, regulatory elements. Rows
    with clinical significance first. For a region use get_region_features.

    ensembl_id, assembly_name, features: rows as get_region_features.
    """
    _refuse_idle(features, biotype, so_term)
    if clinical_only and not set(features) & set(_VARIANTS):
        raise InvalidArguments("clinical_only", "only variants have a clinical significance", False)
    api = on_id(api, assembly, ensembl_id)
    path = f"/overlap/id/{ensembl_id}{_repeated(features)}"
    found = await known(api, path, ensembl_id, {"biotype": biotype, "so_term": so_term})
    if found is None:
        return unknown_id(ensembl_id, f"Ensembl has no current record {ensembl_id}.")
    matched_assembly(api, found, assembly if is_human(ensembl_id) else None)
    chosen = [row for row in found if not clinical_only or row.get("clinical_significance")]
    chosen.sort(key=lambda row: not row.get("clinical_significance"))
    note = "" if chosen else f"No such {' or '.join(features)} overlaps {ensembl_id}."
    if clinical_only and chosen:
        note = f"{len(chosen):,} of {len(found):,} rows have a clinical significance."
    version = next((row["assembly_name"] for row in found if row.get("assembly_name")), None)
    wrap = {"ensembl_id": ensembl_id, "assembly_name": version}
    rows = [_row(row) for row in chosen]
    cited = [Citation("ensembl", ensembl_id), *_variants(rows[offset : offset + limit])]
    return page(rows, limit, offset, wrap=wrap, under="features", note=note, citations=cited)


@platform.tool(
    example={"protein_id": "ENSP00000288602", "type": "Pfam"},
    asks=(
        "domains of a protein by ENSP",
        "Pfam domain positions",
        "which domain does a residue fall into",
        "InterPro, SMART annotation of a translation",
    ),
)
async def get_protein_features(
    api: Api,
    protein_id: ProteinId,
    feature: Annotated[
        Literal[
            "protein_feature",
            "transcript_variation",
            "somatic_transcript_variation",
            "residue_overlap",
            "translation_exon",
        ],
        Arg("Domains and sites, variants, somatic variants, residues split by exons, or exons."),
    ] = "protein_feature",
    type: Annotated[
        str | None, Arg("Only this source of domains (Pfam, Smart …) or consequence of variants.", "Pfam", r"^[\w-]+$")
    ] = None,
    so_term: SoTerm = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Ensembl protein id (ENSP) to what lies on it, in protein positions: domains of Pfam, SMART and others, variants,
    exons. For curated sites of a UniProt accession use uniprot__get_features.

    protein_id, features: [{type, id, description, start, end, interpro, sift, polyphen, allele, residues, codons}].
    """
    if so_term and "variation" not in feature:
        raise InvalidArguments("so_term", f"only variants have a consequence, not a {feature}")
    if type and feature in ("residue_overlap", "translation_exon"):
        raise InvalidArguments("type", f"a {feature} has no type")
    parameters = {"feature": feature, "type": type, "so_term": so_term}
    found = await known(api, f"/overlap/translation/{protein_id}", protein_id, parameters)
    if found is None:
        return unknown_id(protein_id, f"Ensembl has no current protein {protein_id}.")
    for row in found:
        matched(api, "protein", protein_id, str(row.get("seq_region_name", protein_id)).partition(".")[0])
    of_type = f" of type {type!r}; an unknown type gives nothing either" if type else ""
    note = "" if found else f"{protein_id} has no {feature}{of_type}."
    rows = [_row(row) for row in found]
    cited = [Citation("ensembl", protein_id)]
    wrap = {"protein_id": protein_id}
    return page(rows, limit, offset, wrap=wrap, under="features", note=note, citations=cited)


def _refuse_idle(features: Sequence[str], biotype: str | None, so_term: str | None) -> None:
    """Refuse a filter that Ensembl would ignore for these kinds of features."""
    if biotype and not set(features) <= {"gene", "transcript"}:
        raise InvalidArguments("biotype", "it filters genes and transcripts only; ask for these alone")
    if so_term and not set(features) <= set(_VARIANTS):
        raise InvalidArguments("so_term", "it filters variants only; ask for these alone")


def _repeated(features: Sequence[str]) -> str:
    """Return the repeated parameter: a list joined by commas is not understood."""
    return "?" + "&".join(f"feature={feature}" for feature in dict.fromkeys(features))


def _variants(rows: Sequence[Json]) -> list[Citation]:
    return [Citation("rsid", row["id"]) for row in rows if re.fullmatch(r"rs\d+", str(row.get("id", "")))]


def _row(row: Json) -> Json:
    return filled(row, INTERNAL)
