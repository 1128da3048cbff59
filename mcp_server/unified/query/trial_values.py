"""What trials are filtered by: phases, recruitment, places."""

import re
from dataclasses import dataclass

from mcp_server.unified.query.errors import Json
from mcp_server.unified.query.problems import bad_operator, bad_place, bad_range, bad_value
from mcp_server.unified.query.spelling import close_words, quoted
from mcp_server.unified.query.tree import Raw, Value
from mcp_server.unified.query.vocabulary import PHASES, STATUS_GROUPS, STATUS_WORDS, word_key

PHASE_FORMS = "0 to 4, I to IV, early1, 1/2, 2/3, na; 2..4; >=2"
_ORDER = PHASES[:-1]
_PHASE_WORDS = {
    "0": 0, "early1": 0, "early": 0, "1": 1, "i": 1, "2": 2, "ii": 2, "3": 3, "iii": 3, "4": 4, "iv": 4,
}  # fmt: skip

DISTANCE_MI = 50.0
KM_PER_MI = 1.609344
_POINT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*[,;]\s*([+-]?\d+(?:\.\d+)?)(?:\s*[,;]\s*(.+))?")
_DISTANCE = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*(mi|miles?|km|kilometers?|kilometres?)?", re.IGNORECASE)
_CITY_AND_DISTANCE = re.compile(r"(.*[^\W\d_].*?)\s*,\s*([+-]?\d+(?:\.\d+)?\s*(?:mi|miles?|km))", re.IGNORECASE)
PLACE_HINT = "write near:41.4993,-81.6944,50mi or near:Cleveland"


def read_phases(raw: Raw) -> tuple[Value, ...]:
    """Return the phases of which any may hold; the data of `1/2` are two labels that one trial has both."""
    if raw.is_range:
        low, high = (_number(bound) if bound else None for bound in (raw.low or "", raw.high or ""))
        if low is None and high is None:
            raise bad_range("a range needs at least one bound", "2..4")
        if low is not None and high is not None and low > high:
            raise bad_range(f"phase {raw.low} comes after phase {raw.high}", f"{raw.high}..{raw.low}")
        return _phases(_ORDER[low or 0 : len(_ORDER) if high is None else high + 1])
    if raw.operator in ("", "="):
        labels = tuple(_label(part) for part in raw.text.split("/"))
        return (Value("/".join(labels), tuple(sorted(set(labels), key=PHASES.index))),)
    number = _number(raw.text)
    chosen = {">": _ORDER[number + 1 :], ">=": _ORDER[number:], "<": _ORDER[:number], "<=": _ORDER[: number + 1]}
    if not chosen[raw.operator]:
        raise bad_range(f"no phase is {raw.operator}{raw.text}", PHASE_FORMS)
    return _phases(chosen[raw.operator])


def _phases(labels: tuple[str, ...]) -> tuple[Value, ...]:
    return tuple(Value(label, (label,)) for label in labels)


def _label(text: str) -> str:
    key = _phase_key(text)
    if key in ("na", "n/a", "notapplicable"):
        return "NA"
    if key not in _PHASE_WORDS:
        raise bad_value(f"there is no phase {text!r}", f"write {PHASE_FORMS}", close_words(text, PHASES))
    return _ORDER[_PHASE_WORDS[key]]


def _number(text: str) -> int:
    label = _label(text)
    if label == "NA":
        raise bad_operator("NA is before and after no phase", PHASE_FORMS)
    return _ORDER.index(label)


def _phase_key(text: str) -> str:
    return word_key(text).replace("phase", "")


def read_status(raw: Raw) -> Value:
    """Return one status, or those that `open`, `closed` and `any` stand for."""
    known = {word_key(word): word for word in STATUS_WORDS}
    word = known.get(word_key(raw.text))
    if word is None:
        hint = f"allowed: {', '.join(STATUS_WORDS)}"
        raise bad_value(f"{raw.text!r} is no status of a trial", hint, close_words(raw.text, STATUS_WORDS))
    return Value(word, STATUS_GROUPS.get(word, (word,)))


@dataclass(frozen=True)
class Place:
    """A point on the earth, or a name to be looked up, and how far around it."""

    distance_mi: float = DISTANCE_MI
    lat: float | None = None
    long: float | None = None
    name: str = ""

    @property
    def written(self) -> str:
        """Return the form that reads back as the same place."""
        if self.name:
            return quoted(f"{self.name}, {_shown(self.distance_mi)}mi")
        return f"{_shown(self.lat)},{_shown(self.long)},{_shown(self.distance_mi)}mi"

    def wire(self) -> dict[str, Json]:
        """Return the place as JSON."""
        where: dict[str, Json] = {"place": self.name} if self.name else {"lat": self.lat, "long": self.long}
        whole = self.distance_mi.is_integer()
        return where | {"distance_mi": int(self.distance_mi) if whole else self.distance_mi}


def _shown(number: float | None) -> str:
    assert number is not None
    return f"{number:.6f}".rstrip("0").rstrip(".")


def read_place(raw: Raw) -> Value:
    """Return `lat,long[,distance]`, or the name of a place with or without a distance."""
    text = " ".join(raw.text.split())
    if found := _POINT.fullmatch(text):
        place = point(float(found[1]), float(found[2]), _distance(found[3]) if found[3] else DISTANCE_MI)
    elif found := _CITY_AND_DISTANCE.fullmatch(text):
        place = Place(_distance(found[2]), name=found[1])
    elif any(letter.isalpha() for letter in text):
        place = Place(name=text)
    else:
        raise bad_place(f"{text!r} is no place: a latitude needs a longitude", PLACE_HINT)
    return Value(place.written, place)


def point(lat: float, long: float, distance_mi: float = DISTANCE_MI) -> Place:
    """Return a checked point; raise ValueProblem if it lies nowhere."""
    if not -90 <= lat <= 90:
        raise bad_place(f"latitude {lat} lies outside -90 to 90", PLACE_HINT)
    if not -180 <= long <= 180:
        raise bad_place(f"longitude {long} lies outside -180 to 180", PLACE_HINT)
    return Place(_checked(distance_mi), round(lat, 6), round(long, 6))


def _distance(text: str) -> float:
    found = _DISTANCE.fullmatch(text.strip())
    if found is None:
        raise bad_place(f"{text!r} is no distance", "write 50mi or 80km")
    number = float(found[1])
    return _checked(number / KM_PER_MI if (found[2] or "").lower().startswith("k") else number)


def _checked(distance_mi: float) -> float:
    # Half the way round the earth; also keeps out infinity and what is not a number.
    if not 0 < distance_mi <= 12_500:
        raise bad_place(f"a distance of {distance_mi:g} miles is none", "write 50mi or 80km")
    rounded = round(distance_mi, 2)
    return rounded or 0.01
