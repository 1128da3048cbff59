"""Every mistake has its code, its place in the text as it was given, and something to do about it."""

from datetime import date
from typing import Any

import pytest

from mcp_server.unified.query import QueryError, QueryErrors, Request, build_plan
from mcp_server.unified.query import errors as codes

TODAY = date(2026, 11, 30)


def mistakes(query: str = "", **arguments: Any) -> tuple[QueryError, ...]:
    with pytest.raises(QueryErrors) as refused:
        build_plan(Request(query=query, **arguments), TODAY)
    return refused.value.errors


PLACES = [
    ("", "E_EMPTY", 0, 0),
    ("  \t ", "E_EMPTY", 0, 0),
    ("(gene:BRAF", "E_UNBALANCED_PAREN", 0, 1),
    ("gene:BRAF)", "E_UNBALANCED_PAREN", 9, 1),
    ("gene:(BRAF OR NRAS", "E_UNBALANCED_PAREN", 5, 1),
    ("disease:x AND ((gene:BRAF)", "E_UNBALANCED_PAREN", 14, 1),
    ('gene:"BRAF', "E_UNTERMINATED_QUOTE", 5, 1),
    ("melanoma 'BRAF", "E_UNTERMINATED_QUOTE", 9, 1),
    ("trial.fase:3 AND disease:melanoma", "E_UNKNOWN_FIELD", 0, 10),
    ("disease:melanoma AND fase:3", "E_UNKNOWN_FIELD", 21, 4),
    ("type:review", "E_UNKNOWN_FIELD", 0, 4),
    ("diseases.gene:BRAF", "E_UNKNOWN_FIELD", 0, 13),
    ("gene:", "E_EMPTY_VALUE", 5, 0),
    ("gene: AND", "E_EMPTY_VALUE", 5, 1),
    ("gene: disease:melanoma", "E_EMPTY_VALUE", 5, 1),
    ('gene:"" AND disease:melanoma', "E_EMPTY_VALUE", 5, 2),
    ("gene:(BRAF OR )", "E_EMPTY_VALUE", 13, 1),
    ("gene:BRAF AND ()", "E_EMPTY_VALUE", 14, 2),
    ("phase:5", "E_BAD_VALUE", 6, 1),
    ("variants.frequency:2", "E_BAD_VALUE", 19, 1),
    ("variants.frequency:<2", "E_BAD_VALUE", 19, 2),
    ("pmid:abc", "E_BAD_VALUE", 5, 3),
    ("nct:NCT1", "E_BAD_VALUE", 4, 4),
    ("variant:BRAF V600E", "E_BAD_VALUE", 8, 4),
    ('gene:"B-Raf kinase"', "E_BAD_VALUE", 5, 14),
    ("trials.sex:femle", "E_BAD_VALUE", 11, 5),
    ("articles.preprint:perhaps", "E_BAD_VALUE", 18, 7),
    ("variants.region:99:1-2", "E_BAD_VALUE", 16, 6),
    ("variants.frequency:0.01", "E_NEEDS_COMPARISON", 19, 4),
    ("variants.cadd:20", "E_NEEDS_COMPARISON", 14, 2),
    ("variants.revel:0.5", "E_NEEDS_COMPARISON", 15, 3),
    ("date:2024-13-01", "E_BAD_DATE", 5, 10),
    ("date:2023-02-29", "E_BAD_DATE", 5, 10),
    ("date:yesterday", "E_BAD_DATE", 5, 9),
    ("date:>9999", "E_BAD_DATE", 5, 5),
    ("date:last9999y", "E_BAD_DATE", 5, 9),
    ("date:2024..2020", "E_BAD_RANGE", 5, 10),
    ("date:..", "E_BAD_RANGE", 5, 2),
    ("phase:3..2", "E_BAD_RANGE", 6, 4),
    ("phase:>4", "E_BAD_RANGE", 6, 2),
    ("variants.frequency:0.2..0.1", "E_BAD_RANGE", 19, 8),
    ("variants.region:7:20-10", "E_BAD_RANGE", 16, 7),
    ("gene:>BRAF", "E_BAD_OPERATOR", 5, 1),
    ("gene:A..B", "E_BAD_OPERATOR", 5, 4),
    ("AND gene:X", "E_BAD_OPERATOR", 0, 3),
    ("gene:X AND", "E_BAD_OPERATOR", 7, 3),
    ("gene:X AND OR gene:Y", "E_BAD_OPERATOR", 11, 2),
    ("NOT NOT gene:X", "E_BAD_OPERATOR", 0, 3),
    ("gene:X NOT", "E_BAD_OPERATOR", 7, 3),
    ("date:>=<2020", "E_BAD_OPERATOR", 5, 3),
    ("gene:(A AND B)", "E_BAD_OPERATOR", 8, 3),
    ("gene:(A B)", "E_BAD_OPERATOR", 8, 1),
    ("since:<2020", "E_BAD_OPERATOR", 6, 5),
    ("disease:x NOT articles.sort:date", "E_BAD_OPERATOR", 10, 22),
    ("gene:x NOT variants.assembly:hg19", "E_BAD_OPERATOR", 7, 26),
    ("|gene:X", "E_BAD_OPERATOR", 0, 1),
    (": melanoma", "E_BAD_OPERATOR", 0, 1),
    ("near:41.4", "E_BAD_PLACE", 5, 4),
    ("near:91,0", "E_BAD_PLACE", 5, 4),
    ("near:41,-181", "E_BAD_PLACE", 5, 7),
    ("near:41,-81,0mi", "E_BAD_PLACE", 5, 10),
    ("near:41,-81,far", "E_BAD_PLACE", 5, 10),
    ("NOT gene:TP53", "E_ONLY_NEGATIVE", 0, 13),
    ("gene:BRAF OR NOT gene:TP53", "E_ONLY_NEGATIVE", 13, 13),
    ("date:2024", "E_NO_LEG", 0, 9),
    ("status:open AND phase:3", "E_NO_LEG", 0, 11),
    ("date:2020 AND date:2022 AND gene:X", "E_CONFLICT", 14, 9),
    ("pmid:1 AND pmid:2", "E_CONFLICT", 11, 6),
    ("disease:x status:open status:closed", "E_CONFLICT", 22, 13),
]


