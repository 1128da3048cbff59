"""What `tools_catalog` is configured with."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


def knob(default: Any, help_text: str) -> Any:
    """Declare a setting with its default and its line of help."""
    return field(default=default, metadata={"help": help_text})


class EmbedderChoice(NamedTuple):
    """Which embedder is wanted; equal choices share one."""

    kind: str = "none"
    model: str = ""
    url: str = ""
    key_variable: str = ""


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
    trials_per_hour: int = knob(60, "Tools that one person may try out on the tool pages in an hour; 0 for none.")
    results: int = knob(5, "Tools that one search of the catalogue finds.")
    short_query_words: int = knob(4, "Queries of at most so many words count as short.")
    keyword_weight_short: float = knob(2.0, "Weight of the keyword ranking for short queries.")
    keyword_weight_long: float = knob(1.5, "Weight of the keyword ranking for longer queries.")
    keyword_weight_identifier: float = knob(5.0, "Weight of the keyword ranking where an identifier is in the query.")
    meaning_weight_short: float = knob(1.0, "Weight of the embedding ranking for short queries.")
    meaning_weight_long: float = knob(1.0, "Weight of the embedding ranking for longer queries.")
    platform_query_words: int = knob(8, "In longer queries a database's name is no filter, only a word.")
    identifier_boost: float = knob(4.0, "Keyword score that a tool gains by taking an identifier in the query.")
    coverage_floor: float = knob(
        0.5, "The share of a query's words that the best tool must have, or be near by meaning."
    )
    meaning_floor: float = knob(0.35, "A best cosine below this finds nothing, unless the words fit.")
    embedder: str = knob("minilm", "How tools are embedded: minilm, sentence-transformers, remote or none.")
    embedder_model: str = knob(
        "", "The model of sentence-transformers (a folder or a hub's name) or of the remote API."
    )
    embedder_url: str = knob("", "Address of the remote embedding API, as OpenAI's: https://host/v1.")
    embedder_key_variable: str = knob("", "Environment variable with the key of the remote embedding API.")

    @property
    def embedding(self) -> EmbedderChoice:
        """Which embedder is wanted."""
        return EmbedderChoice(self.embedder, self.embedder_model, self.embedder_url, self.embedder_key_variable)
