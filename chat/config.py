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
class Service:
    """A service that models are asked through. `name` is what rows of models call it; the key comes from outside."""

    name: str
    module: str = knob("", "Python module of its provider; left out: `chat.providers.NAME`.")
    key_variable: str = knob("", "Environment variable (`…_API_KEY`) with its key; left out: it needs none.")
    key_required: bool = knob(True, "`false`: it is asked without a key where the variable is not set.")
    base_url: str = knob("", "Its address; left out: the one that the service's own SDK knows.")
    read_timeout_s: float = knob(
        90.0, "Longest silence of an answer. A local server may read a long prompt for minutes before its first word."
    )
    api_key: str = field(default="", repr=False)

    @property
    def is_usable(self) -> bool:
        """Whether it has the key that it needs."""
        return bool(self.api_key) or not (self.key_variable and self.key_required)


@dataclass(frozen=True)
class ModelRow:
    """A model that people may choose. `key` names it everywhere; `model` is the provider's own id."""

    key: str
    provider: str = told("The service that it is asked through: `[services.NAME]`, or a module in `chat/providers/`.")
    model: str = told("The provider's own id of the model.")
    label: str = told("Its name on the pages.")
    context_window: int = told("Tokens that a request and its answer may have together.")
    max_output_tokens: int = told("Tokens that one answer may have.")
    inline_max_tokens: int = told("Largest tool result that this model reads whole.")
    step_max_tokens: int = knob(0, "Largest sum of one step's results for this model; 0 for the one of `[artifacts]`.")
    efforts: tuple[str, ...] = knob((), "Levels of effort that people may choose; none for a model that has none.")
    default_effort: str = knob("", "The level that is used when nobody chose.")
    thinking: tuple[str, ...] = knob((), "Kinds of thinking that the model takes; none where there is no such setting.")
    forced_tool_choice: bool = knob(False, "Whether a request may force the model to call a tool.")
    min_cacheable_tokens: int = knob(0, "Shortest beginning of a prompt that its service caches.")
    deferred_tools: bool = knob(False, "Whether tools may be sent unseen, to be loaded when a search finds them.")


@dataclass(frozen=True)
class TurnLimits:
    """What one turn may take."""

    max_iterations: int = knob(24, "Model calls in one turn.")
    call_output_tokens: int = knob(32_000, "Most output tokens of one model call; its reservation holds them all.")
    max_parallel_tool_calls: int = knob(8, "Tool calls of one model message that run at the same time.")
    tool_timeout_s: float = knob(60.0, "Time budget of one tool call, retries included.")
    model_attempts: int = knob(4, "Attempts of one model call while nothing of its message was shown.")
    model_wait_max_s: float = knob(60.0, "Longest wait before another attempt, also where the service asks for more.")
    turn_timeout_s: float = knob(900.0, "Time budget of a turn.")
    disconnect_grace_s: float = knob(60.0, "How long a turn goes on after its last reader left; 0 ends it at once.")
    lease_s: float = knob(
        30.0, "How long a turn that its process no longer renews keeps its session; then others may close it."
    )


class UnknownModel(ValueError):
    """No model has this key."""

    def __init__(self, key: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no model has the key {key!r}; known: {', '.join(known)}")
        self.key = key
        self.known = known


@dataclass(frozen=True)
class ChatConfig:
    """All that `chat` needs to know. `services` by name; a provider that needs nothing to be said has none."""

    models: tuple[ModelRow, ...]
    default_model: str
    turns: TurnLimits
    upstreams: str = "auto"
    upstream_gateway: str = ""
    services: Mapping[str, Service] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of all models."""
        return tuple(row.key for row in self.models)

    def service(self, row: ModelRow) -> Service:
        """Return the service that a model is asked through; one that is not configured needs no key."""
        return self.services.get(row.provider) or Service(row.provider)

    def model(self, key: str) -> ModelRow:
        """Return the model with `key`. Raises `UnknownModel`, which lists the known ones."""
        for row in self.models:
            if row.key == key:
                return row
        raise UnknownModel(key, self.keys)

    def usable_models(self) -> tuple[ModelRow, ...]:
        """Return the models that can be called: those without a key to need, or whose key is there."""
        return tuple(row for row in self.models if self.service(row).is_usable)
