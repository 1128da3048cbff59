"""From the text of a query to a tree, with every mistake and its place.

The grammar: `or_expr = and_expr {OR and_expr}`, `and_expr = not_expr {[AND] not_expr}`, `not_expr = [NOT] primary`,
`primary = "(" or_expr ")" | field ":" values | words`.
"""

from dataclasses import dataclass
from datetime import date

from mcp_server.unified.query import errors as codes
from mcp_server.unified.query import notices
from mcp_server.unified.query.accessions import field_of
from mcp_server.unified.query.errors import Notice, QueryError, QueryErrors
from mcp_server.unified.query.fields import KEYWORD, SHARED, Field
from mcp_server.unified.query.printer import printed
from mcp_server.unified.query.problems import ValueProblem
from mcp_server.unified.query.scanner import Scanner, Token
from mcp_server.unified.query.source import Source
from mcp_server.unified.query.spelling import close_fields
from mcp_server.unified.query.tree import Clause, Not, Raw, Tree, Value, all_of, any_of
from mcp_server.unified.query.value_parser import ValueParser
from mcp_server.unified.query.values import read_free, read_values

LENGTH_MAX = 2000
CLAUSES_MAX = 50
DEPTH_MAX = 10
EXAMPLES = ("gene:BRAF AND disease:melanoma", "variant:rs113488022", "trials.condition:NSCLC AND near:Cleveland")
_VARIANT = SHARED[2]


@dataclass(frozen=True)
class Parsed:
    """A query that was understood, in words that read back as the same tree."""

    text: str
    tree: Tree
    notices: tuple[Notice, ...] = ()

    @property
    def normalised(self) -> str:
        """Return the query as it was read."""
        return printed(self.tree)


def parse(text: str, today: date | None = None) -> Parsed:
    """Read a query; raise QueryErrors with all that is wrong. Without `today`, relative dates mean no real day."""
    if len(text) > LENGTH_MAX:
        message = f"the query has {len(text):,} characters, {LENGTH_MAX:,} is the most"
        error = QueryError(codes.E_TOO_LONG, message, LENGTH_MAX, len(text) - LENGTH_MAX, "search in several steps")
        raise QueryErrors(text, [error])
    parser = _Parser(Source(text), today)
    tree = parser.whole()
    if parser.errors:
        raise QueryErrors(text, parser.errors)
    if tree is None:
        raise QueryErrors(text, [empty()])
    return Parsed(text, tree, tuple(parser.notices))


def empty() -> QueryError:
    """Return the mistake of asking for nothing, with three examples."""
    return QueryError(codes.E_EMPTY, "there is nothing to search for", hint="write, e.g.", suggestions=EXAMPLES)