@pytest.mark.parametrize(("query", "code", "position", "length"), PLACES)
def test_a_mistake_is_shown_where_it_stands(query: str, code: str, position: int, length: int) -> None:
    found = mistakes(query)

    assert [(error.code, error.position, error.length) for error in found] == [(code, position, length)]
    assert found[0].message


def test_every_code_has_its_example() -> None:
    known = {value for name, value in vars(codes).items() if name.startswith("E_")}

    # Cursors are the search's own; the limits have tests of their own below.
    assert known - {code for _, code, _, _ in PLACES} == {"E_CURSOR", "E_TOO_COMPLEX", "E_TOO_LONG"}


@pytest.mark.parametrize(
    ("query", "position"),
    [
        ("(" * 11 + "gene:X" + ")" * 11, 10),
        (" ".join(f"gene:G{number}" for number in range(51)), 8 * 10 + 9 * 40),
        ("gene:(" + ",".join(f"G{number}" for number in range(21)) + ")", 6 + 3 * 10 + 4 * 10),
    ],
    ids=["nesting", "clauses", "values"],
)
def test_limits_of_the_text_are_shown_where_they_are_passed(query: str, position: int) -> None:
    found = mistakes(query)

    assert [error.code for error in found] == ["E_TOO_COMPLEX"]
    assert found[0].position == position


@pytest.mark.parametrize(
    "query",
    [
        " AND ".join(f"(gene:A{number} OR disease:d{number})" for number in range(5)),
        " OR ".join(f"(gene:G{number} AND disease:d{number})" for number in range(5)),
    ],
    ids=["alternatives", "searches of one domain"],
)
def test_too_many_searches_are_refused(query: str) -> None:
    found = mistakes(query)

    assert [error.code for error in found] == ["E_TOO_COMPLEX"]


