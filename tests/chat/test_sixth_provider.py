"""A further provider is one file and its rows in `burp.toml`: nothing else has to know it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import override_settings

from burp_site import config
from burp_site.config import BurpConfig
from burp_site.environment import Environment
from chat import services, turns
from chat.config import UnknownModel
from chat.following import follow_turn
from chat.providers.base import ModelFailure
from chat.providers.registry import create_provider
from mcp_server.codes import TurnOutcome
from tools_catalog.runtime import close_tool_servers
from usage.models import LedgerEntry, User

MODULE = '''
"""A provider that says what it was asked, and by whom it is served."""

from chat.providers.base import AssistantEntry, ModelFailure, ModelReply, TextDelta, TokenUsage
from mcp_server.codes import TurnOutcome

USED = TokenUsage(input=1000, output=100)


class EchoProvider:
    name = "sixth"

    def __init__(self, row, service):
        if not service.api_key:
            raise ModelFailure(TurnOutcome.MODEL_AUTH, f"No key for {row.model}: set {service.key_variable}.")
        self.model, self.address = row.model, service.base_url

    @property
    def replay_scope(self):
        return {}

    async def stream(self, request):
        text = f"{self.model} at {self.address}: {request.entries[-1].text}"
        yield TextDelta(text)
        entry = AssistantEntry(text, provider=self.name, model=request.model, stop_reason="end")
        yield ModelReply(entry, USED, "end")

    def worst_case(self, request):
        return TokenUsage(input=1000, output=request.max_output_tokens)

    def partial(self):
        return None, TokenUsage()

    async def aclose(self):
        pass


def create(row, service):
    return EchoProvider(row, service)
'''
ROWS = """
[services.sixth]
module = "sixth_provider_of_a_test"
key_variable = "SIXTH_API_KEY"
base_url = "http://127.0.0.1:6"

[models.echo]
provider = "sixth"
model = "echo-1"
label = "Echo"
context_window = 10_000
max_output_tokens = 100
inline_max_tokens = 1_000

[[models.echo.prices]]
from = 2026-01-01
input = "1"
output = "10"
cache_write_5m = "0"
cache_write_1h = "0"
cache_read = "0"
"""


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BurpConfig]:
    """Give the shipped configuration with a sixth provider, whose file lies in a folder of its own."""
    (tmp_path / "sixth_provider_of_a_test.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "burp.toml"
    file.write_text(Environment().config_file.read_text(encoding="utf-8") + ROWS, encoding="utf-8")
    yield config.build(Environment(config_file=file, api_keys={"SIXTH_API_KEY": "hush"}, model="echo"))


@pytest.mark.django_db(transaction=True)
async def test_its_model_answers_a_question_and_is_paid_for(build: BurpConfig) -> None:
    user = await User.objects.acreate(username=f"user-{uuid4().hex[:8]}")
    with override_settings(BURP=build):
        session = await sync_to_async(services.session_create)(
            owner_id=user.pk, model=build.chat.default_model, upstreams="snapshot"
        )
        turn_id = await turns.start_turn(session_id=session.pk, owner_id=user.pk, question="What is HER2?")
        events = [event async for event in follow_turn(turn_id, 0)]
        await turns.shutdown()
        turns._stopping = False
        await close_tool_servers()

    assert events[-1]["outcome"] == "completed"
    answer = "".join(event["text"] for event in events if event["type"] == "text")
    assert answer == "echo-1 at http://127.0.0.1:6: What is HER2?"
    row = await LedgerEntry.objects.aget(turn_id=turn_id)
    assert (row.provider, row.cost_pico_usd) == ("sixth", 2_000_000_000)


def test_it_is_among_the_models_that_can_be_chosen(build: BurpConfig) -> None:
    assert [row.key for row in build.chat.usable_models()] == ["recipes", "echo"]
    with pytest.raises(UnknownModel, match="known: .*echo"):
        build.chat.model("ecko")


def test_without_its_key_it_can_t_be_chosen_and_says_what_to_set(build: BurpConfig) -> None:
    chat = build.chat
    row = chat.model("echo")
    keyless = replace(chat, services={**chat.services, "sixth": replace(chat.services["sixth"], api_key="")})

    assert row not in keyless.usable_models()
    with pytest.raises(ModelFailure, match="set SIXTH_API_KEY") as caught:
        create_provider(row, keyless.service(row))
    assert caught.value.outcome is TurnOutcome.MODEL_AUTH