class _Parser:
    """Goes once through the tokens; a mistake is noted and reading goes on behind it."""

    def __init__(self, source: Source, today: date | None) -> None:
        self.source = source
        self.errors: list[QueryError] = []
        self.notices: list[Notice] = []
        self.scanner = Scanner(source, self.errors)
        self.values = ValueParser(self.scanner, self.fail)
        self.today = today
        self.depth = 0
        self.count = 0

    def fail(self, code: str, message: str, start: int, end: int, hint: str = "", close: tuple[str, ...] = ()) -> None:
        """Note a mistake at a place of the plain text."""
        position, length = self.source.span(start, end)
        self.errors.append(QueryError(code, message, position, length, hint, close))

    def whole(self) -> Tree | None:
        """Read to the end; a parenthesis too many is noted and passed over."""
        parts: list[Tree] = []
        while True:
            part = self.or_expr()
            if part is not None:
                parts.append(part)
            token = self.scanner.peek()
            if token.kind == "END":
                break
            self.scanner.take()
            message = "this parenthesis closes nothing"
            self.fail(codes.E_UNBALANCED_PAREN, message, token.start, token.end, "leave it out, or open it before")
        return all_of(tuple(parts)) if parts else None

    def or_expr(self) -> Tree | None:
        """Read what OR joins."""
        parts = [self.and_expr()]
        while self.scanner.peek().kind == "OR":
            operator = self.scanner.take()
            self._needs_operand(operator, has_left=parts[-1] is not None)
            parts.append(self.and_expr())
        read = tuple(part for part in parts if part is not None)
        return any_of(read) if read else None

    def and_expr(self) -> Tree | None:
        """Read what AND, or nothing at all, joins."""
        parts: list[Tree] = []
        while (token := self.scanner.peek()).kind not in ("OR", ")", "END"):
            if token.kind == "AND":
                self.scanner.take()
                self._needs_operand(token, has_left=bool(parts))
                continue
            part = self.not_expr()
            if part is not None:
                parts.append(part)
        return all_of(tuple(parts)) if parts else None

    def _needs_operand(self, operator: Token, *, has_left: bool) -> None:
        """Note an operator that misses what it should join."""
        following = self.scanner.peek()
        if not has_left and self.errors:
            return  # what stood before it is wrong already
        if not has_left:
            self._dangling(operator, "nothing stands before it")
        elif following.kind in ("END", ")"):
            self._dangling(operator, "nothing follows it")
        elif following.kind in ("AND", "OR"):
            self._dangling(following, f"it follows {operator.text}")
            self.scanner.take()

    def _dangling(self, token: Token, why: str) -> None:
        message = f"{token.text} joins nothing: {why}"
        hint = f'leave it out, or put it in quotes if the word is meant: "{token.text}"'
        self.fail(codes.E_BAD_OPERATOR, message, token.start, token.end, hint)

    def not_expr(self) -> Tree | None:
        """Read a part with or without NOT."""
        if self.scanner.peek().kind != "NOT":
            return self.primary()
        operator = self.scanner.take()
        following = self.scanner.peek()
        if following.kind in ("AND", "OR", "NOT", "END", ")"):
            self._dangling(operator, "nothing follows it" if following.kind in ("END", ")") else "an operator follows")
            return None
        child = self.primary()
        if child is None or isinstance(child, Not):
            return child and child.child
        return Not(child, *self.source.span(operator.start, self.scanner.behind))

    def primary(self) -> Tree | None:
        """Read a part in parentheses, a clause, or words."""
        token = self.scanner.peek()
        if token.kind == "(":
            return self.group()
        self.count += 1
        if self.count == CLAUSES_MAX + 1:
            message = f"more than {CLAUSES_MAX} clauses"
            self.fail(codes.E_TOO_COMPLEX, message, token.start, token.end, "search in several steps")
        if token.kind == "FIELD":
            return self.clause()
        if token.kind == "|":
            self.scanner.take()
            self._dangling(token, "it belongs between two values")
            return None
        return self.words()

    def group(self) -> Tree | None:
        """Read what parentheses hold together."""
        opening = self.scanner.take()
        self.depth += 1
        if self.depth > DEPTH_MAX:
            message = f"parentheses nest deeper than {DEPTH_MAX}"
            self.fail(codes.E_TOO_COMPLEX, message, opening.start, opening.end, "take some out")
            raise QueryErrors(self.source.text, self.errors)
        before = len(self.errors)
        child = self.or_expr()
        self.depth -= 1
        if self.scanner.peek().kind == ")":
            closing = self.scanner.take()
            if child is None and len(self.errors) == before:
                message = "nothing stands between the parentheses"
                self.fail(codes.E_EMPTY_VALUE, message, opening.start, closing.end)
        else:
            self._unclosed(opening)
        return child

    def _unclosed(self, opening: Token) -> None:
        message = "this parenthesis is opened and never closed"
        self.fail(codes.E_UNBALANCED_PAREN, message, opening.start, opening.end, "close it with )")

    def clause(self) -> Tree | None:
        """Read a field with its value or values."""
        token = self.scanner.take()
        name_end = token.start + len(token.text)
        field = token.field
        if field is None:
            close = close_fields(token.text)
            hint = f"did you mean {' or '.join(close)}?" if close else "get_schema=true lists the fields"
            message = f"there is no field {token.text!r}; in quotes it is plain text"
            self.fail(codes.E_UNKNOWN_FIELD, message, token.start, name_end, hint, close)
            self.values.read(KEYWORD, token)
            return None
        raws = self.values.read(field, token)
        values = [value for raw in raws for value in self._typed(field, raw)]
        if not values:
            return None
        position, length = self.source.span(token.start, self.scanner.behind)
        joined = next((raw for raw in raws if raw.is_joined), None)
        if joined:
            self.notices.append(notices.joined(field, joined.text, *self.source.span(joined.start, joined.end)))
        return Clause(field, (), position, length).holding(tuple(values))

    def _typed(self, field: Field, raw: Raw) -> tuple[Value, ...]:
        try:
            return read_values(field, raw, self.today)
        except ValueProblem as problem:
            end = raw.start + len(raw.operator) if problem.code == codes.E_BAD_OPERATOR and raw.operator else raw.end
            self.fail(problem.code, problem.message, raw.start, end, problem.hint, problem.suggestions)
            return ()

    def words(self) -> Tree | None:
        """Read words without a field: those that stand together are one text; a variant's name is a variant."""
        parts: list[Tree] = []
        for raw in self.values.free():
            values = self._typed(_VARIANT, raw) if raw.is_name else (read_free(KEYWORD, raw),)
            if values:
                field = _VARIANT if raw.is_name else KEYWORD
                parts.append(Clause(field, values, *self.source.span(raw.start, raw.end)))
        return any_of(tuple(parts)) if parts else None


def identified(tree: Tree) -> Tree:
    """Turn a query that is nothing but one identifier into the clause that it means."""
    if not (isinstance(tree, Clause) and tree.is_free and len(tree.values) == 1):
        return tree
    text = tree.values[0].data
    field = field_of(text)
    if field is None:
        return tree
    try:
        values = read_values(field, Raw(text, 0, len(text)), None)
    except ValueProblem:
        return tree
    return Clause(field, values, tree.position, tree.length)
