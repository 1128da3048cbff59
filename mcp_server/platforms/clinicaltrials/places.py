"""Trials by place and by patient: sites near a point, the sites of one trial, who could join."""

from typing import Annotated, Any, Literal

from mcp_server.args import NctId, Offset
from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.platforms.clinicaltrials.base import (
    HEAD_FIELDS,
    LIST_FIELDS,
    LISTED,
    STUDY,
    Condition,
    Intervention,
    PageSize,
    PageToken,
    Phase,
    Place,
    Status,
    Term,
    fetch_study,
    filters,
    former_note,
    listed,
    platform,
    search,
)
from mcp_server.platforms.clinicaltrials.records import (
    KM_A_MILE,
    age_years,
    distance_km,
    eligibility,
    head,
    modules,
    present,
    row,
    site_row,
)
from mcp_server.tool import Arg

Json = Any

SITE_FIELDS = "LocationFacility,LocationCity,LocationState,LocationCountry,LocationStatus,LocationGeoPoint"
AGE_FIELDS = "Sex,MinimumAge,MaximumAge,StdAge,HealthyVolunteers"
NEAREST_SITES = 3

Latitude = Annotated[float, Arg("Latitude in degrees, north positive.", 42.36, minimum=-90, maximum=90)]
Longitude = Annotated[float, Arg("Longitude in degrees, east positive.", -71.06, minimum=-180, maximum=180)]
Radius = Annotated[float, Arg("How far from the point a site may be, in `unit`.", 50, minimum=1, maximum=2000)]
Unit = Annotated[Literal["km", "mi"], Arg("Unit of the radius.", "km")]
SiteLimit = Annotated[int, Arg("How many sites to return at most.", minimum=1, maximum=500)]


@platform.tool(
    example={"latitude": 42.36, "longitude": -71.06, "radius": 50, "condition": "melanoma"},
    cites=LISTED,
    asks=(
        "trials near me",
        "studies within 50 miles of a hospital",
        "clinical research close to coordinates",
        "recruiting sites within driving distance",
    ),
)
async def find_studies_near_location(
    api: Api,
    latitude: Latitude,
    longitude: Longitude,
    radius: Radius = 50,
    unit: Unit = "km",
    condition: Condition | None = None,
    intervention: Intervention | None = None,
    term: Term | None = None,
    status: Status | None = None,
    phase: Phase | None = None,
    recruiting_sites_only: Annotated[bool, Arg("Only sites that recruit themselves count.")] = False,
    limit: PageSize = 20,
    page_token: PageToken | None = None,
) -> Answer:
    """Place: find clinical trials with a site within a radius of a point (latitude, longitude), with the nearest sites
    and their distances. For a country or city by name use search_studies; sites of one trial: get_study_locations.

    Rows as of search_studies, with siteCount, sitesWithin (the radius), nearestSites: [{facility, city, country,
    status, distanceKm}]. By default only recruiting trials.
    """
    asked = filters({"cond": condition, "intr": intervention, "term": term}, status or ["RECRUITING"], phase)
    asked["filter.geo"] = _circle(latitude, longitude, radius, unit)
    fields = f"{LIST_FIELDS},{SITE_FIELDS}"
    studies, answer = await search(api, asked, limit=limit, page_token=page_token, fields=fields)
    reach = radius * (KM_A_MILE if unit == "mi" else 1)
    found = [_near(study, latitude, longitude, reach, recruiting_sites_only) for study in studies]
    kept = [each for each in found if each["sitesWithin"] or not recruiting_sites_only]
    note = ""
    if len(kept) < len(found):
        note = f"{len(found) - len(kept)} trials of this page have no site within the radius that recruits itself."
    return listed(kept, studies, answer, page_token, note)


