"""Run a jq filter on a stored result and say the outcome in words that a model can act on. Blocks."""

import json
from uuid import UUID

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactError, FilterRefused, FilterTooExpensive
from artifacts.jq import JqEngine, JqOutput, jq_engine
from artifacts.preview import existing_paths
from artifacts.store import artifact_load

PATHS_MAX_TOKENS = 400
# The fewest bytes that JSON has a token, as good as always: an answer has no more tokens than its limit.
BYTES_A_TOKEN = 2
# By the beginning of jq's message, what usually helps.
HINTS = (
    ("Cannot iterate over null", "The path before [] does not exist here."),
    ("Cannot iterate over", "[] goes through arrays and objects only."),
    ("Cannot index array with", "This is an array: go through it with [] or take one item with [0]."),
    ("Cannot index", "What stands before the key is not an object."),
    ("jq: error: syntax error", 'Mind quotes and brackets; keys with special characters are written ["like this"].'),
)


class NoResult(ArtifactError):
    """The filter ran but did not bring anything readable; the text says what to do instead."""


def inspect(
    artifact_id: UUID | str,
    jq_filter: str,
    *,
    session_id: UUID,
    owner_id: int,
    limits: ArtifactLimits,
    jq: JqEngine | None = None,
) -> str:
    """Return the filter's results as JSON, one a line.

    Raises `ArtifactError` (a `ValueError`): no such artifact in this session, jq's own message with the paths that
    exist, or a filter that takes or gives too much.
    """
    content = artifact_load(artifact_id, session_id=session_id, owner_id=owner_id)
    engine = jq or jq_engine(limits)
    try:
        output = engine.run(
            jq_filter, content, timeout_s=limits.jq_timeout_s, output_max_bytes=output_max_bytes(limits)
        )
    except FilterRefused as refused:
        raise FilterRefused(f"{_with_hint(str(refused))}{_paths(content)}") from refused
    return _text(output, content, limits)


def output_max_bytes(limits: ArtifactLimits) -> int:
    """Return how large the answer of a filter may be: no larger than a result that is read whole."""
    return limits.inline_max_tokens * BYTES_A_TOKEN


def _text(output: JqOutput, content: bytes, limits: ArtifactLimits) -> str:
    if output.cut is not None and not output.results:
        items = f" ({output.cut.length:,} items or keys)" if output.cut.length is not None else ""
        raise FilterTooExpensive(
            f"the first result is one {output.cut.type} of {output.cut.bytes:,} bytes{items}; at most "
            f"{output_max_bytes(limits):,} bytes are shown. Take a part, for instance with [:20], or pick keys"
        )
    if not output.results:
        raise NoResult(f"the filter gave no result at all: nothing matched.{_paths(content)}")
    text = "\n".join(output.results)
    if output.cut is not None:
        text += f"\n(cut: only the first {len(output.results):,} results are shown; narrow the filter to see others)"
    elif all(result == "null" for result in output.results):
        text += f"\n(null may mean that this path does not exist.{_paths(content)})"
    return text


def _with_hint(message: str) -> str:
    hint = next((hint for beginning, hint in HINTS if message.startswith(beginning)), "")
    return f"{message} {hint}" if hint else message


def _paths(content: bytes) -> str:
    return f" Paths that exist: {existing_paths(json.loads(content), PATHS_MAX_TOKENS)}"
