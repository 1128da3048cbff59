"""Enrichment of pathways in a list of genes, proteins or metabolites, and comparison with another species.

Computed on the server and kept there for hours to days under a token, which comes percent-encoded and
goes into the path as it is. `entities.ratio` is a pathway's share of all entities, not of the list.
"""

import re
from dataclasses import replace
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import Limit, Offset
from mcp_server.envelope import Answer, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.reactome.base import Species, known, matched, path_part, platform, post_lines
from mcp_server.platforms.reactome.records import OtherSpecies, species_number
from mcp_server.tool import Arg, Cite

Json = Any

ANALYSIS = "https://reactome.org/AnalysisService"
FOUND = Cite("reactome", "pathways[]", "stId", "name")
PAGE_MAX = 100


def token_form(text: str) -> str:
    """Return a token as it stands in a path: percent-encoded once."""
    return text if "%" in text else quote(text, safe="")


Token = Annotated[
    str,
    Arg(
        "Token of an earlier analysis.",
        "MjAyNjA5MjUxOTM5MzNfMTY%3D",
        r"^[A-Za-z0-9_.%+=-]+$",
        normalise=token_form,
    ),
]
ListResource = Annotated[
    Literal["TOTAL", "UNIPROT", "ENSEMBL", "CHEBI", "NCBI_PROTEIN", "MIRBASE", "COMPOUND", "PUBCHEM_COMPOUND"],
    Arg("Kind of molecule that is counted; TOTAL for all."),
]
PathwaysLimit = Annotated[int, Arg("How many pathways to return at most.", minimum=1, maximum=PAGE_MAX)]
Page = Annotated[int, Arg("Page of the result, from 1, of `limit` pathways each.", minimum=1)]
SORTS = Literal["ENTITIES_FDR", "ENTITIES_PVALUE", "ENTITIES_FOUND", "ENTITIES_TOTAL", "NAME"]
# What a ranked list of pathways is for.
RANKED = (
    ".pathways[].stId",
    ".pathways[].pValue",
    ".pathways[].fdr",
    ".pathways[].found",
    ".pathways[].total",
    ".token",
)


@platform.tool(
    example={"identifiers": ["TP53", "ERBB2", "RUNX2", "NOTAGENE1"]},
    cites=FOUND,
    noise="del(.pathways[].reactions)",
    keep=RANKED,
    asks=(
        "pathway enrichment of a gene list",
        "over-representation analysis",
        "which pathways are my differentially expressed genes in",
        "GSEA-like, hypergeometric test",
        "functional enrichment of hits",
        "my hit list, what biology is behind it",
    ),
)
async def analyze_identifiers(
    api: Api,
    identifiers: Annotated[
        list[str],
        Arg(
            "Gene symbols, accessions or ChEBI ids, at most 2000; for an expression analysis each followed by numbers.",
            ["TP53", "ERBB2", "RUNX2"],
            max_items=2000,
        ),
    ],
    projection: Annotated[bool, Arg("Map identifiers of other species to human pathways.")] = True,
    interactors: Annotated[bool, Arg("Count interaction partners (IntAct) too; changes the statistics.")] = False,
    include_disease: Annotated[bool, Arg("Count disease pathways too.")] = True,
    resource: ListResource = "TOTAL",
    fdr_max: Annotated[float, Arg("Highest false discovery rate to keep.", minimum=0, maximum=1)] = 0.05,
    limit: PathwaysLimit = 20,
) -> Answer:
    """Enriched pathways of a list of genes, proteins or metabolites (over-representation, or expression values), with
    p-value, FDR and coverage. For one gene use map_identifier_to_pathways: enrichment of one says little.

    token, type, settings, pathways_found, identifiers_not_found, pathways: [{stId, name, found, total,
    coverage, pValue, fdr, inDisease, reactions, exp}], warnings. More pages by get_analysis_page.
    """
    lines = ["#identifiers", *_lines(identifiers)]
    path = "/identifiers/projection" if projection else "/identifiers/"
    parameters = {
        "pageSize": limit, "page": 1, "sortBy": "ENTITIES_FDR", "order": "ASC", "resource": resource,
        "includeDisease": include_disease, "interactors": interactors,
    }  # fmt: skip
    found = await post_lines(_service(api), path, lines, parameters) or {}
    asked = {"projection": projection, "interactors": interactors, "includeDisease": include_disease}
    for name, value in asked.items():
        matched(name, value, (found.get("summary") or {}).get(name))
    return _pathways(found, limit, 1, fdr_max)


