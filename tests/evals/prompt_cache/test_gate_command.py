"""`manage.py prompt_cache_gate`: the real prefix, a simulator, honest exit codes."""

from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings

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


def test_a_price_list_under_which_caching_does_not_pay_fails_the_gate() -> None:
    burp = settings.BURP
    prices = tuple(
        replace(price, bands=tuple(replace(band, cache_read=band.input) for band in price.bands))
        for price in burp.usage.prices
    )
    with override_settings(BURP=replace(burp, usage=replace(burp.usage, prices=prices))):
        error = failed()

    assert error.returncode == 1
    assert "15 steps of one call: it costs" in str(error)


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
