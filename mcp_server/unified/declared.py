"""How `search`, `fetch` and `think` are listed: their arguments, what they answer, and their checks."""

import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import mcp_types as types

from mcp_server.envelope import Envelope, InvalidArguments
from mcp_server.tool import Platform
from mcp_server.unified.tool import READ_ONLY, Desk, UnifiedTool

Json = Any
Call = Callable[[Desk, Mapping[str, Json]], Awaitable[Envelope]]
DOMAIN_NAMES = ("article", "trial", "variant", "gene", "drug", "disease", "protein", "pathway", "pgx", "thinking")


def words(description: str) -> dict[str, Json]:
    """Return the schema of a text."""
    return {"type": "string", "description": description}


def many(description: str) -> dict[str, Json]:
    """Return the schema of a list of texts."""
    return {"type": "array", "items": {"type": "string"}, "maxItems": 20, "description": description}


def number(description: str, low: float | None = None, high: float | None = None) -> dict[str, Json]:
    """Return the schema of a number within limits."""
    limits = {"minimum": low, "maximum": high}
    named = {name: value for name, value in limits.items() if value is not None}
    return {"type": "number", **named, "description": description}


def whole(description: str, low: int, high: int | None = None) -> dict[str, Json]:
    """Return the schema of a whole number within limits."""
    limits = {"minimum": low} | ({"maximum": high} if high is not None else {})
    return {"type": "integer", **limits, "description": description}


def yes_no(description: str) -> dict[str, Json]:
    """Return the schema of a switch."""
    return {"type": "boolean", "description": description}


THOUGHT: dict[str, Json] = {
    "thought": words("A step of reasoning, in thinking mode."),
    "thoughtNumber": whole("Which step this is, from 1.", 1),
    "totalThoughts": whole("How many steps are expected; grows by itself.", 1),
    "nextThoughtNeeded": yes_no("Whether another step follows."),
    "isRevision": yes_no("Whether this step revises an earlier one."),
    "revisesThought": whole("The step that is revised.", 1),
    "branchFromThought": whole("The step from which this line of thought branches off.", 1),
    "branchId": words("Name of the branch."),
    "needsMoreThoughts": yes_no("Whether more steps than expected are needed."),
}
SEARCH: dict[str, Json] = {
    "query": words(
        "Clauses field:value with AND, OR, NOT, parentheses and quotes, or plain words. "
        "Example: gene:BRAF AND disease:melanoma AND trials.phase:3. get_schema lists the fields."
    ),
    "domain": words(f"Search one domain only: {', '.join(DOMAIN_NAMES)}."),
    "domains": many("Search these domains only."),
    "genes": many("Gene symbols, all of them."),
    "diseases": many("Diseases, all of them."),
    "conditions": many("The same as diseases."),
    "drugs": many("Drugs, all of them."),
    "chemicals": many("The same as drugs."),
    "variants": many("Variants, such as V600E or rs113488022."),
    "keywords": many("Words, all of them."),
    "lat": number("Latitude of a place that trials must be near; needs long.", -90, 90),
    "long": number("Longitude of that place; needs lat.", -180, 180),
    "distance": number("How far from it, in miles; 50 if left out.", 0.1, 12_500),
    "phase": words("Phase of trials: 1 to 4, 1/2 for both labels, 2..3 for either."),
    "recruiting_status": words("Status of trials: open, closed, any, or the registry's own word."),
    "max_results_per_domain": whole("Rows of each domain; 10 if left out.", 1, 50),
    "page": whole("Page, instead of a cursor.", 1, 50),
    "page_size": whole("The same as max_results_per_domain.", 1, 100),
    "cursor": words("Goes on where an answer ended: its _meta.next, with the same query and arguments."),
    "explain_query": yes_no("Show the searches that a query becomes, without running them."),
    "get_schema": yes_no("Show the fields, operators and examples of the query language."),
    # What they mean stands with the tool that is for them.
    **{name: {**schema, "description": "See think."} for name, schema in THOUGHT.items()},
}
FETCH: dict[str, Json] = {
    "id": words(
        "Id as search gives it: PMID38768446, PMC…, DOI:…, NCT…, rs…, chr7:g.140753336A>T@hg38, GENE:673, CHEMBL…, "
        "MONDO:…, UNIPROT:P15056, R-HSA-…, PA…, cbioportal:BRAF. With domain also a symbol, name or bare number."
    ),
    "domain": words(f"What a bare name or number means: {', '.join(DOMAIN_NAMES[:-1])}."),
    "detail": {
        "type": "string",
        "enum": ["summary", "full"],
        "description": "full adds the open-access text of an article, or a trial's whole record.",
    },
}
# The list of tools is read by models as well: the forms are told here, their meaning in the documentation.
_ERROR = {"type": "object"}
_META = {"type": "object"}
SEARCH_OUTPUT: dict[str, Json] = {
    "type": "object",
    "properties": {
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("id", "title", "text", "url")},
                "required": ["id", "title", "text", "url"],
                "additionalProperties": False,
            },
        },
        "_meta": _META,
        "error": _ERROR,
    },
}
FETCH_OUTPUT: dict[str, Json] = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in ("id", "title", "text", "url")},
        "metadata": {"type": "object"},
        "_meta": _META,
        "error": _ERROR,
    },
}
THINK_OUTPUT: dict[str, Json] = {
    "type": "object",
    "properties": {
        "domain": {"type": "string"},
        "thoughtNumber": {"type": "integer"},
        "totalThoughts": {"type": "integer"},
        "nextThoughtNeeded": {"type": "boolean"},
        "branches": {"type": "array", "items": {"type": "string"}},
        "historyLength": {"type": "integer"},
        "status": {"type": "string"},
        "error": _ERROR,
    },
}


