"""Rules about everything beside items and tools."""

from collections.abc import Iterator

from evals.loopback.tokens import count
from tests.strict_responses.asked import Asked, Breach

KNOWN = frozenset(
    [
        "background",
        "conversation",
        "include",
        "input",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "metadata",
        "model",
        "parallel_tool_calls",
        "previous_response_id",
        "prompt",
        "prompt_cache_key",
        "prompt_cache_options",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "truncation",
    ]
)
REASONING = frozenset({"effort", "summary", "context", "mode"})
INCLUDABLE = frozenset({"reasoning.encrypted_content"})
MIN_OUTPUT_TOKENS = 16
MAX_CACHE_KEY = 64


def required(asked: Asked) -> Iterator[Breach]:
    """Model and conversation must be there."""
    for name in ("model", "input"):
        if not asked.body.get(name):
            yield Breach(f"Missing required parameter: '{name}'.", name, "missing_required_parameter")


def known(asked: Asked) -> Iterator[Breach]:
    """No parameter that the service does not know."""
    for name in asked.body.keys() - KNOWN:
        yield Breach(f"Unknown parameter: '{name}'.", name, "unknown_parameter")
    for name in (asked.body.get("reasoning") or {}).keys() - REASONING:
        yield Breach(f"Unknown parameter: 'reasoning.{name}'.", f"reasoning.{name}", "unknown_parameter")


def stateless(asked: Asked) -> Iterator[Breach]:
    """This stand-in only streams, and like an account without data retention it keeps nothing."""
    if asked.body.get("stream") is not True:
        yield Breach("This stand-in for the service only streams.", "stream")
    if asked.body.get("store") is not False:
        yield Breach("Storing is not possible for this organization: set 'store' to false.", "store")
    for name in ("previous_response_id", "conversation"):
        if asked.body.get(name):
            yield Breach(f"Previous response with id '{asked.body[name]}' not found.", name, status=404)


def output_limit(asked: Asked) -> Iterator[Breach]:
    """The output limit is within the model's."""
    given = asked.body.get("max_output_tokens", MIN_OUTPUT_TOKENS)
    if given < MIN_OUTPUT_TOKENS:
        yield Breach(
            "Invalid 'max_output_tokens': integer below minimum value. "
            f"Expected a value >= {MIN_OUTPUT_TOKENS}, but got {given} instead.",
            "max_output_tokens",
            "integer_below_min_value",
        )
    if given > asked.rules.max_output:
        yield Breach(
            f"max_output_tokens is too large: {given}. This model supports at most {asked.rules.max_output} "
            "completion tokens.",
            "max_output_tokens",
            "invalid_value",
        )


def sampling(asked: Asked) -> Iterator[Breach]:
    """A model that reasons takes no temperature or its like."""
    for name in ("temperature", "top_p"):
        if name in asked.body and asked.rules.efforts:
            yield Breach(f"Unsupported parameter: '{name}' is not supported with this model.", name)


def reasoning(asked: Asked) -> Iterator[Breach]:
    """Only the levels of effort that the model has."""
    given = asked.body.get("reasoning") or {}
    if given and not asked.rules.efforts:
        yield Breach("Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning.effort")
    effort = given.get("effort")
    if effort and effort not in asked.rules.efforts:
        supported = ", ".join(f"'{level}'" for level in sorted(asked.rules.efforts))
        yield Breach(
            f"Unsupported value: '{effort}' is not supported with the '{asked.body['model']}' model. "
            f"Supported values are: {supported}.",
            "reasoning.effort",
            "unsupported_value",
        )
    if given.get("summary", "auto") not in {"auto", "concise", "detailed"}:
        yield Breach("Invalid value for 'reasoning.summary'.", "reasoning.summary", "invalid_value")


def includes(asked: Asked) -> Iterator[Breach]:
    """Only what can be included, and without storing the reasoning has to be."""
    given = asked.body.get("include") or []
    for name in given:
        if name not in INCLUDABLE:
            yield Breach(f"Invalid value: '{name}'.", "include", "invalid_value")
    if asked.rules.efforts and "reasoning.encrypted_content" not in given:
        yield Breach("This stand-in wants to be asked for 'reasoning.encrypted_content'.", "include")


def cache_key(asked: Asked) -> Iterator[Breach]:
    """A cache key is short."""
    if len(asked.body.get("prompt_cache_key") or "") > MAX_CACHE_KEY:
        yield Breach(
            f"Invalid 'prompt_cache_key': string too long. Expected a string with maximum length {MAX_CACHE_KEY}.",
            "prompt_cache_key",
            "string_above_max_length",
        )


def instructions(asked: Asked) -> Iterator[Breach]:
    """The system prompt says something, where there is one."""
    if "instructions" in asked.body and not str(asked.body["instructions"]).strip():
        yield Breach("This stand-in refuses blank instructions.", "instructions")


def window(asked: Asked) -> Iterator[Breach]:
    """The prompt fits the model."""
    if sum(count(part) for part in asked.prompt()) > asked.rules.context_window:
        yield Breach(
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "input",
            "context_length_exceeded",
        )
