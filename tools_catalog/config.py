"""What `tools_catalog` is configured with."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class CatalogConfig:
    """Which tools are always loaded and how many a search finds."""

    always_loaded_tools: dict[str, list[str]] = field(
        default_factory=dict,
        metadata={"help": "By platform, the tools that are always loaded in place of the platform's own choice."},
    )
    results: int = field(default=5, metadata={"help": "Tools that one search of the catalogue finds."})
