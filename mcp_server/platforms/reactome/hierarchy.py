"""The tree of pathways: down from a root or a species, up from an event."""

from typing import Annotated, Any

from mcp_server.args import ReactomeId, without_version
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.platforms.reactome.base import (
    EVENT_CLASSES,
    PATHWAY_CLASSES,
    RECORD,
    Species,
    expanded,
    kept,
    known,
    matched,
    nothing_for,
    platform,
)
from mcp_server.tool import Arg, Cite

Json = Any

DEPTH_MAX = 5


@platform.tool(
    example={"reactome_id": "R-HSA-69620"},
    cites=Cite("reactome", "lineages[].[]", "stId", "displayName"),
    asks=(
        "parent pathway of a reaction",
        "which top-level process does it belong to",
        "path to the root of the hierarchy",
    ),
)
async def get_event_ancestors(api: Api, reactome_id: ReactomeId) -> Answer:
    """The way up from a Reactome pathway or reaction to its top-level pathways: every line of ancestors with ids. For
    the way down use get_pathway_hierarchy.

    stId, lineages: [[{stId, displayName, schemaClass, hasDiagram}]], one for each way up, the top last.
    """
    found = await ancestors(api, reactome_id)
    wrap = {"stId": reactome_id}
    if found is None:
        note = f"Reactome lists no ancestors of {reactome_id}."
        return await nothing_for(api, reactome_id, note, {**wrap, "lineages": []}, EVENT_CLASSES)
    return rows(found, data={**wrap, "lineages": found})


async def ancestors(api: Api, reactome_id: str) -> list[list[Json]] | None:
    """Return the lines of ancestors from the event upwards, or None where Reactome lists none."""
    found = await known(api, f"/data/event/{reactome_id}/ancestors")
    if found is None:
        return None
    fields = ("stId", "displayName", "schemaClass", "hasDiagram")
    lines = [[kept(row, fields) for row in expanded(line, found)] for line in found if isinstance(line, list)]
    # Nothing promises the order: the event itself, or else the top-level pathway, tells it.
    return [line[::-1] if _is_downwards(line, reactome_id) else line for line in lines]


def _is_downwards(line: list[Json], reactome_id: str) -> bool:
    if not line or line[0].get("stId") == reactome_id:
        return False
    return bool(line[-1].get("stId") == reactome_id or line[0].get("schemaClass") == "TopLevelPathway")


@platform.tool(
    example={"reactome_id": "R-HSA-1640170", "depth": 1},
    cites=(RECORD, Cite("reactome", "tree[]", "stId")),
    asks=(
        "pathway tree",
        "top-level biological processes",
        "sub-pathways of signal transduction",
        "table of contents of Reactome",
    ),
)
async def get_pathway_hierarchy(
    api: Api,
    reactome_id: Annotated[
        str | None,
        Arg(
            "Pathway at the root; without it all top-level pathways of the species.",
            "R-HSA-1640170",
            r"^R-[A-Z]{3}-\d+(-\d+)?$",
            normalise=without_version,
        ),
    ] = None,
    species: Species = "9606",
    depth: Annotated[int, Arg("How many levels below the root.", minimum=1, maximum=DEPTH_MAX)] = 2,
    pathways_only: Annotated[bool, Arg("Leave out single reactions.")] = True,
) -> Answer:
    """The tree of sub-pathways under one Reactome pathway, or without an id the top-level pathways of a species with
    their children. depth 1 gives the plain list. For the way up use get_event_ancestors.

    stId or species, tree: [{stId, name, type, children, hidden}]; hidden counts what lies below `depth`.
    """
    if reactome_id is None:
        path: str = f"/data/eventsHierarchy/{species}"
        found = await known(api, path, {"pathwaysOnly": pathways_only})
        roots, wrap = found or [], {"species": species}
        if not roots:
            return rows([], data={**wrap, "tree": []}, note=f"Reactome has no pathways of taxon {species}.")
    else:
        found = await known(api, f"/data/event/{reactome_id}/in-depth", {"maxDepth": depth})
        wrap = {"stId": reactome_id}
        if found is None:
            note = f"Reactome lists nothing under {reactome_id}."
            return await nothing_for(api, reactome_id, note, {**wrap, "tree": []}, PATHWAY_CLASSES)
        root = found[0] if isinstance(found, list) and found else found
        matched("pathway", reactome_id, root.get("stId") if isinstance(root, dict) else None)
        roots = _children(root, found)
    counts = [0, 0]
    tree = _tree(roots, found, depth, pathways_only, counts)
    note = f"{counts[1]} more lie deeper; ask for one of the nodes by its stId." if counts[1] else ""
    if not tree and reactome_id:
        note = f"{reactome_id} has no {'sub-pathways' if pathways_only else 'events'} below it."
    answer = rows(tree, data={**wrap, "tree": tree}, note=note)
    return Answer(answer.data, answer.outcome, total=sum(counts), returned=counts[0], note=note)


def _children(node: Json, whole: Json) -> list[Json]:
    return expanded(node.get("children") or node.get("hasEvent") or [], whole)


def _tree(nodes: list[Json], whole: Json, depth: int, pathways_only: bool, counts: list[int]) -> list[Json]:
    """Return `depth` levels of the tree; `counts` gains the nodes shown and the nodes hidden."""
    tree = []
    for node in nodes:
        kind = node.get("type") or node.get("schemaClass")
        if pathways_only and kind and kind not in PATHWAY_CLASSES:
            continue
        counts[0] += 1
        name = node.get("displayName") or node.get("name")
        row = {"stId": node.get("stId"), "name": name[0] if isinstance(name, list) and name else name, "type": kind}
        below = _children(node, whole)
        if depth > 1:
            children = _tree(below, whole, depth - 1, pathways_only, counts)
            row |= {"children": children} if children else {}
        elif hidden := _count(below, whole, pathways_only):
            counts[1] += hidden
            row["hidden"] = hidden
        tree.append(row)
    return tree


def _count(nodes: list[Json], whole: Json, pathways_only: bool) -> int:
    counts = [0, 0]
    _tree(nodes, whole, 40, pathways_only, counts)
    return counts[0]
