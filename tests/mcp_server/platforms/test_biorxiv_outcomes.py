"""bioRxiv and medRxiv: for each tool a hit, nothing, an unknown DOI and a broken source stay four different things."""

import pytest

from mcp_server.platforms.biorxiv import platform
from tests.mcp_server.platforms.biorxiv_answers import CASES, TOOLS, Case
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call


def over(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.tool)


@over(CASES)
async def test_a_hit_is_data_with_its_doi_as_citation(case: Case) -> None:
    result = await call(platform, FakeUpstream(case.hit), case.tool, **case.asked)
    assert result.content["outcome"] == "data", result.content
    assert {each["kind"] for each in result.meta["burp/citations"]} == {"doi"}
    assert all(each["url"].startswith("https://") for each in result.meta["burp/citations"])


@over([case for case in CASES if case.nothing is not None])
async def test_nothing_found_is_empty_and_says_so(case: Case) -> None:
    assert case.nothing is not None
    result = await call(platform, FakeUpstream(case.nothing), case.tool, **case.asked)
    assert (result.content["outcome"], result.content["total"]) == ("empty", 0), result.content
    assert len(result.content["note"]) > 15 and "next" not in result.content


@pytest.mark.case("C032")
@over([case for case in CASES if case.unknown is not None])
async def test_a_doi_that_is_not_known_is_told_apart(case: Case) -> None:
    assert case.unknown is not None
    result = await call(platform, FakeUpstream(case.unknown), case.tool, **case.asked)
    assert result.content["outcome"] == "unknown_id", result.content
    assert result.content["note"] and result.meta["burp/citations"] == []


@pytest.mark.case("C038", "C042")
@over(CASES)
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        # An outage of one route, seen while others worked.
        (Played(""), "upstream_bad_response"),
        (Played("<html>Just a moment...</html>"), "upstream_bad_response"),
        (Played({"messages": [], "collection": []}), "upstream_bad_response"),
        (Played("error code: 1015", 429), "upstream_rate_limited"),
        (Played("<html>Bad gateway</html>", 502), "upstream_unavailable"),
        (Played("<html>Forbidden</html>", 403), "upstream_refused"),
    ],
    ids=["no body", "page with 200", "no message", "rate", "down", "refused"],
)
async def test_a_broken_source_is_a_failure(case: Case, answer: Played, code: str) -> None:
    result = await call(platform, FakeUpstream({"": answer}), case.tool, **case.asked)
    assert result.content["outcome"] == "failed", result.content
    assert result.content["error"]["code"] == code


@pytest.mark.parametrize(
    ("said", "code"),
    [("Error : (2002) Connection refused", "upstream_unavailable"), ("invalid interval", "upstream_refused")],
)
@pytest.mark.parametrize("tool", [name for name in TOOLS if name != "search_preprints"])
async def test_another_sentence_than_nothing_found_is_a_failure(tool: str, said: str, code: str) -> None:
    upstream = FakeUpstream({"": Played({"messages": [{"status": said}], "collection": []})})
    result = await call(platform, upstream, tool, **TOOLS[tool].example)
    assert result.content["error"]["code"] == code
    assert said in result.content["error"]["message"]


def test_every_tool_is_tried() -> None:
    assert {case.tool for case in CASES} == set(TOOLS)
