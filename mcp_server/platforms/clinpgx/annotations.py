"""Evidence: graded clinical annotations, findings of single papers, all that links a pair, curated papers."""

import re
from typing import Annotated, Literal

from mcp_server.args import DrugName, GeneSymbol, Limit, Offset, gene_symbol_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.clinpgx.guidelines import guideline_row, label_row
from mcp_server.platforms.clinpgx.service import (
    EXACT_NAMES,
    HOST,
    PAGE,
    RSID,
    Json,
    cited_papers,
    joined,
    kept,
    next_page,
    papers,
    plain,
    platform,
    record,
    search,
    short,
)
from mcp_server.tool import Arg

LEVELS = ("1A", "1B", "2A", "2B", "3", "4")
Levels = Annotated[
    list[Literal["1A", "1B", "2A", "2B", "3", "4"]],
    Arg("Levels of evidence to keep, from 1A (strongest) to 4.", ["1A", "1B"]),
]
AnnotationType = Annotated[
    Literal["Efficacy", "Toxicity", "Dosage", "Metabolism/PK", "PD", "Other"], Arg("Kind of effect to keep.")
]


def variant_form(text: str) -> str:
    """Return an rsID in lower case, a star allele in upper case."""
    plain = "".join(text.split())
    return plain.lower() if RSID.fullmatch(plain) else plain.upper()


Variant = Annotated[
    str,
    Arg(
        "rsID of a variant, or a star allele with its gene, e.g. CYP2C19*2.",
        "rs4244285",
        r"^(rs\d+|[A-Z0-9-]+\*\S+)$",
        normalise=variant_form,
    ),
]
# How each kind of annotation is reached: its route, the route's former name, its page.
ROUTES = {
    "clinical": ("summaryAnnotation", "clinicalAnnotation", "clinicalAnnotation"),
    "variant": ("variantAnnotation", "", "variantAnnotation"),
    "guideline": ("guidelineAnnotation", "", "guidelineAnnotation"),
    "label": ("label", "drugLabel", "labelAnnotation"),
}


def annotation_row(found: Json) -> Json:
    """Keep of a clinical annotation what tells its evidence."""
    location = found.get("location") or {}
    facts = {name: found[name] for name in ("id", "accessionId", "name", "types", "score") if name in found}
    related = ("relatedChemicals", "relatedDiseases", "relatedGuidelines", "relatedLabels")
    return {
        **facts,
        "levelOfEvidence": {"term": (found.get("levelOfEvidence") or {}).get("term")},
        "location": {"displayName": location.get("displayName"), "genes": short(location.get("genes"))},
        **{name: short(found[name]) for name in related if found.get(name) is not None},
        "url": f"{PAGE}/clinicalAnnotation/{found['id']}",
    }


def _is_about(annotation: Json, gene_symbol: str | None, drug_name: str | None, variant: str | None = None) -> bool:
    genes = {gene.get("symbol", "").lower() for gene in annotation["location"]["genes"]}
    drugs = {drug.get("name", "").lower() for drug in annotation.get("relatedChemicals", [])}
    names = {name.strip().lower() for name in str(annotation["location"]["displayName"]).split(",")}
    return (
        (not gene_symbol or gene_symbol.lower() in genes)
        and (not drug_name or drug_name.lower() in drugs)
        and (not variant or variant.lower() in names)
    )


def _strength(annotation: Json) -> tuple[int, float]:
    level = annotation["levelOfEvidence"]["term"]
    return (LEVELS.index(level) if level in LEVELS else len(LEVELS), -(annotation.get("score") or 0))


def _location(variant: str | None, gene: str | None) -> dict[str, Json]:
    """Return the criteria for a place: by rsID, or by the gene of a star allele, whose rows are then sifted."""
    if variant and "*" in variant:
        return {"location.genes.symbol": gene or gene_symbol_form(variant.partition("*")[0])}
    return {"location.genes.symbol": gene, "location.fingerprint": variant}


async def annotations_of(
    api: Api, gene_symbol: str | None = None, drug_name: str | None = None, variant: str | None = None
) -> list[Json]:
    """Return all clinical annotations of a gene, drug or variant, the strongest first."""
    criteria = {
        **_location(variant, gene_symbol_form(gene_symbol) if gene_symbol else None),
        "relatedChemicals.name": drug_name.lower() if drug_name else None,
        "view": "min",
    }
    found = await search(api, "/data/summaryAnnotation", criteria, "/data/clinicalAnnotation")
    about = [item for item in map(annotation_row, found) if _is_about(item, gene_symbol, drug_name, variant)]
    return sorted(about, key=_strength)