@platform.tool(
    example={"token": "MjAyNjA5MjUxOTM5MzNfMTY%3D", "page": 2},
    cites=FOUND,
    noise="del(.pathways[].reactions)",
    keep=RANKED,
    asks=(
        "next page of enrichment results",
        "more enriched pathways by token",
        "filter an earlier enrichment analysis",
    ),
)
async def get_analysis_page(
    api: Api,
    token: Token,
    page: Page = 1,
    limit: PathwaysLimit = 20,
    species: Species | None = None,
    sort: Annotated[
        SORTS, Arg("What to order by; FDR and p-value lowest first, counts highest first.")
    ] = "ENTITIES_FDR",
    resource: ListResource = "TOTAL",
    min_size: Annotated[int | None, Arg("Smallest pathway, in entities.", 10, minimum=1)] = None,
    max_size: Annotated[int | None, Arg("Largest pathway, in entities.", 500, minimum=1)] = None,
) -> Answer:
    """More pathways of an analysis already made, by its token: other page, order, species or pathway size. A new list
    of genes goes to analyze_identifiers; which genes hit, to get_analysis_found.

    As analyze_identifiers.
    """
    if min_size and max_size and min_size > max_size:
        raise InvalidArguments("max_size", "must not be smaller than min_size", 500)
    parameters = {
        "pageSize": limit, "page": page, "sortBy": sort,
        "order": "DESC" if sort in ("ENTITIES_FOUND", "ENTITIES_TOTAL") else "ASC",
        "resource": resource, "species": species, "min": min_size, "max": max_size,
    }  # fmt: skip
    found = await known(_service(api), f"/token/{token}", parameters)
    return _expired(token) if found is None else _pathways(found, limit, page, None)


@platform.tool(
    example={"token": "MjAyNjA5MjUxOTM5MzNfMTY%3D", "reactome_id": "R-HSA-6804754"},
    asks=(
        "which of my genes fell into a pathway",
        "genes of my list that were not recognised",
        "hit genes of an enriched pathway",
    ),
)
async def get_analysis_found(
    api: Api,
    token: Token,
    reactome_id: Annotated[
        str | None,
        Arg("Pathway whose hits are wanted; without it the identifiers that found nothing.", "R-HSA-6804754"),
    ] = None,
    resource: ListResource = "TOTAL",
    limit: Limit = 200,
    offset: Offset = 0,
) -> Answer:
    """Which identifiers of an analysed list hit a pathway and what they were mapped to; without a pathway, those that
    found nothing. Needs the token of analyze_identifiers.

    found: [{id, mapsTo: [{resource, ids}]}], or not_found: [id].
    """
    service = _service(api)
    if reactome_id is None:
        missing = await known(service, f"/token/{token}/notFound")
        if missing is None:
            return _expired(token)
        names = [row.get("id") for row in missing]
        return _part(names, limit, offset, "not_found", "Every identifier was found.")
    path = f"/token/{token}/found/all/{path_part(reactome_id.upper())}"
    found = await known(service, path, {"resource": resource})
    if found is None:
        return _expired(token, f" or has no pathway {reactome_id}")
    entities = [{"id": row.get("id"), "mapsTo": row.get("mapsTo") or []} for row in found.get("entities") or []]
    return _part(entities, limit, offset, "found", f"No identifier of the list hits {reactome_id}.")


