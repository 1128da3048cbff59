"""MyVariant and its sisters: for each tool a hit, nothing found, an unknown id and a broken source stay apart."""

import pytest

from mcp_server.platforms.myvariant import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.myvariant_cases import CASES, TOOLS, Case


def over(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.tool)


@over(CASES)
async def test_a_hit_is_data(case: Case) -> None:
    result = await call(platform, FakeUpstream(case.hit), case.tool, **case.asked)
    assert result.content["outcome"] == "data", result.content
    assert result.content["data"] and result.content["returned"] >= 1
    assert result.meta["burp/citations"]
    assert all(cited["url"].startswith("https://") for cited in result.meta["burp/citations"])


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
    assert result.content["note"] and result.content["data"]["identifier"]


@pytest.mark.case("C038")
@over(CASES)
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Played("<html>502 Bad Gateway</html>", 502), "upstream_unavailable"),
        (Played("Too many requests", 429), "upstream_rate_limited"),
        (Played("<html>Not found</html>", 404), "upstream_not_found"),
        (Played({"success": False, "error": "Bad parameter"}, 400), "upstream_refused"),
        (Played("<html>Maintenance</html>"), "upstream_bad_response"),
        (Played({"success": False, "error": "internal"}), "upstream_bad_response"),
    ],
    ids=["down", "rate", "front door", "refused", "page with 200", "error with 200"],
)
async def test_a_broken_source_is_a_failure(case: Case, answer: Played, code: str) -> None:
    result = await call(platform, FakeUpstream({"": answer}), case.tool, **case.asked)
    assert result.content["outcome"] == "failed", result.content
    assert result.content["error"]["code"] == code


def test_every_tool_is_tried() -> None:
    assert {case.tool for case in CASES if not case.arguments} == set(TOOLS)
