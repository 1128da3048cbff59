"""A query of one's own, for what no other tool asks."""

import re
from typing import Annotated, Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments
from mcp_server.http.client import Api
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.service import platform
from mcp_server.tool import Arg

Json = Any

EXAMPLE = "query Homologues($id: String!) { target(ensemblId: $id) { id homologues { speciesName targetGeneSymbol } } }"
# Text in quotes is kept; a comment would swallow the rest once the query stands on one line.
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|#[^\n]*')
_OPERATION = re.compile(r"\s*query\s+([_A-Za-z]\w*)")
_ANONYMOUS = re.compile(r"\s*(?:query\s*)?(?=[({])")
_WORDS = re.compile(r"\b(mutation|subscription)\b|\b(__schema|__type)\b")


def _prepared(text: str) -> tuple[str, str]:
    """Return the operation's name and its text; refuse what does not read data."""
    bare = _COMMENT.sub(lambda found: found[1] or "", text)
    outside = re.sub(r'"(?:\\.|[^"\\])*"', '""', bare)
    if found := _WORDS.search(outside):
        raise InvalidArguments("query", f"{found[0]} is not allowed: only queries that read records are", EXAMPLE)
    if named := _OPERATION.match(bare):
        return named[1], bare
    if anonymous := _ANONYMOUS.match(bare):
        return "Own", f"query Own {bare[anonymous.end() :]}"
    raise InvalidArguments("query", "it must begin with a query operation", EXAMPLE)


@platform.tool(
    example={"query": EXAMPLE, "variables": {"id": "ENSG00000146648"}},
    asks=(
        "own GraphQL query",
        "custom Open Targets API call",
        "raw query to the platform",
    ),
)
async def run_graphql_query(
    api: Api,
    query: Annotated[str, Arg("GraphQL text with one query operation.", EXAMPLE)],
    variables: Annotated[
        dict[str, Any] | None, Arg("Values of the query's variables.", {"id": "ENSG00000146648"})
    ] = None,
) -> Answer:
    """Ask Open Targets with a GraphQL query of your own and return its data as it is: only when no other tool fits.
    Name ids in the selection, so that the result can be cited; a page holds 3000 rows at most."""
    operation, text = _prepared(query)
    data = await service.ask(api, operation, text, variables or {})
    roots = {name: value for name, value in data.items() if name != "meta"}
    known = any(value not in (None, [], {}) for value in roots.values())
    return Answer(
        data,
        ResultOutcome.DATA if known else ResultOutcome.EMPTY,
        note="" if known else "Every root field is null or empty: the ids may not be known (null says so).",
        citations=_cite_roots(roots),
    )


def _cite_roots(roots: dict[str, Json]) -> list[Any]:
    """Cite records of known kinds at the root by their ids."""
    found = []
    for name, value in roots.items():
        if name in service.KINDS and isinstance(value, dict) and isinstance(value.get("id"), str):
            found.append(service.cite(name, value["id"], str(value.get("approvedSymbol") or value.get("name") or "")))
    return found
