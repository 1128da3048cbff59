"""Studies as the registry shapes them, read into rows and records. Pure."""

import math
import re
from collections.abc import Mapping
from typing import Any

Json = Any

# The registry writes this number where the enrolment is not known.
UNKNOWN_ENROLLMENT = 99_999_999
TEXT_MAX_CHARS = 4000
EARTH_RADIUS_KM = 6371.0088
KM_A_MILE = 1.609344
DATES = ("startDate", "primaryCompletionDate", "completionDate", "resultsFirstPostDate", "lastUpdatePostDate")
RECORD_LEAVES = (
    "officialTitle",
    "nctIdAliases",
    "whyStopped",
    "briefSummary",
    "keywords",
    "designInfo",
    "eligibilityCriteria",
    "sex",
    "minimumAge",
    "maximumAge",
    "healthyVolunteers",
)
_EXCLUSION = re.compile(r"^[\s*#_]*(?:key |main |major |other |general )?exclusion(?: criteria)?\b[^\n]*$", re.I | re.M)
_INCLUSION = re.compile(r"^[\s*#_]*(?:key |main |major |other |general )?inclusion(?: criteria)?\b[^\n]*$", re.I | re.M)
_YEARS_A_UNIT = {"year": 1.0, "month": 1 / 12, "week": 7 / 365.25, "day": 1 / 365.25, "hour": 1 / 8766, "minute": 0.0}


def modules(study: Json) -> dict[str, Json]:
    """Return the leaves of the protocol section that stand one level deep, under the registry's own names."""
    merged: dict[str, Json] = {}
    for module in study.get("protocolSection", {}).values():
        merged |= module
    return merged


def unescaped(text: Json) -> Json:
    """Undo the registry's Markdown escapes."""
    return re.sub(r"\\([\[\]<>()*_~^`#+.!|-])", r"\1", text) if isinstance(text, str) else text


def plain(text: Json) -> Json:
    """Undo the registry's Markdown escapes; cut what is too long to be read, and say so."""
    whole = unescaped(text)
    if not isinstance(whole, str) or len(whole) <= TEXT_MAX_CHARS:
        return whole
    return f"{whole[:TEXT_MAX_CHARS]} … ({len(whole)} characters in all)"


def present(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return what has a value."""
    return {name: value for name, value in values.items() if value not in (None, [], {})}


def head(study: Json) -> dict[str, Json]:
    """Return number and title."""
    leaves = modules(study)
    return present({name: leaves.get(name) for name in ("nctId", "briefTitle")})


def row(study: Json) -> dict[str, Json]:
    """Return what a list shows of a study; absent values are left out."""
    leaves = modules(study)
    count = leaves.get("enrollmentInfo", {}).get("count")
    found = {
        **{name: leaves.get(name) for name in ("nctId", "briefTitle", "acronym", "overallStatus", "phases")},
        # Of some trials the offline snapshot knows the official title only.
        "officialTitle": None if "briefTitle" in leaves else leaves.get("officialTitle"),
        "studyType": leaves.get("studyType"),
        "enrollmentCount": None if count == UNKNOWN_ENROLLMENT else count,
        "leadSponsor": leaves.get("leadSponsor", {}).get("name"),
        "conditions": leaves.get("conditions"),
        "interventions": [
            {name: each[name] for name in ("type", "name") if name in each} for each in leaves.get("interventions", [])
        ],
        **{name: leaves.get(f"{name}Struct", {}).get("date") for name in DATES},
        "hasResults": study.get("hasResults"),
    }
    return present(found)


def record(study: Json) -> dict[str, Json]:
    """Return what one study says about its design, arms, outcomes and participants."""
    leaves = modules(study)
    outcomes = {
        kind: [{name: each[name] for name in ("measure", "timeFrame") if name in each} for each in leaves.get(kind, [])]
        for kind in ("primaryOutcomes", "secondaryOutcomes")
    }
    kept = {name: plain(leaves.get(name)) for name in RECORD_LEAVES}
    details = {
        **kept,
        "collaborators": [each.get("name") for each in leaves.get("collaborators", [])],
        "interventions": [
            {name: plain(value) for name, value in each.items()} for each in leaves.get("interventions", [])
        ],
        "armGroups": [{name: plain(value) for name, value in each.items()} for each in leaves.get("armGroups", [])],
        **outcomes,
    }
    return row(study) | {name: value for name, value in details.items() if value not in (None, [])}


def criteria(text: str) -> tuple[str, str]:
    """Split eligibility criteria into inclusion and exclusion; without a heading all of it is inclusion."""
    whole = unescaped(text)
    parts: dict[str, list[str]] = {"inclusion": [], "exclusion": []}
    kind = "inclusion"
    for line in whole.splitlines():
        if _EXCLUSION.fullmatch(line):
            kind = "exclusion"
        elif _INCLUSION.fullmatch(line):
            kind = "inclusion"
        else:
            parts[kind].append(line)
    return "\n".join(parts["inclusion"]).strip(), "\n".join(parts["exclusion"]).strip()


def eligibility(study: Json) -> dict[str, Json]:
    """Return who may take part, without the criteria's text."""
    leaves = modules(study)
    names = ("sex", "genderBased", "minimumAge", "maximumAge", "stdAges", "healthyVolunteers")
    return present({name: leaves.get(name) for name in names})


def age_years(text: str | None) -> float | None:
    """Return an age like `18 Years` or `6 Months` in years; None where there is no limit."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ([A-Za-z]+?)s?", text or "")
    return float(found[1]) * _YEARS_A_UNIT[found[2].lower()] if found and found[2].lower() in _YEARS_A_UNIT else None


def distance_km(latitude: float, longitude: float, site: Json) -> float | None:
    """Return the great-circle distance to a site; None where the registry gives no coordinates."""
    point = site.get("geoPoint")
    if not point:
        return None
    first, second = math.radians(latitude), math.radians(point["lat"])
    half = math.sin((second - first) / 2) ** 2
    half += math.cos(first) * math.cos(second) * math.sin(math.radians(point["lon"] - longitude) / 2) ** 2
    return round(2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half)), 1)


def site_row(site: Json, distance: float | None = None) -> dict[str, Json]:
    """Return where a site is and whether it recruits."""
    names = ("facility", "status", "city", "state", "zip", "country")
    return present({**{name: site.get(name) for name in names}, "distanceKm": distance})
