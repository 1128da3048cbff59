"""What each model accepts, as far as a request can be wrong about it."""

from dataclasses import dataclass

REASONING = frozenset({"none", "low", "medium", "high", "xhigh", "max"})


@dataclass(frozen=True)
class ModelRules:
    """The limits of one model. A model without `efforts` does not reason."""

    efforts: frozenset[str] = REASONING
    tool_search: bool = True
    context_window: int = 1_050_000
    max_output: int = 128_000
    min_cacheable_tokens: int = 1024


MODELS: dict[str, ModelRules] = {
    "gpt-6.2-astra": ModelRules(REASONING - {"none"}),
    "gpt-6.2-sol": ModelRules(REASONING - {"none"}),
    "gpt-6.1-terra": ModelRules(),
    "gpt-6-astra": ModelRules(),
    "gpt-6-sol": ModelRules(),
    "gpt-6-luna": ModelRules(),
    "gpt-5.6-sol": ModelRules(),
    "gpt-5.6-terra": ModelRules(),
    "gpt-5.6-luna": ModelRules(),
    # Stands for the models before tool search and before reasoning.
    "gpt-4.1": ModelRules(frozenset(), tool_search=False, max_output=32_768),
}
