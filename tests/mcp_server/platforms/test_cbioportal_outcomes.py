"""cBioPortal: for each tool a hit, nothing found, an unknown id and a broken source stay four different things."""

from dataclasses import replace

import pytest

from mcp_server.platforms.cbioportal import platform
from tests.mcp_server.platforms.cbioportal_cases import CASES, SEARCHED_WITHOUT_TYPE, TOOLS, Case
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

FOUND = [replace(case, arguments=SEARCHED_WITHOUT_TYPE) if case.arguments else case for case in CASES]


def over(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.tool)


@over(FOUND)
async def test_a_hit_is_data(case: Case) -> None:
    result = await call(platform, FakeUpstream(case.hit), case.tool, **case.asked)
    assert result.content["outcome"] == "data", result.content
    assert result.content["data"]
    assert all(cited["url"].startswith("https://") for cited in result.meta["burp/citations"])
    assert result.meta["burp/citations"]


@over([case for case in FOUND if case.nothing is not None])
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
@over(FOUND)
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Played("<html>502 Bad Gateway</html>", 502), "upstream_unavailable"),
        (Played({"message": "SQL exception"}, 500), "upstream_unavailable"),
        (Played("Too many requests", 429), "upstream_rate_limited"),
        (Played("<html>Not found</html>", 404), "upstream_not_found"),
        (Played({"message": "Request payload failed validation"}, 400), "upstream_refused"),
        (Played("<html>Down for maintenance</html>"), "upstream_bad_response"),
        (Played({"message": "something"}), "upstream_bad_response"),
        (Played('[{"studyId": "msk_'), "upstream_bad_response"),
    ],
    ids=["down", "database", "rate", "front door", "refused", "page with 200", "message with 200", "broken stream"],
)
async def test_a_broken_source_is_a_failure(case: Case, answer: Played, code: str) -> None:
    result = await call(platform, FakeUpstream({"": answer}), case.tool, **case.asked)
    assert result.content["outcome"] == "failed", result.content
    assert result.content["error"]["code"] == code


def test_every_tool_is_tried() -> None:
    assert {case.tool for case in CASES} == set(TOOLS)
