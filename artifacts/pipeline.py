"""Make a tool's result small enough to read: inline, or without its noise, or stored with a preview.

`reduce` is pure of Django: what stores the whole is handed in. It blocks (jq runs in a worker process): call it
in a thread.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactError
from artifacts.jq import JqEngine, jq_engine
from artifacts.noise import Filtered, apply_noise
from artifacts.tokens import fits

Json = Any
Store = Callable[[bytes], str]
# No policy takes away all but a hundredth: a document with so many bytes for each token that may be read is not tried.
HOPELESS_BYTES_A_TOKEN = 300
UNDESCRIBED = "JSON of {size:,} bytes that can't be described ({problem}). Begin with `keys`, `length` or `.[:1]`."


@dataclass(frozen=True, kw_only=True)
class Reduction:
    """What the model reads of a value, and what it cost.

    `artifact_id` names the stored whole, where anything was left out and could be stored.
    """

    how: ClassVar[str] = ""
    text: str
    bytes_before: int
    bytes_after: int
    artifact_id: str = ""
    warning: str = ""


@dataclass(frozen=True, kw_only=True)
class Inline(Reduction):
    """The whole value; `text` is its JSON."""

    how: ClassVar[str] = "inline"


@dataclass(frozen=True, kw_only=True)
class Reduced(Reduction):
    """The value without the tool's noise; `text` is its JSON, `warning` says that something was left out."""

    how: ClassVar[str] = "reduced"


@dataclass(frozen=True, kw_only=True)
class Stored(Reduction):
    """Too large even so; `text` is a preview."""

    how: ClassVar[str] = "stored"


def reduce(
    value: Json | bytes, *, noise: str | None, limits: ArtifactLimits, store: Store, jq: JqEngine | None = None
) -> Inline | Reduced | Stored:
    """Return a value as the model may read it; `bytes` are a value whose JSON nobody has read yet.

    `store` keeps the whole JSON and returns its artifact id. It runs in the calling thread, the jq engine meanwhile
    in its own process.
    """
    content = value if isinstance(value, bytes) else compact(value)
    size = len(content)
    if fits(content, limits.inline_max_tokens):
        return Inline(text=content.decode(), bytes_before=size, bytes_after=size)
    with ThreadPoolExecutor(1) as beside:
        looking = beside.submit(_look, content, noise, limits, jq or jq_engine(limits))
        artifact_id, store_problem = _stored(content, store)
        shown, warning = looking.result()
    if isinstance(shown, bytes):
        left_out = f"left out as noise: {size - len(shown):,} of {size:,} bytes"
        whole = f"{left_out}; the whole is artifact {artifact_id}" if artifact_id else left_out
        return Reduced(
            text=shown.decode(),
            bytes_before=size,
            bytes_after=len(shown),
            artifact_id=artifact_id,
            warning=_joined([whole, warning, store_problem]),
        )
    return Stored(
        text=shown,
        bytes_before=size,
        bytes_after=len(shown.encode()),
        artifact_id=artifact_id,
        warning=_joined([warning, store_problem]),
    )


def _look(content: bytes, noise: str | None, limits: ArtifactLimits, jq: JqEngine) -> tuple[bytes | str, str]:
    """Return a document without its noise where that is small enough, else its preview; and what went wrong."""
    filtered = Filtered(content)
    if noise and len(content) <= limits.inline_max_tokens * HOPELESS_BYTES_A_TOKEN:
        filtered = apply_noise(content, noise, limits, jq)
    if fits(filtered.content, limits.inline_max_tokens):
        return filtered.content, filtered.warning
    policy = noise if noise and not filtered.warning else ""
    try:
        text = jq.preview(content, max_tokens=limits.preview_max_tokens, timeout_s=limits.jq_timeout_s, noise=policy)
    except ArtifactError as problem:
        text = UNDESCRIBED.format(size=len(content), problem=problem)
    return text, filtered.warning


def compact(value: Json) -> bytes:
    """Return a value as compact JSON. Half surrogate pairs, which no UTF-8 can hold, become question marks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _stored(content: bytes, store: Store) -> tuple[str, str]:
    """Store the whole; a result that can't be stored is still worth its preview."""
    try:
        return store(content), ""
    except (ArtifactError, OSError) as problem:
        return "", f"the whole could not be stored: {problem}"


def _joined(warnings: list[str]) -> str:
    return "; ".join(warning for warning in warnings if warning)
