"""Every value of a query brought to its one form, by the type of its field."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from mcp_server.args import gene_symbol_form, region_form
from mcp_server.unified.query.accessions import read_accession
from mcp_server.unified.query.dates import read_date
from mcp_server.unified.query.errors import E_NEEDS_COMPARISON
from mcp_server.unified.query.fields import Field
from mcp_server.unified.query.problems import ValueProblem, bad_operator, bad_range, bad_value
from mcp_server.unified.query.spelling import close_words, written
from mcp_server.unified.query.tree import Raw, Value
from mcp_server.unified.query.trial_values import read_phases, read_place, read_status
from mcp_server.unified.query.variant_names import FORMS, read_variant
from mcp_server.unified.query.vocabulary import CHROMOSOMES, SYNONYMS, word_key

COMPARED = ("date", "number", "phase", "age")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?\s?%?", re.IGNORECASE)
_GENE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.@_/+-]{0,39}")
_BETWEEN = re.compile(r"[^.]+\.\.[^.]+")
_TRUE = ("true", "yes", "1")
_FALSE = ("false", "no", "0")


@dataclass(frozen=True)
class Bounds:
    """Numbers between two ends; a missing end is open, `is_above` and `is_below` leave the end itself out."""

    low: float | None = None
    high: float | None = None
    is_above: bool = False
    is_below: bool = False

    def meet(self, other: "Bounds") -> "Bounds | None":
        """Return what both have in common, or none."""
        lows = [(one.low, one.is_above) for one in (self, other) if one.low is not None]
        highs = [(one.high, not one.is_below) for one in (self, other) if one.high is not None]
        low, is_above = max(lows, default=(None, False))
        high, includes = min(highs, default=(None, True))
        if low is not None and high is not None and (low > high or (low == high and (is_above or not includes))):
            return None
        return Bounds(low, high, is_above, not includes)


def read_values(field: Field, raw: Raw, today: date | None) -> tuple[Value, ...]:
    """Return what a value means in a field: one value, or several of which any may hold; raise ValueProblem."""
    if field.type not in COMPARED:
        if raw.operator and raw.operator != "=":
            raise bad_operator(f"{field.key} takes no {raw.operator}", f"write {field.example}")
        if not raw.is_quoted and _BETWEEN.fullmatch(raw.text) and field.type != "region":
            raise bad_operator(f"{field.key} takes no range", f"write {field.example}, or put the value in quotes")
    if field.type == "date":
        return (read_date(raw, today),)
    if field.type == "phase":
        return read_phases(raw)
    return (_READERS[field.type](field, raw),)


def read_text(field: Field, raw: Raw) -> Value:
    """Return words; where they may stand apart, quotes keep them together."""
    text = " ".join(raw.text.split())
    if not text:
        raise bad_value("the value is blank", f"write {field.example}")
    if not field.is_loose:
        return Value(written(text), text)
    if raw.is_quoted:
        shown = written(text)
        return Value(shown, text, is_quoted=shown.startswith('"'))
    return Value(text, text)


def read_free(field: Field, raw: Raw) -> Value:
    """Return words that stood without a field."""
    return replace(read_text(field, raw), is_free=True)


def _gene(field: Field, raw: Raw) -> Value:
    text = gene_symbol_form(raw.text)
    if re.fullmatch(r"ENSG\d{11}\.\d+", text):
        text = text.partition(".")[0]
    if not _GENE.fullmatch(text):
        hint = f"write {field.example}; a name of several words goes to genes.name"
        raise bad_value(f"{raw.text!r} is no gene symbol, Entrez number or Ensembl id", hint)
    return Value(written(text), text)


def _variant(field: Field, raw: Raw) -> Value:
    name = read_variant(raw.text)
    if name is None:
        raise bad_value(f"{raw.text!r} is not a variant", f"write {FORMS}; other wordings go to keyword:")
    if field.allowed and name.kind not in field.allowed:
        raise bad_value(f"{raw.text!r} is no value of {field.key}", f"write {field.example}, or use variant:")
    return Value(written(name.written, colons=True), name)


def _enum(field: Field, raw: Raw) -> Value:
    key = word_key(raw.text)
    known = {word_key(word): word for word in field.allowed} | dict(SYNONYMS.get(field.key, {}))
    if key not in known:
        hint = f"allowed: {', '.join(field.allowed)}"
        raise bad_value(f"{raw.text!r} is no value of {field.key}", hint, close_words(raw.text, field.allowed))
    return Value(written(known[key]), known[key])


def _boolean(field: Field, raw: Raw) -> Value:
    word = raw.text.strip().lower()
    if word not in _TRUE + _FALSE:
        raise bad_value(f"{raw.text!r} is neither true nor false", f"write {field.example}")
    return Value("true", True) if word in _TRUE else Value("false", False)


def _accession(field: Field, raw: Raw) -> Value:
    text = read_accession(field.id_kind, raw.text)
    if text is None:
        raise bad_value(f"{raw.text!r} is no value of {field.key}", f"write {field.example}")
    return Value(written(text, colons=True), text)


def _region(field: Field, raw: Raw) -> Value:
    text = region_form(raw.text)
    found = re.fullmatch(r"(\w+):(\d{1,9})-(\d{1,9})", text)
    if found is None or found[1] not in CHROMOSOMES:
        raise bad_value(f"{raw.text!r} is not a region", f"write {field.example}")
    if int(found[2]) > int(found[3]):
        raise bad_range(f"{found[2]} lies after {found[3]}", f"{found[1]}:{found[3]}-{found[2]}")
    return Value(text, text)


def _number(field: Field, raw: Raw) -> Value:
    if raw.is_range:
        low, high = (_float(field, bound) if bound else None for bound in (raw.low or "", raw.high or ""))
        if low is None and high is None:
            raise bad_range("a range needs at least one bound", f"write {field.example}")
        if low is not None and high is not None and low > high:
            raise bad_range(f"{raw.low} is more than {raw.high}", f"{raw.high}..{raw.low}")
        return Value(f"{_shown(low)}..{_shown(high)}", Bounds(low, high))
    number = _float(field, raw.text)
    if field.needs_comparison and not raw.operator:
        hint = f"write {field.key}:<{raw.text}, {field.key}:>={raw.text} or a range such as {field.key}:0.001..0.01"
        message = f"{field.key} needs a comparison or a range"
        raise ValueProblem(E_NEEDS_COMPARISON, message, hint, (f"{field.key}:<{raw.text}",))
    return Value(f"{raw.operator}{_shown(number)}", _compared(raw.operator, number))


def _compared(operator: str, number: float) -> Bounds:
    return {
        ">": Bounds(low=number, is_above=True),
        ">=": Bounds(low=number),
        "<": Bounds(high=number, is_below=True),
        "<=": Bounds(high=number),
    }.get(operator, Bounds(low=number, high=number))


def _float(field: Field, text: str) -> float:
    if not _NUMBER.fullmatch(text.strip()):
        raise bad_value(f"{text!r} is not a number", f"write {field.example}")
    number = float(text.strip().rstrip("%").strip())
    number = round(number / 100, 12) if text.strip().endswith("%") else number
    if field.limits and not field.limits[0] <= number <= field.limits[1]:
        low, high = (_shown(limit) for limit in field.limits)
        raise bad_value(f"{text} lies outside {low} to {high}", f"write {field.example}")
    return number


def _shown(number: float | None) -> str:
    if number is None:
        return ""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _age(field: Field, raw: Raw) -> Value:
    """Return an age in years, or one of the registry's age groups."""
    if raw.operator or raw.is_range or _NUMBER.fullmatch(raw.text.strip()):
        return _number(field, raw)
    return _enum(field, raw)


_READERS: dict[str, Callable[[Field, Raw], Value]] = {
    "text": read_text,
    "gene": _gene,
    "variant": _variant,
    "enum": _enum,
    "boolean": _boolean,
    "identifier": _accession,
    "region": _region,
    "number": _number,
    "age": _age,
    "status": lambda field, raw: read_status(raw),
    "place": lambda field, raw: read_place(raw),
}
