"""What each model accepts, as far as a request can be wrong about it.

Sizes of the smallest cacheable prefix that nobody has published are the larger of the likely ones.
"""

from dataclasses import dataclass

EFFORTS = ("low", "medium", "high", "xhigh", "max")
ALL_EFFORTS = frozenset(EFFORTS)
ADAPTIVE = frozenset({"adaptive"})
OPTIONAL = frozenset({"adaptive", "disabled"})


@dataclass(frozen=True)
class ModelRules:
    """The limits of one model.

    `binds_thinking`: a thinking block fits one conversation only. `lends_thinking`: other models
    read its blocks too. `undisabled_efforts`: with these, thinking can't be switched off.
    """

    thinking: frozenset[str]
    efforts: frozenset[str] = ALL_EFFORTS
    undisabled_efforts: frozenset[str] = frozenset()
    forces_tools: bool = False
    binds_thinking: bool = True
    lends_thinking: bool = False
    takes_sampling: bool = False
    context_window: int = 1_000_000
    max_output: int = 128_000
    min_cacheable_tokens: int = 1024


def _older(thinking: frozenset[str], min_cacheable_tokens: int) -> ModelRules:
    """Return the rules of a model from before thinking was bound to its conversation."""
    return ModelRules(thinking, forces_tools=True, binds_thinking=False, min_cacheable_tokens=min_cacheable_tokens)


MODELS: dict[str, ModelRules] = {
    "claude-fable-5-2": ModelRules(ADAPTIVE),
    "claude-fable-5-1": ModelRules(ADAPTIVE),
    "claude-opus-5-5": ModelRules(ADAPTIVE),
    "claude-sonnet-5-5": ModelRules(ADAPTIVE | {"between_tools"}, min_cacheable_tokens=512),
    "claude-haiku-5-5": ModelRules(OPTIONAL, lends_thinking=True),
    "claude-fable-5": _older(ADAPTIVE, 512),
    "claude-opus-5": ModelRules(
        OPTIONAL,
        undisabled_efforts=frozenset({"xhigh", "max"}),
        forces_tools=True,
        binds_thinking=False,
        min_cacheable_tokens=512,
    ),
    "claude-sonnet-5": _older(OPTIONAL, 1024),
    "claude-opus-4-8": _older(OPTIONAL, 1024),
    "claude-opus-4-7": _older(OPTIONAL, 2048),
    "claude-opus-4-6": _older(OPTIONAL | {"enabled"}, 4096),
    "claude-sonnet-4-6": _older(OPTIONAL | {"enabled"}, 1024),
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
