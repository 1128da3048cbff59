"""Protein changes in mutation calls: which are named, alike, and in how many samples."""

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from mcp_server.platforms.cbioportal.base import Json, fraction, is_missing
from mcp_server.platforms.cbioportal.counting import sample_of

# Older studies write that there is a mutation, not which.
UNNAMED = frozenset({"MUTATED"})
Row = Mapping[str, Any]


def change_of(row: Row) -> str:
    """Return the protein change of a call, or an empty string where none is named."""
    change = row.get("proteinChange")
    return "" if is_missing(change) or str(change).upper() in UNNAMED else str(change)


def is_change(change: str, wanted: str) -> bool:
    """Tell whether a change is the wanted one: exactly, at the wanted residue, or a frameshift from it."""
    if change == wanted:
        return True
    if re.fullmatch(r"[A-Z]\d+", wanted):
        return re.match(rf"{wanted}(?!\d)", change) is not None
    if re.fullmatch(r"[A-Z]\d+fs", wanted):
        return re.match(rf"{wanted[:-2]}[A-Z]?fs", change) is not None
    return False


def residue_of(change: str) -> str:
    """Return the first residue of a change: `V600E` → `V600`."""
    found = re.match(r"[A-Z*]\d+", change)
    return found[0] if found else ""


def by_change(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Group calls by their named change."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if change := change_of(row):
            groups[change].append(row)
    return dict(groups)


def samples_of(rows: Iterable[Row]) -> int:
    """Return in how many samples calls are: a sample may have several."""
    return len({sample_of(row) for row in rows})


def patients_of(rows: Iterable[Row]) -> int:
    """Return in how many patients calls are."""
    return len({(row["studyId"], row.get("patientId")) for row in rows})


def allele_fractions(rows: Iterable[Row]) -> list[float]:
    """Return the variant allele fractions of calls with read counts; -1 stands for no count."""
    found = []
    for row in rows:
        alt, ref = row.get("tumorAltCount"), row.get("tumorRefCount")
        if isinstance(alt, int) and isinstance(ref, int) and alt >= 0 and ref >= 0 and alt + ref > 0:
            found.append(alt / (alt + ref))
    return found


def median_fraction(rows: Iterable[Row]) -> float | None:
    """Return the median variant allele fraction, where there is any."""
    fractions = allele_fractions(rows)
    return round(statistics.median(fractions), 3) if fractions else None


def positions_of(rows: Iterable[Row], assembly: str) -> list[dict[str, Json]]:
    """Return the distinct genomic changes behind a protein change, the most frequent first, with their assembly."""
    seen: Counter[tuple[Json, ...]] = Counter()
    for row in rows:
        start = row.get("startPosition")
        if isinstance(start, int) and start > 0:
            build = row.get("ncbiBuild")
            place = (
                row.get("chr"),
                start,
                row.get("endPosition"),
                row.get("referenceAllele"),
                row.get("variantAllele"),
            )
            seen[(*place, assembly if is_missing(build) else build)] += 1
    names = ("chromosome", "start", "end", "reference", "variant", "assembly")
    return [dict(zip(names, place, strict=True)) for place, _ in seen.most_common()]


def change_row(change: str, rows: list[Row], profiled: int, assembly: str) -> dict[str, Json]:
    """Return what an answer says of one change in one study."""
    share = fraction(samples_of(rows), profiled, change)
    found: dict[str, Json] = {
        "protein_change": change,
        "mutation_types": sorted({str(row["mutationType"]) for row in rows if not is_missing(row.get("mutationType"))}),
        "samples": share["altered_samples"],
        "patients": patients_of(rows),
        "profiled_samples": profiled,
        "percent": share["percent"],
        "positions": positions_of(rows, assembly),
        "vaf_median": median_fraction(rows),
    }
    germline = [row for row in rows if str(row.get("mutationStatus") or "").upper() == "GERMLINE"]
    return {**found, "germline_samples": samples_of(germline)} if germline else found
