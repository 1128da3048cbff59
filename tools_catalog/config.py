"""What `tools_catalog` is configured with."""

from dataclasses import dataclass, field
from typing import Any


def knob(default: Any, help_text: str) -> Any:
    """Declare a setting with its default and its line of help."""
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True)
class CatalogConfig:
    """Which tools are always loaded, and how a search weighs what it finds."""

    always_loaded_tools: dict[str, list[str]] = field(
        default_factory=dict,
        metadata={"help": "By platform, the tools that are always loaded in place of the platform's own choice."},
    )
    up_front_max_tokens: int = knob(
        4_000, "What instructions and loaded tools may weigh before a model has asked anything; more is an alarm."
    )
    results: int = knob(5, "Tools that one search of the catalogue finds.")
    short_query_words: int = knob(4, "Queries of at most so many words count as short.")
    keyword_weight_short: float = knob(2.0, "Weight of the keyword ranking for short queries.")
    keyword_weight_long: float = knob(1.0, "Weight of the keyword ranking for longer queries.")
    meaning_weight_short: float = knob(1.0, "Weight of the embedding ranking for short queries.")
    meaning_weight_long: float = knob(1.0, "Weight of the embedding ranking for longer queries.")
    platform_boost: float = knob(1.5, "Factor on the keyword score of tools whose database the query names.")
    identifier_boost: float = knob(1.5, "Factor on the keyword score of tools that take an identifier in the query.")
