"""docs/casebook.md says which failures are survived, and the tests agree."""

from tests.casebook import cases_of_document, cases_of_tests


def test_the_document_names_the_tests_of_each_case() -> None:
    in_document = {case: files for case, (_, files) in cases_of_document().items()}

    assert in_document == cases_of_tests(), "run `python -m tests.casebook`"


def test_the_document_says_what_each_case_is_about() -> None:
    assert [case for case, (about, _) in cases_of_document().items() if len(about) < 20] == []
