"""Which calls run, for how long, and what the model reads of their results."""

import json
from typing import Any

import pytest

from chat.dispatch import Dispatcher, Done, ToolFacts
from chat.events import ToolEnd
from chat.ports import Shrunk, ToolFailed
from chat.providers.base import ToolCall
from chat.providers.scripted import Reply, call
from tests.chat.loop_kit import NoSystemTools, Run, Tools

CALL = ToolCall("c1", "gene", {"symbol": "HER2"})


class Shrinks:
    """Answers with what it was told."""

    def __init__(self, shrunk: Shrunk) -> None:
        self._shrunk = shrunk

    async def shrink(self, data: Any, *, tool: str, noise: str | None) -> Shrunk:
        return self._shrunk


async def read(shrunk: Shrunk) -> dict[str, Any]:
    dispatcher = Dispatcher(
        gateway=Tools(),
        system_tools=NoSystemTools(),
        shrinker=Shrinks(shrunk),
        tools={"gene": ToolFacts("Gene", "Ensembl")},
        timeout_s=5,
        max_parallel=1,
    )
    finished: dict[str, Done] = {}
    await dispatcher.run([CALL], 1, lambda event: None, finished)
    content: dict[str, Any] = json.loads(finished["c1"].result.text.partition("\n")[2])
    return content


async def test_a_reduced_result_says_what_was_left_out_and_where_the_whole_is() -> None:
    warning = "12 of 400 rows are shown; the whole is artifact a1"
    content = await read(Shrunk("reduced", '{"rows":[1]}', 9000, 12, artifact_id="a1", warning=warning))
    assert content["data"] == {"rows": [1]}
    assert (content["artifact_id"], content["note"]) == ("a1", warning)
    assert (content["total"], content["returned"]) == (1, 1)


async def test_a_stored_result_is_a_preview_with_its_artifact() -> None:
    content = await read(Shrunk("stored", "object with rows[400]", 9_000_000, 21, artifact_id="a1"))
    assert "data" not in content
    assert (content["artifact_id"], content["preview"]) == ("a1", "object with rows[400]")


@pytest.mark.parametrize("text", ['{"a":1}', "[]", '"ü"', "null"])
async def test_an_inline_result_is_the_data_itself(text: str) -> None:
    content = await read(Shrunk("inline", text, len(text), len(text)))
    assert content["data"] == json.loads(text)
    assert "artifact_id" not in content


async def test_a_former_name_is_answered_with_the_tool_that_took_its_place() -> None:
    now = "europepmc__get_citations"
    dispatcher = Dispatcher(
        gateway=Tools(),
        system_tools=NoSystemTools(),
        shrinker=Shrinks(Shrunk("inline", "null", 4, 4)),
        tools={now: ToolFacts("Europe PMC: get citations", "Europe PMC")},
        timeout_s=5,
        max_parallel=1,
    )
    finished: dict[str, Done] = {}
    await dispatcher.run([ToolCall("c1", "pubmed__find_citing_articles", {})], 1, lambda event: None, finished)
    assert (finished["c1"].event.error_code, finished["c1"].result.is_error) == ("tool_unknown", True)
    assert f"any more: {now} has taken its place" in finished["c1"].result.text


async def test_a_call_whose_arguments_are_wrong_is_not_sent() -> None:
    schema = {"type": "object", "properties": {"symbol": {"type": "string"}}, "additionalProperties": False}
    facts = ToolFacts("Gene", "Ensembl", schema=schema, example={"symbol": "ERBB2"})
    run = Run.of(Reply(calls=[call("gene", symbol=7, limit=3)]), Reply("Done."), facts=facts)
    await run.play()
    (end,) = run.of_type(ToolEnd)
    assert run.tools.calls == []
    assert (end.ok, end.error_code) == (False, "tool_invalid_arguments")
    assert json.loads(run.provider.requests[1].entries[-1].results[0].text.partition("\n")[2])["error"] == {
        "code": "tool_invalid_arguments",
        "message": "limit: there is no such argument; allowed: symbol. symbol: 7 is not a text; allowed: a text",
        "argument": "limit",
        "allowed": "symbol",
        "example": {"symbol": "ERBB2"},
        "next_step": "An argument was not acceptable. Correct it as the message says and call again.",
    }


async def test_a_call_that_outlasts_its_time_is_ended_and_its_siblings_are_not() -> None:
    run = Run.of(Reply(calls=[call("slow"), call("gene")]), Reply("Done."), tool_timeout_s=0.05)
    end = await run.play()
    assert {e.tool: e.error_code for e in run.of_type(ToolEnd)} == {"slow": "tool_timeout", "gene": ""}
    assert (run.tools.running, end.outcome) == (0, "completed")


async def test_the_same_call_in_a_later_step_is_answered_from_its_first_result() -> None:
    again = call("gene", limit=None, symbol="HER2")
    run = Run.of(Reply(calls=[call("gene", symbol="HER2")]), Reply(calls=[again]), Reply("Done."))
    await run.play()
    first, second = run.of_type(ToolEnd)
    assert run.tools.calls == [("gene", {"symbol": "HER2"})]
    assert (first.repeats, second.repeats, second.requests, second.ok) == ("", "call_1", [], True)
    texts = [request.entries[-1].results[0].text for request in run.provider.requests[1:]]
    read = [json.loads(text.partition("\n")[2]) for text in texts]
    assert read[1].pop("repeated").startswith("This call was made before in this turn")
    assert read[0] == read[1]
    assert texts[0].partition("\n")[0] == texts[1].partition("\n")[0]


async def test_the_same_call_twice_in_one_message_runs_once_and_waits_without_a_slot() -> None:
    calls = [call("slow", a=1, b=2), call("slow", b=2, a=1), call("gene")]
    run = Run.of(Reply(calls=calls), Reply("Done."), max_parallel=2)
    await run.play_and(run.tools.reached, run.tools.release.set)
    assert sorted(name for name, _ in run.tools.calls) == ["gene", "slow"]
    assert run.tools.most_running == 2
    assert [(e.tool, e.repeats) for e in run.of_type(ToolEnd) if e.repeats] == [("slow", "call_1")]
    results = run.provider.requests[1].entries[-1].results
    assert [(result.call_id, result.name) for result in results] == [
        ("call_1", "slow"), ("call_2", "slow"), ("call_3", "gene")
    ]  # fmt: skip


async def test_a_call_that_failed_may_be_tried_again_later_in_the_turn() -> None:
    run = Run.of(Reply(calls=[call("broken")] * 2), Reply(calls=[call("broken")]), Reply("Done."))
    await run.play()
    assert len(run.tools.calls) == 2
    assert [(e.ok, e.repeats) for e in run.of_type(ToolEnd)] == [(False, ""), (False, "call_1"), (False, "")]


async def test_another_turn_asks_anew() -> None:
    for _ in range(2):
        run = Run.of(Reply(calls=[call("gene")]), Reply("Done."))
        await run.play()
        assert len(run.tools.calls) == 1


async def test_an_error_as_long_as_a_page_is_cut() -> None:
    run = Run.of(Reply(calls=[call("broken")]), Reply("Done."))
    run.tools.broken = ToolFailed("upstream_refused", "x" * 100_000)
    await run.play()
    (end,) = run.of_type(ToolEnd)
    assert len(end.message) == 2_000
    assert len(run.provider.requests[1].entries[-1].results[0].text) < 3_000
