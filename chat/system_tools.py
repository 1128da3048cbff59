"""BURP's own tools: find tools in the catalogue, look into a stored result."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from chat.arguments import ArgumentCheck, as_error
from chat.ports import SystemAnswer
from chat.providers.base import ToolDefinition
from mcp_server.codes import TOOL_SENTENCES, ResultOutcome, ToolCode

Json = Any
SEARCH = "search_available_tools"
INSPECT = "inspect_artifact"
FOUND_TOOLS = 5
FILTERS_MAX = 6

DEFINITIONS = (
    ToolDefinition(
        INSPECT,
        "Look into a stored result with jq. Use the artifact id and the paths of the preview; "
        "returns what the filters select. Ask all you need of one result in one call.",
        {
            "type": "object",
            "properties": {
                "artifact_id": {"type": "string", "description": "The id that the preview names."},
                "filters": {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                    "maxItems": FILTERS_MAX,
                    "description": "jq filters over the stored data, answered one by one. "
                    "Example: ['.results | length', '[.results[] | {id, name}]'].",
                },
            },
            "required": ["artifact_id", "filters"],
            "additionalProperties": False,
        },
    ),
    ToolDefinition(
        SEARCH,
        "Find further tools by what they do: most are not loaded. Say in a few words what is needed, "
        "with the database's name if you know it; returns tool names that can then be called.",
        {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What is needed. Example: 'clinvar variants of a gene'."},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 20,
                    "default": FOUND_TOOLS,
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        finds_tools=True,
    ),
)

_EXAMPLES: dict[str, dict[str, Json]] = {
    INSPECT: {"artifact_id": "0a1b2c3d-0000-4000-8000-000000000000", "filters": [".results[] | {id, name}"]},
    SEARCH: {"query": "clinvar variants of a gene"},
}
_CHECKS = {tool.name: ArgumentCheck(tool.input_schema, _EXAMPLES[tool.name]) for tool in DEFINITIONS}


@dataclass(frozen=True)
class FoundTool:
    """A tool that fits a search."""

    name: str
    description: str
    why: str


@dataclass(frozen=True)
class FoundTools:
    """What a search found. `notice` says what it had to do without, or why nothing fits."""

    tools: Sequence[FoundTool] = ()
    notice: str = ""


class CatalogSearch(Protocol):
    """Searches the catalogue, off the event loop."""

    async def __call__(self, query: str, limit: int) -> FoundTools: ...


# Runs jq filters on a stored result: artifact id, filters → text; raises ValueError with what is wrong.
Inspect = Callable[[str, Sequence[str]], Awaitable[str]]


class OwnTools:
    """The tools of this module, bound to a catalogue and a session's artifacts."""

    def __init__(self, search: CatalogSearch, inspect: Inspect) -> None:
        self._search = search
        self._inspect = inspect

    def __contains__(self, name: str) -> bool:
        return name in (SEARCH, INSPECT)

    async def call(self, name: str, arguments: dict[str, Json]) -> SystemAnswer:
        """Run the tool `name`."""
        if name == INSPECT:
            arguments = _as_filters(arguments)
        if problems := _CHECKS[name].problems(arguments):
            return _refused(as_error(problems))
        return await (self._found(arguments) if name == SEARCH else self._inspected(arguments))

    async def _found(self, arguments: dict[str, Json]) -> SystemAnswer:
        found = await self._search(arguments["query"], int(arguments.get("limit") or FOUND_TOOLS))
        tools = found.tools
        if not tools:
            note = "No tool fits these words. Try others, or the name of the database."
            note += f" ({found.notice})" if found.notice else ""
            return SystemAnswer({"outcome": ResultOutcome.EMPTY.value, "data": [], "note": note})
        data = [{"name": tool.name, "description": tool.description, "why": tool.why} for tool in tools]
        envelope = {"outcome": ResultOutcome.DATA.value, "data": data, "returned": len(data)}
        if found.notice:
            envelope["note"] = found.notice
        return SystemAnswer(envelope, tuple(tool.name for tool in tools))

    async def _inspected(self, arguments: dict[str, Json]) -> SystemAnswer:
        try:
            text = await self._inspect(arguments["artifact_id"], arguments["filters"])
        except ValueError as error:
            return _refused({"message": f"filters: {error}", "argument": "filters"})
        return SystemAnswer({"outcome": ResultOutcome.DATA.value, "data": text})


def _as_filters(arguments: dict[str, Json]) -> dict[str, Json]:
    """Return the arguments with a list of filters also where a model gave one alone, as `filter` or `filters`."""
    one = arguments.get("filters", arguments.get("filter"))
    if not isinstance(one, str):
        return arguments
    return {**{name: value for name, value in arguments.items() if name != "filter"}, "filters": [one]}


def _refused(facts: dict[str, Json]) -> SystemAnswer:
    code = ToolCode.TOOL_INVALID_ARGUMENTS
    error = {"code": code.value, **facts, "next_step": TOOL_SENTENCES[code]}
    return SystemAnswer({"outcome": ResultOutcome.FAILED.value, "error": error})
