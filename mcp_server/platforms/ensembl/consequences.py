"""Predicted consequences of variants (VEP): one by any name, or many at once."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import look_up_form
from mcp_server.envelope import Answer, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.ensembl.base import Assembly, kept, known, matched, matched_assembly, on, platform
from mcp_server.tool import Arg, Cite

Json = Any

VARIANT_FORMS = "Variant as rsID, HGVS name, or position with alleles (chromosome-position-reference-alternate)"
VariantName = Annotated[str, Arg(f"{VARIANT_FORMS}.", "ENST00000288602:c.1799T>A", normalise=look_up_form)]
VariantNames = Annotated[
    list[str],
    Arg(f"{VARIANT_FORMS}; at most 25.", ["rs699", "7-140753336-A-T"], max_items=25, normalise=look_up_form),
]
Scores = Annotated[
    list[Literal["CADD", "REVEL", "AlphaMissense", "SpliceAI"]] | None,
    Arg("Further scores to predict; they make the call slower.", ["REVEL"]),
]
CanonicalOnly = Annotated[bool, Arg("Only canonical and MANE transcripts, or all transcripts.")]
TRANSCRIPT_FIELDS = (
    "gene_id",
    "gene_symbol",
    "transcript_id",
    "biotype",
    "canonical",
    "mane_select",
    "consequence_terms",
    "impact",
    "hgvsc",
    "hgvsp",
    "amino_acids",
    "codons",
    "protein_start",
    "protein_end",
    "variant_allele",
    "sift_prediction",
    "sift_score",
    "polyphen_prediction",
    "polyphen_score",
    "cadd_phred",
    "cadd_raw",
    "revel",
    "alphamissense",
    "spliceai",
    "bp_overlap",
    "percentage_overlap",
    "flags",
    "distance",
)
PLACE_FIELDS = (
    "id",
    "input",
    "assembly_name",
    "seq_region_name",
    "start",
    "end",
    "strand",
    "allele_string",
    "most_severe_consequence",
    "intergenic_consequences",
    "regulatory_feature_consequences",
    "motif_feature_consequences",
)
COLOCATED_FIELDS = ("id", "allele_string", "clin_sig", "clin_sig_allele", "clin_sig_ref_allele", "somatic")

_POSITION = re.compile(
    r"(?:chr)?(?P<chromosome>[0-9]{1,2}|X|Y|MT?)[-:_ ](?P<position>\d+)[-:_ ]?(?P<ref>[ACGT]+)[-:_ >/](?P<alt>[ACGT]+)",
    re.IGNORECASE,
)
_RSID = re.compile(r"rs\d+", re.IGNORECASE)
_HGVS = re.compile(r":[cgmnpr]\.")


@platform.tool(
    example={"variant": "7-140453136-A-T", "assembly": "GRCh37"},
    cites=Cite("ensembl", "[].transcript_consequences[]", "gene_id", "gene_symbol"),
    asks=(
        "what does this mutation do to the protein",
        "VEP annotation of a variant",
        "is it missense, frameshift or splice site",
        "SIFT and PolyPhen",
        "effect of an SNP on transcripts",
        "what would a base change do to the protein",
    ),
)
async def predict_variant(
    api: Api,
    variant: VariantName,
    assembly: Assembly = None,
    scores: Scores = None,
    canonical_only: CanonicalOnly = True,
) -> Answer:
    """Predicted consequences (VEP) of a variant by rsID, HGVS name or position, on canonical and MANE transcripts, with
    scores on request; for several use predict_variants_batch. Clinical classifications: clinvar__resolve_variant;
    scores of a known variant: myvariant__variant_get.

    Rows, one a place: id, assembly_name, seq_region_name, start, end, allele_string,
    most_severe_consequence, transcript_consequences, transcripts_total, colocated_variants.
    """
    path = _path(variant, assembly)
    api = on(api, assembly)
    if is_rsid(variant):
        found = await known(api, path, variant, _options(scores))
    else:
        # A 400 on a notation says what is wrong with it: that is for the caller to correct.
        found = await api.get(path, _options(scores))
    if found is None:
        return unknown_id(variant, f"Ensembl has no variant {variant}.")
    matched_assembly(api, found, assembly)
    if is_rsid(variant):
        for place in found:
            matched(api, "variant", variant.lower(), place.get("input"))
    return rows([prediction(place, canonical_only) for place in found])


@platform.tool(
    example={"variants": ["1-11796321-G-A", "7-117559590-ATCT-A"], "assembly": "GRCh38"},
    cites=Cite("ensembl", "predictions[].transcript_consequences[]", "gene_id", "gene_symbol"),
    asks=(
        "run VEP on a list of variants",
        "annotate a VCF",
        "consequences of many variants",
    ),
)
async def predict_variants_batch(
    api: Api,
    variants: VariantNames,
    assembly: Assembly = None,
    scores: Scores = None,
    canonical_only: CanonicalOnly = True,
) -> Answer:
    """Many at once (up to 25): predicted consequences (VEP) of variants by rsID, HGVS name or position, with the names
    that Ensembl does not know.

    predictions: the rows of predict_variant, each with query; not_found.
    """
    forms = {variant: _form(variant, assembly, "variants") for variant in variants}
    api = on(api, assembly)
    predictions: list[Json] = []
    answered: set[str] = set()
    for kind, key in (("id", "ids"), ("hgvs", "hgvs_notations"), ("region", "variants")):
        sent = {line: variant for variant, (form, line) in forms.items() if form == kind}
        if not sent:
            continue
        by_answer = sent | {line.split()[2]: variant for line, variant in sent.items() if kind == "region"}
        path = f"/vep/homo_sapiens/{kind}"
        names = list(sent) if kind == "id" else ()
        found = await known(api, path, names, _options(scores), body={key: list(sent)})
        matched_assembly(api, found or [], assembly)
        for place in found or []:
            query = by_answer.get(place.get("input", "")) or by_answer.get(place.get("id", ""))
            if query is None:
                matched(api, "variant", " or ".join(sent), place.get("input") or place.get("id") or "no name")
            answered.add(str(query))
            predictions.append({"query": query, **prediction(place, canonical_only)})
    missing = [variant for variant in forms if variant not in answered]
    note = f"Ensembl answered nothing for {', '.join(missing)}." if missing else ""
    if not predictions:
        return unknown_id(", ".join(variants), note)
    return rows(predictions, data={"predictions": predictions, "not_found": missing}, note=note)


def is_rsid(text: str) -> bool:
    """Whether a text is an rs number."""
    return _RSID.fullmatch(text) is not None


def position_of(variant: str) -> tuple[str, int, str, str] | None:
    """Return chromosome, position, reference and alternate allele, or None when it is no position with alleles."""
    found = _POSITION.fullmatch(variant)
    if not found:
        return None
    chromosome = found["chromosome"].upper()
    return (
        "MT" if chromosome == "M" else chromosome,
        int(found["position"]),
        found["ref"].upper(),
        found["alt"].upper(),
    )


def require_assembly(variant: str, assembly: str | None) -> None:
    """Refuse a position or genomic HGVS name without its assembly."""
    if (position_of(variant) or ":g." in variant) and assembly is None:
        raise InvalidArguments("assembly", "a position means nothing without its genome assembly", "GRCh38")


def hgvs_of(variant: str, argument: str = "variant") -> str:
    """Return an HGVS name as Ensembl writes it, or refuse what is no name of a variant."""
    if not _HGVS.search(variant):
        raise InvalidArguments(
            argument, f"{variant!r} is no rsID, HGVS name or position with alleles", "7-140753336-A-T"
        )
    return variant.removeprefix("chr")


def prediction(place: Json, canonical_only: bool = True) -> Json:
    """Keep of a VEP answer what tells consequences: canonical and MANE transcripts, or all where none is marked."""
    transcripts = place.get("transcript_consequences") or []
    marked = [row for row in transcripts if row.get("canonical") or row.get("mane_select")] or transcripts
    return {
        **kept(place, PLACE_FIELDS),
        "transcript_consequences": [
            kept(row, TRANSCRIPT_FIELDS) for row in (marked if canonical_only else transcripts)
        ],
        "transcripts_total": len(transcripts),
        "colocated_variants": [kept(row, COLOCATED_FIELDS) for row in place.get("colocated_variants") or []],
    }


def _options(scores: Iterable[str] | None) -> dict[str, Json]:
    return {"canonical": 1, "hgvs": 1, "mane": 1, "protein": 1, **dict.fromkeys(scores or (), 1)}


def _path(variant: str, assembly: str | None) -> str:
    """Return the VEP path for an rsID, a position with alleles, or an HGVS name."""
    require_assembly(variant, assembly)
    if is_rsid(variant):
        return f"/vep/homo_sapiens/id/{variant.lower()}"
    if position := position_of(variant):
        chromosome, start, reference, alternate = position
        return f"/vep/homo_sapiens/region/{chromosome}:{start}-{start + len(reference) - 1}:1/{alternate}"
    return f"/vep/homo_sapiens/hgvs/{quote(hgvs_of(variant), safe='')}"


def _form(variant: str, assembly: str | None, argument: str) -> tuple[str, str]:
    """Return the batch route for a variant and the line that is sent there."""
    require_assembly(variant, assembly)
    if is_rsid(variant):
        return "id", variant.lower()
    if position := position_of(variant):
        chromosome, start, reference, alternate = position
        # The third column comes back as the id.
        return (
            "region",
            f"{chromosome} {start} {chromosome}:{start}:{reference}:{alternate} {reference} {alternate} . . .",
        )
    return "hgvs", hgvs_of(variant, argument)
