"""Lists of drugs that are longer than one page, and pharmacogenomics by the levels of two bodies."""

import re
from typing import Any

import pytest

from mcp_server.unified.domains.drug_lists import in_all
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import Answer, Sources, call
from tests.mcp_server.unified.test_pages import number
from tests.mcp_server.unified.test_search import codes, domain, ids

Json = Any
CHEMBL = "www.ebi.ac.uk/chembl/api/data"
CLINPGX, CPIC = "api.clinpgx.org/v1/data", "api.cpicpgx.org/v1/pair_view"


def mechanisms(count: int) -> dict[str, Answer]:
    """Play so many mechanisms, each of a drug of its own, page by page."""

    def listed(query: str) -> Played:
        start, size = number(query, "offset"), number(query, "limit", 20)
        rows = [
            {"molecule_chembl_id": f"CHEMBL{place}", "parent_molecule_chembl_id": f"CHEMBL{place}", "mec_id": place,
             "mechanism_of_action": "Beta-2 adrenergic receptor agonist"}
            for place in range(start + 1, min(start + size, count) + 1)
        ]  # fmt: skip
        return Played({"mechanisms": rows, "page_meta": {"total_count": count}})

    def molecules(query: str) -> Played:
        asked = re.findall(r"CHEMBL\d+", query)
        rows = [
            {"molecule_chembl_id": one, "pref_name": f"DRUG {one}", "max_phase": "4.0" if one.endswith("0") else "2.0",
             "molecule_hierarchy": {"molecule_chembl_id": one, "parent_chembl_id": one}}
            for one in asked
        ]  # fmt: skip
        return Played({"molecules": rows, "page_meta": {"total_count": len(rows)}})

    return {f"{CHEMBL}/mechanism.json": listed, f"{CHEMBL}/molecule.json": molecules}


async def test_more_drugs_than_one_batch_come_page_by_page_and_none_twice() -> None:
    seen: list[str] = []
    following: dict[str, Json] = {}
    while True:
        asked = {"query": "drugs.mechanism:agonist", "page_size": 60, **following}
        content = (await call(Sources(mechanisms(130)), "search", **asked)).content
        seen += ids(content)
        if content["_meta"]["next"] is None:
            break
        following = {"cursor": content["_meta"]["next"]}
    assert seen == [f"CHEMBL{place}" for place in range(1, 131)]
    assert (domain(content, "drug")["total"], domain(content, "drug")["total_is"]) == (130, "exact")


async def test_a_page_of_a_long_list_is_no_whole_one() -> None:
    content = (await call(Sources(mechanisms(130)), "search", query="drugs.mechanism:agonist")).content
    assert domain(content, "drug")["total_is"] == "at_least" and content["_meta"]["next"]


async def test_the_phase_is_sifted_from_the_whole_list() -> None:
    query = "drugs.mechanism:agonist AND drugs.phase:4"
    content = (await call(Sources(mechanisms(130)), "search", query=query)).content
    assert ids(content) == [f"CHEMBL{place}" for place in range(10, 101, 10)]
    assert "N_POST_FILTERED" in codes(content) and content["_meta"]["next"]


def test_what_stands_in_all_lists_keeps_what_each_says() -> None:
    one = [{"id": "A", "facts": ["first"]}, {"id": "B", "facts": ["x"]}]
    other = [{"id": "A1", "parent": "A", "facts": ["second"]}]
    assert list(in_all([one, other])) == [{"id": "A", "facts": ["first", "second"]}]


def found(*rows: Json) -> Played:
    return Played({"data": list(rows), "status": "success"})


def guideline(identifier: str, source: str) -> Json:
    return {"objCls": "Guideline Annotation", "id": identifier, "name": f"{source} guideline", "source": source,
            "relatedGenes": [{"id": "PA124", "symbol": "CYP2C19"}],
            "relatedChemicals": [{"id": "PA449053", "name": "clopidogrel"}]}  # fmt: skip


def genotypes(*pairs: Json) -> dict[str, Answer]:
    return {
        f"{CLINPGX}/gene": found({"objCls": "Gene", "id": "PA124", "symbol": "CYP2C19", "name": "x"}),
        f"{CLINPGX}/chemical": found({"objCls": "Chemical", "id": "PA449053", "name": "clopidogrel"}),
        f"{CLINPGX}/guidelineAnnotation": found(guideline("PA1", "CPIC"), guideline("PA2", "DPWG")),
        CPIC: Played(list(pairs)),
    }


PAIR = {"pairid": 1, "genesymbol": "CYP2C19", "drugname": "clopidogrel", "cpiclevel": "A", "pmids": []}
PAIRS_QUERY = "pgx.gene:CYP2C19 AND pgx.drug:clopidogrel AND pgx.level:A"


async def test_levels_of_cpic_are_those_of_its_pairs() -> None:
    content = (await call(Sources(genotypes(PAIR)), "search", query=PAIRS_QUERY)).content
    assert ids(content) == ["PA1", "PA2"] and "CPIC level A" in content["results"][0]["text"]


async def test_a_guideline_without_a_pair_of_the_level_is_none_of_it() -> None:
    content = (await call(Sources(genotypes()), "search", query=PAIRS_QUERY)).content
    assert ids(content) == [] and domain(content, "pgx")["status"] == "empty"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("pgx.variant:rs4244285 AND pgx.level:A", "none is named"),
        ("pgx.gene:(A|B|C|D) AND pgx.drug:(a|b|c|d)", "at most 12"),
    ],
)
async def test_what_can_not_be_asked_is_refused_and_no_empty_leg(query: str, words: str) -> None:
    sources = Sources({})
    content = (await call(sources, "search", query=query)).content
    (error,) = content["_meta"]["errors"]
    assert error["code"] == "tool_invalid_arguments" and words in error["message"] and not sources.requests
