"""What is sent with every model call of a session: the frozen prefix and the replayed history.

The prefix (system prompt, tool list, provider options) has a version, the hash of all of it.
Within one version nothing that was sent is ever changed, so that prompt caches hold and thinking
stays bound to what preceded it; a new version starts a fresh prefix.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chat.providers.base import Entry, ModelRequest, ToolDefinition
from chat.providers.history import repaired

SYSTEM_PROMPT = (Path(__file__).parent / "prompts" / "system.md").read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Prefix:
    """The part of a request that is the same for all calls of a session."""

    system: str
    tools: tuple[ToolDefinition, ...]
    model: str
    effort: str

    @property
    def version(self) -> str:
        """The context version: a hash that is equal in every process."""
        tools = [[tool.name, tool.description, tool.input_schema, tool.deferred] for tool in self.tools]
        text = json.dumps([self.system, tools, self.model, self.effort], ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def build_prefix(tools: Iterable[ToolDefinition], *, model: str, effort: str, system: str = SYSTEM_PROMPT) -> Prefix:
    """Return the prefix with its tools in a stable order: loaded ones first, each group by name."""
    ordered = sorted(tools, key=lambda tool: (tool.deferred, tool.name))
    return Prefix(system, tuple(ordered), model, effort)


def build_request(prefix: Prefix, entries: Sequence[Entry], *, max_output_tokens: int) -> ModelRequest:
    """Return the request for the next model call."""
    return ModelRequest(
        model=prefix.model,
        system=prefix.system,
        tools=prefix.tools,
        entries=repaired(entries),
        context_version=prefix.version,
        max_output_tokens=max_output_tokens,
        effort=prefix.effort,
    )
