"""What a report of the contract check says of each database. Pure."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

Json = Any
KINDS = {"recorded responses": "replay", "live services": "live"}
# Verdicts that an operator has to look at.
BAD = frozenset({"mismatch", "drift", "failed"})


def kind_of(report: Mapping[str, Json]) -> str:
    """Return the kind of check: `replay` or `live`."""
    return KINDS[report["kind"]]


def checked_at(report: Mapping[str, Json]) -> datetime:
    """Return when it was made."""
    return datetime.fromisoformat(report["checked_at"])


def verdicts(report: Mapping[str, Json]) -> dict[str, dict[str, int]]:
    """Return how many samples, or tools of a live check, came to each verdict, by the database's key."""
    if kind_of(report) == "replay":
        return {key: {name: n for name, n in counted.items() if n} for key, counted in report["platforms"].items()}
    counts: dict[str, Counter[str]] = {}
    for one in report["tools"]:
        counts.setdefault(one["tool"].partition("__")[0], Counter())[one["verdict"]] += 1
    return {key: dict(counted) for key, counted in counts.items()}