@platform.tool(
    example={"species": "10090", "limit": 5},
    cites=FOUND,
    noise="del(.pathways[].reactions)",
    keep=RANKED,
    asks=(
        "how conserved are pathways between human and fly",
        "pathway coverage in another organism",
        "inferred pathways of yeast",
        "is the process the same in yeast or mouse",
    ),
)
async def compare_species(api: Api, species: OtherSpecies, limit: PathwaysLimit = 20, page: Page = 1) -> Answer:
    """Human pathways against another species: how much of each pathway has a counterpart there by orthology. For
    single pathways or proteins use get_orthologous_event.

    token, type, pathways_found, pathways: [{stId, name, found, total, coverage, pValue, fdr}].
    """
    db_id = await species_number(api, species)
    parameters = {"pageSize": limit, "page": page, "sortBy": "ENTITIES_FDR", "order": "ASC"}
    found = await known(_service(api), f"/species/homoSapiens/{db_id}", parameters)
    return _pathways(found or {}, limit, page, None)


def _service(api: Api) -> Api:
    return replace(api, base_url=ANALYSIS)


def _lines(identifiers: list[str]) -> list[str]:
    """Return one line for each identifier; values behind it are separated by tabs, as many on every line."""
    lines, widths = [], set()
    for one in identifiers:
        name, *values = re.split(r"\s*[\t;,]\s*|\s+", one.strip())
        try:
            numbers = [str(float(value)) for value in values]
        except ValueError as error:
            raise InvalidArguments("identifiers", f"{one!r} is not an identifier with numbers", ["TP53 1.5"]) from error
        widths.add(len(numbers))
        lines.append("\t".join([name, *numbers]))
    if len(widths) > 1:
        raise InvalidArguments("identifiers", "every identifier needs equally many values", ["TP53 1.5", "ERBB2 0.3"])
    return lines


def _pathways(found: Json, limit: int, page: int, fdr_max: float | None) -> Answer:
    summary = found.get("summary") or {}
    pathways = [_pathway(row) for row in found.get("pathways") or []]
    total = found.get("pathwaysFound") or 0
    kept = [row for row in pathways if fdr_max is None or row["fdr"] is None or row["fdr"] <= fdr_max]
    notes = []
    if len(kept) < len(pathways):
        notes.append(f"{len(kept)} pathways have an FDR of at most {fdr_max}; {total} were hit at all.")
    more = len(kept) == len(pathways) and pathways and page * limit < total
    if more:
        notes.append("More by reactome__get_analysis_page with the token.")
    data = {
        "token": summary.get("token"),
        "type": summary.get("type"),
        "settings": {name: summary.get(name) for name in ("projection", "interactors", "includeDisease")},
        "pathways_found": total,
        "identifiers_not_found": found.get("identifiersNotFound"),
        "pathways": kept,
        "warnings": found.get("warnings") or [],
    }
    if columns := (found.get("expression") or {}).get("columnNames"):
        data["columns"] = columns
    following = {"token": summary.get("token"), "page": page + 1} if more else None
    return rows(kept, total=total, next=following, data=data, note=" ".join(notes) or _no_hits(kept))


def _no_hits(pathways: list[Json]) -> str:
    return "" if pathways else "No pathway was hit."


def _pathway(row: Json) -> Json:
    entities, reactions = row.get("entities") or {}, row.get("reactions") or {}
    found, total = entities.get("found"), entities.get("total")
    return {
        "stId": row.get("stId"),
        "name": row.get("name"),
        "species": (row.get("species") or {}).get("name"),
        "found": found,
        "total": total,
        "coverage": round(found / total, 4) if found is not None and total else None,
        "pValue": entities.get("pValue"),
        "fdr": entities.get("fdr"),
        "inDisease": row.get("inDisease"),
        "reactions": {name: reactions.get(name) for name in ("found", "total")},
        **({"exp": entities["exp"]} if entities.get("exp") else {}),
    }


def _part(items: list[Json], limit: int, offset: int, name: str, nothing: str) -> Answer:
    shown = items[offset : offset + limit]
    end = offset + len(shown)
    following = {"offset": end} if shown and end < len(items) else None
    return rows(shown, total=len(items), next=following, data={name: shown}, note="" if items else nothing)


def _expired(token: str, more: str = "") -> Answer:
    return unknown_id(
        token, f"Reactome no longer has the analysis {token}{more}. Analyse the list again with analyze_identifiers."
    )
