"""The worked examples of the language, run: each leg ends in one of its ways, and none in a fault of the search."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_server.platforms import registry_studies
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import TRIALS, Sources, call
from tests.mcp_server.unified.test_every_clause import Both
from tests.mcp_server.unified.test_search import codes

Json = Any
EXAMPLES = json.loads((Path(__file__).parent / "query" / "worked_examples.json").read_text())
RUN = [one for one in EXAMPLES if "legs" in one]


@pytest.mark.parametrize("example", RUN, ids=lambda one: one["name"])
async def test_an_example_is_searched_as_it_is_planned(example: Json) -> None:
    asked = example.get("request") or {"query": example["query"]}
    content = (await call(Both(), "search", **asked)).content
    shown = content["_meta"]["domains"]
    assert [each["domain"] for each in shown] == list(dict.fromkeys(leg["domain"] for leg in example["legs"]))
    assert {each["status"] for each in shown} <= {"ok", "empty", "error"}
    assert not [error for error in content["_meta"]["errors"] if error["code"] == "internal"]
    for each in shown:
        assert each["total_is"] in ("exact", "at_least", "unknown")
        assert (each["total"] is None) == (each["total_is"] == "unknown") and each["returned"] <= 13
    for row in content["results"]:
        assert set(row) == {"id", "title", "text", "url"} and all(row.values()) and len(row["text"]) <= 600


async def test_where_nothing_is_found_it_is_said_what_to_change() -> None:
    nothing = Sources({f"{TRIALS}/api/v2/studies": Played(registry_studies.page())})
    query = "trials.condition:glioblastomaa AND phase:3 AND trials.country:Chad"
    content = (await call(nothing, "search", query=query)).content
    (told,) = content["_meta"]["notices"]
    assert told["message"].endswith(
        "Leave out the phase or the country, or check the spelling of glioblastomaa."
    ) and codes(content) == ["N_NO_HITS"]
