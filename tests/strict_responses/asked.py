"""A request body as the rules read it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.strict_responses.memory import Memory
from tests.strict_responses.models import ModelRules

Json = Any
Item = dict[str, Json]
CALLS = {"function_call": "function_call_output", "tool_search_call": "tool_search_output"}
MESSAGE_ROLES = frozenset({"user", "assistant", "developer", "system"})


@dataclass(frozen=True)
class Breach:
    """What a request breaks: the message, and the parameter and code that go with it."""

    message: str
    param: str = ""
    code: str = ""
    status: int = 400


@dataclass(frozen=True)
class Asked:
    """One request under check."""

    body: dict[str, Json]
    rules: ModelRules
    memory: Memory

    @property
    def items(self) -> list[Item]:
        """The conversation as sent."""
        return list(self.body["input"])

    @property
    def tools(self) -> list[Item]:
        """The tool definitions as sent."""
        return list(self.body.get("tools") or [])

    def functions(self) -> Iterator[tuple[str, Item]]:
        """Yield each function with its path: of the tool list, and of those that a search loaded."""
        for i, tool in enumerate(self.tools):
            if tool.get("type") == "function":
                yield f"tools[{i}]", tool
        for i, item in enumerate(self.items):
            if item.get("type") == "tool_search_output":
                for j, tool in enumerate(item.get("tools") or []):
                    yield f"input[{i}].tools[{j}]", tool

    def prompt(self) -> list[Json]:
        """Return the parts of the prompt in their order."""
        return [*self.tools, self.body.get("instructions") or "", *self.items]
