"""What each model accepts, as far as a request can be wrong about it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelRules:
    """The limits of one model as a server runs it."""

    context_window: int = 131_072
    takes_tools: bool = True
    efforts: frozenset[str] = frozenset({"none", "low", "medium", "high"})


MODELS: dict[str, ModelRules] = {
    "gpt-oss:20b": ModelRules(),
    "qwen3:8b": ModelRules(context_window=40_960),
    # Stands for the models whose template knows no tools.
    "gemma:2b": ModelRules(context_window=8_192, takes_tools=False, efforts=frozenset()),
}
