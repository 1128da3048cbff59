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

from chat.providers.base import (
    AssistantEntry,
    Entry,
    ModelRequest,
    ToolDefinition,
    ToolResultsEntry,
    UserEntry,
)
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


class Replay:
    """The transcript as it goes out, kept up to date while a turn adds to it.

    Each request is equal to `build_request` over all entries; only what is new is looked at.
    """

    def __init__(self, prefix: Prefix, entries: Iterable[Entry]) -> None:
        self._prefix = prefix
        self._entries = [*entries]
        self._sent: list[Entry] = []
        self._exchanges = 0
        self._build()

    @property
    def entries(self) -> Sequence[Entry]:
        """All entries, as they are stored."""
        return self._entries

    def append(self, entry: Entry) -> None:
        """Add an entry of the running turn."""
        self._entries.append(entry)
        if self._goes_out_as_it_is(entry):
            self._sent.append(entry)
        else:
            self._build()

    def request(self, *, max_output_tokens: int) -> ModelRequest:
        """Return the request for the next model call."""
        prefix, exchanges = self._prefix, self._exchanges
        return ModelRequest(
            model=prefix.model,
            system=prefix.system,
            tools=prefix.tools,
            entries=repaired(self._sent) if self._open_ids() else tuple(self._sent),
            context_version=f"{prefix.version}-{exchanges}" if exchanges else prefix.version,
            max_output_tokens=max_output_tokens,
            effort=prefix.effort,
        )

    def _build(self) -> None:
        sent, self._exchanges = as_sent(self._entries)
        self._sent = [*repaired(sent)]

    def _goes_out_as_it_is(self, entry: Entry) -> bool:
        """Whether an entry is sound after those before it, so that nothing need be repaired."""
        open_ids = self._open_ids()
        match entry:
            case ToolResultsEntry(results=results):
                return bool(open_ids) and [result.call_id for result in results] == open_ids
            case UserEntry(text=text):
                return not open_ids and bool(text.strip())
            case AssistantEntry(text=text, stop_reason=reason):
                is_said = bool(text.strip() or entry.tool_calls or entry.raw)
                return is_said and not open_ids and bool(self._sent) and reason != "refusal"
        return False

    def _open_ids(self) -> list[str]:
        """Return the ids of the last message's calls while no result answers them."""
        last = self._sent[-1] if self._sent else None
        return [call.id for call in last.tool_calls] if isinstance(last, AssistantEntry) else []


def build_request(prefix: Prefix, entries: Iterable[Entry], *, max_output_tokens: int) -> ModelRequest:
    """Return the request for the next model call after these entries."""
    return Replay(prefix, entries).request(max_output_tokens=max_output_tokens)


def _digest(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
