"""Searches for variants: by gene, condition, region and classification, somatic ones, and their numbers in a gene."""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import GeneSymbol, Limit, Offset, gene_symbol_form, look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.clinvar import entrez, records
from mcp_server.platforms.clinvar.base import (
    VARIANT_ROWS,
    Condition,
    OptionalGene,
    Region,
    RegionAssembly,
    platform,
)
from mcp_server.tool import Arg, Cite

Json = Any

REGION_MAX = 1_000_000
# Somatic classifications cannot be searched for: summaries are read and sorted out here.
EXAMINED_MAX = 200
POSITION_FIELDS = {"GRCh38": "chrpos38", "GRCh37": "chrpos37"}
SIGNIFICANCE_TERMS = {
    "pathogenic": "clinsig pathogenic",
    "likely pathogenic": "clinsig likely pathogenic",
    "uncertain significance": "clinsig vus",
    "likely benign": "clinsig likely benign",
    "benign": "clinsig benign",
    "drug response": "clinsig drug response",
}
EITHER_PATHOGENIC = "pathogenic or likely pathogenic"
# Whole phrases with their commas: without them the search finds nothing.
STARS_TERMS = {
    4: ("practice guideline",),
    3: ("reviewed by expert panel",),
    2: ("criteria provided, multiple submitters, no conflicts",),
    1: ("criteria provided, conflicting classifications", "criteria provided, single submitter"),
}
COUNTED_CONSEQUENCES = ("missense variant", "nonsense", "frameshift variant", "splice donor variant")

Classification = Annotated[
    Literal[
        "pathogenic",
        "likely pathogenic",
        "pathogenic or likely pathogenic",
        "uncertain significance",
        "likely benign",
        "benign",
        "drug response",
    ]
    | None,
    Arg("Germline classification."),
]
Tier = Annotated[
    Literal["Tier I", "Tier II", "Tier III", "Tier IV"] | None, Arg("Only this tier of somatic clinical impact.")
]
Oncogenicity = Annotated[
    Literal["Oncogenic", "Likely oncogenic", "Uncertain significance", "Likely benign", "Benign"] | None,
    Arg("Only this classification of oncogenicity."),
]


