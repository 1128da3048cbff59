"""Whatever is asked, there is a plan or a list of mistakes with their places, and a plan reads back as itself."""

import re
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings

from mcp_server.unified.query import DOMAINS, Plan, QueryErrors, Request, build_plan, parse
from mcp_server.unified.query import plan as plan_module
from mcp_server.unified.query.branches import branches
from mcp_server.unified.query.params import names_in
from mcp_server.unified.query.printer import printed
from mcp_server.unified.query.tree import And, Clause, Not, Tree, clauses
from tests.mcp_server.unified.query.queries import anything, by_grammar, pieces

TODAY = date(2026, 11, 30)
CHECKED = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def planned(text: str, domain: str | None = None) -> Plan | None:
    """Return the plan, or check that every mistake has its place and return none."""
    try:
        return build_plan(Request(query=text, domain=domain), TODAY)
    except QueryErrors as refused:
        assert 1 <= len(refused.errors) <= 5
        for error in refused.errors:
            assert error.code.startswith("E_") and error.message
            assert 0 <= error.position <= len(text)
            assert 0 <= error.length <= len(text) - error.position
            first, carets = error.snippet.split("\n")
            assert carets.strip("^ ") == "" and "^" in carets
        return None


@CHECKED
@given(anything)
def test_any_text_has_a_plan_or_mistakes_with_places(text: str) -> None:
    plan = planned(text)

    again = planned(plan.normalised) if plan else None
    assert (again and again.legs) == (plan and plan.legs)


@CHECKED
@given(pieces)
def test_pieces_of_the_language_have_a_plan_or_mistakes_with_places(text: str) -> None:
    plan = planned(text)

    if plan is not None:
        again = planned(plan.normalised)
        assert again is not None and again.legs == plan.legs


@CHECKED
@given(by_grammar)
def test_a_printed_query_has_the_same_plan(text: str) -> None:
    plan = planned(text)

    if plan is not None:
        again = planned(plan.normalised)
        assert again is not None
        assert (again.legs, again.hash, again.normalised) == (plan.legs, plan.hash, plan.normalised)
        assert {one.text for one in again.not_applied} == {one.text for one in plan.not_applied}


@CHECKED
@given(by_grammar)
def test_params_have_no_names_but_the_listed_ones(text: str) -> None:
    plan = planned(text)

    for leg in plan.legs if plan is not None else ():
        assert {*leg.params, *(leg.relaxed_params or {})} <= names_in(leg.domain)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_listed_names_are_explained(domain: str) -> None:
    explained = plan_module.__doc__ or ""
    bases = {re.sub("^(?:not|min|max)_|_(?:all|any|exclusive)$", "", name) for name in names_in(domain)}

    assert {base for base in bases if not re.search(rf"(?:\b|min_){base}\b", explained)} <= {"age"}


@CHECKED
@given(by_grammar)
def test_a_printed_query_has_the_same_plan_in_one_domain(text: str) -> None:
    for domain in DOMAINS:
        plan = planned(text, domain)
        if plan is not None:
            again = planned(plan.normalised, domain)
            assert again is not None
            assert (again.legs, again.normalised) == (plan.legs, plan.normalised)


def is_true(tree: Tree, facts: frozenset[tuple[str, str]]) -> bool:
    """Say whether a record of these facts meets a tree."""
    if isinstance(tree, Clause):
        return any((tree.field.key, value.text) in facts for value in tree.values)
    if isinstance(tree, Not):
        return not is_true(tree.child, facts)
    found = [is_true(child, facts) for child in tree.children]
    return all(found) if isinstance(tree, And) else any(found)


@CHECKED
@given(by_grammar)
def test_branches_mean_what_the_tree_means(text: str) -> None:
    try:
        tree = parse(text, TODAY).tree
        expanded = branches(text, tree)
    except QueryErrors:
        return
    known = sorted({(clause.field.key, value.text) for clause in clauses(tree) for value in clause.values})[:8]
    for chosen in range(2 ** len(known)):
        facts = frozenset(fact for number, fact in enumerate(known) if chosen >> number & 1)
        by_branches = any(
            all(is_true(literal.clause, facts) != literal.is_negative for literal in branch) for branch in expanded
        )
        assert by_branches == is_true(tree, facts), printed(tree)
