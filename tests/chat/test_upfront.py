"""What the model gets before it has asked anything: within its limit on every provider, and alarmed when it is not."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from chat import upfront
from chat.assembly import prefix_of
from chat.providers.anthropic import AnthropicModel, AnthropicProvider
from chat.providers.base import ModelRequest, TokenUsage
from chat.providers.weight import tokens_of, wire_bytes
from chat.upfront import NOT_HELD_BACK, TOO_HEAVY, up_front
from evals.loopback.server import Recorded
from tests.chat.provider_sessions import harnesses as harnesses
from tests.chat.provider_sessions import new_session, play
from tests.chat.provider_sessions import tool_servers as tool_servers
from tests.chat.providers.contract.harness import Harness
from tests.chat.providers.contract.script import Answer, Say
from tools_catalog.catalog import Catalog, RawTool
from tools_catalog.models import Alarm
from tools_catalog.runtime import close_tool_servers, get_tool_servers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio(loop_scope="module")]
Json = Any
# Where the formats keep the conversation.
CONVERSATION = ("messages", "input", "contents")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test be the first that sees its prefix."""
    monkeypatch.setattr(upfront, "_logged", set())


def read_bytes(request: Recorded) -> int:
    """Return the bytes of a request's prompt and loaded tools, as they came over the wire."""
    body = request.json
    tools = [tool for tool in body["tools"] if not tool.get("defer_loading")]
    prompts = [value for name, value in body.items() if "system" in name.lower() or name == "instructions"]
    prompts += [part for name in CONVERSATION for part in body.get(name, ()) if part.get("role") == "system"]
    return wire_bytes(tools) + wire_bytes(prompts)


async def alarms() -> list[tuple[str, str]]:
    return [(alarm.code, alarm.subject) async for alarm in Alarm.objects.all()]


async def test_it_weighs_at_most_4000_tokens_on_every_provider_and_is_logged(
    harnesses: list[Harness], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="chat.upfront")
    core = 0
    for harness in harnesses:
        harness.script(Answer(Say("HER2 is a gene.")))
        await play(await new_session(), harness, "What is HER2?")

        (request,) = harness.requests
        core = len((await get_tool_servers().get("snapshot")).catalog.core)
        assert len(harness.offered(request)) == core + 2
        assert tokens_of(read_bytes(request)) <= 4_000
        (said,) = [text for text in caplog.messages if text.startswith(f"{harness.name}-under-test is shown")]
        told = int(said.split(" bytes with")[0].rsplit(" ", 1)[1])
        # Beside the braces around the parts, what was weighed is what went out.
        assert abs(told - read_bytes(request)) < 100
    assert 10 <= core <= 12
    assert await alarms() == []


async def test_more_than_the_limit_is_an_alarm(harnesses: list[Harness], caplog: pytest.LogCaptureFixture) -> None:
    harness, burp = harnesses[0], settings.BURP
    heavy = {**burp.catalog.always_loaded_tools, "clinicaltrials": ["clinicaltrials__search_studies"]}
    await close_tool_servers()
    with override_settings(BURP=replace(burp, catalog=replace(burp.catalog, always_loaded_tools=heavy))):
        for _ in range(2):
            harness.script(Answer(Say("HER2 is a gene.")))
            await play(await new_session(), harness, "What is HER2?")
        await close_tool_servers()

    assert await alarms() == [(TOO_HEAVY, f"{harness.name}-under-test")]
    assert caplog.text.count("4,000 are allowed") == 1


async def test_a_service_that_counts_the_whole_catalogue_is_an_alarm(harnesses: list[Harness]) -> None:
    for harness in harnesses:
        for tokens in (5_000, 95_000):
            harness.script(Answer(Say("HER2 is a gene."), usage=TokenUsage(input=tokens, output=5)))
            session = await new_session()
            await play(session, harness, "What is HER2?")
            # Later prompts hold results, and tell nothing.
            harness.script(Answer(Say("Yes."), usage=TokenUsage(input=95_000, output=5)))
            await play(session, harness, "Really?")
            alarmed = (NOT_HELD_BACK, f"{harness.name}-under-test") in await alarms()
            assert (harness.name, alarmed) == (harness.name, tokens == 95_000)
    counted = [alarm.count async for alarm in Alarm.objects.all()]
    assert counted == [1] * len(harnesses)


class Forgetful(AnthropicProvider):
    """A provider that does not hold any tool back."""

    def body(self, request: ModelRequest, *, is_afresh: bool = False) -> Json:
        body = super().body(request, is_afresh=is_afresh)
        for tool in body["tools"]:
            tool.pop("defer_loading", None)
        return body


async def test_tools_that_are_not_held_back_are_an_alarm() -> None:
    row = settings.BURP.chat.model("claude-sonnet-5-5")
    raw = [
        RawTool(f"a__{n}", "", "Do it.", {"type": "object", "properties": {}}, {"burp/core": n == 0}) for n in range(9)
    ]
    found = {}
    for kind in (AnthropicProvider, Forgetful):
        provider = kind(AnthropicModel(row.model), api_key="key")
        prefix = prefix_of(row, provider, Catalog.from_tools(raw))
        shown = up_front(provider, prefix, subject=row.key, max_tokens=4_000)
        assert shown is not None
        found[kind.__name__] = (shown.weight.tools, [*shown.problems()])
        await provider.aclose()
    assert found == {"AnthropicProvider": (3, []), "Forgetful": (11, [NOT_HELD_BACK])}
