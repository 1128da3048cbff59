"""A model of `burp.toml` whose replies a test writes down: `SCRIPTS[model key]`, one provider a turn."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from django.conf import settings
from django.test import override_settings

from chat.config import ModelRow, Service
from chat.providers.base import Provider
from chat.providers.scripted import ScriptedProvider, Step

KEY = "recipes"  # the key of a model whose price is known
_scripts: list[ScriptedProvider] = []
played: list[ScriptedProvider] = []


def create(row: ModelRow, service: Service) -> Provider:
    """Return the provider of the next turn."""
    provider = _scripts.pop(0)
    played.append(provider)
    return provider


def script(*steps: Step) -> ScriptedProvider:
    """Write down what the model says in the next turn."""
    provider = ScriptedProvider(steps)
    _scripts.append(provider)
    return provider


@contextmanager
def scripted_model() -> Iterator[None]:
    """Make the default model a scripted one."""
    burp = settings.BURP
    rows = tuple(
        replace(row, provider="tests.chat.scripted_model") if row.key == KEY else row for row in burp.chat.models
    )
    _scripts.clear()
    played.clear()
    with override_settings(BURP=replace(burp, chat=replace(burp.chat, models=rows, default_model=KEY))):
        yield


SECOND_KEY = "claude-sonnet-5-5"  # another model whose price is known


@contextmanager
def second_model() -> Iterator[None]:
    """Script a second model as well."""
    burp = settings.BURP
    rows = tuple(
        replace(row, provider="tests.chat.scripted_model") if row.key == SECOND_KEY else row for row in burp.chat.models
    )
    with override_settings(BURP=replace(burp, chat=replace(burp.chat, models=rows))):
        yield


@contextmanager
def turn_limits(**limits: float) -> Iterator[None]:
    """Change limits of a turn."""
    burp = settings.BURP
    turns = replace(burp.chat.turns, **limits)
    with override_settings(BURP=replace(burp, chat=replace(burp.chat, turns=turns))):
        yield
