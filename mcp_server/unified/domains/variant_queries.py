"""The clauses of a variant leg as searches of MyVariant, and what of them is left to be sifted from the rows. Pure."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mcp_server.unified.domains.base import is_inside, notice, refused, texts
from mcp_server.unified.domains.variant_cards import classified

Json = Any
Row = Mapping[str, Json]
# Searches of one leg; each alternative that the source takes singly needs one of its own.
SEARCHES_MAX = 8
_SIGNIFICANCE = {"uncertain": "uncertain_significance"}
_SINGLY = {"cdna_change": "cdna", "condition": "condition", "consequence": "consequence", "region": "region"}
_NUMBERS = {"frequency": ("gnomad", "frequency"), "cadd": ("cadd_phred",), "revel": ("revel",)}
GENOMIC = re.compile(r"(?:chr|NC_)[^:]*:(?:g|m)\.|^\d+-\d+-[ACGT]+-[ACGT]+$", re.IGNORECASE)
_CODING = re.compile(r"(?:[NX][MR]_\d+(?:\.\d+)?:)?c\.", re.IGNORECASE)
_PLACE = re.compile(r"chr(\w+):g\.(\d+)(?:_(\d+))?")


class TooMany(ValueError):
    """More alternatives than there may be searches."""


def names_of(params: Mapping[str, Json]) -> list[str]:
    """Return the names that are neither genomic nor coding, which the source can't be asked for as they are."""
    named = [*texts(params, "hgvs"), *texts(params, "id")]
    return [name for name in named if not GENOMIC.search(name) and not _CODING.match(name)]


def genomic_change(start: int, end: int, old: str, new: str) -> str:
    """Return what stands behind `g.` for alleles of the forward strand; an insertion lies between `end` and `start`."""
    if not re.fullmatch(r"[ACGT-]+", old + new):
        return ""
    span = f"{start}" if start == end else f"{start}_{end}"
    if old == "-":
        return f"{end}_{start}ins{new}"
    if new == "-":
        return f"{span}del"
    return f"{start}{old}>{new}" if len(old) == len(new) == 1 else f"{span}delins{new}"


