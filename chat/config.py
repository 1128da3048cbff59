"""What `chat` is configured with: the models to choose from and the limits of a turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def knob(default: Any, help_text: str) -> Any:
    """Declare a setting with its default and its line of help."""
    return field(default=default, metadata={"help": help_text})


def told(help_text: str) -> Any:
    """Declare a setting that has no default."""
    return field(metadata={"help": help_text})


@dataclass(frozen=True)
class ModelRow:
    """A model that people may choose. `key` names it everywhere; `model` is the provider's own id."""

    key: str
    provider: str = told("The module in `chat/providers/` that speaks to it.")
    model: str = told("The provider's own id of the model.")
    label: str = told("Its name on the pages.")
    context_window: int = told("Tokens that a request and its answer may have together.")
    max_output_tokens: int = told("Tokens that one answer may have.")
    inline_max_bytes: int = told("Largest tool result that this model reads whole.")
    efforts: tuple[str, ...] = knob((), "Levels of effort that people may choose; none for a model that has none.")
    default_effort: str = knob("", "The level that is used when nobody chose.")


@dataclass(frozen=True)
class TurnLimits:
    """What one turn may take."""

    max_iterations: int = knob(24, "Model calls in one turn.")
    call_output_tokens: int = knob(32_000, "Most output tokens of one model call; its reservation holds them all.")
    max_parallel_tool_calls: int = knob(8, "Tool calls of one model message that run at the same time.")
    tool_timeout_s: float = knob(60.0, "Time budget of one tool call, retries included.")
    turn_timeout_s: float = knob(900.0, "Time budget of a turn.")
    disconnect_grace_s: float = knob(30.0, "How long a turn goes on after its last reader left; 0 ends it at once.")


class UnknownModel(ValueError):
    """No model has this key."""

    def __init__(self, key: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no model has the key {key!r}; known: {', '.join(known)}")
        self.key = key
        self.known = known


@dataclass(frozen=True)
class ChatConfig:
    """All that `chat` needs to know. `api_keys` by provider, only of those that have one."""

    models: tuple[ModelRow, ...]
    default_model: str
    turns: TurnLimits
    upstreams: str = "auto"
    upstream_gateway: str = ""
    api_keys: Mapping[str, str] = field(default_factory=dict, repr=False)

    def model(self, key: str) -> ModelRow:
        """Return the model with `key`. Raises `UnknownModel`, which lists the known ones."""
        for row in self.models:
            if row.key == key:
                return row
        raise UnknownModel(key, tuple(row.key for row in self.models))

    def usable_models(self) -> tuple[ModelRow, ...]:
        """Return the models that can be called: those without a key to need, or whose key is there."""
        return tuple(row for row in self.models if row.provider not in KEYED_PROVIDERS or row.provider in self.api_keys)


KEYED_PROVIDERS = frozenset({"anthropic"})
