"""Where a request goes and what goes with it: the key in one header, and nothing from the environment."""

import logging
from dataclasses import replace

import httpx2
import pytest
from django.conf import settings

from chat.config import ModelRow, Service
from chat.providers.base import ModelFailure
from chat.providers.google import BASE_URL, GoogleProvider, create
from chat.providers.registry import create_provider
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import reply
from tests.chat.providers.google.conftest import Make, asked
from tests.strict_generate import Reply, StrictGenerate, Text

ROWS: dict[str, ModelRow] = {row.key: row for row in settings.BURP.chat.models if row.provider == "google"}


@pytest.mark.case("C076")
async def test_the_key_goes_into_a_header_and_nowhere_else(
    provider: GoogleProvider, strict_generate: StrictGenerate, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    strict_generate.script(Reply(Text("Yes.")))

    await reply(provider, asked())

    (request,) = strict_generate.requests
    key = strict_generate.api_key
    assert [name for name, value in request.headers.items() if key in value] == ["x-goog-api-key"]
    assert request.path == "/v1beta/models/gemini-4-hydrogen:streamGenerateContent?alt=sse"
    assert key not in request.body.decode()
    assert key not in caplog.text


async def test_the_environment_changes_neither_address_nor_account_and_nothing_else_is_said(
    make: Make, strict_generate: StrictGenerate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in {
        "GOOGLE_API_KEY": "another-key",
        "GEMINI_API_KEY": "a-third-key",
        "GOOGLE_GENAI_USE_VERTEXAI": "true",
        "GOOGLE_GENAI_USE_ENTERPRISE": "true",
        "GOOGLE_CLOUD_PROJECT": "someone-elses",
        "GOOGLE_CLOUD_LOCATION": "europe-west4",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9",
        "GOOGLE_GENAI_API_VERSION": "v9",
        "GOOGLE_GENAI_HTTP_CLIENT": "httpx2",
    }.items():
        monkeypatch.setenv(name, value)
    strict_generate.script(Reply(Text("Yes.")))

    last = await reply(make(strict_generate), asked())

    assert last.entry.text == "Yes."
    assert strict_generate.requests[0].headers["x-goog-api-key"] == strict_generate.api_key
    assert "GOOGLE_API_KEY" not in caplog.text


async def test_nothing_is_called_or_continued_by_the_sdk_itself(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(Reply(Text("Yes.")))

    await reply(provider, asked())

    body = strict_generate.requests[0].json
    assert body.keys() == {"contents", "systemInstruction", "tools", "generationConfig"}
    assert body["generationConfig"]["maxOutputTokens"] == 1000
    assert "x-server-timeout" not in strict_generate.requests[0].headers


async def test_each_kind_of_waiting_has_its_limit(
    make: Make, strict_generate: StrictGenerate, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, float]] = []
    send = httpx2.AsyncHTTPTransport.handle_async_request

    async def noted(self: httpx2.AsyncHTTPTransport, request: httpx2.Request) -> httpx2.Response:
        seen.append(request.extensions["timeout"])
        return await send(self, request)

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", noted)
    strict_generate.script(Reply(Text("Yes.")))

    await reply(make(strict_generate, read_timeout_s=42.0), asked())

    assert seen == [{"connect": 5.0, "read": 42.0, "write": 60.0, "pool": 60.0}]


def test_a_missing_key_names_the_variable_of_the_service() -> None:
    service = Service("gemini-at-work", module="chat.providers.google", key_variable="WORK_GEMINI_API_KEY")

    with pytest.raises(ModelFailure, match="No key for gemini-4-neon: set WORK_GEMINI_API_KEY") as caught:
        create_provider(ROWS["gemini-4-neon"], service)

    assert caught.value.outcome is TurnOutcome.MODEL_AUTH


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
async def test_every_row_is_accepted_with_each_of_its_efforts(strict_generate: StrictGenerate, row: ModelRow) -> None:
    service = replace(
        settings.BURP.chat.service(row), api_key=strict_generate.api_key, base_url=strict_generate.base_url
    )
    provider = create_provider(row, service)
    strict_generate.script(*(Reply(Text("Yes.")) for _ in ("", *row.efforts)))

    for effort in ("", *row.efforts):
        await reply(provider, replace(asked(effort=effort, max_output_tokens=row.max_output_tokens), model=row.model))
    await provider.aclose()

    assert [request.status for request in strict_generate.requests] == [200] * (1 + len(row.efforts))
    assert settings.BURP.chat.service(row).key_variable == "GEMINI_API_KEY"


async def test_without_an_address_it_is_googles_own() -> None:
    provider = create(ROWS["gemini-4-neon"], Service("google", api_key="k"))
    other = create(ROWS["gemini-4-neon"], Service("google", api_key="k", base_url="https://gateway.example"))

    assert BASE_URL == "https://generativelanguage.googleapis.com"
    assert provider.replay_scope != other.replay_scope
    for one in (provider, other):
        await one.aclose()