@platform.tool(
    example={"gene_symbol": "BRAF", "classification": "pathogenic"},
    cites=VARIANT_ROWS,
    asks=(
        "pathogenic variants in BRCA1",
        "disease-causing mutations of a gene",
        "VUS list, variants of uncertain significance",
        "variants in a region with two stars or more",
        "known mutations of a syndrome",
        "all damaging changes in a gene with good review",
    ),
)
async def search_variants(
    api: Api,
    gene_symbol: OptionalGene = None,
    condition: Condition = None,
    classification: Classification = None,
    min_stars: Annotated[int | None, Arg("Fewest review stars, 1 to 4.", minimum=1, maximum=4)] = None,
    consequence: Annotated[
        str | None, Arg("Molecular consequence in ClinVar's words.", "missense variant", normalise=look_up_form)
    ] = None,
    variant_type: Annotated[
        str | None, Arg("Type in ClinVar's words.", "single nucleotide variant", normalise=look_up_form)
    ] = None,
    region: Region = None,
    assembly: RegionAssembly = None,
    text: Annotated[str | None, Arg("Further words, all of which must occur.", normalise=look_up_form)] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """ClinVar variants by gene, condition, region, germline classification (also drug response), review stars and
    consequence; rows as get_variant_summaries. One named variant: resolve_variant; tumour tiers:
    search_somatic_variants; by score or frequency: myvariant__variant_search.
    """
    if not any((gene_symbol, condition, region, text)):
        raise InvalidArguments("gene_symbol", "give a gene, a condition, a region or words", "BRAF")
    parts = _subject(gene_symbol, condition)
    if region or assembly:
        parts += _region_terms(region, assembly)
    if classification:
        parts.append(_classification_term(classification))
    phrases = [phrase for stars in range(min_stars, 5) for phrase in STARS_TERMS[stars]] if min_stars else []
    if phrases:
        parts.append(_either([f'"{phrase}"[Review status]' for phrase in phrases]))
    if consequence:
        parts.append(f'"{_unquoted(consequence)}"[Molecular consequence]')
    if variant_type:
        parts.append(f'"{_unquoted(variant_type)}"[Type of variation]')
    if text:
        parts.append(f"({_unquoted(text)})")
    found = await entrez.search(api, " AND ".join(parts), limit, offset)
    # Of several stars, each is an alternative of its own.
    unknown = entrez.unknown_words(found, phrases if len(phrases) > 1 else ())
    total = int(found["count"])
    summaries, _ = await entrez.summaries(api, found["idlist"])
    variants = [records.summary(row) for row in summaries]
    _refuse_other_types(variants, variant_type)
    end = offset + len(variants)
    note = f"ClinVar has no variants for {' AND '.join(parts)}." if not variants else ""
    return rows(
        variants,
        total=total,
        next={"offset": end} if variants and end < total else None,
        note=f"{note} It does not know {', '.join(unknown)}.".strip() if unknown else note,
    )


@platform.tool(
    example={"gene_symbol": "KRAS"},
    cites=Cite("clinvar_variation", "variants[]", "accession_version", "title"),
    asks=(
        "oncogenic mutations in a gene",
        "tier I variants of a tumour",
        "AMP/ASCO/CAP clinical impact",
        "actionable cancer variants",
        "changes in tumours with therapeutic relevance",
    ),
)
async def search_somatic_variants(
    api: Api,
    gene_symbol: OptionalGene = None,
    condition: Condition = None,
    tier: Tier = None,
    oncogenicity: Oncogenicity = None,
    offset: Offset = 0,
) -> Answer:
    """Cancer variants of ClinVar with a somatic clinical-impact tier or an oncogenicity call, by gene or tumour.
    Germline classifications: search_variants; how often one is seen in tumours: gdc__mutation_frequency,
    cbioportal__mutation_recurrence.

    examined, hits (of somatic origin, of which at most 200 are examined in one call), variants: rows of
    get_variant_summaries that carry such a classification.
    """
    if not (gene_symbol or condition):
        raise InvalidArguments("gene_symbol", "give a gene or a tumour", "KRAS")
    parts = [*_subject(gene_symbol, condition), "somatic[origin]"]
    found = await entrez.search(api, " AND ".join(parts), EXAMINED_MAX, offset)
    unknown = entrez.unknown_words(found)
    summaries, _ = await entrez.summaries(api, found["idlist"])
    examined = [records.summary(row) for row in summaries]
    variants = [row for row in examined if _is_somatic(row, tier, oncogenicity)]
    hits, end = int(found["count"]), offset + len(found["idlist"])
    data = {"examined": len(examined), "hits": hits, "variants": variants}
    words = " AND ".join(parts)
    note = f"{len(variants)} of {len(examined)} examined hits of {words} have such a classification."
    if unknown:
        note = f"{note} ClinVar does not know {', '.join(unknown)}."
    if end < hits and found["idlist"]:
        # How many there are is not known before all hits are examined.
        return Answer(data, returned=len(variants), note=f"{note} {hits} hits in all.", next={"offset": end})
    return rows(variants, data=data, note=note) if variants else empty(note, data=data)


@platform.tool(
    example={"gene_symbol": "BRAF"},
    asks=(
        "how many pathogenic variants does a gene have",
        "breakdown of benign, VUS and pathogenic",
        "counts by classification for a gene",
        "how many harmful variants of a gene are known",
    ),
)
async def summarize_gene_variants(api: Api, gene_symbol: GeneSymbol) -> Answer:
    """Numbers of a gene's ClinVar variants by germline classification, review stars and consequence. For the variants
    themselves use search_variants.

    gene_symbol, total, by_classification, by_stars, by_consequence: {name: number, null when ClinVar does not know
    the term}.
    """
    subject = " AND ".join(_subject(gene_symbol, None))
    whole = await entrez.search(api, subject, 0)
    total = int(whole["count"])
    if not total:
        return unknown_id(gene_symbol, f"ClinVar has no variants of a gene {gene_symbol!r}. Check the symbol.")
    entrez.unknown_words(whole)
    data: dict[str, Json] = {"gene_symbol": gene_symbol_form(gene_symbol), "total": total}
    data["by_classification"] = {
        name: await _count(api, subject, f'"{term}"[Properties]') for name, term in SIGNIFICANCE_TERMS.items()
    }
    data["by_stars"] = {
        str(stars): await _count(api, subject, _either([f'"{phrase}"[Review status]' for phrase in phrases]))
        for stars, phrases in STARS_TERMS.items()
    }
    data["by_consequence"] = {
        name: await _count(api, subject, f'"{name}"[Molecular consequence]') for name in COUNTED_CONSEQUENCES
    }
    page = f"https://www.ncbi.nlm.nih.gov/clinvar/?term={quote(f'{gene_symbol_form(gene_symbol)}[gene]')}"
    note = "A variant may count in several classes; variants without stars are in the total only."
    return Answer(data, note=note, citations=[Citation("clinvar_gene", data["gene_symbol"], url=page)])


async def _count(api: Api, subject: str, term: str) -> int | None:
    """Return how many variants fit, or None when the search ignored the term."""
    found = await entrez.search(api, f"{subject} AND {term}", 0)
    errors = found.get("errorlist") or {}
    return None if errors.get("phrasesnotfound") or errors.get("fieldsnotfound") else int(found["count"])


def _subject(gene_symbol: str | None, condition: str | None) -> list[str]:
    # Without single_gene, deletions over hundreds of genes flood the result.
    parts = [f"{gene_symbol_form(gene_symbol)}[gene]", "single_gene[prop]"] if gene_symbol else []
    return [*parts, f'"{_unquoted(condition)}"[dis]'] if condition else parts


def _unquoted(words: str) -> str:
    return words.replace('"', "")


def _either(terms: list[str]) -> str:
    return f"({' OR '.join(terms)})" if len(terms) > 1 else terms[0]


def _classification_term(classification: str) -> str:
    both = ("pathogenic", "likely pathogenic") if classification == EITHER_PATHOGENIC else (classification,)
    return _either([f'"{SIGNIFICANCE_TERMS[name]}"[Properties]' for name in both])


def _region_terms(region: str | None, assembly: str | None) -> list[str]:
    if not region:
        raise InvalidArguments("region", "an assembly goes with a region", "7:140753336-140753436")
    if not assembly:
        raise InvalidArguments("assembly", "a position means nothing without its genome assembly", "GRCh38")
    chromosome, _, span = region.partition(":")
    start, end = (int(number) for number in span.split("-"))
    if not 1 <= start <= end or end - start >= REGION_MAX:
        raise InvalidArguments("region", f"{region!r} must not be reversed or longer than {REGION_MAX:,} bases")
    return [f"{chromosome}[chr]", f"{start}:{end}[{POSITION_FIELDS[assembly]}]"]


def _refuse_other_types(variants: list[Json], variant_type: str | None) -> None:
    for row in variants:
        own = str(row["variant_type"] or "").lower()
        if variant_type and own and own != variant_type.lower():
            message = f"asked for the type {variant_type!r}, it answered {row['variant_type']!r}"
            raise UpstreamBadResponse(entrez.HOST, message)


def _is_somatic(row: Json, tier: str | None, oncogenicity: str | None) -> bool:
    impact = (row["somatic_clinical_impact"] or {}).get("description", "")
    call = (row["oncogenicity"] or {}).get("description", "")
    if tier and impact.partition(" - ")[0] != tier:
        return False
    if oncogenicity and call != oncogenicity:
        return False
    return bool(impact or call)
