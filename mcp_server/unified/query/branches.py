"""A tree as branches: each a list of conditions that hold together, the branches alternatives to each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcp_server.unified.query.errors import E_BAD_OPERATOR, E_ONLY_NEGATIVE, E_TOO_COMPLEX, QueryError, QueryErrors
from mcp_server.unified.query.fields import SINGLE
from mcp_server.unified.query.tree import And, Clause, Not, Tree

BRANCHES_MAX = 16


@dataclass(frozen=True)
class Literal:
    """A clause that must hold, or must not; place and length are those of the NOT."""

    clause: Clause
    is_negative: bool = False
    position: int = 0
    length: int = 0

    @property
    def key(self) -> tuple[str, frozenset[str], bool]:
        """Return what two literals with the same meaning share."""
        return (*self.clause.key, self.is_negative)


Branch = tuple[Literal, ...]


def branches(text: str, tree: Tree) -> tuple[Branch, ...]:
    """Return the branches of a tree; raise QueryErrors if they are too many or one only excludes."""
    found = _expanded(text, tree, None)
    for branch in found:
        if all(literal.is_negative for literal in branch):
            first = branch[0]
            message = "this only says what to leave out"
            hint = "add what to search for, e.g. disease:melanoma NOT gene:TP53"
            raise QueryErrors(text, [QueryError(E_ONLY_NEGATIVE, message, first.position, first.length, hint)])
    return found


def _expanded(text: str, tree: Tree, negation: Not | None) -> tuple[Branch, ...]:
    """Expand a part; `negation` is the NOT around it, if any."""
    if isinstance(tree, Clause):
        return ((_literal(text, tree, negation),),)
    if isinstance(tree, Not):
        return _expanded(text, tree.child, None if negation else tree)
    parts = [_expanded(text, child, negation) for child in tree.children]
    if isinstance(tree, And) == (negation is None):
        return _all_of(text, parts)
    return _limited(text, _once([branch for part in parts for branch in part]))


def _literal(text: str, clause: Clause, negation: Not | None) -> Literal:
    if negation is None:
        return Literal(clause, position=clause.position, length=clause.length)
    if clause.field.name in SINGLE:
        message = f"{clause.field.key} says how to search, there is nothing to leave out"
        raise QueryErrors(text, [QueryError(E_BAD_OPERATOR, message, negation.position, negation.length)])
    return Literal(clause, True, negation.position, negation.length)


def _all_of(text: str, parts: Sequence[tuple[Branch, ...]]) -> tuple[Branch, ...]:
    """Combine each branch of each part with each of the others."""
    combined: tuple[Branch, ...] = ((),)
    for part in parts:
        combined = _limited(text, _once([_joined(left, right) for left in combined for right in part]))
    return combined


def _joined(left: Branch, right: Branch) -> Branch:
    known = {literal.key for literal in left}
    return left + tuple(literal for literal in right if literal.key not in known)


def _once(found: Sequence[Branch]) -> tuple[Branch, ...]:
    by_key = {frozenset(literal.key for literal in branch): branch for branch in reversed(found)}
    return tuple(reversed(by_key.values()))


def _limited(text: str, found: tuple[Branch, ...]) -> tuple[Branch, ...]:
    if len(found) > BRANCHES_MAX:
        message = f"the query has {len(found)} alternatives, {BRANCHES_MAX} are the most"
        raise QueryErrors(text, [QueryError(E_TOO_COMPLEX, message, 0, len(text), "search in several steps")])
    return found


def merged(found: Sequence[Branch], may_merge: Callable[[Clause], bool]) -> tuple[Branch, ...]:
    """Unite branches that differ in the values of one clause, and drop those that another one includes."""
    kept = list(_once(found))
    while pair := _mergeable(kept, may_merge):
        first, second, united = pair
        kept = [united if branch is first else branch for branch in kept if branch is not second]
    keys = [{literal.key for literal in branch} for branch in kept]
    return tuple(
        branch
        for number, branch in enumerate(kept)
        if not any(keys[other] < keys[number] for other in range(len(kept)) if other != number)
    )


def _mergeable(kept: Sequence[Branch], may_merge: Callable[[Clause], bool]) -> tuple[Branch, Branch, Branch] | None:
    for number, first in enumerate(kept):
        for second in kept[number + 1 :]:
            united = _united(first, second, may_merge)
            if united is not None:
                return first, second, united
    return None


def _united(first: Branch, second: Branch, may_merge: Callable[[Clause], bool]) -> Branch | None:
    in_first, in_second = ({literal.key for literal in branch} for branch in (first, second))
    only_first = [literal for literal in first if literal.key not in in_second]
    only_second = [literal for literal in second if literal.key not in in_first]
    if len(only_first) != 1 or len(only_second) != 1:
        return None
    one, other = only_first[0], only_second[0]
    if one.is_negative or other.is_negative or one.clause.field != other.clause.field or not may_merge(one.clause):
        return None
    clause = one.clause.holding(one.clause.values + other.clause.values)
    united = Literal(clause, position=one.position, length=one.length)
    return tuple(united if literal is one else literal for literal in first)
