"""Which conditions of a branch act on a domain, and whether they are enough to search it."""

from collections.abc import Set
from dataclasses import replace

from mcp_server.unified.query.branches import Branch, Literal
from mcp_server.unified.query.fields import Reach
from mcp_server.unified.query.shapes import can_exclude
from mcp_server.unified.query.tree import Clause, Value

# A card is looked up by its own name; other clauses narrow it only if the caller asked for this domain by name,
# for the card of a drug is wanted with every gene it is mentioned with, not only with its targets.
CARDS = ("drug", "disease")
_VARIANTS_OF = {
    "variant": ("rsid", "clinvar", "protein", "protein_position", "cdna", "hgvs", "genomic"),
    "pgx": ("rsid", "star"),
}


def reach_of(clause: Clause, domain: str, asked: Set[str]) -> Reach | None:
    """Return how a clause acts on a domain, or none if it does not."""
    reach = clause.field.reach.get(domain)
    if reach is None or (domain in CARDS and reach.mode == "C" and domain not in asked):
        return None
    return reach if values_in(clause, domain) else None


def values_in(clause: Clause, domain: str) -> tuple[Value, ...]:
    """Return the values that a domain can have: not every kind of variant is known everywhere."""
    kinds = _VARIANTS_OF.get(domain)
    if clause.field.type != "variant" or kinds is None:
        return clause.values
    return tuple(value for value in clause.values if value.data.kind in kinds)


def applied(branch: Branch, domain: str, asked: Set[str]) -> Branch | None:
    """Return the conditions of a branch that act on a domain, or none if they do not make a search."""
    acting = [(literal, reach) for literal in branch if (reach := _reach(literal, domain, asked))]
    positive = [(literal, reach) for literal, reach in acting if not literal.is_negative]
    starts = any(reach.mode == "A" for _, reach in positive) or domain in asked
    if not starts or not any(is_strong(literal) for literal, _ in positive):
        return None
    return tuple(_within(literal, domain) for literal, _ in acting)


def _reach(literal: Literal, domain: str, asked: Set[str]) -> Reach | None:
    reach = reach_of(literal.clause, domain, asked)
    return None if reach and literal.is_negative and not can_exclude(domain, literal.clause) else reach


def is_strong(literal: Literal) -> bool:
    """Say whether a condition may stand alone."""
    return not literal.is_negative and not literal.clause.field.is_weak


def _within(literal: Literal, domain: str) -> Literal:
    return replace(literal, clause=replace(literal.clause, values=values_in(literal.clause, domain)))


def soft_in(literal: Literal, domain: str) -> bool:
    """Say whether a condition may be left out if nothing is found with it."""
    field = literal.clause.field
    if literal.is_negative or field.domain:
        return False
    if domain == "trial":
        return field.name in ("gene", "variant")
    return field.name == "disease" if domain == "variant" else domain in CARDS and field.reach[domain].mode == "C"
