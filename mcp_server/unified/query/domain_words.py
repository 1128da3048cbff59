"""What plain words mean when they are searched in one domain only."""

import re
from dataclasses import replace

from mcp_server.unified.query.accessions import read_accession
from mcp_server.unified.query.errors import E_BAD_VALUE, QueryError, QueryErrors
from mcp_server.unified.query.fields import BY_KEY, SHARED, Field
from mcp_server.unified.query.parser import identified
from mcp_server.unified.query.problems import ValueProblem
from mcp_server.unified.query.tree import And, Clause, Not, Or, Raw, Tree, Value, all_of, any_of, clauses
from mcp_server.unified.query.values import read_values
from mcp_server.unified.query.variant_names import read_variant

_GENE, _DISEASE, _VARIANT, _DRUG = SHARED[:4]
_LIKE_A_SYMBOL = re.compile(r"[A-Z][A-Z0-9-]{1,11}|C[0-9XY]+orf\d+")
_ONE_WORD = re.compile(r"\S+")


def is_plain(tree: Tree) -> bool:
    """Say whether a query has no field at all."""
    return all(clause.is_free for clause in clauses(tree))


def in_domain(text: str, tree: Tree, domain: str) -> Tree:
    """Return plain words as the conditions that they mean in a domain; raise QueryErrors if they mean none."""
    alone = identified(tree)
    if isinstance(alone, Clause) and domain in alone.field.reach:
        return alone
    if domain in ("article", "trial"):
        return tree
    return _replaced(text, tree, domain)


def _replaced(text: str, tree: Tree, domain: str) -> Tree:
    if isinstance(tree, Not):
        return replace(tree, child=_replaced(text, tree.child, domain))
    if isinstance(tree, And | Or):
        children = tuple(_replaced(text, child, domain) for child in tree.children)
        return all_of(children) if isinstance(tree, And) else any_of(children)
    return any_of(tuple(_meant(text, tree, value, domain) for value in tree.values))


def _meant(text: str, clause: Clause, value: Value, domain: str) -> Tree:
    """Return what one text means; several words of a variant are a gene and its changes."""
    words = value.data
    parts = [words]
    if domain == "variant" and read_variant(words) is None:
        parts = words.split()
    try:
        return all_of(tuple(_clause(_field(domain, part), part, clause) for part in parts))
    except ValueProblem as problem:
        hint = "write the fields, e.g. gene:BRAF AND significance:pathogenic"
        error = QueryError(E_BAD_VALUE, problem.message, clause.position, clause.length, hint)
        raise QueryErrors(text, [error]) from problem


def _clause(field: Field, part: str, place: Clause) -> Clause:
    values = read_values(field, Raw(part, 0, len(part), is_quoted=True), None)
    return Clause(field, values, place.position, place.length)


def _field(domain: str, part: str) -> Field:
    """Return the field of a domain that a text without a field belongs to."""
    is_symbol = _LIKE_A_SYMBOL.fullmatch(part) is not None
    is_variant = read_variant(part) is not None
    if domain == "variant":
        return _VARIANT if is_variant else _GENE
    if domain == "gene":
        return _GENE if _ONE_WORD.fullmatch(part) else BY_KEY["genes.name"]
    if domain == "pgx":
        is_known = is_variant and re.match(r"rs\d|\w+\*", part, re.IGNORECASE)
        return _VARIANT if is_known else BY_KEY["pgx.gene" if is_symbol else "pgx.drug"]
    if domain == "protein":
        if read_accession("uniprot", part):
            return BY_KEY["proteins.accession"]
        return BY_KEY["proteins.gene" if is_symbol else "proteins.name"]
    return {"drug": _DRUG, "disease": _DISEASE, "pathway": BY_KEY["pathways.name"]}[domain]
