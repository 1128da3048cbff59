"""Rules about everything beside contents and tools."""

from collections.abc import Iterator, Set

from evals.loopback.tokens import count
from tests.strict_generate.asked import Asked, Breach, Object

KNOWN = frozenset({"contents", "generationConfig", "safetySettings", "systemInstruction", "toolConfig", "tools"})
SETTINGS = frozenset(
    {"candidateCount", "maxOutputTokens", "responseMimeType", "seed", "stopSequences", "thinkingConfig"}
)
THINKING = frozenset({"includeThoughts", "thinkingBudget", "thinkingLevel"})
BUDGET_MAX = 32_768


def unknown(given: Object, names: Set[str], path: str) -> Iterator[Breach]:
    """Yield a breach for each field that the service does not know."""
    for name in sorted(given.keys() - names):
        yield Breach(f"Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.")


def known(asked: Asked) -> Iterator[Breach]:
    """No field that the service does not know."""
    yield from unknown(asked.body, KNOWN, "")
    yield from unknown(asked.settings, SETTINGS, "generation_config")
    yield from unknown(asked.settings.get("thinkingConfig") or {}, THINKING, "generation_config.thinking_config")


def required(asked: Asked) -> Iterator[Breach]:
    """There is something to answer."""
    if not asked.contents:
        yield Breach("* GenerateContentRequest.contents: contents is not specified")


def output_limit(asked: Asked) -> Iterator[Breach]:
    """The output limit is within the model's."""
    given = asked.settings.get("maxOutputTokens", 1)
    if not 1 <= given <= asked.rules.max_output:
        yield Breach(f"The value of max_output_tokens must be from 1 to {asked.rules.max_output}: {given}.")


def thinking(asked: Asked) -> Iterator[Breach]:
    """Levels for models that have them, a budget for those before; never both."""
    given = asked.settings.get("thinkingConfig") or {}
    level, budget = given.get("thinkingLevel"), given.get("thinkingBudget")
    if level is not None and budget is not None:
        yield Breach("You can only set only one of thinking budget and thinking level.")
    if level is not None and not asked.rules.levels:
        yield Breach("Thinking level is not supported for this model.")
    elif level is not None and level not in asked.rules.levels:
        yield Breach(f"Thinking level {level} is not supported for this model.")
    if budget is not None and asked.rules.levels:
        yield Breach("This stand-in refuses a thinking budget where the model has thinking levels.")
    elif budget is not None and not 0 <= budget <= BUDGET_MAX:
        yield Breach(f"The thinking budget {budget} is invalid. Please choose a value between 0 and {BUDGET_MAX}.")


def system(asked: Asked) -> Iterator[Breach]:
    """The system prompt says something, where there is one."""
    if "systemInstruction" in asked.body:
        parts = asked.body["systemInstruction"]["parts"]
        if not "".join(part.get("text", "") for part in parts).strip():
            yield Breach("This stand-in refuses a blank system instruction.")


def window(asked: Asked) -> Iterator[Breach]:
    """The prompt fits the model."""
    total = sum(count(part) for part in asked.prompt())
    if total > asked.rules.context_window:
        yield Breach(
            f"The input token count ({total}) exceeds the maximum number of tokens allowed "
            f"({asked.rules.context_window})."
        )