def searches(params: Mapping[str, Json], notices: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return the searches of a leg: one, or one for each alternative that the source takes singly."""
    names = [*texts(params, "hgvs"), *texts(params, "id")]
    shared: dict[str, Json] = {
        "genes": texts(params, "gene"),
        "protein_changes": [*texts(params, "protein"), *texts(params, "protein_position")],
        "rsids": texts(params, "rsid"),
        "hgvs": [name for name in names if GENOMIC.search(name)],
        "significance": [_SIGNIFICANCE.get(each, each) for each in texts(params, "significance")],
        "exclude_genes": refused(params, "gene"),
        "exclude_protein_changes": [*refused(params, "protein"), *refused(params, "protein_position")],
        "exclude_rsids": refused(params, "rsid"),
        **_bounds(params, notices),
    }
    found = [{**shared, **assembly} for assembly in _assemblies(params, notices)]
    coding = [name for name in names if _CODING.match(name) and not GENOMIC.search(name)]
    for name, clause in _SINGLY.items():
        # Of values that must all hold one is asked for, and the rows are sifted by the others.
        values = [str(value) for value in params[f"{clause}_all"][:1]] if f"{clause}_all" in params else []
        values = values or texts(params, clause)
        if values := [*values, *(coding if name == "cdna_change" else ())]:
            found = [{**one, name: value} for one in found for value in values]
    if len(found) > SEARCHES_MAX:
        message = f"{len(found)} searches would be needed, {SEARCHES_MAX} are the most; name fewer alternatives"
        raise TooMany(message)
    return found


def _bounds(params: Mapping[str, Json], notices: list[dict[str, Json]]) -> dict[str, Json]:
    """Return the bounds of numbers; one that is itself out is named under `exclusive`."""
    asked: dict[str, Json] = {}
    exclusive = []
    for name in _NUMBERS:
        for end in ("min", "max"):
            bound = params.get(f"{end}_{name}")
            if bound is not None:
                asked[f"{end}_{name}"] = bound
                exclusive += [f"{end}_{name}"] if params.get(f"{end}_{name}_exclusive") else []
    if any(name.endswith("frequency") for name in asked):
        asked["population"] = params.get("population")
    elif params.get("population"):
        words = "variants.population was not applied: it says whose frequency is compared, and none is."
        notices.append(notice("N_NOT_APPLIED", words))
    stars = params.get("min_review_status")
    if stars is not None:
        asked["min_review_stars"] = (
            math.floor(stars) + 1 if params.get("min_review_status_exclusive") else math.ceil(stars)
        )
    return asked | ({"exclusive": exclusive} if exclusive else {})


def _assemblies(params: Mapping[str, Json], notices: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return the assemblies to search: each by itself, so that each can be paged through."""
    assembly = params.get("assembly")
    if assembly in ("hg19", "hg38"):
        return [{"assembly": assembly}]
    if any(params.get(f"{end}_cadd") is not None for end in ("min", "max")):
        notices.append(notice("N_ASSEMBLY", "variant: CADD scores can be filtered on hg19 only; these rows are on it."))
        return [{"assembly": "hg19"}]
    return [{"assembly": "hg38"}, {"assembly": "hg19"}] if assembly == "both" else [{}]


def is_sifted(params: Mapping[str, Json]) -> bool:
    """Tell whether rows are left out that the source counts."""
    asked_upstream = {"not_gene", "not_protein", "not_protein_position", "not_rsid"}
    names = {name for name in params if name.startswith("not_") or name.endswith("_all")} - asked_upstream
    return bool(names) or params.get("max_review_status") is not None


def fits(params: Mapping[str, Json], row: Row) -> bool:
    """Tell whether a row meets what the source can't be asked for."""
    most = {"max": params.get("max_review_status"), "max_exclusive": params.get("max_review_status_exclusive")}
    if most["max"] is not None and not is_inside(_stars(row), most):
        return False
    for name, has in _HAS.items():
        wanted = [str(value) for value in params.get(f"{name}_all") or ()]
        if not all(has(row, value) for value in wanted) or any(has(row, value) for value in refused(params, name)):
            return False
    for name, path in _NUMBERS.items():
        if _is_within(row, path, params.get(f"not_{name}") or ()):
            return False
    return not any(is_inside(_stars(row), bounds) for bounds in params.get("not_review_status") or ())


def _is_within(row: Row, path: Sequence[str], unwanted: Iterable[Mapping[str, Json]]) -> bool:
    number: Json = row
    for name in path:
        number = number.get(name) if isinstance(number, Mapping) else None
    return number is not None and any(is_inside(number, bounds) for bounds in unwanted)


def _plain(text: object) -> str:
    plain = re.sub(r"[\W_]+", " ", str(text).lower()).strip()
    return plain.removesuffix(" significance") if plain.startswith("uncertain") else plain


def _stars(row: Row) -> float:
    return max((each.get("stars") or 0 for each in classified(row)), default=0)


def _has_significance(row: Row, value: str) -> bool:
    stated = [str(each.get("significance")) for each in classified(row)]
    parts = {_plain(part) for text in stated for part in re.split(r"[/;,|]", text)}
    return _plain(value) in parts or (value == "conflicting" and any(part.startswith("conflicting") for part in parts))


def _has_condition(row: Row, value: str) -> bool:
    words = set(_plain(value).split())
    return any(words <= set(_plain(name).split()) for each in classified(row) for name in each.get("conditions") or ())


def _has_region(row: Row, value: str) -> bool:
    found = _PLACE.match(str(row["variant_id"]))
    chromosome, _, span = value.partition(":")
    first, _, last = span.partition("-")
    if found is None or found[1].upper() != chromosome.upper():
        return False
    return int(found[2]) <= int(last) and int(found[3] or found[2]) >= int(first)


def _has_name(row: Row, value: str) -> bool:
    """Tell whether a variant has a genomic id, with or without assembly, or a change of a transcript."""
    own = {str(row["variant_id"]), f"{row['variant_id']}@{row['assembly']}"}
    change = value.rpartition(":")[2] if not GENOMIC.search(value) else value
    changes = [*(row.get("cdna_changes") or ()), *(f"p.{one}" for one in row.get("protein_changes") or ())]
    return change in own or change in {str(one).rpartition(":")[2] for one in changes}


def _has_accession(row: Row, value: str) -> bool:
    number = value[3:].partition(".")[0].lstrip("0")
    if value.upper().startswith("VCV"):
        return str((row.get("clinvar") or {}).get("variation_id") or "") == number
    return any(value.partition(".")[0] == str(one).partition(".")[0]
               for each in classified(row) for one in each.get("accessions") or ())  # fmt: skip


_HAS: Mapping[str, Callable[[Row, str], bool]] = {
    "significance": _has_significance,
    "condition": _has_condition,
    "consequence": lambda row, value: _plain(value) in {_plain(each) for each in row.get("consequences") or ()},
    "region": _has_region,
    "cdna": _has_name,
    "hgvs": _has_name,
    "id": _has_name,
    "clinvar": _has_accession,
}


def has_accession(row: Row, accessions: Sequence[str]) -> bool:
    """Tell whether a row is of one of ClinVar's accessions."""
    return any(_has_accession(row, each) for each in accessions)
