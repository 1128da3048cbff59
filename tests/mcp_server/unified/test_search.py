"""`search`: legs side by side, honest parts, one form; nothing is ever empty because nobody answered."""

import asyncio
from typing import Any

import pytest

from mcp_server.server import ToolServer
from tests.mcp_server.platforms import europepmc_cases, myvariant_cases, pubtator3_cases, registry_studies
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import (
    CBIOPORTAL,
    EUROPE_PMC,
    HOTSPOTS,
    MYVARIANT,
    NCBI,
    PLATFORMS,
    TRIALS,
    Sources,
    article,
    call,
    preprint,
    server,
    usual,
)

Json = Any
BRAF_MELANOMA = "gene:BRAF AND disease:melanoma"
WITHIN_S = 5.0
CANCER = frozenset({CBIOPORTAL, HOTSPOTS})
ALL_HOSTS = frozenset(host for platform in PLATFORMS for host in platform.all_hosts)


def ids(content: Json) -> list[str]:
    return [row["id"] for row in content["results"]]


def codes(content: Json) -> list[str]:
    return [notice["code"] for notice in content["_meta"]["notices"]]


def domain(content: Json, name: str) -> Json:
    return next(each for each in content["_meta"]["domains"] if each["domain"] == name)


async def test_one_query_asks_all_its_domains_and_answers_in_one_form() -> None:
    result = await call(Sources(down=CANCER), "search", query=BRAF_MELANOMA)
    content = result.content
    assert result.meta["burp/outcome"] == "data" and not result.is_error
    assert [each["domain"] for each in content["_meta"]["domains"]] == [
        "article",
        "trial",
        "variant",
        "gene",
        "disease",
    ]
    assert ids(content) == [
        "PMID22663011", "DOI:10.1101/2024.01.01.573890", "NCT01245062", "chr7:g.140753336A>T@hg38", "GENE:673",
        "MONDO:0005105",
    ]  # fmt: skip
    for row in content["results"]:
        assert set(row) == {"id", "title", "text", "url"} and all(row.values())
    assert content["_meta"]["query"] == BRAF_MELANOMA
    assert {each["kind"] for each in result.meta["burp/citations"]} >= {"pmid", "nct", "ncbi_gene"}


async def test_five_legs_run_side_by_side() -> None:
    # No host answers before six were asked: legs that ran one after the other would never end.
    sources = Sources(together=6, down=CANCER)
    result = await asyncio.wait_for(call(sources, "search", query=BRAF_MELANOMA), WITHIN_S)
    assert all(each["status"] == "ok" for each in result.content["_meta"]["domains"])


async def test_a_paper_of_three_sources_appears_once_and_a_preprint_is_marked() -> None:
    content = (await call(Sources(down=CANCER), "search", query=BRAF_MELANOMA, domains=["article"])).content
    assert ids(content) == ["PMID22663011", "DOI:10.1101/2024.01.01.573890"]
    assert "not peer-reviewed" in content["results"][1]["text"]
    assert domain(content, "article")["sources"] == ["PubTator3", "Europe PMC"]


async def test_what_is_named_is_asked_of_each_source_in_its_own_words() -> None:
    sources = Sources(down=CANCER)
    await call(sources, "search", query=f"{BRAF_MELANOMA} AND trials.phase:3")
    assert any("text=@GENE_BRAF AND @DISEASE_Melanoma" in query for query in sources.asked(NCBI))
    assert any('(TITLE_ABS:"BRAF" AND TITLE_ABS:"melanoma")' in query for query in sources.asked(EUROPE_PMC))
    (registry,) = sources.asked(TRIALS)
    assert "query.cond=melanoma" in registry and "query.term=BRAF" in registry
    assert "filter.advanced=AREA[Phase](PHASE3)" in registry


async def test_a_leg_that_fails_is_named_and_the_others_are_kept() -> None:
    content = (await call(Sources(down=CANCER | {TRIALS}), "search", query=BRAF_MELANOMA)).content
    meta = content["_meta"]
    assert meta["status"] == "partial" and domain(content, "trial")["status"] == "error"
    (error,) = [each for each in meta["errors"] if each["domain"] == "trial"]
    assert error["code"] == "upstream_unavailable" and error["retryable"] and "clinicaltrials.gov" in error["message"]
    assert "N_PARTIAL" in codes(content) and "PMID22663011" in ids(content)


async def test_a_source_inside_a_leg_that_fails_is_named_and_the_leg_stands() -> None:
    content = (await call(Sources(down=CANCER | {NCBI}), "search", query=BRAF_MELANOMA)).content
    assert domain(content, "article")["status"] == "ok"
    assert [error["source"] for error in content["_meta"]["errors"]] == ["PubTator3"]
    assert content["_meta"]["status"] == "partial"


