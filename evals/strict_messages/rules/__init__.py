"""Every rule of the service, one function each, in the order in which they are checked.

A rule yields the error text of each breach; the first one becomes the 400.
"""

from collections.abc import Callable, Iterator

from evals.strict_messages.conversation import Asked
from evals.strict_messages.rules import caching, messages, pairing, parameters, thinking, tools

Rule = Callable[[Asked], Iterator[str]]

RULES: tuple[Rule, ...] = (
    parameters.required_fields,
    parameters.known_fields,
    parameters.streamed,
    parameters.max_tokens,
    parameters.sampling,
    parameters.tool_choice,
    parameters.thinking,
    parameters.effort,
    messages.shape,
    messages.not_empty,
    messages.first_role,
    messages.no_prefill,
    messages.blocks_by_role,
    messages.known_blocks,
    messages.block_fields,
    messages.user_citations,
    caching.on_real_content,
    messages.call_ids,
    messages.empty_text,
    messages.blank_text,
    messages.final_thinking,
    messages.result_content,
    parameters.system,
    tools.known_fields,
    tools.names,
    tools.unique_names,
    tools.schemas,
    tools.not_all_deferred,
    tools.references,
    tools.called_names,
    pairing.called_once,
    pairing.answered_next,
    pairing.called_before,
    pairing.answered_once,
    pairing.served,
    caching.shape,
    caching.at_most_four,
    caching.automatic,
    caching.longest_first,
    caching.not_on_deferred,
    thinking.signed,
    thinking.bound,
    thinking.unbroken,
    thinking.last_whole,
    parameters.window,
)


def first_breach(asked: Asked) -> str:
    """Return the error text of the first rule that a request breaks; empty if it breaks none."""
    return next((breach for rule in RULES for breach in rule(asked)), "")
