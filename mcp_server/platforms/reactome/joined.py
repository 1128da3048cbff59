"""Pages joined from several calls: the pathways of one gene, and where several genes meet."""

import re
from collections import defaultdict
from collections.abc import Awaitable
from typing import Annotated, Any

from mcp_server.args import look_up_form
from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.reactome.base import SPECIES, kept, known, platform
from mcp_server.platforms.reactome.entities import complexes_with
from mcp_server.platforms.reactome.hierarchy import ancestors
from mcp_server.platforms.reactome.interactors import MIN_SCORE, partners_of
from mcp_server.platforms.reactome.mapping import mapped
from mcp_server.platforms.reactome.searches import entries_of, hits
from mcp_server.tool import Arg, Cite

Json = Any

HUMAN = "9606"
CLIMBED = 10
SIZED = 10
SEARCHED = 20
ACCESSION = re.compile(r"([OPQ]\d[A-Z0-9]{3}\d|[A-NR-Z]\d([A-Z][A-Z0-9]{2}\d){1,2})(-\d+)?")
Gene = Annotated[str, Arg("Gene symbol or UniProt accession of a human protein.", "TP53", normalise=look_up_form)]


@platform.tool(
    core=True,
    example={"gene": "P04626", "limit": 5},
    cites=(Cite("uniprot", "", "accession"), Cite("reactome", "pathways[]", "stId", "displayName")),
    asks=(
        "what biological processes is a gene in",
        "overview of a gene's pathways and complexes",
        "pathways for a gene symbol",
        "pathways of one gene at a glance",
    ),
)
async def gene_pathway_profile(
    api: Api, gene: Gene, limit: Annotated[int, Arg("How many rows in each list.", minimum=1, maximum=100)] = 20
) -> Answer:
    """One page on a human gene or protein: accession, its normal and disease pathways, their top-level groups, its
    complexes and interaction partners. For the pathways alone use map_identifier_to_pathways.

    query, accession, pathways, disease_pathways: [{stId, displayName}], top_level, complexes,
    interactors: [{acc, alias, score}], totals.
    """
    accession, others = await protein_called(api, gene)
    if not accession:
        return _not_resolved(gene, others)
    asked: list[Awaitable[list[Json] | None]] = [
        mapped(api, accession, "UniProt", HUMAN),
        complexes_with(api, accession, "UniProt"),
        partners_of(api, accession),
    ]
    pathways, complexes, partners = await together(asked)
    if pathways is None and complexes is None and not partners:
        return unknown_id(gene, f"Reactome holds nothing about {accession}.")
    every = pathways or []
    lines = await together(ancestors(api, row["stId"]) for row in every[:CLIMBED])
    lists: dict[str, list[Json]] = {
        "pathways": [row for row in every if not row.get("isInDisease")],
        "disease_pathways": [row for row in every if row.get("isInDisease")],
        "top_level": _tops(line for found in lines for line in found or []),
        "complexes": complexes or [],
        "interactors": [row for row in partners or [] if (row.get("score") or 0) >= MIN_SCORE],
    }
    notes = [f"Top-level groups of the first {CLIMBED} of {len(every)} pathways."] if len(every) > CLIMBED else []
    cut = [f"{name} {limit} of {len(found)}" for name, found in lists.items() if len(found) > limit]
    notes += [f"Shown: {', '.join(cut)}."] if cut else []
    data: dict[str, Json] = {
        "query": gene,
        "accession": accession,
        **{name: found[:limit] for name, found in lists.items()},
    }
    data["totals"] = {name: len(found) for name, found in lists.items()}
    return Answer(data, note=" ".join(notes))


