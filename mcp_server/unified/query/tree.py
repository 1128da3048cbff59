"""The parsed query: clauses joined by AND, OR and NOT, each with its place in the text."""

from dataclasses import dataclass, replace
from typing import Any

from mcp_server.unified.query.fields import Field

Data = Any


@dataclass(frozen=True)
class Raw:
    """A value as it was written: `start` and `end` count in the plain text, the bounds of a range in `low`, `high`.

    `is_name` marks a variant's name with a colon that stood without a field.
    """

    text: str
    start: int
    end: int
    is_quoted: bool = False
    operator: str = ""
    low: str | None = None
    high: str | None = None
    is_joined: bool = False
    is_name: bool = False

    @property
    def is_range(self) -> bool:
        """Say whether the value was written with `..`."""
        return self.low is not None


@dataclass(frozen=True)
class Value:
    """A value that was understood: `text` reads back as the same value, `data` is what the legs need.

    `is_free` marks words that stood without a field.
    """

    text: str
    data: Data
    is_quoted: bool = False
    is_free: bool = False


@dataclass(frozen=True)
class Clause:
    """One condition, met by any of its values; `argument` names what stood beside the query and not in it."""

    field: Field
    values: tuple[Value, ...]
    position: int = 0
    length: int = 0
    argument: str | None = None

    @property
    def is_free(self) -> bool:
        """Say whether these are words without a field."""
        return all(value.is_free for value in self.values)

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        """Return what two clauses with the same meaning share."""
        return (self.field.key, frozenset(value.text for value in self.values))

    def holding(self, values: tuple[Value, ...]) -> "Clause":
        """Return the same clause with other values, each once."""
        once = {value.text: value for value in reversed(values)}
        ordered = dict.fromkeys(value.text for value in values)
        return replace(self, values=tuple(once[text] for text in ordered))

    def with_values_of(self, other: "Clause") -> "Clause":
        """Return a clause that either of two meets; its place spans both."""
        end = max(self.position + self.length, other.position + other.length)
        length = self.length if other.argument else end - self.position
        return replace(self.holding(self.values + other.values), length=length)


@dataclass(frozen=True)
class Not:
    """What must not hold."""

    child: "Clause | Not | And | Or"
    position: int = 0
    length: int = 0


@dataclass(frozen=True)
class And:
    """All of these."""

    children: tuple["Clause | Not | And | Or", ...]


@dataclass(frozen=True)
class Or:
    """Any of these."""

    children: tuple["Clause | Not | And | Or", ...]


Tree = Clause | Not | And | Or


def clauses(tree: Tree) -> tuple[Clause, ...]:
    """Return every clause of a tree, from left to right."""
    if isinstance(tree, Clause):
        return (tree,)
    children = (tree.child,) if isinstance(tree, Not) else tree.children
    return tuple(clause for child in children for clause in clauses(child))


def all_of(parts: tuple[Tree, ...]) -> Tree:
    """Join with AND, without an AND inside an AND."""
    flat = [part for one in parts for part in (one.children if isinstance(one, And) else (one,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(parts: tuple[Tree, ...]) -> Tree:
    """Join with OR; clauses of one field become one clause with the values of all."""
    flat = [part for one in parts for part in (one.children if isinstance(one, Or) else (one,))]
    merged: dict[str, Clause] = {}
    order: dict[str, Tree] = {}
    for number, part in enumerate(flat):
        if isinstance(part, Clause):
            first = merged.get(part.field.key)
            merged[part.field.key] = first.with_values_of(part) if first else part
            order[part.field.key] = merged[part.field.key]
        else:
            order[f"#{number}"] = part
    kept = tuple(order.values())
    return kept[0] if len(kept) == 1 else Or(kept)
