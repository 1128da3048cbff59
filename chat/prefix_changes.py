"""What differs between the prefix that a session was last sent with and the one it goes on with.

Pure. Both are given as `Prefix.parts`: digests by name of the part, those of the tools by tool.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chat.events import Notice
from chat.providers.base import AssistantEntry, Entry

Json = Any
TOOLS = "tools"
NAMES_SHOWN = 40
WORDS = {
    "prompt": "BURP's instructions",
    "model": "the model",
    "effort": "the effort",
    "account": "the account at the model's service",
    "server": "the address of the model's service",
    "form": "the form in which a conversation is passed on",
    TOOLS: "the list of tools",
}


@dataclass(frozen=True)
class PrefixChange:
    """What changed: the parts by name, and of the tools which."""

    parts: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def has_tools(self) -> bool:
        """Whether the list of tools is another one."""
        return bool(self.added or self.removed or self.changed)

    def words(self) -> str:
        """Name the changed parts for a reader."""
        return _joined([WORDS.get(part, part) for part in self.parts])


def changes(before: Mapping[str, Json], now: Mapping[str, Json]) -> PrefixChange:
    """Compare two prefixes."""
    old, new = before.get(TOOLS, {}), now.get(TOOLS, {})
    parts = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return PrefixChange(
        parts=tuple(parts),
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(sorted(name for name in old.keys() & new.keys() if old[name] != new[name])),
    )


def notices(change: PrefixChange, history: Iterable[Entry]) -> Iterator[Notice]:
    """Yield what a reader should know of a change: other tools, and notes of the model that can't be passed on."""
    if change.has_tools:
        yield Notice(
            code="catalog_changed",
            message=f"The list of tools has changed since the last question of this session: {_counts(change)}.",
            detail={name: _shown(getattr(change, name)) for name in ("added", "removed", "changed")},
        )
    if change.parts and any(isinstance(entry, AssistantEntry) and entry.raw for entry in history):
        yield Notice(
            code="context_degraded",
            message=(
                f"Since the last question {change.words()} changed. Earlier answers are passed on as text, "
                "without the model's own notes on them."
            ),
            detail={"changed": list(change.parts)},
        )


def _counts(change: PrefixChange) -> str:
    groups = [(len(change.added), "added"), (len(change.removed), "removed"), (len(change.changed), "changed")]
    return _joined([f"{number} {what}" for number, what in groups if number])


def _shown(names: Sequence[str]) -> list[str]:
    hidden = len(names) - NAMES_SHOWN
    return [*names[:NAMES_SHOWN], *([f"… and {hidden} more"] if hidden > 0 else [])]


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
