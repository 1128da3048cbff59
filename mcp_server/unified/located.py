"""Places in a plan: a city becomes its coordinates, offline, before anything is asked."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_server.unified.places import Located, locate
from mcp_server.unified.query.errors import E_BAD_PLACE, Notice, QueryError, QueryErrors
from mcp_server.unified.query.plan import Plan

Json = Any


async def located(plan: Plan) -> Plan:
    """Return the plan with the coordinates of its cities. Raises `QueryErrors` for a place that is not one city."""
    places: dict[str, Located] = {}
    for leg in plan.legs:
        if name := _name(leg.params):
            places.setdefault(name, await locate(name))
    if not places:
        return plan
    errors = [_error(plan.query, name, found) for name, found in places.items() if found.city is None]
    if errors:
        raise QueryErrors(plan.query, errors)
    legs = tuple(replace(leg, params=_with_point(leg.params, places)) for leg in plan.legs)
    relaxed = tuple(
        replace(leg, relaxed_params=_with_point(leg.relaxed_params, places)) if leg.relaxed_params else leg
        for leg in legs
    )
    notices = tuple(_told(name, found) for name, found in places.items())
    return replace(plan, legs=relaxed, notices=(*plan.notices, *notices))


def _name(params: Mapping[str, Json]) -> str | None:
    name = (params.get("geo") or {}).get("place")
    return None if name is None else str(name)


def _with_point(params: Mapping[str, Json], places: Mapping[str, Located]) -> Mapping[str, Json]:
    name = _name(params)
    city = places[name].city if name else None
    if city is None:
        return params
    return {**params, "geo": {"lat": city.lat, "long": city.long, "distance_mi": params["geo"]["distance_mi"]}}


def _error(query: str, name: str, found: Located) -> QueryError:
    """Return what is wrong with a place: it is no city that is known, or one of many."""
    position = max(query.find(name), 0)
    length = len(name) if query[position : position + len(name)] == name else 0
    suggestions = tuple(city.written for city in found.candidates) or found.close
    if found.candidates:
        message, hint = f"several cities are called {name!r}", "say which one, with its state or country, in quotes"
    else:
        message = found.reason or f"no city of 15,000 people or more is called {name!r}"
        hint = "give a larger city near it, or lat,long,distance"
    return QueryError(E_BAD_PLACE, message, position, length, hint, suggestions)


def _told(name: str, found: Located) -> Notice:
    city = found.city
    assert city is not None
    return Notice("N_PLACE", f"{name} was read as {city.written}, at {city.lat:.4f},{city.long:.4f}.")
