"""Run jq filters on a stored result and say the outcome in words that a model can act on. Blocks."""

from collections.abc import Sequence
from uuid import UUID

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactError, FilterRefused, FilterTooExpensive
from artifacts.jq import Cut, JqEngine, JqOutput, jq_engine
from artifacts.store import artifact_load

PATHS_MAX_TOKENS = 250
# The fewest bytes that JSON has a token, as good as always: an answer has no more tokens than its limit.
BYTES_A_TOKEN = 2
# Of several filters each gets at least so much to say.
LEAST_BYTES = 1_000
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
    filters: Sequence[str],
    *,
    session_id: UUID,
    owner_id: int,
    limits: ArtifactLimits,
    jq: JqEngine | None = None,
) -> str:
    """Return the filters' results as JSON, one a line; several filters each under a line with the filter.

    Raises `ArtifactError` (a `ValueError`): no such artifact in this session, or that no filter brought anything,
    with jq's own message and the paths that exist, or because it takes or gives too much.
    """
    content = artifact_load(artifact_id, session_id=session_id, owner_id=owner_id)
    look = Look(content, limits, jq or jq_engine(limits), max(output_max_bytes(limits) // len(filters), LEAST_BYTES))
    if len(filters) == 1:
        return look.answer(filters[0])
    parts, problems = [], 0
    for jq_filter in filters:
        try:
            text = look.answer(jq_filter)
        except ArtifactError as problem:
            text, problems = f"error: {problem}", problems + 1
        parts.append(f"# {jq_filter}\n{text}")
    if problems == len(filters):
        raise NoResult("none of the filters brought anything\n" + "\n".join(parts))
    return "\n".join(parts)


def output_max_bytes(limits: ArtifactLimits) -> int:
    """Return how large the answer of a filter may be: no larger than a result that is read whole."""
    return limits.inline_max_tokens * BYTES_A_TOKEN


class Look:
    """Filters over one document."""

    def __init__(self, content: bytes, limits: ArtifactLimits, jq: JqEngine, max_bytes: int) -> None:
        self._content = content
        self._limits = limits
        self._jq = jq
        self._max_bytes = max_bytes

    def answer(self, jq_filter: str) -> str:
        """Return what one filter brings."""
        try:
            output = self._jq.run(
                jq_filter, self._content, timeout_s=self._limits.jq_timeout_s, output_max_bytes=self._max_bytes
            )
        except FilterRefused as refused:
            raise FilterRefused(f"{_with_hint(str(refused))}{self._paths(jq_filter)}") from refused
        return self._text(jq_filter, output)

    def _text(self, jq_filter: str, output: JqOutput) -> str:
        if not output.results:
            if output.cut is not None:
                raise FilterTooExpensive(self._too_large(output.cut))
            raise NoResult(f"the filter gave no result at all: nothing matched.{self._paths(jq_filter)}")
        text = "\n".join(output.results)
        if output.cut is not None:
            return f"{text}\n({_left_out(output.cut, len(output.results))})"
        if all(result == "null" for result in output.results):
            return f"{text}\n(null may mean that this path does not exist.{self._paths(jq_filter)})"
        return text

    def _too_large(self, cut: Cut) -> str:
        items = f" ({cut.length:,} items or keys)" if cut.length is not None else ""
        return (
            f"the first result is one {cut.type} of {cut.bytes:,} bytes{items}; at most {self._max_bytes:,} bytes are "
            "shown. Take a part, for instance with [:20], or pick keys"
        )

    def _paths(self, jq_filter: str) -> str:
        try:
            paths = self._jq.paths(
                self._content, max_tokens=PATHS_MAX_TOKENS, timeout_s=self._limits.jq_timeout_s, near=jq_filter
            )
        except ArtifactError:
            return ""
        return f" {paths}"


def _left_out(cut: Cut, told: int) -> str:
    if cut.shown:
        rest = (cut.length or 0) - cut.shown
        return f"{rest:,} more of {cut.length:,} items; go on with [{cut.shown}:], or narrow the filter"
    more = f"{cut.more:,} more" if cut.is_all else f"at least {cut.more:,} more"
    return f"{more} after these {told:,} results; narrow the filter to see others"


def _with_hint(message: str) -> str:
    hint = next((hint for beginning, hint in HINTS if message.startswith(beginning)), "")
    return f"{message} {hint}" if hint else message