@platform.tool(
    example={"nct_id": "NCT02576665", "country": "United States"},
    cites=STUDY,
    asks=(
        "where is this trial running",
        "hospitals and cities of a trial, contact phone",
        "which centres are still recruiting",
        "trial sites in Germany",
        "which hospitals take part in this study",
    ),
)
async def get_study_locations(
    api: Api,
    nct_id: NctId,
    country: Place | None = None,
    status: Status | None = None,
    latitude: Latitude | None = None,
    longitude: Longitude | None = None,
    radius_km: Annotated[float | None, Arg("Only sites within this distance of the point.", 100, minimum=1)] = None,
    limit: SiteLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Sites (hospitals) and contacts of one clinical trial, by NCT number: which are still enrolling, city, country,
    distance to a point, whom to call.

    centralContacts, overallOfficials, locations: [{facility, status, city, state, zip, country, distanceKm,
    contacts}], nearest first where a point is given.
    """
    point = _point(latitude, longitude, radius_km)
    study = await fetch_study(api, nct_id, f"{HEAD_FIELDS},ContactsLocationsModule")
    if isinstance(study, Answer):
        return study
    leaves = modules(study)
    every = [_site(site, point) for site in leaves.get("locations", [])]
    found = [site for site in every if country is None or country.lower() == site.get("country", "").lower()]
    if status and "ALL" not in status:
        found = [site for site in found if site.get("status") in status]
    notes = [former_note(nct_id, study)]
    if point:
        unplaced = sum("distanceKm" not in site for site in found)
        found = sorted((site for site in found if "distanceKm" in site), key=lambda site: site["distanceKm"])
        found = [site for site in found if radius_km is None or site["distanceKm"] <= radius_km]
        notes.append(f"{unplaced} sites without coordinates are left out." if unplaced else "")
    shown = found[offset : offset + limit]
    end = offset + len(shown)
    if not found:
        notes.append(f"None of the {len(every)} listed sites fits." if every else "The registry lists no site.")
    elif not shown:
        notes.append(f"There are {len(found)} sites: the offset lies behind the last.")
    contacts = {name: leaves.get(name) for name in ("centralContacts", "overallOfficials")}
    data = head(study) | present(contacts) | {"locations": shown}
    answer = rows(found, total=len(found), data=data, note=" ".join(filter(None, notes)))
    following = {"offset": end} if shown and end < len(found) else None
    return Answer(**{**vars(answer), "returned": len(shown), "next": following})


@platform.tool(
    example={"condition": "cystic fibrosis", "age_years": 30, "sex": "FEMALE"},
    cites=LISTED,
    asks=(
        "which trial can my patient join",
        "trials for a 60 year old woman",
        "am I eligible for any study",
        "experimental treatment open to a person with a condition",
    ),
)
async def match_patient_to_studies(
    api: Api,
    condition: Condition,
    age_years: Annotated[float | None, Arg("Age of the patient.", 30, minimum=0, maximum=120)] = None,
    sex: Annotated[Literal["FEMALE", "MALE"] | None, Arg("Sex of the patient.", "FEMALE", normalise=str.upper)] = None,
    healthy_volunteer: Annotated[bool, Arg("Only trials that take healthy volunteers.")] = False,
    term: Term | None = None,
    status: Status | None = None,
    phase: Phase | None = None,
    latitude: Latitude | None = None,
    longitude: Longitude | None = None,
    radius_km: Annotated[float | None, Arg("How far a site may be from the point.", 100, minimum=1)] = None,
    limit: PageSize = 20,
    page_token: PageToken | None = None,
) -> Answer:
    """Patient: find clinical trials that a person of a given condition, age, sex and place could join; returns rows
    with age and sex limits. The criteria must still be read with get_study_eligibility.

    Rows as of search_studies, with eligibility {sex, minimumAge, maximumAge, healthyVolunteers} and, with a point,
    nearestSites. By default only recruiting trials.
    """
    point = _point(latitude, longitude, radius_km)
    asked = filters({"cond": condition, "term": term}, status or ["RECRUITING"], phase)
    asked["filter.advanced"] = (
        " AND ".join(filter(None, (asked["filter.advanced"], *_suits(age_years, sex, healthy_volunteer)))) or None
    )
    fields = f"{LIST_FIELDS},{AGE_FIELDS}"
    if point:
        asked["filter.geo"] = _circle(*point, radius_km or 100, "km")
        fields += f",{SITE_FIELDS}"
    studies, answer = await search(api, asked, limit=limit, page_token=page_token, fields=fields)
    found = []
    for study in studies:
        near = _near(study, *point, radius_km or 100, False) if point else row(study)
        found.append(near | {"eligibility": eligibility(study)})
    kept = [each for each in found if _takes(each["eligibility"], age_years, sex)]
    notes = ["Age, sex and place fit; the criteria must still be read with get_study_eligibility."] if kept else []
    if len(kept) < len(found):
        notes.append(f"{len(found) - len(kept)} trials of this page do not take this age or sex and are left out.")
    return listed(kept, studies, answer, page_token, " ".join(notes))


def _circle(latitude: float, longitude: float, radius: float, unit: str) -> str:
    return f"distance({_degrees(latitude)},{_degrees(longitude)},{radius:g}{unit})"


def _degrees(value: float) -> str:
    return f"{value:.5f}".rstrip("0").rstrip(".")


def _point(latitude: float | None, longitude: float | None, radius_km: float | None) -> tuple[float, float] | None:
    """Return the point, or None without one; half a point, or a radius without one, is refused."""
    if latitude is None and longitude is None:
        if radius_km is not None:
            raise InvalidArguments("latitude", "a radius needs latitude and longitude", 42.36)
        return None
    if latitude is None or longitude is None:
        raise InvalidArguments("latitude" if latitude is None else "longitude", "give both coordinates", 42.36)
    return latitude, longitude


def _near(study: Json, latitude: float, longitude: float, reach_km: float, recruiting_only: bool) -> dict[str, Json]:
    """Return a row with the nearest sites: the registry sends all sites of a trial that has one in reach."""
    sites = modules(study).get("locations", [])
    if recruiting_only:
        sites = [site for site in sites if site.get("status") == "RECRUITING"]
    measured = [(distance_km(latitude, longitude, site), site) for site in sites]
    placed = sorted(((far, site) for far, site in measured if far is not None), key=lambda pair: pair[0])
    return row(study) | {
        "siteCount": len(sites),
        "sitesWithin": sum(far <= reach_km for far, _ in placed),
        "nearestSites": [site_row(site, far) for far, site in placed[:NEAREST_SITES]],
    }


def _site(site: Json, point: tuple[float, float] | None) -> dict[str, Json]:
    distance = distance_km(*point, site) if point else None
    return site_row(site, distance) | present({name: site.get(name) for name in ("geoPoint", "contacts")})


def _suits(age: float | None, sex: str | None, healthy_volunteer: bool) -> list[str]:
    """Return the registry's expressions for a patient; a trial without a limit takes every age."""
    found = []
    if age is not None:
        years = f"{age:g} years"
        found.append(f"(AREA[MinimumAge]RANGE[MIN, {years}] OR AREA[MinimumAge]MISSING)")
        found.append(f"(AREA[MaximumAge]RANGE[{years}, MAX] OR AREA[MaximumAge]MISSING)")
    if sex:
        found.append(f"AREA[Sex](ALL OR {sex})")
    return [*found, "AREA[HealthyVolunteers]true"] if healthy_volunteer else found


def _takes(limits: Json, age: float | None, sex: str | None) -> bool:
    """Check a trial's own limits: what the registry's expressions let through is not taken on trust."""
    if sex and limits.get("sex") not in (None, "ALL", sex):
        return False
    if age is None:
        return True
    youngest, oldest = age_years(limits.get("minimumAge")), age_years(limits.get("maximumAge"))
    # "75 Years" includes everybody until the next birthday.
    return (youngest is None or age >= youngest) and (oldest is None or age < oldest + 1)
