"""Every rule of the service, one function each, in the order in which they are checked.

A rule yields each breach; the first one is the answer. Where the real service is known to be lenient and BURP must not
lean on that (blank texts, edited items, storing), the text begins with "This stand-in".
"""

from collections.abc import Callable, Iterator

from tests.strict_responses.asked import Asked, Breach
from tests.strict_responses.rules import items, parameters, tools

Rule = Callable[[Asked], Iterator[Breach]]

RULES: tuple[Rule, ...] = (
    parameters.required,
    parameters.known,
    parameters.stateless,
    parameters.output_limit,
    parameters.sampling,
    parameters.reasoning,
    parameters.includes,
    parameters.cache_key,
    parameters.instructions,
    items.shape,
    items.messages,
    items.calls,
    tools.kinds,
    tools.names,
    tools.unique_names,
    tools.schemas,
    tools.search,
    tools.loaded,
    items.answered,
    items.sealed,
    items.reasoning_pairs,
    items.untouched,
    parameters.window,
)


def first_breach(asked: Asked) -> Breach | None:
    """Return the first thing that a request breaks; None if there is none."""
    return next((breach for rule in RULES for breach in rule(asked)), None)