async def test_a_dead_network_is_a_failure_and_never_an_empty_result() -> None:
    result = await call(Sources(down=ALL_HOSTS), "search", query=BRAF_MELANOMA)
    assert result.is_error and result.meta["burp/outcome"] == "failed"
    assert result.content["results"] == [] and result.content["_meta"]["status"] == "failed"
    assert "No source answered" in result.content["error"]["message"]
    assert "N_NO_HITS" not in codes(result.content)
    assert {each["domain"] for each in result.content["_meta"]["errors"]} == {
        "article", "trial", "variant", "gene", "disease",
    }  # fmt: skip


async def test_nothing_found_is_complete_and_says_what_to_try() -> None:
    nothing = usual() | {f"{TRIALS}/api/v2/studies": Played(registry_studies.page())}
    result = await call(Sources(nothing), "search", query="trials.condition:nonsense")
    assert result.meta["burp/outcome"] == "empty" and not result.is_error
    assert result.content["_meta"]["status"] == "complete" and codes(result.content) == ["N_NO_HITS"]


async def test_articles_come_with_a_cancer_card_when_genes_are_named() -> None:
    sources = Sources()
    content = (await call(sources, "search", query="gene:BRAF", domains=["article"])).content
    assert any(request.host == CBIOPORTAL for request in sources.requests)
    assert ids(content)[0] in ("cbioportal:BRAF", "PMID22663011")


async def test_no_cancer_card_without_genes() -> None:
    sources = Sources()
    content = (await call(sources, "search", query="disease:melanoma", domains=["article"])).content
    assert not [request for request in sources.requests if request.host in CANCER]
    assert ids(content) == ["PMID22663011", "DOI:10.1101/2024.01.01.573890"]


async def test_a_card_that_fails_never_fails_the_articles() -> None:
    content = (await call(Sources(down=CANCER), "search", query="gene:BRAF", domains=["article"])).content
    assert content["_meta"]["status"] == "complete" and domain(content, "article")["status"] == "ok"
    assert "N_ENRICHMENT" in codes(content) and "PMID22663011" in ids(content)


async def test_a_domain_is_searched_without_a_query() -> None:
    sources = Sources()
    result = await call(sources, "search", domain="trial", diseases=["melanoma"], lat=41.4993, long=-81.6944)
    assert ids(result.content) == ["NCT01245062"]
    (registry,) = sources.asked(TRIALS)
    assert "filter.geo=distance(41.4993,-81.6944,50mi)" in registry and "query.cond=melanoma" in registry
    assert {request.host for request in sources.requests} == {TRIALS}


@pytest.mark.parametrize("place", [{"lat": 41.4993}, {"long": -81.6944}, {"lat": 91.0, "long": 0.0}])
async def test_half_a_place_and_one_off_the_globe_are_refused(place: dict[str, float]) -> None:
    sources = Sources()
    result = await call(sources, "search", domain="trial", diseases=["melanoma"], **place)
    assert result.is_error and not sources.requests
    assert result.content["error"]["code"] in ("E_BAD_PLACE", "tool_invalid_arguments")


async def test_a_city_is_found_without_a_network() -> None:
    sources = Sources()
    await call(sources, "search", query='trials.condition:melanoma AND near:"Cleveland, OH"')
    (registry,) = sources.asked(TRIALS)
    assert "filter.geo=distance(41.4" in registry and ",-81.6" in registry and ",50mi)" in registry


async def test_a_city_of_many_is_asked_back() -> None:
    sources = Sources()
    result = await call(sources, "search", query="trials.condition:melanoma AND near:Springfield")
    error = result.content["error"]
    assert result.is_error and error["code"] == "E_BAD_PLACE" and not sources.requests
    assert any("Illinois" in each or "IL" in each for each in error["suggestions"])


async def test_a_query_that_is_not_understood_is_shown_its_place() -> None:
    sources = Sources()
    result = await call(sources, "search", query="trial.fase:3 AND disease:melanoma")
    error = result.content["error"]
    assert result.is_error and not sources.requests
    assert (error["code"], error["position"], error["length"]) == ("E_UNKNOWN_FIELD", 0, 10)
    assert error["suggestions"][0] == "trials.phase" and "^" in error["snippet"]


async def test_a_plan_is_explained_without_a_single_request() -> None:
    sources = Sources()
    content = (await call(sources, "search", query=BRAF_MELANOMA, explain_query=True)).content
    assert [leg["domain"] for leg in content["legs"]] == ["article", "trial", "variant", "gene", "disease"]
    assert content["legs"][0]["enrich"] == ["cbioportal:BRAF"] and not sources.requests


async def test_the_language_can_be_read() -> None:
    content = (await call(Sources(), "search", get_schema=True)).content
    assert len(content["examples"]) == 6 and "article" in content["domains"]


async def test_nothing_asked_for_is_an_error_with_examples() -> None:
    result = await call(Sources(), "search")
    assert result.is_error and result.content["error"]["code"] == "E_EMPTY"
    assert "gene:BRAF" in str(result.content["error"])


