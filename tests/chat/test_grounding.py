"""Grounding: what counts as evidence, and what an answer may name."""

import pytest

from chat.grounding import Evidence, ground

PMID_CITATION = {
    "kind": "pmid",
    "identifier": "22663011",
    "label": "Trametinib in melanoma",
    "url": "https://pubmed.ncbi.nlm.nih.gov/22663011/",
}


def evidence(*texts: str) -> Evidence:
    found = Evidence()
    for number, text in enumerate(texts):
        found.add(f"call_{number}", text)
    return found


def names(mentions: object) -> list[str]:
    return [mention.identifier for mention in mentions]  # type: ignore[attr-defined]


def test_a_version_suffix_and_a_colon_do_not_hide_the_same_record() -> None:
    result = ground("ENSG00000141736 and MONDO:0004989", evidence('{"id":"ENSG00000141736.14","d":"MONDO_0004989"}'))
    assert names(result.grounded) == ["ENSG00000141736", "MONDO_0004989"]
    assert result.is_complete


@pytest.mark.case("C078")
@pytest.mark.parametrize("near", ["NCT0123456", "NCT012345678", "NCT01234568"])
def test_an_identifier_that_is_only_like_a_real_one_is_not_grounded(near: str) -> None:
    result = ground(f"Trial {near}", evidence('{"nctId":"NCT01234567"}'))
    assert (names(result.grounded), names(result.not_in_evidence)) == ([], [near])


@pytest.mark.parametrize(
    "text",
    ['{"pmid":"22663011"}', '{"pmid": 22663011}', "PMID: 22663011", "https://pubmed.ncbi.nlm.nih.gov/22663011/"],
)
def test_a_pmid_counts_where_the_record_says_that_it_is_one(text: str) -> None:
    assert names(ground("See PMID 22663011.", evidence(text)).grounded) == ["22663011"]


def test_a_bare_number_is_no_pmid() -> None:
    result = ground("See PMID 22663011.", evidence('{"enrollment":22663011}'))
    assert names(result.not_in_evidence) == ["22663011"]


def test_a_citation_counts_only_if_the_model_read_its_identifier() -> None:
    read, unread = Evidence(), Evidence()
    read.add("a", '{"uid":"22663011"}', [PMID_CITATION])
    unread.add("a", '{"artifact_id":"x","preview":"3 articles"}', [PMID_CITATION])
    assert ground("PMID 22663011", read).grounded[0].label == "Trametinib in melanoma"
    assert names(ground("PMID 22663011", unread).not_in_evidence) == ["22663011"]


def test_the_page_of_the_citing_record_wins_over_the_kinds_own_page() -> None:
    target = {
        "kind": "chembl",
        "identifier": "CHEMBL1824",
        "url": "https://www.ebi.ac.uk/chembl/explore/target/CHEMBL1824",
    }
    found = Evidence()
    found.add("a", '{"target":"CHEMBL1824"}', [target])
    assert ground("CHEMBL1824", found).grounded[0].url == target["url"]


def test_a_star_allele_may_stand_in_two_fields_of_one_record() -> None:
    found = evidence('{"genesymbol":"CYP2C19","name":"*2"}', '{"genesymbol":"CYP2C9","name":"*3"}')
    result = ground("CYP2C19*2 and CYP2C19*3", found)
    assert (names(result.grounded), names(result.not_in_evidence)) == (["CYP2C19*2"], ["CYP2C19*3"])


def test_each_identifier_is_counted_once_with_the_calls_that_held_it() -> None:
    result = ground("CHEMBL554, again CHEMBL554", evidence("CHEMBL554", "nothing", '["CHEMBL554"]'))
    assert [mention.call_ids for mention in result.grounded] == [("call_0", "call_2")]


def test_an_answer_without_identifiers_is_complete() -> None:
    assert ground("HER2 is a gene; T790M is a variant.", Evidence()).is_complete
