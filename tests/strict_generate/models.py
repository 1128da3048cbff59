"""What each model accepts, as far as a request can be wrong about it."""

from dataclasses import dataclass

MINIMAL_TO_HIGH = frozenset({"MINIMAL", "LOW", "MEDIUM", "HIGH"})
LOW_TO_HIGH = frozenset({"LOW", "MEDIUM", "HIGH"})
LOW_TO_XHIGH = frozenset({"LOW", "MEDIUM", "HIGH", "XHIGH"})


@dataclass(frozen=True)
class ModelRules:
    """The limits of one model. One without `levels` takes a budget of thoughts, and signs nothing."""

    levels: frozenset[str] = LOW_TO_HIGH
    context_window: int = 1_048_576
    max_output: int = 65_536
    min_cacheable_tokens: int = 4096

    @property
    def checks_signatures(self) -> bool:
        """Whether its calls are signed, and have to come back so."""
        return bool(self.levels)


MODELS: dict[str, ModelRules] = {
    "gemini-4-neon": ModelRules(LOW_TO_XHIGH),
    "gemini-4-hydrogen": ModelRules(LOW_TO_XHIGH),
    "gemini-4-argon": ModelRules(),
    "gemini-3.8-flash": ModelRules(),
    "gemini-3.5-flash": ModelRules(MINIMAL_TO_HIGH),
    "gemini-3.1-pro-preview": ModelRules(),
    "gemini-3.1-flash-lite": ModelRules(MINIMAL_TO_HIGH),
    "gemini-2.5-pro": ModelRules(frozenset(), min_cacheable_tokens=2048),
    "gemini-2.5-flash": ModelRules(frozenset(), min_cacheable_tokens=2048),
}