def test_the_limits_themselves_are_accepted() -> None:
    nested = "(" * 10 + "gene:X" + ")" * 10
    listed = "gene:(" + ",".join(f"G{number}" for number in range(20)) + ")"
    many = " ".join("gene:X" for _ in range(50))
    long = "a" * 2000

    for query in (nested, listed, many, long):
        assert build_plan(Request(query=query), TODAY).legs


def test_a_text_too_long_is_refused_at_its_first_letter_too_many() -> None:
    found = mistakes("a" * 2001)

    assert [(error.code, error.position, error.length) for error in found] == [("E_TOO_LONG", 2000, 1)]


def test_all_mistakes_are_shown_from_left_to_right_but_five_at_most() -> None:
    query = "trial.fase:3 AND phase:9 AND date:2024-13 AND gene:>B AND near:1 AND variants.cadd:3"

    found = mistakes(query)

    assert [error.code for error in found] == [
        "E_UNKNOWN_FIELD",
        "E_BAD_VALUE",
        "E_BAD_DATE",
        "E_BAD_OPERATOR",
        "E_BAD_PLACE",
    ]
    assert [error.position for error in found] == sorted(error.position for error in found)


@pytest.mark.parametrize(
    ("query", "position", "length"),
    [
        ("“lung cancer” AND fase:3", 18, 4),
        ("disease：melanoma AND phase：5", 27, 1),
        ("e\u0301 AND phase:5", 13, 1),
        ("ﬁbrosis AND phase:5", 18, 1),
        ("\u200bphase:5", 7, 1),
    ],
    ids=["typographic quotes", "full-width colons", "combining accent", "ligature", "invisible sign"],
)
def test_places_count_in_the_text_as_it_was_given(query: str, position: int, length: int) -> None:
    found = mistakes(query)

    assert [(error.position, error.length) for error in found] == [(position, length)]
    assert query[position : position + length] in ("fase", "5")


def test_the_snippet_points_at_the_place() -> None:
    found = mistakes("gene:BRAF AND variants.frequency:0.01 AND disease:melanoma")

    shown = "…e:BRAF AND variants.frequency:0.01 AND disease:melanoma"
    assert found[0].snippet.split("\n") == [shown, " " * shown.index("0.01") + "^^^^"]


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ("trial.fase:3", "trials.phase"),
        ("disese:melanoma", "disease"),
        ("articles.autor:Smith", "articles.author"),
        ("type:review", "articles.type"),
        ("trials.sex:femle", "FEMALE"),
        ("status:recruting", "RECRUITING"),
        ("significance:patogenic", "pathogenic"),
        ("articles.type:meta", "meta-analysis"),
        ("variants.frequency:0.01", "variants.frequency:<0.01"),
    ],
)
def test_what_was_probably_meant_is_suggested(query: str, suggestion: str) -> None:
    assert suggestion in mistakes(query)[0].suggestions


def test_nothing_at_all_is_answered_with_three_examples() -> None:
    error = mistakes("")[0]

    assert len(error.suggestions) == 3
    for example in error.suggestions:
        assert build_plan(Request(query=example), TODAY).legs


def test_the_wire_form_has_the_first_mistake_and_all_of_them() -> None:
    with pytest.raises(QueryErrors) as one:
        build_plan(Request(query="phase:9"), TODAY)
    with pytest.raises(QueryErrors) as two:
        build_plan(Request(query="phase:9 gene:>X"), TODAY)

    assert one.value.wire() == {
        "error": {
            "code": "E_BAD_VALUE",
            "message": "there is no phase '9'",
            "position": 6,
            "length": 1,
            "snippet": "phase:9\n      ^",
            "hint": "write 0 to 4, I to IV, early1, 1/2, 2/3, na; 2..4; >=2",
            "suggestions": [],
        }
    }
    assert [error["code"] for error in two.value.wire()["errors"]] == ["E_BAD_VALUE", "E_BAD_OPERATOR"]
    assert two.value.wire()["error"] == two.value.wire()["errors"][0]
