"""BURP's own tools: find tools in the catalogue, look into a stored result."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from chat.ports import SystemAnswer
from chat.providers.base import ToolDefinition
from mcp_server.codes import TOOL_SENTENCES, ResultOutcome, ToolCode

Json = Any
SEARCH = "search_available_tools"
INSPECT = "inspect_artifact"

DEFINITIONS = (
    ToolDefinition(
        INSPECT,
        "Look into a stored result with jq. Use the artifact id and the paths of the preview; "
        "returns what the filter selects.",
        {
            "type": "object",
            "properties": {
                "artifact_id": {"type": "string", "description": "The id that the preview names."},
                "filter": {
                    "type": "string",
                    "description": "A jq filter over the stored data. Example: '[.results[] | {id, name}]'.",
                },
            },
            "required": ["artifact_id", "filter"],
            "additionalProperties": False,
        },
    ),
    ToolDefinition(
        SEARCH,
        "Find further tools by what they do. Most tools are not loaded: describe the need in a few words, "
        "with the database's name if you know it; returns tool names that can then be called.",
        {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What is needed. Example: 'clinvar variants of a gene'."},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 20,
                    "default": 5,
                    "description": "How many tools to return at most.",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    ),
)


@dataclass(frozen=True)
class FoundTool:
    """A tool that fits a search."""

    name: str
    description: str
    why: str


class CatalogSearch(Protocol):
    """Searches the catalogue."""

    def __call__(self, query: str, limit: int) -> Sequence[FoundTool]: ...


# Runs a jq filter on a stored result: artifact id, filter → text; raises ValueError with what is wrong.
Inspect = Callable[[str, str], Awaitable[str]]


class OwnTools:
    """The tools of this module, bound to a catalogue and a session's artifacts."""

    def __init__(self, search: CatalogSearch, inspect: Inspect) -> None:
        self._search = search
        self._inspect = inspect

    def __contains__(self, name: str) -> bool:
        return name in (SEARCH, INSPECT)

    async def call(self, name: str, arguments: dict[str, Json]) -> SystemAnswer:
        """Run the tool `name`."""
        definition = next(tool for tool in DEFINITIONS if tool.name == name)
        known, required = definition.input_schema["properties"], definition.input_schema["required"]
        for argument in (*arguments, *required):
            if argument not in known:
                return _wrong_argument(argument, f"there is no such argument; known: {', '.join(known)}")
            value = arguments.get(argument)
            if known[argument]["type"] == "string" and not (isinstance(value, str) and value.strip()):
                return _wrong_argument(argument, "a text is required")
        return await (self._found(arguments) if name == SEARCH else self._inspected(arguments))

    async def _found(self, arguments: dict[str, Json]) -> SystemAnswer:
        limit = arguments.get("limit", 5)
        if not isinstance(limit, int) or not 1 <= limit <= 20:
            return _wrong_argument("limit", "a number from 1 to 20 is required")
        tools = self._search(arguments["query"], limit)
        if not tools:
            note = "No tool fits these words. Try others, or the name of the database."
            return SystemAnswer({"outcome": ResultOutcome.EMPTY.value, "data": [], "note": note})
        data = [{"name": tool.name, "description": tool.description, "why": tool.why} for tool in tools]
        envelope = {"outcome": ResultOutcome.DATA.value, "data": data, "returned": len(data)}
        return SystemAnswer(envelope, tuple(tool.name for tool in tools))

    async def _inspected(self, arguments: dict[str, Json]) -> SystemAnswer:
        try:
            text = await self._inspect(arguments["artifact_id"], arguments["filter"])
        except ValueError as error:
            return _wrong_argument("filter", str(error))
        return SystemAnswer({"outcome": ResultOutcome.DATA.value, "data": text})


def _wrong_argument(argument: str, message: str) -> SystemAnswer:
    code = ToolCode.TOOL_INVALID_ARGUMENTS
    error = {"code": code.value, "message": f"{argument}: {message}", "next_step": TOOL_SENTENCES[code]}
    return SystemAnswer({"outcome": ResultOutcome.FAILED.value, "error": {**error, "argument": argument}})
