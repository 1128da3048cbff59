"""Apply a tool's noise policy: a jq program that takes away what no answer needs.

A policy that fails costs nothing but its effect: the value comes back as it was, with a warning. Blocks.
"""

from dataclasses import dataclass

from artifacts.config import ArtifactLimits
from artifacts.errors import FilterRefused, FilterTooExpensive
from artifacts.jq import JqEngine

# jq writes some numbers longer than they came (0.0000039 for 3.9e-06): by so small a part a value may grow.
OTHER_SPELLING = 8


@dataclass(frozen=True)
class Filtered:
    """What is left of a value, as JSON; `warning` says why nothing was taken away."""

    content: bytes
    warning: str = ""


def apply_noise(content: bytes, noise: str, limits: ArtifactLimits, jq: JqEngine) -> Filtered:
    """Run a noise policy on a JSON document."""
    room = len(content) + len(content) // OTHER_SPELLING
    try:
        output = jq.run(noise, content, timeout_s=limits.jq_timeout_s, output_max_bytes=room)
    except (FilterRefused, FilterTooExpensive) as problem:
        return Filtered(content, f"the noise filter of this tool failed and was left out: {problem}")
    if output.cut is not None or len(output.results) != 1 or output.results[0] == "null":
        return Filtered(content, "the noise filter of this tool did not give one smaller value and was left out")
    filtered = output.results[0].encode()
    return Filtered(filtered if len(filtered) < len(content) else content)
