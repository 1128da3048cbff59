"""Legs within their time: who is late is named and ended; few requests at a time, equal ones once."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from mcp_server.http.messages import Request, Response
from mcp_server.unified import execute
from mcp_server.unified.tool import AT_ONCE
from tests.mcp_server.platforms import cbioportal_cases, registry_studies
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import (
    CBIOPORTAL,
    EUROPE_PMC,
    HOTSPOTS,
    MYVARIANT,
    NCBI,
    TRIALS,
    Sources,
    call,
    server,
    usual,
)
from tests.mcp_server.unified.test_search import ALL_HOSTS, BRAF_MELANOMA, CANCER, codes, domain, ids

Json = Any
# Long enough for sources that answer at once, short enough to wait for.
LEG_S, SHORT_S = 1.0, 0.05
HTML = "<html><head><title>Oops</title></head><body><h1>500</h1><pre>Traceback: key=SECRET</pre></body></html>"


@pytest.fixture
def short_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each leg so little time that a silent source is soon late."""
    monkeypatch.setattr(execute, "LEG_S", LEG_S)


@pytest.mark.usefixtures("short_legs")
async def test_a_leg_that_is_late_is_ended_down_to_its_request_and_the_others_are_kept() -> None:
    sources = Sources(down=CANCER, silent=frozenset({TRIALS}))
    content = (await call(sources, "search", query=BRAF_MELANOMA)).content
    assert domain(content, "trial")["status"] == "timeout" and content["_meta"]["status"] == "partial"
    (error,) = content["_meta"]["errors"]
    assert error == {
        "domain": "trial", "source": "ClinicalTrials.gov", "code": "tool_timeout", "retryable": True,
        "message": "no answer within 1 s; the request was ended",
    }  # fmt: skip
    assert {"PMID22663011", "GENE:673"} <= set(ids(content)) and sources.cancelled == [TRIALS]


@pytest.mark.usefixtures("short_legs")
async def test_a_source_that_is_late_leaves_what_the_other_of_its_leg_has_brought() -> None:
    sources = Sources(down=CANCER, silent=frozenset({NCBI}))
    content = (await call(sources, "search", query=BRAF_MELANOMA, domains=["article"])).content
    assert domain(content, "article")["status"] == "ok" and "PMID22663011" in ids(content)
    assert [(error["source"], error["code"]) for error in content["_meta"]["errors"]] == [("PubTator3", "tool_timeout")]
    assert set(sources.cancelled) == {NCBI}


async def test_the_whole_search_ends_at_its_time_and_says_that_nobody_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "WHOLE_S", SHORT_S)
    sources = Sources(silent=ALL_HOSTS)
    result = await asyncio.wait_for(call(sources, "search", query=BRAF_MELANOMA), 5.0)
    assert result.is_error and result.content["_meta"]["status"] == "failed"
    assert {each["status"] for each in result.content["_meta"]["domains"]} == {"timeout"}
    assert len(sources.cancelled) == len(sources.requests)


async def test_cards_that_are_late_never_hold_up_the_articles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "ENRICHMENT_S", SHORT_S)
    sources = Sources(silent=CANCER)
    content = (await call(sources, "search", query="gene:BRAF", domains=["article"])).content
    assert content["_meta"]["status"] == "complete" and ids(content)[0] == "PMID22663011"
    assert "N_ENRICHMENT" in codes(content) and set(sources.cancelled) == CANCER


async def test_a_wait_that_is_longer_than_the_leg_is_rate_limited_and_not_waited_for() -> None:
    busy = usual() | {f"{TRIALS}/api/v2/studies": Played("", 429, {"retry-after": "24"})}
    content = (await call(Sources(busy), "search", query="trials.condition:melanoma OR drugs.id:CHEMBL941")).content
    assert domain(content, "trial")["status"] == "rate_limited"
    (error,) = [each for each in content["_meta"]["errors"] if each["domain"] == "trial"]
    assert error["code"] == "upstream_rate_limited" and error["http_status"] == 429 and error["retryable"]


