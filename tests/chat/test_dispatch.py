"""What the model reads of a result that the pipeline made smaller."""

import json
from typing import Any

import pytest

from chat.dispatch import Dispatcher, Done, ToolFacts
from chat.ports import Shrunk
from chat.providers.base import ToolCall
from tests.chat.loop_kit import NoSystemTools, Tools

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
