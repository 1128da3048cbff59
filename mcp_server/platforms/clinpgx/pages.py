"""One page from several calls: a gene and a drug together, or all pharmacogenes of a drug."""

from collections.abc import Awaitable, Callable

from mcp_server.args import DrugName, GeneSymbol, gene_symbol_form
from mcp_server.envelope import Answer, Citation, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError
from mcp_server.http.together import together
from mcp_server.platforms.clinpgx.annotations import annotations_of, cited_annotations
from mcp_server.platforms.clinpgx.cpic import cited_guidelines, pairs_of, recommendations_of
from mcp_server.platforms.clinpgx.guidelines import cited, guidelines_of, labels_of
from mcp_server.platforms.clinpgx.service import EXACT_NAMES, Json, cite, find_chemical, find_gene, platform

SHOWN = 10
LEVEL_ORDER = ("1A", "1B", "2A", "2B", "3", "4", None)


async def _part(asked: Awaitable[list[Json]]) -> dict[str, Json] | UpstreamError:
    """Return one list of the page with its own status, or why there is none."""
    try:
        found = await asked
    except UpstreamError as error:
        return error
    return {"status": "complete", "total": len(found), "rows": found}


async def _parts(**asked: Awaitable[list[Json]]) -> dict[str, Json]:
    """Return the lists of the page: one failure does not hide the others, but where all fail there is no page."""
    found = await together(_part(one) for one in asked.values())
    errors = [part for part in found if isinstance(part, UpstreamError)]
    if len(errors) == len(found):
        raise errors[0]
    return {
        name: {"status": "failed", "message": str(part), "total": None, "rows": []}
        if isinstance(part, UpstreamError)
        else part
        for name, part in zip(asked, found, strict=True)
    }


def _cut(part: Json) -> Json:
    shown = part["rows"][:SHOWN]
    status = "cut" if len(shown) < len(part["rows"]) else part["status"]
    return {**part, "status": status, "returned": len(shown), "rows": shown}


def _failed_note(parts: dict[str, Json]) -> str:
    failed = [name for name, part in parts.items() if part["status"] == "failed"]
    return f"No answer for {', '.join(failed)}: nothing is known about them here." if failed else ""


def _outcome(parts: dict[str, Json], data: Json, note: str, citations: list[Citation]) -> Answer:
    """Answer with the page; where every list was asked and none holds anything, that is empty."""
    if any(part["rows"] for part in parts.values()) or _failed_note(parts):
        return Answer(data, note=_failed_note(parts), citations=citations)
    return empty(note, data)


@platform.tool(
    example={"gene_symbol": "CYP2C19", "drug_name": "clopidogrel"},
    asks=(
        "does CYP2D6 matter for codeine",
        "is genotyping useful before this drug",
        "gene and drug interaction on one page",
        "pharmacogenetic summary of a pair",
        "how strong is the link between a gene and a statin",
    ),
)
async def gene_drug_report(api: Api, gene_symbol: GeneSymbol, drug_name: DrugName) -> Answer:
    """Get one page on a gene and a drug: best evidence, guidelines, labels, CPIC level and advice, each with a status.
    First choice for "does this gene matter for this drug". For all genes of a drug use drug_pgx_profile.
    """
    gene = gene_symbol_form(gene_symbol)
    genes = await find_gene(api, gene)
    chemicals = await find_chemical(api, drug_name) if genes else []
    if not (genes and chemicals):
        kind, name = ("chemical", drug_name) if genes else ("gene", gene)
        return empty(f"ClinPGx has no {kind} called {name!r}. {EXACT_NAMES}")
    gene_id, drug_id = genes[0]["id"], chemicals[0]["id"]
    parts = await _parts(
        clinical_annotations=annotations_of(api, gene, drug_name),
        guidelines=guidelines_of(api, {"relatedGenes.accessionId": gene_id, "relatedChemicals.accessionId": drug_id}),
        labels=labels_of(api, {"relatedChemicals.accessionId": drug_id, "relatedGenes.symbol": gene}),
        cpic_pairs=pairs_of(api, gene, drug_name),
        recommendations=_of_gene(recommendations_of(api, drug_name), gene),
    )
    shown = {name: _cut(part) for name, part in parts.items()}
    best = next((row["levelOfEvidence"]["term"] for row in parts["clinical_annotations"]["rows"]), None)
    data = {
        "gene": {"id": gene_id, "symbol": gene},
        "drug": {"id": drug_id, "name": chemicals[0].get("name")},
        "best_level": best,
        **shown,
    }
    citations = [
        cite("gene", genes[0]),
        cite("chemical", chemicals[0]),
        *cited_annotations(shown["clinical_annotations"]["rows"]),
        *cited(shown["guidelines"]["rows"]),
        *cited(shown["labels"]["rows"]),
        *cited_guidelines([*shown["cpic_pairs"]["rows"], *shown["recommendations"]["rows"]]),
    ]
    return _outcome(parts, data, f"Neither ClinPGx nor CPIC holds anything on {gene} and {drug_name}.", citations)


