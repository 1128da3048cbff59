"""Every rule of the service, one function each, in the order in which they are checked.

A rule yields each breach; the first one is the answer. Where the real service is known to be lenient and BURP must not
lean on that (roles that do not alternate, blank texts, schema keywords that nobody documents, signatures of turns that
are over), the text begins with "This stand-in".
"""

from collections.abc import Callable, Iterator

from tests.strict_generate.asked import Asked, Breach
from tests.strict_generate.rules import contents, parameters, signatures, tools

Rule = Callable[[Asked], Iterator[Breach]]

RULES: tuple[Rule, ...] = (
    parameters.known,
    parameters.required,
    parameters.output_limit,
    parameters.thinking,
    parameters.system,
    contents.roles,
    contents.shape,
    contents.texts,
    contents.calls,
    contents.answered,
    signatures.signed,
    signatures.untouched,
    tools.fields,
    tools.names,
    tools.unique_names,
    tools.schemas,
    tools.choice,
    parameters.window,
)


def first_breach(asked: Asked) -> Breach | None:
    """Return the first thing that a request breaks; None if there is none."""
    return next((breach for rule in RULES for breach in rule(asked)), None)
