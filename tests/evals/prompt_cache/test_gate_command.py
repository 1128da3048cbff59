"""`manage.py prompt_cache_gate`: the real prefix, a simulator, honest exit codes."""

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings

from evals.management.commands.prompt_cache_gate import SCRIPTS
from evals.prompt_cache.scripts import replies
from evals.strict_messages import Failure, StrictMessages, Unanswered

Json = Any


def gate(*arguments: str) -> str:
    out = StringIO()
    call_command("prompt_cache_gate", *arguments, stdout=out)
    return out.getvalue()


def failed(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as caught:
        gate(*arguments)
    return caught.value


@pytest.mark.case("C060")
def test_the_gate_is_passed_with_the_prefix_of_real_sessions() -> None:
    shown = gate()

    assert shown.startswith("claude-sonnet-5-5 at the simulator, SDK anthropic 2.")
    assert shown.endswith("the prompt cache holds\n")
    for script in (
        "15 steps of one call, 16 model calls",
        "3 steps of 12 calls, 4 model calls",
        "3 questions, 9 model",
    ):
        assert script in shown
    assert (shown.count("  hit\n"), shown.count("  first\n"), shown.count("MISS")) == (26, 3, 0)


@pytest.fixture
def real_service() -> Iterator[StrictMessages]:
    """A service that is asked with a key of the configuration: nothing of it but its address is not real."""
    with StrictMessages() as server:
        burp = settings.BURP
        service = replace(burp.chat.services["anthropic"], api_key=server.api_key, base_url=server.base_url)
        services = {**burp.chat.services, "anthropic": service}
        with override_settings(BURP=replace(burp, chat=replace(burp.chat, services=services))):
            yield server


def test_the_real_service_is_asked_with_the_configured_key(real_service: StrictMessages) -> None:
    for script in SCRIPTS:
        real_service.script(*replies(script))

    shown = gate("--live", "--model", "claude-opus-5-5")

    assert shown.startswith("claude-opus-5-5 at the real service")
    assert shown.endswith("the prompt cache holds\n")
    assert real_service.unplayed == 0
    assert {request.json["model"] for request in real_service.requests} == {"claude-opus-5-5"}
    # Each request names the reply before it; the first of a conversation has none.
    named = [request.json["diagnostics"]["previous_message_id"] for request in real_service.requests]
    assert named.count(None) == len(SCRIPTS)


def test_a_service_that_caches_nothing_fails_the_gate(real_service: StrictMessages) -> None:
    rules = real_service.models["claude-sonnet-5-5"]
    real_service.models["claude-sonnet-5-5"] = replace(rules, min_cacheable_tokens=1_000_000)
    for script in SCRIPTS:
        real_service.script(*replies(script))

    error = failed("--live")

    assert error.returncode == 1
    assert str(error).startswith(
        "the prompt cache does not hold\n15 steps of one call: 15 of 15 calls missed the cache"
    )
    assert "15 steps of one call: it costs 100.0% of the uncached price, more than 25.0%" in str(error)


@pytest.mark.parametrize("model", ["claude-haiku-4-5", "claude-haiku-5-5", "claude-sonnet-5", "claude-fable-5-2"])
def test_the_gate_is_passed_at_the_prices_of_every_kind_of_model(model: str) -> None:
    assert "the prompt cache holds" in gate("--model", model)


def test_a_service_that_gives_no_diagnosis_is_asked_without(real_service: StrictMessages) -> None:
    unknown = Failure(400, "invalid_request_error", "diagnostics: Extra inputs are not permitted")
    for script in SCRIPTS:
        real_service.script(unknown, *replies(script))

    assert "the prompt cache holds" in gate("--live")

    assert {request.status for request in real_service.requests if "diagnostics" in request.json} == {400}


def test_a_service_that_can_not_be_reached_is_said(real_service: StrictMessages) -> None:
    real_service.script(Unanswered("cut"))

    error = failed("--live")

    assert error.returncode == 2
    assert "the check could not be made: The connection to the model's service failed" in str(error)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "recipes"), "recipes has no prompt cache that BURP marks"),
        (("--model", "gone"), "no model has the key 'gone'"),
        (("--live",), "No key for claude-sonnet-5-5: set ANTHROPIC_API_KEY"),
    ],
    ids=["no cache", "no such model", "no key"],
)
def test_a_check_that_can_not_be_made_is_neither_passed_nor_failed(arguments: tuple[str, ...], said: str) -> None:
    error = failed(*arguments)

    assert error.returncode == 2
    assert said in str(error)