@platform.tool(
    example={"identifiers": ["P04637", "Q00987"]},
    cites=Cite("reactome", "pathways[]", "stId", "displayName"),
    asks=(
        "what do these genes have in common",
        "common pathways of two genes",
        "do BRCA1 and TP53 act together",
        "pathway overlap",
    ),
)
async def shared_pathways(
    api: Api,
    identifiers: Annotated[
        list[str],
        Arg(
            "Gene symbols or UniProt accessions of human proteins, 2 to 20.",
            ["TP53", "MDM2"],
            max_items=20,
            normalise=look_up_form,
        ),
    ],
    limit: Annotated[int, Arg("How many pathways to return at most.", minimum=1, maximum=200)] = 50,
) -> Answer:
    """Pathways in which two or more human genes meet, most shared and then smallest first, with their sizes. For
    statistics over a long list use analyze_identifiers.

    pathways: [{stId, displayName, isInDisease, genes, size}], accessions, not_found: names.
    """
    names = list(dict.fromkeys(identifiers))
    if len(names) < 2:
        raise InvalidArguments("identifiers", "at least two different names are needed", ["TP53", "MDM2"])
    found = await together(_pathways_of(api, name) for name in names)
    accessions = {name: accession for name, (accession, _) in zip(names, found, strict=True) if accession}
    missing = [name for name in names if name not in accessions]
    if not accessions:
        return unknown_id(", ".join(names), "Reactome holds none of these names.")
    meeting: dict[str, set[str]] = defaultdict(set)
    records: dict[str, Json] = {}
    for name, (_, pathways) in zip(names, found, strict=True):
        for row in pathways:
            meeting[row["stId"]].add(name)
            records[row["stId"]] = row
    shared = [one for one, genes in meeting.items() if len(genes) > 1]
    shared.sort(key=lambda one: -len(meeting[one]))
    sizes = dict(zip(shared[:SIZED], await together(_size(api, one) for one in shared[:SIZED]), strict=True))
    shared.sort(key=lambda one: (-len(meeting[one]), sizes.get(one) or 10**6))
    pathways = [
        {
            **kept(records[one], ("stId", "displayName", "isInDisease")),
            "genes": [name for name in names if name in meeting[one]],
            "size": sizes.get(one),
        }
        for one in shared[:limit]
    ]
    notes = [f"Not found: {', '.join(missing)}."] if missing else []
    notes += [f"Sizes of the first {SIZED} only."] if len(shared) > SIZED else []
    notes += [f"{len(shared)} are shared; raise `limit` for all."] if len(shared) > limit else []
    notes += [] if shared else ["No pathway of Reactome holds two of them."]
    data = {"pathways": pathways, "accessions": accessions, "not_found": missing}
    return rows(pathways, total=len(shared), data=data, note=" ".join(notes))


async def protein_called(api: Api, name: str) -> tuple[str, list[Json]]:
    """Return the UniProt accession that a name stands for, or an empty text and the candidates."""
    if ACCESSION.fullmatch(name.upper()):
        return name.upper(), []
    found = await hits(api, name, HUMAN, ["Protein"], SEARCHED)
    candidates: dict[str, Json] = {}
    for entry in entries_of(found) if found else []:
        accession = ACCESSION.fullmatch((entry["referenceIdentifier"] or "").removeprefix("UniProt:"))
        if accession:
            row = {"accession": accession[0], "name": entry["name"]}
            candidates.setdefault(accession[0], row)
    exact = [row for row in candidates.values() if row["name"].split(" ")[0].upper() == name.upper()]
    if len(exact) == 1:
        return exact[0]["accession"], []
    if not exact and len(candidates) == 1:
        return next(iter(candidates)), []
    return "", exact or list(candidates.values())


def _not_resolved(gene: str, candidates: list[Json]) -> Answer:
    if not candidates:
        return empty(f"Reactome has no {SPECIES[HUMAN]} protein called {gene!r}.")
    data = {"query": gene, "candidates": candidates}
    note = f"{gene!r} may mean {len(candidates)} proteins; ask again with one of the accessions."
    return Answer(data, total=len(candidates), returned=len(candidates), note=note)


async def _pathways_of(api: Api, name: str) -> tuple[str, list[Json]]:
    accession, _ = await protein_called(api, name)
    found = await mapped(api, accession, "UniProt", HUMAN) if accession else None
    return ("", []) if found is None else (accession, found)


async def _size(api: Api, reactome_id: str) -> int | None:
    """Return how many reference molecules a pathway holds."""
    found = await known(api, f"/data/participants/{reactome_id}/referenceEntities")
    return len(found) if isinstance(found, list) else None


def _tops(lines: Any) -> list[Json]:
    """Return the top-level pathway of each line, each once; a line ends with it."""
    tops: dict[str, Json] = {}
    for line in lines:
        if line:
            top = line[-1]
            tops.setdefault(top["stId"], kept(top, ("stId", "displayName")))
    return list(tops.values())
