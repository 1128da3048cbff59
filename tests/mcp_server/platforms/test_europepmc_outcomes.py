"""Europe PMC: for each tool a hit, nothing found, an unknown id and a broken source stay four different things."""

import pytest

from mcp_server.platforms.europepmc import platform
from tests.mcp_server.platforms.europepmc_cases import CASES, TOOLS, Case
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call


def over(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.tool)


@over([case for case in CASES if case.hit])
async def test_a_hit_is_data(case: Case) -> None:
    result = await call(platform, FakeUpstream(case.hit), case.tool, **case.asked)
    assert result.content["outcome"] == "data", result.content
    assert result.content["data"]
    assert result.meta["burp/citations"] or case.tool == "count_hits"
    assert all(each["url"].startswith("https://europepmc.org/") for each in result.meta["burp/citations"])


@over([case for case in CASES if case.nothing is not None])
async def test_nothing_found_is_empty_and_says_so(case: Case) -> None:
    assert case.nothing is not None
    result = await call(platform, FakeUpstream(case.nothing), case.tool, **case.asked)
    assert (result.content["outcome"], result.content["total"]) == ("empty", 0), result.content
    assert len(result.content["note"]) > 15
    assert "next" not in result.content


@pytest.mark.case("C032")
@over([case for case in CASES if case.unknown is not None])
async def test_an_identifier_that_is_not_known_is_told_apart(case: Case) -> None:
    assert case.unknown is not None
    result = await call(platform, FakeUpstream(case.unknown), case.tool, **case.asked)
    assert result.content["outcome"] == "unknown_id", result.content
    assert result.content["note"] and result.content["data"]["identifier"]
    assert result.meta["burp/citations"] == []


@pytest.mark.case("C038", "C042")
@over(CASES)
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Played("This API is temporarily unavailable due to maintenance.", 503), "upstream_unavailable"),
        (Played("<html>504 Gateway Time-out</html>", 504), "upstream_unavailable"),
        (Played("Too many requests", 429), "upstream_rate_limited"),
        (Played("<html>Not found</html>", 404), "upstream_not_found"),
        (Played({"status": 400, "message": "wrongly formatted values"}, 400), "upstream_refused"),
        (Played("<!doctype html><html><body>Just a moment...</body></html>"), "upstream_bad_response"),
        (Played(""), "upstream_bad_response"),
        (Played({"version": "6.9"}), "upstream_bad_response"),
    ],
    ids=["maintenance", "gateway", "rate", "front door", "refused", "page with 200", "no body", "only a version"],
)
async def test_a_broken_source_is_a_failure(case: Case, answer: Played, code: str) -> None:
    result = await call(platform, FakeUpstream({"": answer}), case.tool, **case.asked)
    assert result.content["outcome"] == "failed", result.content
    assert result.content["error"]["code"] == code


@pytest.mark.parametrize("tool", ["search_articles", "count_hits", "get_article", "get_citations", "get_references"])
async def test_an_error_code_with_status_200_is_a_refusal_in_the_services_words(tool: str) -> None:
    said = "Invalid page size provided. Valid size is between 1 and 1000"
    upstream = FakeUpstream({"": Played({"errCode": 404, "errMsg": said})})
    result = await call(platform, upstream, tool, **TOOLS[tool].example)
    assert result.content["error"]["code"] == "upstream_refused"
    assert said in result.content["error"]["message"]


def test_every_tool_is_tried() -> None:
    assert {case.tool for case in CASES} == set(TOOLS)
