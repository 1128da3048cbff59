"""The recipe planner: a provider that is no language model, but a set of recipes for known shapes of questions.

It calls the same tools through the same loop as every other provider, costs nothing, and writes its
answers only from the results of the turn. What it has no recipe for, it says.
"""

from typing import TYPE_CHECKING

from chat.providers.planner.provider import RecipeProvider

if TYPE_CHECKING:
    from chat.config import ModelRow, Service


def create(row: "ModelRow", service: "Service") -> RecipeProvider:
    """Return the planner; it needs no key."""
    return RecipeProvider(name=row.key)
