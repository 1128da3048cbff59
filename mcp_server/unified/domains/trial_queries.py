"""The clauses of a trial leg as parameters of ClinicalTrials.gov. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp_server.platforms.clinicaltrials.base import refuse_numbers
from mcp_server.unified.domains.base import alternatives, refused

Json = Any
# Clauses with a search area of their own, and those that are words of a field.
_AREAS = {"condition": "cond", "intervention": "intr", "sponsor": "spons", "title": "titles", "location": "locn"}
_FIELDS = {"country": "LocationCountry", "biomarker": "EligibilityCriteria", "prior_therapy": "EligibilityCriteria"}
_NOT_FIELDS = {
    "condition": "ConditionSearch",
    "intervention": "InterventionSearch",
    "sponsor": "SponsorSearch",
    "title": "TitleSearch",
    "location": "LocationSearch",
    **_FIELDS,
}
_DATES = {"start_date": "StartDate", "completion_date": "CompletionDate", "update_date": "LastUpdatePostDate"}
_LINES = {
    "1l": ("first line", "first-line", "previously untreated", "treatment naive", "1L"),
    "2l": ("second line", "second-line", "2L"),
    "3l+": ("third line", "third-line", "3L", "heavily pretreated"),
}
_AGE_GROUPS = {"child": "CHILD", "adult": "ADULT", "older": "OLDER_ADULT", "older_adult": "OLDER_ADULT"}
_WORDS = re.compile(r"[\w./'-]+(?: [\w./'-]+)*")
_OPERATOR = re.compile(r"\b(AND|OR|NOT|MISSING|RANGE|MIN|MAX)\b|\b(EXPANSION|COVERAGE|AREA|SEARCH|DISTANCE|TILT)\[")


def request(params: Mapping[str, Json]) -> dict[str, Json]:
    """Return the registry's parameters for all clauses of a leg."""
    asked: dict[str, Json] = {f"query.{area}": _groups(params, name) for name, area in _AREAS.items()}
    asked |= {
        "query.term": _terms(params),
        "filter.ids": list(params["nct"]) if params.get("nct") else None,
        "filter.geo": geo(params["geo"]) if params.get("geo") else None,
        "filter.overallStatus": list(params["status"]) if params.get("status") else None,
        "filter.advanced": " AND ".join(_advanced(params)) or None,
    }
    if (posted := params.get("has_results")) is not None:
        asked["aggFilters"] = f"results:{'with' if posted else 'without'}"
    return {name: value for name, value in asked.items() if value is not None}


def geo(place: Mapping[str, Json]) -> str:
    """Return the registry's filter for sites within a distance of a point."""
    return f"distance({_degrees(place['lat'])},{_degrees(place['long'])},{place['distance_mi']:g}mi)"


def _degrees(value: float) -> str:
    return f"{value:.5f}".rstrip("0").rstrip(".")


def _groups(params: Mapping[str, Json], name: str) -> str | None:
    """Return the groups of a clause joined by AND, each of its alternatives quoted where it has to be."""
    joined = [_any(group) for group in alternatives(params, name)]
    return " AND ".join(joined) or None


def _any(values: Sequence[str]) -> str:
    spelt = [quoted(value) for value in values]
    return spelt[0] if len(spelt) == 1 else f"({' OR '.join(spelt)})"


def quoted(text: str) -> str:
    """Return a text as the registry's expressions take it: plain words as they are, anything else as a phrase."""
    plain = " ".join(re.sub(r'[\[\]"\\]', " ", text).split())
    refuse_numbers("query", plain)
    return plain if _WORDS.fullmatch(plain) and not _OPERATOR.search(plain) else f'"{plain}"'


def _terms(params: Mapping[str, Json]) -> str | None:
    """Return the words that may stand anywhere in the record, and those that must not."""
    stated = [str(expression) for expression in params.get("term") or ()]
    text = " AND ".join(stated)
    for expression in params.get("not_term") or ():
        text += f"{' ' if text else ''}NOT {expression}"
    return text or None


