"""What model and reader are told of databases that an operator has switched off."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from chat.events import Notice

NOTE = """

# Switched off

These databases can't be asked at present. If the question needs one, say in the answer that it was not asked, and why:
"""


class Off(Protocol):
    """A database that is switched off; as a text it says so, and why."""

    @property
    def key(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def tools(self) -> int: ...


def off_note(off: Sequence[Off]) -> str:
    """Return what the instructions say on top; the model reads it before it plans."""
    return NOTE + "".join(f"\n- {one}." for one in off) if off else ""


def off_notices(off: Sequence[Off]) -> Iterator[Notice]:
    """Yield what the reader is told."""
    for one in off:
        yield Notice(
            code="platform_off",
            message=f"{one}. Its {one.tools} tools can't be used.",
            detail={"platform": one.key, "title": one.title, "reason": one.reason, "tools": one.tools},
        )