async def test_a_search_goes_on_where_it_ended_and_loses_nothing() -> None:
    many = [
        article(id=str(number), pmid=str(number), title=f"Paper {number}", doi=f"10.1/{number}") for number in range(9)
    ]
    answers = usual() | {
        f"{EUROPE_PMC}/europepmc/webservices/rest/search": lambda query: (
            europepmc_cases.hits(preprint()) if "SRC:PPR" in query else europepmc_cases.hits(*many)
        ),
        f"{NCBI}/research/pubtator3-api/search": pubtator3_cases.hits(),
    }
    asked = {"query": "articles.author:Flaherty", "max_results_per_domain": 4}
    seen: list[str] = []
    cursor = None
    while True:
        content = (await call(Sources(answers), "search", **asked, **({"cursor": cursor} if cursor else {}))).content
        seen += ids(content)
        cursor = content["_meta"]["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 10


async def test_a_cursor_of_another_query_is_refused() -> None:
    first = (await call(Sources(), "search", query="articles.author:Flaherty", max_results_per_domain=1)).content
    assert first["_meta"]["next"]
    other = await call(Sources(), "search", query="articles.author:Chapman", cursor=first["_meta"]["next"])
    broken = await call(Sources(), "search", query="articles.author:Flaherty", cursor="nonsense")
    assert [each.content["error"]["code"] for each in (other, broken)] == ["E_CURSOR", "E_CURSOR"]


async def test_soft_clauses_are_given_up_once_and_the_rows_say_so() -> None:
    def registry(query: str) -> Played:
        found = () if "query.term" in query else (registry_studies.study("NCT01245062"),)
        return Played(registry_studies.page(*found))

    answers = usual() | {f"{TRIALS}/api/v2/studies": registry}
    content = (await call(Sources(answers, down=CANCER), "search", query=BRAF_MELANOMA, domains=["trial"])).content
    assert ids(content) == ["NCT01245062"] and "found without" in content["results"][0]["text"]
    assert domain(content, "trial")["relaxed"] and "N_RELAXED" in codes(content)


async def test_equal_calls_of_one_plan_are_made_once() -> None:
    sources = Sources(down=CANCER)
    await call(sources, "search", query="gene:BRAF AND (disease:melanoma OR keyword:BRAF)")
    lookups = [query for query in sources.asked(NCBI) if "autocomplete" in query and "query=BRAF" in query]
    assert len(lookups) == 1


async def test_a_cancelled_search_ends_all_its_requests() -> None:
    sources = Sources(silent=ALL_HOSTS, together=6)
    tools: ToolServer = server(sources)
    task = asyncio.create_task(tools.call("search", {"query": BRAF_MELANOMA}))
    await asyncio.wait_for(sources.all_here.wait(), WITHIN_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len({*sources.cancelled}) >= 6


async def test_a_variant_row_says_gene_change_significance_and_assembly() -> None:
    content = (
        await call(Sources(down=CANCER), "search", query="variant:V600E AND gene:BRAF", domains=["variant"])
    ).content
    (row,) = content["results"]
    assert row["title"] == "BRAF V600E" and row["id"] == "chr7:g.140753336A>T@hg38"
    for fact in ("BRAF", "p.V600E", "Pathogenic", "3.98e-06", "assembly hg38", "rs113488022"):
        assert fact in row["text"]
    assert row["url"] == "https://www.ncbi.nlm.nih.gov/clinvar/variation/13961/"


async def test_a_source_that_finds_no_variant_leaves_an_empty_leg() -> None:
    answers = usual() | {f"{MYVARIANT}/v1/query": myvariant_cases.NO_HITS}
    content = (await call(Sources(answers), "search", query="variants.gene:BRAF AND significance:pathogenic")).content
    assert domain(content, "variant")["status"] == "empty" and content["_meta"]["status"] == "complete"


async def test_only_what_is_shown_is_cited() -> None:
    many = [article(id=str(n), pmid=str(n), title=f"Paper {n}", doi=f"10.1/{n}") for n in range(9)]
    answers = usual() | {
        f"{EUROPE_PMC}/europepmc/webservices/rest/search": europepmc_cases.hits(*many),
        f"{NCBI}/research/pubtator3-api/search": pubtator3_cases.hits(),
    }
    asked = {"query": BRAF_MELANOMA, "max_results_per_domain": 2}
    result = await call(Sources(answers, down=CANCER), "search", **asked)
    shown = {identifier.removeprefix("PMID") for identifier in ids(result.content) if identifier.startswith("PMID")}
    citations = result.meta["burp/citations"]
    assert {each["identifier"] for each in citations if each["kind"] == "pmid"} == shown and len(shown) == 2
    kinds = {"pmid", "nct", "clinvar_variation", "ncbi_gene", "mydisease", "ontology"}
    assert {each["kind"] for each in citations} == kinds


async def test_each_row_has_a_source_that_can_be_cited() -> None:
    result = await call(Sources(down=CANCER), "search", query=BRAF_MELANOMA)
    assert len(result.meta["burp/citations"]) >= len(result.content["results"])