async def test_what_is_told_of_a_fault_holds_neither_keys_nor_pages_nor_traces() -> None:
    broken = usual() | {
        f"{TRIALS}/api/v2/studies": Played(HTML, 500),
        f"{MYVARIANT}/v1/query": Played(HTML),
        f"{NCBI}/research/pubtator3-api/search": Played({"results": [{"title": "no number"}], "count": 1}),
    }
    content = (await call(Sources(broken, down=CANCER), "search", query=BRAF_MELANOMA)).content
    errors = content["_meta"]["errors"]
    assert {error["domain"] for error in errors} == {"article", "trial", "variant"}
    for error in errors:
        assert set(error) <= {"domain", "source", "code", "message", "retryable", "http_status"}
        assert len(error["message"]) <= 240 and "\n" not in error["message"]
        assert not any(sign in error["message"] for sign in ("<", "SECRET", "https://", "Traceback", "Oops"))
    assert next(error for error in errors if error["domain"] == "trial")["http_status"] == 500


async def test_a_fault_of_the_search_itself_hurts_one_leg_only(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise KeyError("inner workings")

    monkeypatch.setitem(execute.SEARCHES, "gene", broken)  # type: ignore[arg-type]
    content = (await call(Sources(down=CANCER), "search", query=BRAF_MELANOMA)).content
    (error,) = content["_meta"]["errors"]
    assert (error["domain"], error["code"]) == ("gene", "internal") and "inner workings" not in error["message"]
    assert domain(content, "trial")["status"] == "ok"


async def test_an_argument_that_a_source_refuses_is_no_fault_of_the_server() -> None:
    content = (await call(Sources(), "search", query="trials.condition:NCT01808573")).content
    (error,) = content["_meta"]["errors"]
    assert error["code"] == "tool_invalid_arguments" and not error["retryable"]


async def test_a_search_without_soft_clauses_is_not_made_where_a_source_failed() -> None:
    # One of two searches brings nothing, the other fails: what it would have brought is not known.
    answers = {name: answer for name, answer in usual().items() if not name.startswith(MYVARIANT)} | {
        f"{MYVARIANT}/v1/query?assembly=hg38": Played({"total": 0, "hits": []}),
        f"{MYVARIANT}/v1/query?assembly=hg19": Played("", 500),
    }
    query = "variants.region:7:140753330-140753340 AND disease:melanoma"
    content = (await call(Sources(answers), "search", query=query, domains=["variant"])).content
    assert "N_RELAXED" not in codes(content) and content["_meta"]["status"] == "partial"
    assert "N_NO_HITS" not in codes(content)


async def test_equal_requests_of_different_tools_are_sent_once() -> None:
    answers = usual() | {**cbioportal_cases.ATLAS, **cbioportal_cases.ATLAS_CALLS}
    answers |= {f"{HOTSPOTS}/api/hotspots": Played([cbioportal_cases.V600])}
    sources = Sources(answers)
    await call(sources, "search", query="gene:BRAF AND variant:(V600E OR V600K) AND keyword:(resistance OR survival)")
    asked = Counter(f"{one.method} {one.url} {json.dumps(one.body, sort_keys=True)}" for one in sources.requests)
    assert any(one.host == CBIOPORTAL for one in sources.requests)
    assert [request for request, times in asked.items() if times > 1] == []


@dataclass
class Crowded(Sources):
    """Counts who is inside at the same time; nobody is answered before the door is full."""

    inside: int = 0
    most_inside: int = 0

    async def send(self, request: Request) -> Response:
        """Answer a request."""
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        await asyncio.sleep(0)
        try:
            return await super().send(request)
        finally:
            self.inside -= 1


async def test_no_more_than_twelve_requests_are_under_way() -> None:
    sources = Crowded(down=CANCER)
    genes = " OR ".join(f"G{number}" for number in range(20))
    await call(sources, "search", query=f"gene:({genes})")
    assert AT_ONCE == 12 and sources.most_inside == 12 and len(sources.requests) > 20


async def test_who_waits_is_told_how_each_leg_ended() -> None:
    told: list[str] = []
    tools = server(Sources(usual() | {f"{TRIALS}/api/v2/studies": Played(registry_studies.page())}, down=CANCER))
    await tools.call("search", {"query": BRAF_MELANOMA}, told.append)
    assert {"article: ok", "trial: empty", "variant: ok", "gene: ok", "disease: ok"} <= set(told)
    assert EUROPE_PMC  # the articles came from there
