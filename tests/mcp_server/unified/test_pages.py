"""Pages of a search: nothing is lost, nothing comes twice, and the end is the end."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mcp_server.unified import cursor
from tests.mcp_server.platforms import europepmc_cases, myvariant_cases, pubtator3_cases, registry_studies
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import EUROPE_PMC, MYVARIANT, NCBI, TRIALS, Answer, Sources, call, usual
from tests.mcp_server.unified.test_search import CANCER, codes, domain, ids

Json = Any
EPMC, PUBTATOR = f"{EUROPE_PMC}/europepmc/webservices/rest/search", f"{NCBI}/research/pubtator3-api/search"
STUDIES, VARIANTS = f"{TRIALS}/api/v2/studies", f"{MYVARIANT}/v1/query"


def number(query: str, name: str, default: int = 0) -> int:
    """Return a number that a request names."""
    found = re.search(rf"\b{name}=(\d+)", query)
    return int(found[1]) if found else default


def paper(place: int, source: str = "MED") -> Json:
    """Return a paper or preprint; those of a higher place are older."""
    year = str(2099 - place)
    facts = {"title": f"Paper {source} {place}", "doi": f"10.1/{source}.{place}", "pubYear": year}
    return europepmc_cases.record(source, str(place), **facts, firstPublicationDate=f"{year}-01-01")


def europe_pmc(count: int, preprints: int = 0) -> Callable[[str], Played]:
    """Play an index of so many articles and preprints, page by page."""

    def answer(query: str) -> Played:
        is_preprints = "SRC:PPR" in query and "SRC:MED" not in query
        total, source = (preprints, "PPR") if is_preprints else (count, "MED")
        mark = re.search(r"cursorMark=(\w+)", query)
        start, size = int(mark[1]) if mark else 0, number(query, "pageSize", 25)
        found = [paper(place, source) for place in range(start, min(start + size, total))]
        following = str(start + size) if start + size < total else None
        return europepmc_cases.hits(*found, count=total, cursor=following)

    return answer


def pubtator(places: range) -> Callable[[str], Played]:
    """Play a search whose hits are the papers of these places."""

    def answer(query: str) -> Played:
        page = number(query, "page", 1)
        shown = places[(page - 1) * 10 : page * 10]
        found = [
            pubtator3_cases.hit(place, f"Paper MED {place}", f"20{99 - place:02}-01-01", doi=f"10.1/MED.{place}")
            for place in shown
        ]
        return pubtator3_cases.hits(*found, count=len(places), page=page)

    return answer


def trials(count: int) -> Callable[[str], Played]:
    """Play a registry of so many trials."""

    def answer(query: str) -> Played:
        size = number(query, "pageSize", 10)
        found = [registry_studies.study(f"NCT{place:08}") for place in range(1, min(size, count) + 1)]
        return Played(registry_studies.page(*found, total=count, token="more" if size < count else None))

    return answer


def variants(count: int, benign: Callable[[int], bool] = lambda place: False) -> Callable[[str], Played]:
    """Play so many variants, some of them benign."""

    def answer(query: str) -> Played:
        start, size = number(query, "from"), number(query, "size", 10)
        found = []
        for place in range(start, min(start + size, count)):
            said = "Benign" if benign(place) else "Pathogenic"
            rcv = myvariant_cases.rcv(f"RCV{place:09}", said, myvariant_cases.SINGLE, "Melanoma")
            clinvar = {"variant_id": place + 1, "gene": {"symbol": "BRAF"}, "rcv": rcv}
            change = {**myvariant_cases.V600E_HG38, "_id": f"chr7:g.{place + 1}A>T", "clinvar": clinvar}
            found.append(change)
        return myvariant_cases.hits(*found, total=count)

    return answer


async def pages(answers: dict[str, Answer], **asked: Json) -> list[Json]:
    """Search until nothing is left."""
    found: list[Json] = []
    following: dict[str, Json] = {}
    while True:
        sources = Sources(usual() | answers, down=CANCER)
        found.append((await call(sources, "search", **asked, **following)).content)
        if found[-1]["_meta"]["next"] is None:
            return found
        assert len(found) < 30, "it never ends"
        following = {"cursor": found[-1]["_meta"]["next"]}


def of(found: list[Json], prefix: str) -> Iterator[str]:
    return (identifier for page in found for identifier in ids(page) if identifier.startswith(prefix))


async def test_three_sources_of_several_domains_are_read_to_their_ends() -> None:
    answers = {
        EPMC: europe_pmc(23, preprints=7),
        PUBTATOR: pubtator(range(15, 40)),
        STUDIES: trials(12),
        VARIANTS: variants(17),
    }
    found = await pages(answers, query="gene:BRAF AND disease:melanoma", max_results_per_domain=5)
    assert sorted(of(found, "PMID")) == sorted(f"PMID{place}" for place in range(40))
    assert sorted(of(found, "DOI")) == sorted(f"DOI:10.1/PPR.{place}" for place in range(7))
    assert list(of(found, "NCT")) == [f"NCT{place:08}" for place in range(1, 13)]
    assert list(of(found, "chr7")) == [f"chr7:g.{place}A>T@hg38" for place in range(1, 18)]
    assert all(each["returned"] <= 5 for page in found for each in page["_meta"]["domains"])
    assert {page["_meta"]["status"] for page in found} == {"complete"}


@pytest.mark.parametrize("size", [1, 3, 7, 50])
async def test_the_pages_together_are_the_one_long_page(size: int) -> None:
    answers = {EPMC: europe_pmc(20, preprints=4), PUBTATOR: pubtator(range(10, 25))}
    asked = {"query": "gene:BRAF", "domains": ["article"]}
    short = [
        identifier for page in await pages(answers, **asked, max_results_per_domain=size) for identifier in ids(page)
    ]
    whole = [
        identifier for page in await pages(answers, **asked, max_results_per_domain=50) for identifier in ids(page)
    ]
    assert short == whole and len(set(whole)) == len(whole) == 29


async def test_rows_that_are_sifted_out_do_not_end_the_list() -> None:
    # Of 40 variants only every eighth is not benign: a page has to read on for them.
    answers = {VARIANTS: variants(40, benign=lambda place: place % 8 > 0)}
    found = await pages(answers, query="variants.gene:BRAF NOT significance:benign", max_results_per_domain=2)
    assert [ids(page) for page in found] == [
        ["chr7:g.1A>T@hg38", "chr7:g.9A>T@hg38"],
        ["chr7:g.17A>T@hg38", "chr7:g.25A>T@hg38"],
        ["chr7:g.33A>T@hg38"],
    ]
    assert [domain(page, "variant")["total_is"] for page in found] == ["at_least", "exact", "exact"]
    assert domain(found[-1], "variant")["total"] == 5


async def test_branches_of_one_domain_take_turns_on_every_page() -> None:
    answers = {VARIANTS: lambda query: (variants(6) if '"BRAF"' in query or "BRAF" in query else variants(0))(query)}
    query = "(variants.gene:BRAF AND significance:pathogenic) OR (variants.gene:NRAS AND variants.cadd:>20)"
    found = await pages(answers, query=query, max_results_per_domain=4)
    shown = [identifier for page in found for identifier in ids(page)]
    assert len(shown) == len(set(shown)) == 6 and domain(found[0], "variant")["status"] == "ok"


async def test_a_domain_that_has_ended_is_not_asked_again() -> None:
    answers = {STUDIES: trials(2), EPMC: europe_pmc(9), PUBTATOR: pubtator(range(0))}
    first, *others = await pages(
        answers, query="disease:melanoma", domains=["article", "trial"], max_results_per_domain=4
    )
    assert [each["domain"] for each in first["_meta"]["domains"]] == ["article", "trial"]
    assert all([each["domain"] for each in page["_meta"]["domains"]] == ["article"] for page in others)


async def test_a_domain_that_nobody_answered_for_is_asked_again_with_the_next_page() -> None:
    answers = usual() | {EPMC: europe_pmc(9), PUBTATOR: pubtator(range(0)), STUDIES: trials(3)}
    asked = {"query": "disease:melanoma", "domains": ["article", "trial"], "max_results_per_domain": 4}
    first = (await call(Sources(answers, down=frozenset({TRIALS})), "search", **asked)).content
    second = (await call(Sources(answers), "search", **asked, cursor=first["_meta"]["next"])).content
    assert [each["status"] for each in first["_meta"]["domains"]] == ["ok", "error"]
    assert list(of([second], "NCT")) == ["NCT00000001", "NCT00000002", "NCT00000003"]


async def test_pages_of_one_domain_are_counted() -> None:
    answers = usual() | {STUDIES: trials(12)}
    asked = {"domain": "trial", "diseases": ["melanoma"], "recruiting_status": "any", "page_size": 5}
    shown = [(await call(Sources(answers), "search", **asked, page=page)).content for page in (1, 2, 3, 4)]
    assert [len(each["results"]) for each in shown] == [5, 5, 2, 0]
    assert [bool(each["_meta"]["next"]) for each in shown] == [True, True, False, False]
    assert ids(shown[1])[0] == "NCT00000006" and domain(shown[3], "trial")["total"] == 12
    assert codes(shown[3]) == ["N_LAST_PAGE"]


async def test_a_number_of_rows_counts_in_every_mode() -> None:
    answers = usual() | {STUDIES: trials(12)}
    content = (await call(Sources(answers), "search", query="trials.condition:melanoma", page_size=3, page=2)).content
    assert ids(content) == ["NCT00000004", "NCT00000005", "NCT00000006"]


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"page": 50, "page_size": 100}, "E_BAD_VALUE"),
        ({"page_size": 5, "max_results_per_domain": 7}, "E_CONFLICT"),
        ({"page": 2, "cursor": "x"}, "E_CONFLICT"),
        ({"cursor": "x"}, "E_CURSOR"),
        ({"cursor": cursor.encode("0" * 16, [10])}, "E_CURSOR"),
        ({"page": 0}, "tool_invalid_arguments"),
        ({"page_size": 101}, "tool_invalid_arguments"),
        ({"max_results_per_domain": 51}, "tool_invalid_arguments"),
    ],
)
async def test_a_page_that_can_not_be_is_refused(wish: dict[str, Json], code: str) -> None:
    sources = Sources()
    result = await call(sources, "search", query="trials.condition:melanoma", **wish)
    assert result.is_error and result.content["error"]["code"] == code and not sources.requests


@pytest.mark.parametrize("shown", [[501], [-1], [None], [True], ["1"], [1, 1], [], 1])
async def test_a_cursor_that_was_tampered_with_is_refused(shown: Json) -> None:
    answers = usual() | {STUDIES: trials(12)}
    asked = {"query": "trials.condition:melanoma", "max_results_per_domain": 1}
    good = (await call(Sources(answers), "search", **asked)).content["_meta"]["next"]
    plan = cursor.base64.urlsafe_b64decode(good + "==").decode().split('"')[3]
    assert (await call(Sources(answers), "search", **asked, cursor=good)).content["results"]
    sources = Sources(answers)
    forged = cursor.encode(plan, shown if isinstance(shown, list) else [shown, shown])
    result = await call(sources, "search", **asked, cursor=forged)
    assert result.content["error"]["code"] == "E_CURSOR" and not sources.requests


async def test_the_depth_that_is_read_has_an_end_and_says_so() -> None:
    answers = usual() | {STUDIES: trials(900)}
    asked = {"domain": "trial", "diseases": ["melanoma"], "recruiting_status": "any", "page_size": 100, "page": 5}
    content = (await call(Sources(answers), "search", **asked)).content
    assert len(content["results"]) == 100 and content["_meta"]["next"] is None
    assert codes(content) == ["N_DEPTH"] and domain(content, "trial")["total"] == 900


@pytest.mark.parametrize("sort", ["date", "citations"])
async def test_a_wanted_order_goes_through_all_sources_and_pages(sort: str) -> None:
    def cited(query: str) -> Played:
        answer = europe_pmc(12, preprints=6)(query)
        for place, row in enumerate(answer.body["resultList"]["result"]):
            row["citedByCount"] = 1000 - place * (7 if row["source"] == "PPR" else 3)
        return answer

    answers = {EPMC: cited, PUBTATOR: pubtator(range(6, 15))}
    query = f"articles.gene:BRAF AND articles.sort:{sort}"
    found = await pages(answers, query=query, max_results_per_domain=4)
    shown = [row for page in found for row in page["results"]]
    assert len({row["id"] for row in shown}) == len(shown) == (21 if sort == "date" else 18)
    if sort == "date":
        years = [int(re.search(r"\b(20\d\d)\b", row["text"])[1]) for row in shown]  # type: ignore[index]
        assert years == sorted(years, reverse=True)
