"""How the conditions on one param of a leg are put together, by the shape of the param."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mcp_server.unified.query.branches import Literal
from mcp_server.unified.query.errors import Json
from mcp_server.unified.query.fields import SINGLE
from mcp_server.unified.query.spelling import quoted
from mcp_server.unified.query.tree import Clause, Value
from mcp_server.unified.query.values import Bounds
from mcp_server.unified.query.vocabulary import PHASES, STATUSES


@dataclass(frozen=True)
class Part:
    """The values of one condition that one call can hold, and the param that they become."""

    literal: Literal
    param: str
    values: tuple[Value, ...]

    @property
    def clause(self) -> Clause:
        """Return the clause that the values come from."""
        return self.literal.clause

    @property
    def own_gene(self) -> str:
        """Return the gene that a variant's own name says."""
        is_variant = self.clause.field.type == "variant"
        return next((value.data.gene for value in self.values if is_variant), "")


class Contradiction(Exception):
    """Two conditions that nothing can meet together."""

    def __init__(self, first: Clause, second: Clause) -> None:
        super().__init__(f"{first.field.key} against {second.field.key}")
        self.first = first
        self.second = second


def shape_of(domain: str, clause: Clause) -> str:
    """Return how the param of a clause is built."""
    field = clause.field
    by_type = {"date": "interval", "number": "interval", "boolean": "flag", "place": "geo", "phase": "phases"}
    if field.type in by_type or field.type in ("status", "age"):
        return by_type.get(field.type, field.type)
    if field.name in SINGLE:
        return "flag"
    if domain not in ("article", "trial", "variant"):
        return "card"
    if field.type in ("enum", "identifier"):
        return "choice" if domain != "variant" or field.type == "enum" else "scalar"
    if domain == "variant":
        return "scalar"
    return "term" if field.reach[domain].param == "term" else "many"


UPSTREAM_NOT = ("article", "trial", "variant")


def can_exclude(domain: str, clause: Clause) -> bool:
    """Say whether what a clause names can be left out: by the source, or from rows that show it."""
    shape = shape_of(domain, clause)
    if domain in UPSTREAM_NOT:
        return shape not in ("geo", "age")
    return shape in ("card", "flag")


def json_of(domain: str, param: str, value: Value, gene: str = "") -> Json:
    """Return one value as a leg takes it; `gene` goes before the change of a variant in an article."""
    data = value.data
    if hasattr(data, "kind"):
        if domain == "variant":
            return data.hgvs_protein if data.kind == "protein" else data.text
        gene = data.gene or (gene if data.kind in ("protein", "protein_position", "cdna") else "")
        return f"{gene} {data.text}" if gene and domain == "article" else data.text
    if isinstance(data, Bounds):
        return _bounded("", data)
    if isinstance(data, tuple):
        return data[0] if len(data) == 1 else f"({' AND '.join(data)})"
    return data.wire() if hasattr(data, "wire") else data


def _bounded(param: str, bounds: Bounds) -> dict[str, Json]:
    """Write bounds as `min_x` and `max_x`, or as `min` and `max` without a name."""
    tail = f"_{param}" if param else ""
    built: dict[str, Json] = {}
    for side, number, excludes in (("min", bounds.low, bounds.is_above), ("max", bounds.high, bounds.is_below)):
        if number is not None:
            built[side + tail] = number
            if excludes:
                built[f"{side}{tail}_exclusive"] = True
    return built


def _unique(found: Sequence[Json]) -> list[Json]:
    kept: list[Json] = []
    for one in found:
        if one not in kept:
            kept.append(one)
    return kept


def _lists(domain: str, parts: Sequence[Part], gene: str) -> list[list[Json]]:
    return [_unique([json_of(domain, part.param, value, gene) for value in part.values]) for part in parts]


