"""PubChem: for each tool a hit, nothing found, an unknown id and a broken source stay four different things."""

import pytest

from mcp_server.platforms.pubchem import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.pubchem_cases import CASES, TOOLS, Case


def over(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.tool)


@over(CASES)
async def test_a_hit_is_data(case: Case) -> None:
    result = await call(platform, FakeUpstream(case.hit), case.tool, **case.asked)
    assert result.content["outcome"] == "data", result.content
    assert result.content["data"]
    assert result.meta["burp/citations"] or case.tool == "autocomplete"


@over([case for case in CASES if case.nothing is not None])
async def test_nothing_found_is_empty_and_says_so(case: Case) -> None:
    assert case.nothing is not None
    result = await call(platform, FakeUpstream(case.nothing), case.tool, **case.asked)
    assert (result.content["outcome"], result.content["total"]) == ("empty", 0), result.content
    assert result.content["note"]


@over([case for case in CASES if case.unknown is not None])
async def test_an_identifier_that_is_not_known_is_told_apart(case: Case) -> None:
    assert case.unknown is not None
    result = await call(platform, FakeUpstream(case.unknown), case.tool, **case.asked)
    assert result.content["outcome"] == "unknown_id", result.content
    assert result.content["note"] and (result.content["data"].get("identifier") or result.content["data"]["missing"])


@pytest.mark.case("C024")
@over(CASES)
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Played("<html>502 Bad Gateway</html>", 502), "upstream_unavailable"),
        (Played("Too many requests", 429), "upstream_rate_limited"),
        (Played("<html>Not found</html>", 404), "upstream_not_found"),
        (Played({"Fault": {"Code": "PUGREST.Unimplemented", "Message": "No"}}, 501), "upstream_unavailable"),
        (Played({"Fault": {"Code": "PUGREST.ServerBusy", "Message": "Too busy"}}, 503), "upstream_rate_limited"),
        (Played({"Fault": {"Code": "PUGREST.Timeout", "Message": "Timed out"}}, 504), "upstream_unavailable"),
        (Played("Error: the service is being restarted."), "upstream_bad_response"),
    ],
    ids=["down", "rate", "front door", "not implemented", "busy", "timeout", "text with 200"],
)
async def test_a_broken_source_is_a_failure(case: Case, answer: Played, code: str) -> None:
    result = await call(platform, FakeUpstream({"": answer}), case.tool, **case.asked)
    assert result.content["outcome"] == "failed", result.content
    assert result.content["error"]["code"] == code


def test_every_tool_is_tried() -> None:
    assert [case.tool for case in CASES if case.arguments] == []
    assert {case.tool for case in CASES} == set(TOOLS)
