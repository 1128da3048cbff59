"""What `artifacts` is configured with: when a result is too large, and what a jq filter may take."""

from dataclasses import dataclass, field
from typing import Any


def knob(default: Any, help_text: str) -> Any:
    """Declare a setting with its default and its line of help."""
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True)
class ArtifactLimits:
    """Sizes and times of the large-output pipeline."""

    inline_max_tokens: int = knob(6_000, "Largest result, and largest answer of a jq filter, that is read whole.")
    step_max_tokens: int = knob(
        24_000, "Largest sum of the results of one step; the largest are stored until it holds."
    )
    preview_max_tokens: int = knob(600, "Largest preview of a stored result.")
    stored_max_bytes: int = knob(40_000_000, "Largest result that is stored; jq could not load a larger one.")
    quota_mb: int = knob(
        2_000, "Stored results of one person, compressed; the oldest of other sessions make room. 0 for no limit."
    )
    jq_timeout_s: float = knob(5.0, "Time limit of one jq filter.")
    jq_memory_mb: int = knob(600, "Memory limit of one jq filter.")
    expires_days: int = knob(30, "Days after which a stored result is deleted.")
