"""What each model accepts, as far as a request can be wrong about it."""

from dataclasses import dataclass

ALL_EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})


@dataclass(frozen=True)
class ModelRules:
    """The limits of one model. `binds_thinking`: a thinking block fits one conversation only."""

    thinking: frozenset[str]
    efforts: frozenset[str] = ALL_EFFORTS
    forces_tools: bool = False
    binds_thinking: bool = True
    takes_sampling: bool = False
    context_window: int = 1_000_000
    max_output: int = 128_000
    min_cacheable_tokens: int = 512


MODELS: dict[str, ModelRules] = {
    "claude-fable-5-2": ModelRules(frozenset({"adaptive"})),
    "claude-fable-5-1": ModelRules(frozenset({"adaptive"})),
    "claude-opus-5-5": ModelRules(frozenset({"adaptive"})),
    "claude-sonnet-5-5": ModelRules(frozenset({"adaptive", "between_tools"})),
    "claude-haiku-5-5": ModelRules(frozenset({"adaptive", "disabled"})),
    "claude-opus-5": ModelRules(frozenset({"adaptive", "disabled"}), forces_tools=True, binds_thinking=False),
    "claude-sonnet-5": ModelRules(
        frozenset({"adaptive", "disabled"}), forces_tools=True, binds_thinking=False, min_cacheable_tokens=1024
    ),
    "claude-haiku-4-5": ModelRules(
        frozenset({"enabled", "disabled"}),
        efforts=frozenset(),
        forces_tools=True,
        binds_thinking=False,
        context_window=200_000,
        max_output=64_000,
        min_cacheable_tokens=4096,
    ),
}