async def _of_gene(asked: Awaitable[list[Json]], gene: str) -> list[Json]:
    return [row for row in await asked if gene in (row.get("lookupkey") or {})]


@platform.tool(
    core=True,
    example={"drug_name": "clopidogrel"},
    asks=(
        "which genes should I test before giving a drug",
        "pharmacogenes of a medicine",
        "genetic factors in the response to a drug",
        "pharmacogenomic profile",
    ),
)
async def drug_pgx_profile(api: Api, drug_name: DrugName) -> Answer:
    """List all pharmacogenes of a drug by strength of evidence: best level, guidelines, label testing, CPIC level. One
    row a gene. For one gene in detail use gene_drug_report, for single records the searches.
    """
    chemicals = await find_chemical(api, drug_name)
    if not chemicals:
        return empty(f"ClinPGx has no chemical called {drug_name!r}. {EXACT_NAMES}")
    drug_id = chemicals[0]["id"]
    parts = await _parts(
        clinical_annotations=annotations_of(api, drug_name=drug_name),
        guidelines=guidelines_of(api, {"relatedChemicals.accessionId": drug_id}),
        labels=labels_of(api, {"relatedChemicals.accessionId": drug_id}),
        cpic_pairs=_of_drug(pairs_of(api, None, drug_name), drug_name),
    )
    genes = _by_gene(parts)
    data = {
        "drug": {"id": drug_id, "name": chemicals[0].get("name")},
        "sources": {name: {key: part[key] for key in ("status", "total")} for name, part in parts.items()},
        "genes": genes,
    }
    listed = [row for gene in genes for row in gene["best_annotations"]]
    citations = [
        cite("chemical", chemicals[0]),
        *cited_annotations(listed),
        *cited(parts["guidelines"]["rows"]),
        *cited(parts["labels"]["rows"]),
        *cited_guidelines(parts["cpic_pairs"]["rows"]),
    ]
    return _outcome(parts, data, f"Neither ClinPGx nor CPIC holds anything on {drug_name}.", citations)


async def _of_drug(asked: Awaitable[list[Json]], drug_name: str) -> list[Json]:
    # The name is matched inside longer names, such as those of combinations.
    return [row for row in await asked if str(row.get("drugname")).lower() == drug_name.lower()]


def _by_gene(parts: dict[str, Json]) -> list[Json]:
    """Fold the four lists into one row a gene, the best supported first."""
    genes: dict[str, Json] = {}

    def row_of(symbol: str) -> Json:
        new: dict[str, Json] = {"symbol": symbol, "best_level": None, "annotation_count": 0, "best_annotations": []}
        return genes.setdefault(symbol, {**new, "guidelines": [], "labels": [], "cpic_level": None})

    for annotation in parts["clinical_annotations"]["rows"]:
        for symbol in _symbols(annotation["location"]["genes"]):
            row = row_of(symbol)
            row["annotation_count"] += 1
            # They come strongest first.
            row["best_level"] = row["best_level"] or annotation["levelOfEvidence"]["term"]
            if len(row["best_annotations"]) < 3:
                row["best_annotations"].append({name: annotation.get(name) for name in ("id", "name", "types")})
    fields = {"guidelines": ("id", "source", "recommendation"), "labels": ("id", "source", "testing")}
    for part, names in fields.items():
        for item in parts[part]["rows"]:
            for symbol in _symbols(item["relatedGenes"]):
                row_of(symbol)[part].append({name: item.get(name) for name in names})
    for pair in parts["cpic_pairs"]["rows"]:
        row_of(pair["genesymbol"])["cpic_level"] = pair.get("cpiclevel")
    strength: Callable[[Json], tuple[int, str, str]] = lambda row: (  # noqa: E731
        LEVEL_ORDER.index(row["best_level"]) if row["best_level"] in LEVEL_ORDER else len(LEVEL_ORDER),
        row["cpic_level"] or "Z",
        row["symbol"],
    )
    return sorted(genes.values(), key=strength)


def _symbols(genes: list[Json]) -> list[str]:
    return [gene["symbol"] for gene in genes if gene.get("symbol")]
