"""Every rule of the servers, one function each, in the order in which they are checked.

A rule yields each breach; the first one is the answer. What only some servers or some models' templates refuse is
refused here too. Where they are lenient and BURP must not lean on that, the text begins with "This stand-in".
"""

from collections.abc import Callable, Iterator

from tests.strict_chat.asked import Asked, Breach
from tests.strict_chat.rules import calls, messages, parameters, tools

Rule = Callable[[Asked], Iterator[Breach]]

RULES: tuple[Rule, ...] = (
    parameters.required,
    parameters.known,
    parameters.streamed,
    parameters.output_limit,
    parameters.effort,
    tools.shape,
    tools.names,
    tools.schemas,
    tools.supported,
    messages.shape,
    messages.known_fields,
    messages.content,
    messages.not_blank,
    messages.system_first,
    messages.alternating,
    messages.no_prefill,
    calls.shape,
    calls.unique,
    calls.arguments,
    calls.answered,
    parameters.window,
)


def first_breach(asked: Asked) -> Breach | None:
    """Return the first thing that a request breaks; None if there is none."""
    return next((breach for rule in RULES for breach in rule(asked)), None)