def cited_annotations(found: list[Json]) -> list[Citation]:
    """Cite clinical annotations."""
    return [Citation("clinpgx_annotation", str(item["id"]), item.get("name") or "") for item in found]


@platform.tool(
    example={"gene_symbol": "CYP2C19", "drug_name": "clopidogrel"},
    asks=(
        "which variants affect response to warfarin",
        "level 1A pharmacogenomic evidence",
        "toxicity or efficacy by genotype",
        "PharmGKB clinical annotations",
    ),
)
async def search_clinical_annotations(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    variant: Variant | None = None,
    level: Levels | None = None,
    annotation_type: AnnotationType | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List graded evidence (1A–4) that variants of a gene change the response to a drug (ClinPGx, formerly PharmGKB).
    Needs gene, drug or variant. First choice for pharmacogenomic evidence; for single papers use
    search_variant_annotations.
    """
    if not (gene_symbol or drug_name or variant):
        raise InvalidArguments("gene_symbol", "give a gene symbol, a drug name or a variant", "CYP2C19")
    about = await annotations_of(api, gene_symbol, drug_name, variant)
    fitting = [
        item
        for item in about
        if (not level or item["levelOfEvidence"]["term"] in level)
        and (not annotation_type or annotation_type in (item.get("types") or []))
    ]
    shown = fitting[offset : offset + limit]
    note = ""
    if not fitting:
        wanted = f" at level {', '.join(level)}" if level else ""
        wanted += f" on {annotation_type}" if annotation_type else ""
        names = joined(gene_symbol, drug_name, variant)
        note = f"ClinPGx has no clinical annotation for {names}{wanted}. {EXACT_NAMES}"
    return rows(
        shown,
        total=len(fitting),
        next=next_page(offset, len(shown), len(fitting)),
        note=note,
        citations=cited_annotations(shown),
    )


def variant_row(found: Json, with_study_parameters: bool = False) -> Json:
    """Keep of a single paper's finding the sentence, its sense and where it comes from."""
    location = found.get("location") or {}
    row = {
        **kept(found, "id", "accessionId", "name", "sentence", "significance", "polarity", "types", "comparison"),
        "location": {"displayName": location.get("displayName"), "genes": short(location.get("genes"))},
        "relatedChemicals": short(found.get("relatedChemicals")),
        "papers": papers(found),
        "url": f"{PAGE}/variantAnnotation/{found['id']}",
    }
    if with_study_parameters:
        row["studyParameters"] = found.get("studyParameters") or []
    return row


def _cited_findings(found: list[Json]) -> list[Citation]:
    pages = [
        Citation("clinpgx_variant_annotation", str(row["id"]), row.get("name") or row.get("sentence", ""), row["url"])
        for row in found
    ]
    return [*pages, *cited_papers(paper for row in found for paper in row["papers"])]


@platform.tool(
    example={"variant": "rs4244285", "drug_name": "clopidogrel"},
    asks=(
        "studies that link a SNP to drug response",
        "what do papers say on a variant and a drug",
        "association of rs number with toxicity, p value",
        "study parameters, odds ratio",
    ),
)
async def search_variant_annotations(
    api: Api,
    variant: Variant | None = None,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    significance: Annotated[Literal["yes", "no", "not stated"], Arg("What the paper says of its result.")]
    | None = None,
    with_study_parameters: Annotated[bool, Arg("Add numbers of cases, p values and ratios.")] = False,
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """List findings of single papers on a variant or gene: key sentence, significance and PMID. Give one of both. A
    gene may have thousands. For graded evidence use search_clinical_annotations, for all papers that name a variant
    pubtator3__get_variant_publications.
    """
    if bool(variant) == bool(gene_symbol):
        raise InvalidArguments("variant", "give either a variant or a gene symbol", "rs4244285")
    gene = gene_symbol_form(gene_symbol) if gene_symbol else None
    # The records of a whole gene are megabytes even in the short view.
    short_view = not with_study_parameters and (gene or "*" in (variant or ""))
    criteria = {**_location(variant, gene), "view": "min" if short_view else "base"}
    found = [
        variant_row(item, with_study_parameters) for item in await search(api, "/data/variantAnnotation", criteria)
    ]
    _check_gene_of(found, gene)
    if "*" in (variant or ""):
        found = [row for row in found if _names_allele(row, variant or "")]
    fitting = [
        row
        for row in found
        if (not drug_name or drug_name.lower() in {drug.get("name", "").lower() for drug in row["relatedChemicals"]})
        and (not significance or str(row.get("significance", "not stated")).lower() == significance)
    ]
    shown = fitting[offset : offset + limit]
    note = ""
    if not fitting:
        note = f"ClinPGx has no finding for {joined(variant, gene, drug_name)}"
        note += f" among {len(found)} without the filters." if found else f". {EXACT_NAMES}"
    return rows(
        shown,
        total=len(fitting),
        next=next_page(offset, len(shown), len(fitting)),
        note=note,
        citations=_cited_findings(shown),
    )


def _names_allele(row: Json, allele: str) -> bool:
    """Whether the place or the sentence of a finding names a star allele, not merely one that begins like it."""
    gene, _, name = allele.partition("*")
    text = f"{row['location']['displayName']} {row.get('sentence', '')}"
    return bool(re.search(rf"(?<![\w-])({re.escape(gene)}\s*)?\*{re.escape(name)}(?![\w:])", text, re.IGNORECASE))


def _check_gene_of(found: list[Json], gene: str | None) -> None:
    for row in found if gene else ():
        genes = [item.get("symbol") for item in row["location"]["genes"]]
        if genes and gene not in genes:
            raise UpstreamBadResponse(HOST, f"asked for {gene}, got an annotation of {', '.join(map(str, genes))}")


def _clinical_text(found: Json) -> Json:
    location = found.get("location") or {}
    row = annotation_row(found)
    # ClinPGx writes -1 where it has no position.
    if location.get("buildVersion") and (location.get("gpPosition") or -1) > 0:
        row["location"] |= {
            "assembly": location["buildVersion"],
            "chromosome": location.get("chromosomeName"),
            "position": location["gpPosition"],
        }
    row["allelePhenotypes"] = [
        kept(item, "allele", "phenotype", "limitedEvidence") for item in found.get("allelePhenotypes") or []
    ]
    if found.get("variantAnnotations"):
        row["variantAnnotations"] = [variant_row(item) for item in found["variantAnnotations"]]
    return row


def _text(found: Json, row: Json) -> Json:
    names = {"text": "textMarkdown", "prescribingText": "prescribingMarkdown", "pediatricText": "pediatricMarkdown"}
    texts = {new: text for new, old in names.items() if (text := plain(found.get(old)))}
    return {**row, **texts, "relatedAlleles": short(found.get("relatedAlleles")), "papers": papers(found)}


def _annotation_of(kind: str, found: Json) -> Json:
    if kind == "clinical":
        return _clinical_text(found)
    if kind == "variant":
        return variant_row(found, with_study_parameters=True)
    return _text(found, guideline_row(found) if kind == "guideline" else label_row(found))


@platform.tool(
    example={"annotation_id": "PA166104948"},
    asks=(
        "text of a PharmGKB annotation by its number",
        "what happens to carriers of each genotype",
        "read a guideline or label annotation in full",
    ),
)
async def get_annotation(
    api: Api,
    annotation_id: Annotated[
        str,
        Arg(
            "Number of a clinical or variant annotation, or PA accession of a guideline or label annotation.",
            "1445400894",
            r"^(PA)?\d+$",
            normalise=str.upper,
        ),
    ],
    kind: Annotated[
        Literal["auto", "clinical", "variant", "guideline", "label"], Arg("Kind of annotation; auto tries what fits.")
    ] = "auto",
    with_evidence: Annotated[bool, Arg("Add the papers behind a clinical annotation: long.")] = False,
) -> Answer:
    """Get one ClinPGx annotation in full by its id: text for each genotype, guideline or label text, papers. Ids come
    from the searches. To find annotations use search_clinical_annotations, search_guideline_annotations or
    search_drug_labels.
    """
    guess = ("guideline", "label", "clinical") if annotation_id.startswith("PA") else ("clinical", "variant")
    for one in guess if kind == "auto" else (kind,):
        route, former, page = ROUTES[one]
        view = "max" if with_evidence and one == "clinical" else "base"
        former_path = f"/data/{former}/{annotation_id}" if former else ""
        found = await record(api, f"/data/{route}/{annotation_id}", view, former_path)
        if found is not None:
            row = {"kind": one, **_annotation_of(one, found)}
            ids = "clinpgx_annotation" if one == "clinical" else "clinpgx"
            cited = Citation(ids, str(row["id"]), row.get("name", ""), f"{PAGE}/{page}/{row['id']}")
            return Answer(row, citations=[cited, *cited_papers(row.get("papers", []))])
    kinds = " or ".join(guess if kind == "auto" else (kind,))
    return unknown_id(annotation_id, f"ClinPGx has no {kinds} annotation {annotation_id}.")
