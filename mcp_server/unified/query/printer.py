"""A tree written as a query that reads back as the same tree."""

from mcp_server.unified.query.fields import Field
from mcp_server.unified.query.tree import And, Clause, Not, Tree, Value


def printed(tree: Tree) -> str:
    """Return the query text of a tree."""
    return _part(tree, "or")


def _part(tree: Tree, around: str) -> str:
    """Write one part; `around` is the operator it stands in: or, and, not."""
    if isinstance(tree, Clause):
        return _clause(tree, around)
    if isinstance(tree, Not):
        return f"NOT {_part(tree.child, 'not')}"
    if isinstance(tree, And):
        text = " AND ".join(_part(child, "and") for child in tree.children)
        return f"({text})" if around == "not" else text
    text = " OR ".join(_part(child, "or") for child in tree.children)
    return f"({text})" if around != "or" else text


def _clause(clause: Clause, around: str) -> str:
    field = clause.field
    if field.is_loose:
        text = " OR ".join(_words(field, value) for value in clause.values)
        return f"({text})" if len(clause.values) > 1 and around != "or" else text
    values = [value.text for value in clause.values]
    return f"{field.key}:{values[0]}" if len(values) == 1 else f"{field.key}:({' OR '.join(values)})"


def _words(field: Field, value: Value) -> str:
    """Write words that may stand apart each with its own field, for a list would split them at commas."""
    return value.text if value.is_free else f"{field.key}:{value.text}"
