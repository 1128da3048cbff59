"""A call that was cut off is never repaired and run, whatever of it arrived."""

import json
from collections.abc import AsyncIterator

import pytest

from chat.events import ToolEnd
from chat.providers.anthropic import AnthropicModel, AnthropicProvider
from chat.providers.base import ToolResultsEntry
from evals.strict_messages import Reply, StrictMessages, Text, ToolUse
from tests.chat.loop_kit import Run
from tests.strict_messages.fixture import strict_messages as strict_messages

SONNET = "claude-sonnet-5-5"
CUTS = {
    "in a value": '{"query":"BRCA1 AND (olap',
    "before a value": '{"query":',
    "valid by chance": '{"query":"BRCA1"}',
}


@pytest.fixture
async def provider(strict_messages: StrictMessages) -> AsyncIterator[AnthropicProvider]:
    """Give a provider on the strict server."""
    provider = AnthropicProvider(
        AnthropicModel(SONNET), api_key=strict_messages.api_key, base_url=strict_messages.base_url
    )
    yield provider
    await provider.aclose()


@pytest.mark.case("C056")
@pytest.mark.parametrize("sent", CUTS.values(), ids=CUTS.keys())
async def test_a_call_cut_by_the_output_limit_does_not_run_nor_do_its_siblings(
    provider: AnthropicProvider, strict_messages: StrictMessages, sent: str
) -> None:
    whole = ToolUse("gene", {"query": "TP53"})
    strict_messages.script(
        Reply(whole, ToolUse("gene", sent=sent), stop_reason="max_tokens"),
        Reply(ToolUse("gene", {"query": "BRCA1"})),
        Reply(Text("Done.")),
    )
    run = Run.with_provider(provider, model=SONNET)

    end = await run.play()

    assert run.tools.calls == [("gene", {"query": "BRCA1"})]
    assert [event.error_code for event in run.of_type(ToolEnd)] == ["tool_invalid_arguments"] * 2 + [""]
    results = next(entry for entry in run.transcript.entries if isinstance(entry, ToolResultsEntry)).results
    for result in results:
        error = json.loads(result.text.partition("\n")[2])["error"]
        assert "cut off by the output limit" in error["message"]
        assert "Send a shorter call" in error["message"]
    assert [request.status for request in strict_messages.requests] == [200, 200, 200]
    assert end.outcome == "completed"


@pytest.mark.case("C056")
async def test_arguments_that_do_not_parse_are_not_run_as_an_empty_object(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(ToolUse("gene", sent='{"query":"BRCA1')), Reply(Text("Done.")))
    run = Run.with_provider(provider, model=SONNET)
    end = await run.play()
    (failed,) = run.of_type(ToolEnd)
    assert run.tools.calls == []
    assert "not a complete JSON object" in failed.message
    assert end.outcome == "completed"