def lazily(name: str) -> Call:
    """Return the call of a tool in the module of its name; who lists tools need not load what they do."""

    async def call(desk: Desk, arguments: Mapping[str, Json]) -> Envelope:
        module = importlib.import_module(f"mcp_server.unified.{name}")
        envelope: Envelope = await getattr(module, name)(desk, arguments)
        return envelope

    return call


def unified(
    name: str,
    title: str,
    description: str,
    arguments: Mapping[str, Json],
    output: Mapping[str, Json],
    call: Call,
    *,
    example: Mapping[str, Json],
    required: Sequence[str] = (),
    noise: str = "",
    keep: tuple[str, ...] = (),
    asks: Sequence[str] = (),
) -> UnifiedTool:
    """Declare a tool; its arguments are checked before it is called, in the spelling with underscores as well.

    `noise` takes away what a reader of a large result can do without, `keep` are the jq paths that it must not touch;
    `asks` are for the tool search alone.
    """
    schema: dict[str, Json] = {
        "type": "object",
        "properties": dict(arguments),
        "required": list(required),
        "additionalProperties": False,
    }

    meta: dict[str, Json] = {"burp/platform": "BURP", "burp/example": dict(example), "burp/asks": list(asks)}
    if noise:
        meta["burp/noise"] = noise

    def listed(platforms: Sequence[Platform]) -> types.Tool:
        return types.Tool(
            name=name,
            title=title,
            description=description,
            input_schema=schema,
            output_schema=dict(output),
            annotations=READ_ONLY,
            _meta=meta,
        )

    async def checked_call(desk: Desk, given: Mapping[str, Json]) -> Envelope:
        return await call(desk, checked(given, schema, example))

    return UnifiedTool(name, listed, checked_call, noise, keep)


def checked(given: Mapping[str, Json], schema: Mapping[str, Json], example: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments without nulls under their own names; an unknown name or a wrong type is refused."""
    # Imported here: listing the tools needs no validator, and the import costs start time.
    from jsonschema import Draft202012Validator

    known = schema["properties"]
    spelt = {name.lower().replace("_", ""): name for name in known}
    bound: dict[str, Json] = {}
    for name, value in given.items():
        own = name if name in known else spelt.get(name.lower().replace("_", ""))
        if own is None:
            raise InvalidArguments(name, f"there is no such argument; known: {', '.join(known)}", dict(example))
        if value is not None:
            bound[own] = value
    for name in schema["required"]:
        if not bound.get(name):
            raise InvalidArguments(name, "this argument is required", example.get(name))
    validator = Draft202012Validator(dict(schema))
    for error in sorted(validator.iter_errors(bound), key=lambda one: [str(part) for part in one.absolute_path]):
        name = str(error.absolute_path[0]) if error.absolute_path else ""
        raise InvalidArguments(name, error.message, example.get(name))
    return bound
