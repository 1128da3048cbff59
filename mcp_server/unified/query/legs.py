"""The branches of one domain as its legs."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mcp_server.unified.query import notices as say
from mcp_server.unified.query.branches import Branch, Literal
from mcp_server.unified.query.errors import Notice
from mcp_server.unified.query.params import CALLS_MAX, Built, build, calls, only_gene, unions
from mcp_server.unified.query.plan import Leg
from mcp_server.unified.query.printer import printed
from mcp_server.unified.query.reaching import is_strong, soft_in
from mcp_server.unified.query.shapes import Contradiction, Part
from mcp_server.unified.query.tree import Not

ENRICH_MAX = 3


@dataclass
class DomainLegs:
    """The legs of a domain, what is to be said about them, and the first contradiction that left one out."""

    legs: list[Leg] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    contradiction: Contradiction | None = None

    @property
    def is_too_many(self) -> bool:
        """Say whether the domain would be asked more often than it may be."""
        return len(self.legs) > CALLS_MAX


def legs_of(domain: str, branches: Sequence[Branch]) -> DomainLegs:
    """Return the legs that search a domain for each of the branches."""
    found = DomainLegs()
    for branch in branches:
        negatives = [literal for literal in branch if literal.is_negative]
        for parts in calls(domain, branch):
            try:
                leg = _leg(domain, parts, negatives)
            except Contradiction as contradiction:
                found.contradiction = found.contradiction or contradiction
                continue
            if all(leg.params != other.params for other in found.legs):
                found.legs.append(replace(leg, branch=len(found.legs)))
                found.notices += _notices(leg, parts, negatives)
        for name, literals in unions(domain, branch):
            found.notices.append(_union(name, literals))
    return found


def _leg(domain: str, parts: Sequence[Part], negatives: Sequence[Literal]) -> Leg:
    built = build(domain, parts, negatives)
    hard = [part for part in parts if not soft_in(part.literal, domain)]
    soft: tuple[str, ...] = ()
    relaxed: Built | None = None
    if len(hard) < len(parts) and any(is_strong(part.literal) for part in hard):
        soft = tuple(dict.fromkeys(part.clause.field.name for part in parts if part not in hard))
        relaxed = build(domain, hard, negatives)
    return Leg(
        domain=domain,
        params=built.params,
        enrich=enriched(parts) if domain == "article" else (),
        post_filters=tuple(built.post_filters),
        soft=soft,
        relaxed_params=relaxed.params if relaxed else None,
    )


def enriched(parts: Sequence[Part]) -> tuple[str, ...]:
    """Return the genes, with the changes that belong to them, whose cancer studies are shown beside the articles."""
    genes = [value.data for part in parts if part.clause.field.type == "gene" for value in part.values]
    names = [value.data for part in parts if part.clause.field.type == "variant" for value in part.values]
    alone = only_gene(parts)
    changes: dict[str, list[str]] = {gene: [] for gene in genes}
    for name in names:
        gene = name.gene or alone
        if gene and name.kind in ("protein", "protein_position"):
            changes.setdefault(gene, []).append(name.text)
    found = [f"cbioportal:{gene} {change}".rstrip() for gene, listed in changes.items() for change in listed or [""]]
    return tuple(dict.fromkeys(found))[:ENRICH_MAX]


def _notices(leg: Leg, parts: Sequence[Part], negatives: Sequence[Literal]) -> list[Notice]:
    said: list[Notice] = []
    if leg.params.get("assembly") == "both":
        clause = next(part.clause for part in parts if part.param in ("id", "region"))
        said.append(say.assembly(printed(clause), clause.position, clause.length))
    filtered = {one["field"] for one in leg.post_filters}
    for literal in negatives:
        if literal.clause.field.key in filtered:
            text = printed(Not(literal.clause))
            said.append(say.post_filtered(leg.domain, text, literal.position, literal.length))
    return said


def _union(name: str, literals: Sequence[Literal]) -> Notice:
    values = tuple(value.text for literal in literals for value in literal.clause.values)
    what = "gene" if name == "gene" else "name"
    return say.union(what, values, literals[0].position, literals[0].length)