def _advanced(params: Mapping[str, Json]) -> Iterator[str]:
    """Yield the expressions for what has no parameter of its own."""
    if phases := params.get("phases"):
        yield f"AREA[Phase]({' OR '.join(phases)})"
    yield from (f"AREA[Phase]{phase}" for phase in params.get("phases_all") or ())
    yield from (f"NOT AREA[Phase]{phase}" for phase in params.get("not_phases") or ())
    if kinds := params.get("study_type"):
        yield f"AREA[StudyType]({' OR '.join(kinds)})"
    yield from (f"NOT AREA[StudyType]{kind}" for kind in refused(params, "study_type"))
    yield from (f"NOT AREA[NCTId]{number}" for number in refused(params, "nct"))
    yield from _people(params)
    for name, field in _FIELDS.items():
        yield from (f"AREA[{field}]({' OR '.join(map(_phrase, group))})" for group in alternatives(params, name))
    for name, field in _NOT_FIELDS.items():
        yield from (f"NOT AREA[{field}]{_phrase(value)}" for value in params.get(f"not_{name}") or ())
    for name, field in _DATES.items():
        yield from (_between(field, date) for date in [params.get(name)] if date)
        yield from (f"NOT {_between(field, date)}" for date in params.get(f"not_{name}") or ())
    if lines := params.get("line"):
        yield _line(lines)
    yield from (f"NOT {_line([line])}" for line in refused(params, "line"))


def _between(field: str, date: Mapping[str, Json]) -> str:
    return f"AREA[{field}]RANGE[{date.get('from') or 'MIN'}, {date.get('to') or 'MAX'}]"


def _line(lines: Sequence[Json]) -> str:
    words = [_phrase(word) for line in lines for word in _LINES[str(line).lower()]]
    return f"AREA[EligibilityCriteria]({' OR '.join(words)})"


def _people(params: Mapping[str, Json]) -> Iterator[str]:
    """Yield the expressions for who may take part; a trial without an age limit takes every age."""
    sexes = {str(sex).upper() for sex in params.get("sex") or ()}
    if sexes and "ALL" not in sexes:
        yield f"AREA[Sex](ALL OR {' OR '.join(sorted(sexes))})"
    elif sexes:
        yield "AREA[Sex]ALL"
    yield from (f"NOT AREA[Sex]{sex.upper()}" for sex in refused(params, "sex"))
    if groups := params.get("age_group"):
        yield f"AREA[StdAge]({' OR '.join(_group(group) for group in groups)})"
    names = ("min_age", "min_age_exclusive", "max_age", "max_age_exclusive")
    yield from _admits({name.replace("_age", ""): params[name] for name in names if name in params})
    for each in (*(params.get("not_age") or ()), *(params.get("not_age_group") or ())):
        is_range = isinstance(each, Mapping)
        yield f"NOT ({' AND '.join(_admits(each))})" if is_range else f"NOT AREA[StdAge]{_group(each)}"


def _group(group: Json) -> str:
    return _AGE_GROUPS[str(group).lower()]


def _admits(ages: Mapping[str, Json]) -> Iterator[str]:
    """Yield the expressions for people from `min` to `max` years: some of them are neither too young nor too old."""
    low, high = ages.get("min"), ages.get("max")
    # Ages are whole years: older than 65 is 66 and more.
    low = low + 1 if low is not None and ages.get("min_exclusive") else low
    high = high - 1 if high is not None and ages.get("max_exclusive") else high
    if high is not None:
        yield f"(AREA[MinimumAge]RANGE[MIN, {high:g} years] OR AREA[MinimumAge]MISSING)"
    if low is not None:
        yield f"(AREA[MaximumAge]RANGE[{low:g} years, MAX] OR AREA[MaximumAge]MISSING)"


def _phrase(text: str) -> str:
    return '"' + " ".join(re.sub(r'[\[\]"\\]', " ", text).split()) + '"'
