"""Rules about everything beside tools and messages."""

from collections.abc import Iterator

from evals.strict_messages.conversation import Asked
from evals.strict_messages.parts import prompt_tokens
from evals.strict_messages.rules.texts import text

REQUIRED = ("model", "max_tokens", "messages")
KNOWN = frozenset(
    [
        "model",
        "max_tokens",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        "cache_control",
        "stop_sequences",
        "metadata",
        "service_tier",
        "speed",
        "inference_geo",
        "container",
        "diagnostics",
        "user_profile_id",
        "workspace_id",
        "stream",
        "temperature",
        "top_p",
        "top_k",
    ]
)
SAMPLING = ("temperature", "top_p", "top_k")
MIN_BUDGET_TOKENS = 1024
THINKING_FIELDS: dict[str, frozenset[str]] = {
    "adaptive": frozenset({"type", "display"}),
    "between_tools": frozenset({"type"}),
    "enabled": frozenset({"type", "display", "budget_tokens"}),
    "disabled": frozenset({"type"}),
}
OUTPUT_FIELDS = frozenset({"effort", "format"})


def required_fields(asked: Asked) -> Iterator[str]:
    """Model, output limit and messages must be there."""
    for name in REQUIRED:
        if asked.body.get(name) is None:
            yield text("required", path=name)


def known_fields(asked: Asked) -> Iterator[str]:
    """No field that the service does not know."""
    for name in asked.body.keys() - KNOWN:
        yield text("unknown_field", path=name)


def streamed(asked: Asked) -> Iterator[str]:
    """Only streams are played here."""
    if asked.body.get("stream") is not True:
        yield text("not_streamed")


def max_tokens(asked: Asked) -> Iterator[str]:
    """The output limit is within the model's."""
    given = asked.body["max_tokens"]
    if not isinstance(given, int) or given < 1:
        yield text("max_tokens_low")
    elif given > asked.rules.max_output:
        yield text("max_tokens_high", given=given, limit=asked.rules.max_output, model=asked.body["model"])


def sampling(asked: Asked) -> Iterator[str]:
    """No temperature or its like, not even the default."""
    if not asked.rules.takes_sampling:
        for name in SAMPLING:
            if name in asked.body:
                yield text("sampling", name=name)


def tool_choice(asked: Asked) -> Iterator[str]:
    """Current models can't be forced to call a tool."""
    given = (asked.body.get("tool_choice") or {}).get("type", "auto")
    if given in {"any", "tool"} and not asked.rules.forces_tools:
        yield text("tool_choice_forced", given=given)


def thinking(asked: Asked) -> Iterator[str]:
    """Only the kinds of thinking that the model has, with their own fields."""
    given = asked.body.get("thinking")
    if given is None:
        return
    kind = given.get("type")
    if kind not in asked.rules.thinking:
        yield text("thinking_type", given=kind)
        return
    for name in given.keys() - THINKING_FIELDS[kind]:
        yield text("unknown_field", path=f"thinking.{kind}.{name}")
    if kind == "disabled" and _effort(asked) in asked.rules.undisabled_efforts:
        yield text("thinking_with_effort", given=_effort(asked))
    if kind == "enabled" and not MIN_BUDGET_TOKENS <= given.get("budget_tokens", 0) < asked.body["max_tokens"]:
        yield text("thinking_budget")
    elif given.get("display", "omitted") not in {"summarized", "omitted"}:
        yield text("thinking_display")


def effort(asked: Asked) -> Iterator[str]:
    """Only the effort levels that the model has."""
    for name in (asked.body.get("output_config") or {}).keys() - OUTPUT_FIELDS:
        yield text("unknown_field", path=f"output_config.{name}")
    given = _effort(asked)
    if given is not None and given not in asked.rules.efforts:
        yield text("effort", given=given)


def system(asked: Asked) -> Iterator[str]:
    """The system prompt is text, and not blank."""
    for i, block in enumerate(asked.system):
        if block.get("type") != "text" or not isinstance(block.get("text"), str):
            yield text("field_type", path=f"system.{i}", wanted="text block")
        elif not block["text"]:
            yield text("empty_text", path=f"system.{i}")
        elif not block["text"].strip():
            yield text("blank_text", path=f"system.{i}")


def window(asked: Asked) -> Iterator[str]:
    """The prompt fits the model."""
    tokens = prompt_tokens(asked)
    if tokens > asked.rules.context_window:
        yield text("prompt_too_long", tokens=tokens, limit=asked.rules.context_window)


def _effort(asked: Asked) -> str | None:
    return (asked.body.get("output_config") or {}).get("effort")
