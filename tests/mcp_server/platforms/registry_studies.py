"""Studies of ClinicalTrials.gov as the registry shapes them, small enough to read."""

from typing import Any

Json = Any


def study(nct_id: str = "NCT02513394", status: str = "RECRUITING", **modules: Json) -> Json:
    """Return a study; a `results` or `documents` part stands beside the protocol."""
    results, documents = modules.pop("results", None), modules.pop("documents", None)
    aliases = modules.pop("aliases", None)
    identification = {"nctId": nct_id, "briefTitle": f"Title of {nct_id}"}
    found = {
        "protocolSection": {
            "identificationModule": identification | ({"nctIdAliases": aliases} if aliases else {}),
            "statusModule": {"overallStatus": status},
            "designModule": {"phases": ["PHASE3"]},
            **modules,
        },
        "derivedSection": {"miscInfoModule": {"versionHolder": "2026-09-11"}},
        "hasResults": results is not None,
    }
    found |= {"resultsSection": results} if results else {}
    return found | ({"documentSection": {"largeDocumentModule": {"largeDocs": documents}}} if documents else {})


def site(city: str, latitude: float | None, longitude: float = 0, **more: Json) -> Json:
    """Return a site; None is a place without coordinates."""
    point = {} if latitude is None else {"geoPoint": {"lat": latitude, "lon": longitude}}
    return {"facility": f"Hospital of {city}", "city": city, "country": "United States", **point, **more}


def sites(*found: Json, **more: Json) -> Json:
    """Return the module of sites."""
    return {"contactsLocationsModule": {"locations": list(found), **more}}


def page(*studies: Json, total: int | None = None, token: str | None = None) -> Json:
    """Return a page of a search."""
    found: Json = {"studies": list(studies)}
    found |= {"nextPageToken": token} if token else {}
    return found | {"totalCount": len(studies) if total is None else total}
