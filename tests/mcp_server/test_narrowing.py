"""Filters behind a free query: no query lets one fall out, no date is read as another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.envelope import InvalidArguments
from mcp_server.narrowing import day_of, narrowed, published_between


def balance(text: str) -> list[int]:
    """Return the depth of brackets after each sign outside of quotes; none of these texts holds a quote."""
    depths, depth = [], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        depths.append(depth)
    return depths


@pytest.mark.case("C040")
@given(st.text(alphabet="ab ()", min_size=1, max_size=12))
def test_the_filter_stands_outside_of_the_whole_query_or_the_query_is_refused(query: str) -> None:
    depths = balance(query)
    if min(depths) < 0 or depths[-1]:
        with pytest.raises(InvalidArguments):
            narrowed(query, ["SRC:PPR"])
    else:
        sent = narrowed(query, ["SRC:PPR"])
        assert sent == f"({query}) AND SRC:PPR"
        assert min(balance(sent)[: len(query) + 1]) >= 1, "the outer bracket closes behind the query only"


@pytest.mark.parametrize("query", ['a "(" b', r"a \( b", '"a) OR (b"', r'"a \" b"'])
def test_brackets_in_quotes_and_escaped_ones_do_not_count(query: str) -> None:
    assert narrowed(query, ["x"]) == f"({query}) AND x"


def test_without_filters_a_query_stays_as_it_was_written() -> None:
    assert narrowed("BRAF OR KRAS", []) == "BRAF OR KRAS"
    assert published_between(None, None) == []


@pytest.mark.parametrize(
    ("date", "first", "last"),
    [
        ("2024", "2024-01-01", "2024-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2023-11-30", "2023-11-30", "2023-11-30"),
    ],
)
def test_a_year_or_month_reaches_from_its_first_to_its_last_day(date: str, first: str, last: str) -> None:
    assert (day_of("date_from", date), day_of("date_to", date, last=True)) == (first, last)
    assert published_between(date, date) == [f"FIRST_PDATE:[{first} TO {last}]"]


@pytest.mark.parametrize("date", ["2024-00", "2024-13", "2023-02-29", "0000"])
def test_what_is_no_date_is_refused(date: str) -> None:
    for last in (False, True):
        with pytest.raises(InvalidArguments):
            day_of("date_to", date, last=last)
