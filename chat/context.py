"""What is sent with every model call of a session: the frozen prefix and the replayed history.

The prefix (system prompt, tool list, provider options) has a version, the hash of all of it.
Within one version nothing that was sent is ever changed, so that prompt caches hold and thinking
stays bound to what preceded it; a new version starts a fresh prefix. So does an exchange of older
results for references, which the version counts.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from chat.providers.base import Entry, ModelRequest, ToolDefinition
from chat.providers.history import repaired
from chat.window import as_sent

Json = Any
SYSTEM_PROMPT = (Path(__file__).parent / "prompts" / "system.md").read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Prefix:
    """The part of a request that is the same for all calls of a session.

    `scope` is what else the provider's own form of a message is bound to: `Provider.replay_scope`.
    """

    system: str
    tools: tuple[ToolDefinition, ...]
    model: str
    effort: str
    scope: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def parts(self) -> dict[str, Json]:
        """What the version is made of, in digests: so that a later prefix can tell what changed."""
        tools = {t.name: _digest([t.name, t.description, t.input_schema, t.deferred]) for t in self.tools}
        return {
            "prompt": _digest(self.system),
            "model": self.model,
            "effort": self.effort,
            **self.scope,
            "tools": tools,
        }

    @cached_property
    def version(self) -> str:
        """The context version: a hash that is equal in every process."""
        return _digest([[name, part] for name, part in self.parts.items()])


def build_prefix(
    tools: Iterable[ToolDefinition],
    *,
    model: str,
    effort: str,
    system: str = SYSTEM_PROMPT,
    scope: Mapping[str, str] | None = None,
) -> Prefix:
    """Return the prefix with its tools in a stable order: loaded ones first, each group by name."""
    ordered = sorted(tools, key=lambda tool: (tool.deferred, tool.name))
    return Prefix(system, tuple(ordered), model, effort, dict(scope or {}))


def build_request(prefix: Prefix, entries: Sequence[Entry], *, max_output_tokens: int) -> ModelRequest:
    """Return the request for the next model call."""
    sent, exchanges = as_sent(entries)
    return ModelRequest(
        model=prefix.model,
        system=prefix.system,
        tools=prefix.tools,
        entries=repaired(sent),
        context_version=f"{prefix.version}-{exchanges}" if exchanges else prefix.version,
        max_output_tokens=max_output_tokens,
        effort=prefix.effort,
    )


def _digest(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
