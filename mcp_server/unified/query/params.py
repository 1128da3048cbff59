"""The conditions on one domain as the params of its legs; the names are explained in `plan`."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from mcp_server.unified.query.branches import Branch, Literal
from mcp_server.unified.query.errors import Json
from mcp_server.unified.query.fields import FIELDS
from mcp_server.unified.query.shapes import (
    SHAPES,
    UPSTREAM_NOT,
    Contradiction,
    Part,
    can_exclude,
    expression,
    json_of,
    shape_of,
)
from mcp_server.unified.query.tree import Clause, Value
from mcp_server.unified.query.variant_names import KINDS
from mcp_server.unified.query.vocabulary import STATUSES

CALLS_MAX = 4
# What one variant has only one of: conditions on two of them are searched one after the other.
IDENTITY = ("gene", "rsid", "hgvs", "protein", "protein_position", "cdna", "id", "clinvar")
# A record has just one of these few: to leave one out is to ask for the others.
ONE_OF_FEW = ("trials.status", "trials.type", "articles.source")
APART = ("interval", "age", "flag", "geo")


@dataclass
class Built:
    """Params in the making."""

    params: dict[str, Json] = field(default_factory=dict)
    post_filters: list[dict[str, Json]] = field(default_factory=list)


def calls(domain: str, literals: Branch) -> list[list[Part]]:
    """Return the calls that a branch needs: each a list of parts that one call can express."""
    parts: list[list[Part]] = []
    for literal in literals:
        if literal.clause.field.type == "date" and literal.is_negative:
            parts += [_other_days(domain, literal, value) for value in literal.clause.values]
        elif not literal.is_negative:
            listed = {part.param for options in parts for part in options if len(part.values) > 1}
            parts.append(_options(domain, literal, listed))
    if domain == "variant":
        parts = _one_identity(parts)
    return [list(combination) for combination in itertools.product(*parts)]


def _options(domain: str, literal: Literal, listed: set[str]) -> list[Part]:
    """Split the values of one condition into what one call can hold; `listed` are params that have a list already."""
    clause = literal.clause
    shape = shape_of(domain, clause)
    param = clause.field.reach[domain].param
    if shape in APART or (shape in ("many", "scalar") and param in listed):
        return [Part(literal, param, (value,)) for value in clause.values]
    if shape == "phases":
        single = tuple(value for value in clause.values if len(value.data) == 1)
        several = [Part(literal, param, (value,)) for value in clause.values if len(value.data) > 1]
        return ([Part(literal, param, single)] if single else []) + several
    if domain == "variant" and clause.field.type == "variant":
        return _by_kind(literal)
    return [Part(literal, param, clause.values)]


def _other_days(domain: str, literal: Literal, value: Value) -> list[Part]:
    """Return the days before and after those that are left out, one call for each."""
    param = literal.clause.field.reach[domain].param
    return [Part(literal, param, (Value(other.written, other),)) for other in value.data.others()]


def _by_kind(literal: Literal) -> list[Part]:
    """Split variants by what they are asked by, and by the gene or assembly that they name."""
    groups: dict[tuple[str, str, str], list[Value]] = {}
    for value in literal.clause.values:
        name = value.data
        groups.setdefault((variant_param(name.kind), name.gene, name.assembly), []).append(value)
    return [Part(literal, param, tuple(values)) for (param, _, _), values in groups.items()]


def variant_param(kind: str) -> str:
    """Return the param that a kind of variant name becomes in the variant domain."""
    return "id" if kind == "genomic" else kind


def _one_identity(parts: list[list[Part]]) -> list[list[Part]]:
    """Make alternatives of conditions that no single variant meets together: two genes, two changes."""
    united: dict[str, list[Part]] = {}
    for number, options in enumerate(parts):
        params = {part.param for part in options}
        name = params.pop() if len(params) == 1 else ""
        united.setdefault(name if name in IDENTITY else f"#{number}", []).extend(options)
    return [_few(options) for options in united.values()]


def _few(options: list[Part]) -> list[Part]:
    """Put alternatives into one list where they are more than there may be calls."""
    if len(options) <= CALLS_MAX or len({(part.param, part.own_gene) for part in options}) > 1:
        return options
    values = {value.text: value for part in options for value in part.values}
    return [Part(options[0].literal, options[0].param, tuple(values.values()))]


def unions(domain: str, literals: Branch) -> list[tuple[str, list[Literal]]]:
    """Return the identities of a variant that a branch asks for more than once."""
    asked: dict[str, list[Literal]] = {}
    for literal in literals if domain == "variant" else ():
        params = {part.param for part in _options(domain, literal, set())} if not literal.is_negative else set()
        if len(params) == 1 and (name := params.pop()) in IDENTITY:
            asked.setdefault(name, []).append(literal)
    return [(name, found) for name, found in asked.items() if len(found) > 1]


def build(domain: str, parts: Sequence[Part], negatives: Sequence[Literal]) -> Built:
    """Return the params of one call; raise Contradiction if nothing can meet all its conditions."""
    built = Built()
    own_gene = next((part.own_gene for part in parts if part.own_gene), "") if domain == "variant" else ""
    by_param: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        if not (own_gene and part.param == "gene"):
            by_param.setdefault((shape_of(domain, part.clause), part.param), []).append(part)
    if own_gene:
        built.params["gene"] = own_gene
    gene = only_gene(parts)
    for (shape, param), group in by_param.items():
        built.params |= SHAPES[shape](domain, param, group, gene)
    if domain == "article":
        _exact(built, parts)
    if domain == "variant":
        _assembly(built, parts)
    for literal in negatives:
        if literal.clause.field.type != "date":
            _exclude(domain, literal, built)
    return built


def only_gene(parts: Sequence[Part]) -> str:
    """Return the gene that is asked for, if it is just one."""
    genes = {value.data for part in parts if part.clause.field.type == "gene" for value in part.values}
    return str(genes.pop()) if len(genes) == 1 else ""


def _exact(built: Built, parts: Sequence[Part]) -> None:
    exact = [value.data for part in parts if part.param == "keywords" for value in part.values if value.is_quoted]
    if exact:
        built.params["exact_phrases"] = exact


def _assembly(built: Built, parts: Sequence[Part]) -> None:
    """Say which assembly a coordinate counts in; where nobody said it, both are tried."""
    if not any(name in built.params for name in ("id", "id_any", "region", "region_any")):
        return
    named = [(part, value.data.assembly) for part in parts if part.param == "id" for value in part.values]
    asked = built.params.get("assembly", "")
    for part, assembly in named:
        if assembly and assembly != (asked or assembly):
            other = next(one for one in parts if one.param == "assembly")
            raise Contradiction(part.clause, other.clause)
    stated = next((assembly for _, assembly in named if assembly), "")
    built.params["assembly"] = asked or stated or "both"


def _exclude(domain: str, literal: Literal, built: Built) -> None:
    """Add what must not hold: asked of the source where it can be, else taken out of the rows."""
    clause = literal.clause
    shape = shape_of(domain, clause)
    reached = clause.field.reach[domain].param
    for value in clause.values:
        is_change = domain == "variant" and clause.field.type == "variant"
        param = variant_param(value.data.kind) if is_change else reached
        json = expression(domain, value) if shape == "term" else json_of(domain, param, value)
        if shape == "flag":
            if built.params.setdefault(param, not json) is json:
                raise Contradiction(clause, clause)
        elif clause.field.key in ONE_OF_FEW:
            refused = value.data if shape == "status" else (value.data,)
            allowed = built.params.get(param, STATUSES if shape == "status" else clause.field.allowed)
            built.params[param] = [one for one in allowed if one not in refused]
            if not built.params[param]:
                raise Contradiction(clause, clause)
        elif domain in UPSTREAM_NOT:
            _add(built.params.setdefault(f"not_{param}", []), json)
        else:
            _post_filter(built, clause.field.key, json)


def names_in(domain: str) -> frozenset[str]:
    """Return every name that the params of a domain's legs can have: whoever runs the legs must know them all."""
    found = {"exact_phrases"} if domain == "article" else set()
    for one in (one for one in FIELDS if domain in one.reach):
        params = {one.reach[domain].param}
        if domain == "variant" and one.type == "variant":
            params = {variant_param(kind) for kind in one.allowed or KINDS if kind != "star"}
        for param in params:
            found |= _names_of(domain, param, Clause(one, ()))
    return frozenset(found)


def _names_of(domain: str, param: str, clause: Clause) -> set[str]:
    """Return what the params that come from one field can be called."""
    shape = shape_of(domain, clause)
    is_listed = shape == "many" or (shape == "scalar" and param not in IDENTITY)
    found = {param} | ({f"{param}_all", f"{param}_any"} if is_listed else set())
    if shape == "age" or clause.field.type == "number":
        found = {f"{side}_{param}{end}" for side in ("min", "max") for end in ("", "_exclusive")}
    if domain == "variant" and shape in ("scalar", "choice"):
        found.add(f"{param}_any")
    found |= {"age": {"age_group"}, "phases": {f"{param}_all"}}.get(shape, set())
    has_others = shape == "flag" or clause.field.type == "date" or clause.field.key in ONE_OF_FEW
    has_not = domain in UPSTREAM_NOT and not has_others and can_exclude(domain, clause)
    return found | ({f"not_{param}"} if has_not else set())


def _add(known: list[Json], json: Json) -> None:
    if json not in known:
        known.append(json)


def _post_filter(built: Built, key: str, json: Json) -> None:
    for one in built.post_filters:
        if one["field"] == key:
            _add(one["not"], json)
            return
    built.post_filters.append({"field": key, "not": [json]})
