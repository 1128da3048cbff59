"""From a request to the plan of its legs: which domains are searched, with which params, and what is left out.

Pure: no network, no clock; `today` is an argument. The params of each domain are listed in `plan`.

1. The query, what plain words mean in one domain, and the arguments beside it become one tree.
2. The tree becomes branches; in each, conditions act on the domains that their fields reach (`reaching`).
3. Branches of one domain are united where one call can hold both; each call becomes a leg (`legs`, `params`).
4. What no leg used is reported.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from mcp_server.unified.query import notices as say
from mcp_server.unified.query.arguments import Arguments
from mcp_server.unified.query.branches import Branch, Literal, branches, merged
from mcp_server.unified.query.domain_words import in_domain, is_plain
from mcp_server.unified.query.errors import E_CONFLICT, E_NO_LEG, E_TOO_COMPLEX, Notice, QueryError, QueryErrors
from mcp_server.unified.query.fields import BY_KEY, SINGLE
from mcp_server.unified.query.hints import suggested
from mcp_server.unified.query.legs import ENRICH_MAX, legs_of
from mcp_server.unified.query.params import CALLS_MAX
from mcp_server.unified.query.parser import Parsed, empty, identified, parse
from mcp_server.unified.query.plan import DOMAINS, Leg, NotApplied, Plan, Request
from mcp_server.unified.query.printer import printed
from mcp_server.unified.query.reaching import applied, values_in
from mcp_server.unified.query.shapes import Contradiction, can_exclude
from mcp_server.unified.query.tree import Clause, Not, Tree, Value, all_of, clauses
from mcp_server.unified.query.vocabulary import OPEN

NO_LEG_HINT = "name a gene, disease, drug, variant or words to search for"
_APART = ("date", "number", "age", "boolean", "place")


def build_plan(request: Request, today: date) -> Plan:
    """Return what will be searched for a request; raise QueryErrors with all that is wrong with it."""
    text = request.query
    given = Arguments(request)
    if not text.strip() and not request.domain:
        raise QueryErrors(text, [*given.errors, _empty(given)])
    parsed = _parsed(text, today, given)
    tree, notices = _whole(text, given, parsed)
    router = _Router(text, given, tree)
    legs = [leg for domain in router.domains for leg in router.legs_in(domain)]
    if not legs:
        raise QueryErrors(text, [router.no_leg()])
    left_out = router.not_applied()
    remarks = [*notices, *router.notices, *(_said(one, tree) for one in left_out)]
    return Plan(
        query=text,
        normalised=printed(tree),
        legs=_enriched_once(legs),
        notices=tuple(dict.fromkeys(remarks)),
        not_applied=left_out,
    )


def _empty(given: Arguments) -> QueryError:
    """Return the mistake of a request without query and domain; what stands beside it is shown as a query."""
    error = empty()
    if not given.clauses:
        return error
    as_query = printed(all_of(given.clauses))
    hint = "arguments alone need a domain; or write them as a query"
    return replace(error, hint=hint, suggestions=(as_query, *error.suggestions))


def _parsed(text: str, today: date, given: Arguments) -> Parsed | None:
    """Read the query; its mistakes and those of the arguments are raised together."""
    try:
        parsed = parse(text, today) if text.strip() else None
    except QueryErrors as found:
        raise QueryErrors(text, [*found.errors, *given.errors]) from None
    if given.errors:
        raise QueryErrors(text, given.errors)
    return parsed


def _whole(text: str, given: Arguments, parsed: Parsed | None) -> tuple[Tree, list[Notice]]:
    """Join query and arguments to one tree; say how plain words were read."""
    notices: list[Notice] = []
    parts: tuple[Tree, ...] = given.clauses
    if parsed is not None:
        notices += parsed.notices
        tree = identified(parsed.tree)
        if given.domain and is_plain(parsed.tree):
            tree = in_domain(text, parsed.tree, given.domain)
        notices += _on_words(tree, has_domain=given.domain is not None)
        parts = (tree, *parts)
    if not parts:
        raise QueryErrors(text, [QueryError(E_NO_LEG, f"{given.domain}: nothing to search for", hint=NO_LEG_HINT)])
    if given.domain == "trial" and not _states_status(parts):
        default = Clause(BY_KEY["trials.status"], (Value("open", OPEN),), argument="recruiting_status")
        parts = (*parts, default)
        notices.append(say.default_status(printed(default)))
    return all_of(parts), notices


def _states_status(parts: Sequence[Tree]) -> bool:
    """Say whether recruitment is asked about, or one trial is named, so that no default is wanted."""
    return any(clause.field.key in ("trials.status", "trials.nct") for part in parts for clause in clauses(part))


def _on_words(tree: Tree, *, has_domain: bool) -> list[Notice]:
    """Say what a number or plain words could have been meant as."""
    said: list[Notice] = []
    free = [clause for clause in clauses(tree) if clause.is_free]
    for clause in free:
        for value in clause.values:
            if value.data.isascii() and value.data.isdigit():
                said.append(say.bare_number(value.data, clause.position, clause.length))
    if isinstance(tree, Clause) and tree.is_free and not has_domain and (guess := suggested(tree.values[0].data)):
        said.append(say.suggestion(guess, tree.position, tree.length))
    return said


def _enriched_once(legs: Sequence[Leg]) -> tuple[Leg, ...]:
    """Keep the first genes to enrich with, each once in the whole plan."""
    known: list[str] = []
    kept: list[Leg] = []
    for leg in legs:
        enrich = tuple(one for one in leg.enrich if one not in known)[: ENRICH_MAX - len(known)]
        known += enrich
        kept.append(replace(leg, enrich=enrich))
    return tuple(kept)


def _said(one: NotApplied, tree: Tree) -> Notice:
    lengths = {clause.position: clause.length for clause in clauses(tree) if clause.argument is None}
    length = lengths.get(one.position) if one.position is not None else None
    return say.not_applied(one.text, one.reason, one.position, length)


class _Router:
    """Routes the branches of one tree, and keeps account of what was used."""

    def __init__(self, text: str, given: Arguments, tree: Tree) -> None:
        self.text = text
        self.tree = tree
        self.asked = frozenset({given.domain} if given.domain else given.domains)
        self.domains = tuple(domain for domain in DOMAINS if not self.asked or domain in self.asked)
        self.branches = branches(text, tree)
        self.notices: list[Notice] = []
        self.used: set[tuple[str, str, bool]] = set()

    def legs_in(self, domain: str) -> list[Leg]:
        """Return the legs of one domain; raise QueryErrors if its conditions contradict each other."""
        acting = [found for branch in self.branches if (found := applied(branch, domain, self.asked))]
        made = legs_of(domain, merged(acting, _may_merge))
        if made.is_too_many:
            message = f"{domain} would be searched {len(made.legs)} times, {CALLS_MAX} times is the most"
            error = QueryError(E_TOO_COMPLEX, message, 0, len(self.text), "search in several steps")
            raise QueryErrors(self.text, [error])
        if made.contradiction and not made.legs:
            raise QueryErrors(self.text, [_conflict(made.contradiction)])
        if made.legs:
            self.notices += made.notices
            self._note_use(domain, acting)
        return made.legs

    def _note_use(self, domain: str, acting: Sequence[Branch]) -> None:
        for literal in (literal for branch in acting for literal in branch):
            for value in values_in(literal.clause, domain):
                self.used.add((literal.clause.field.key, value.text, literal.is_negative))

    def not_applied(self) -> tuple[NotApplied, ...]:
        """Return what no leg used, each once."""
        found: dict[tuple[str, frozenset[str], bool], NotApplied] = {}
        for literal in (literal for branch in self.branches for literal in branch):
            key = literal.clause.field.key
            left = [value for value in literal.clause.values if (key, value.text, literal.is_negative) not in self.used]
            if left:
                clause = literal.clause.holding(tuple(left))
                text = printed(Not(clause) if literal.is_negative else clause)
                position = clause.position if clause.argument is None else None
                reason = self._reason(literal)
                found[literal.key] = NotApplied(field=key, text=text, reason=reason, position=position)
        return tuple(found.values())

    def _reason(self, literal: Literal) -> str:
        reaches = [domain for domain in DOMAINS if domain in literal.clause.field.reach]
        outside = [domain for domain in reaches if domain not in self.domains]
        if outside and len(outside) == len(reaches):
            return f"it is about {' and '.join(reaches)}, and only {' and '.join(self.domains)} was asked for"
        if literal.is_negative and not any(can_exclude(domain, literal.clause) for domain in reaches):
            return "the source can't be asked to leave it out, and the rows do not show it"
        if literal.clause.is_free:
            return "plain words act on articles and trials only"
        return f"nothing in the query starts a search for {' or '.join(outside or reaches)} that it could narrow"

    def no_leg(self) -> QueryError:
        """Return the mistake of a query that starts no search."""
        first = next((clause for clause in clauses(self.tree) if clause.argument is None), None)
        where = f" in {' or '.join(self.domains)}" if self.asked else ""
        message = f"nothing in {printed(self.tree)} starts a search{where}"
        position, length = (first.position, first.length) if first else (0, 0)
        return QueryError(E_NO_LEG, message, position, length, NO_LEG_HINT)


def _may_merge(clause: Clause) -> bool:
    return clause.field.type not in _APART and clause.field.name not in SINGLE


def _conflict(contradiction: Contradiction) -> QueryError:
    """Show two conditions that nothing can meet together, at the place of the one in the query."""
    pair = (contradiction.second, contradiction.first)
    shown = next((clause for clause in pair if clause.argument is None), None)
    arguments = [clause.argument for clause in pair if clause.argument]
    message = f"{printed(contradiction.first)} and {printed(contradiction.second)} can't both hold"
    hint = f"leave out one of them; the argument {arguments[0]} is one" if arguments else "leave out one of them"
    if shown is None:
        return QueryError(E_CONFLICT, message, hint=hint, argument=arguments[0])
    return QueryError(E_CONFLICT, message, shown.position, shown.length, hint)