def _many(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    """A record can have several of these: `x`, `x_all`, `x_any`."""
    found = _lists(domain, parts, gene)
    every = _unique([one[0] for one in found if len(one) == 1])
    built: dict[str, Json] = {}
    if every:
        built[param if len(every) == 1 else f"{param}_all"] = every
    for several in found:
        if len(several) > 1:
            built[f"{param}_any"] = several
    return built


def _scalar(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    """A variant has one of these, so that one value stands without a list."""
    built = _many(domain, param, parts, gene)
    if param in built:
        built[param] = built[param][0]
    return built


def _choice(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    """A record has one of these: what all conditions allow."""
    allowed = _common(parts, [_unique([value.data for value in part.values]) for part in parts])
    if domain != "variant":
        return {param: allowed}
    return {param: allowed[0]} if len(allowed) == 1 else {f"{param}_any": allowed}


def _common(parts: Sequence[Part], lists: Sequence[Sequence[Json]]) -> list[Json]:
    allowed = list(lists[0])
    for part, others in zip(parts[1:], lists[1:], strict=True):
        allowed = [one for one in allowed if one in others]
        if not allowed:
            raise Contradiction(parts[0].clause, part.clause)
    return allowed


def _status(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    lists = [[status for value in part.values for status in value.data] for part in parts]
    allowed = _common(parts, [[status for status in STATUSES if status in one] for one in lists])
    return {} if len(allowed) == len(STATUSES) else {param: allowed}


def _phases(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    """Labels that one trial has all, or any of: `phases_all`, `phases`."""
    needed: set[str] = set()
    choices: list[tuple[Part, set[str]]] = []
    for part in parts:
        labels = {label for value in part.values for label in value.data}
        has_all = len(part.values) == 1 and not (part.clause.argument and len(parts) > 1)
        if has_all:
            needed |= labels
        else:
            choices.append((part, labels))
    wanted: set[str] = set()
    for part, labels in choices:
        if needed & labels:
            continue
        if part.clause.argument and needed:
            raise Contradiction(parts[0].clause, part.clause)
        wanted = wanted & labels if wanted else labels
        if not wanted:
            raise Contradiction(choices[0][0].clause, part.clause)
    built: dict[str, Json] = {}
    if len(needed) > 1 or (needed and wanted):
        built[f"{param}_all"] = sorted(needed, key=PHASES.index)
    else:
        wanted = wanted or needed
    if wanted:
        built[param] = sorted(wanted, key=PHASES.index)
    return built


def _interval(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    """Days or numbers that all conditions allow."""
    common = parts[0].values[0].data
    for part in parts[1:]:
        common = common.meet(part.values[0].data)
        if common is None:
            raise Contradiction(parts[0].clause, part.clause)
    return _bounded(param, common) if isinstance(common, Bounds) else {param: common.wire()}


def _age(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    numbers = [part for part in parts if isinstance(part.values[0].data, Bounds)]
    groups = [part for part in parts if part not in numbers]
    built = _interval(domain, param, numbers, gene) if numbers else {}
    return built | (_choice(domain, "age_group", groups, gene) if groups else {})


def _one(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    """There is only one such value in a search."""
    found = _lists(domain, parts, gene)
    for part, values in zip(parts, found, strict=True):
        if values != found[0]:
            raise Contradiction(parts[0].clause, part.clause)
    return {param: found[0][0]}


def _term(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    """Expressions over the whole text of a trial, each of which must hold."""
    return {param: _unique([_expression(domain, part) for part in parts])}


def _expression(domain: str, part: Part) -> str:
    if len(part.values) == 1:
        return expression(domain, part.values[0], is_alone=True)
    return f"({' OR '.join(expression(domain, value) for value in part.values)})"


def expression(domain: str, value: Value, *, is_alone: bool = False) -> str:
    """Write one value of a trial's text search; words of one value stay together beside others."""
    text = str(json_of(domain, "term", value))
    return quoted(text) if value.is_quoted or (" " in text and not is_alone) else text


def _card(domain: str, param: str, parts: Sequence[Part], gene: str) -> dict[str, Json]:
    """Names to look up: a card for each."""
    return {param: _unique([one for found in _lists(domain, parts, gene) for one in found])}


Shape = Callable[[str, str, Sequence[Part], str], dict[str, Json]]
SHAPES: Mapping[str, Shape] = {
    "many": _many,
    "scalar": _scalar,
    "choice": _choice,
    "status": _status,
    "phases": _phases,
    "interval": _interval,
    "age": _age,
    "flag": _one,
    "geo": _one,
    "term": _term,
    "card": _card,
}
