"""A request body as the rules read it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.strict_generate.memory import Memory
from tests.strict_generate.models import ModelRules

Json = Any
Object = dict[str, Json]


@dataclass(frozen=True)
class Breach:
    """What a request breaks; most of it is an invalid argument."""

    message: str
    status: str = "INVALID_ARGUMENT"
    code: int = 400


@dataclass(frozen=True)
class Asked:
    """One request under check, its field names as the API writes them."""

    model: str
    body: Object
    rules: ModelRules
    memory: Memory

    @property
    def contents(self) -> list[Object]:
        """The conversation as sent."""
        return list(self.body.get("contents") or [])

    @property
    def settings(self) -> Object:
        """How to generate."""
        return dict(self.body.get("generationConfig") or {})

    @property
    def declarations(self) -> list[Object]:
        """The functions that may be called."""
        return [one for tool in self.body.get("tools") or [] for one in tool.get("functionDeclarations") or []]

    def parts(self) -> Iterator[tuple[str, Object, Object]]:
        """Yield each part with its path and its content."""
        for i, content in enumerate(self.contents):
            for j, part in enumerate(content.get("parts") or []):
                yield f"contents[{i}].parts[{j}]", part, content

    def prompt(self) -> list[Json]:
        """Return the parts of the prompt in their order."""
        return [*self.declarations, self.body.get("systemInstruction") or "", *self.contents]


def of_part(content: Object, kind: str) -> list[Object]:
    """Return what a content has of one kind of part."""
    return [part[kind] for part in content.get("parts") or [] if kind in part]


def in_api_names(body: Object) -> Object:
    """Return a body with its own field names in the API's spelling: the service takes both.

    What users define (arguments, results, schemas) is theirs and stays.
    """
    found = _camel(body)
    found["contents"] = [_content(content) for content in found.get("contents") or []]
    if "systemInstruction" in found:
        found["systemInstruction"] = _content(found["systemInstruction"])
    if "tools" in found:
        found["tools"] = [_tool(tool) for tool in found["tools"]]
    if "generationConfig" in found:
        found["generationConfig"] = _camel(found["generationConfig"])
        if "thinkingConfig" in found["generationConfig"]:
            found["generationConfig"]["thinkingConfig"] = _camel(found["generationConfig"]["thinkingConfig"])
    return found


def _content(content: Object) -> Object:
    return {**content, "parts": [_camel(part) for part in content.get("parts") or []]}


def _tool(tool: Object) -> Object:
    tool = _camel(tool)
    if "functionDeclarations" in tool:
        tool["functionDeclarations"] = [_camel(one) for one in tool["functionDeclarations"]]
    return tool


def _camel(fields: Mapping[str, Json]) -> Object:
    return {re.sub(r"_([a-z])", lambda found: found[1].upper(), name): value for name, value in fields.items()}
