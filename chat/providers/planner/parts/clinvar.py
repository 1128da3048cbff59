"""What ClinVar says of a variant: germline, somatic impact and oncogenicity are three statements, not one."""

from collections.abc import Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts.named import subject
from chat.providers.planner.results import Call, Json, Result, at, call, list_at, records_at, text_at

CONDITIONS_SHOWN = 8
KINDS = {
    "germline": "Germline",
    "somatic_clinical_impact": "Somatic clinical impact",
    "oncogenicity": "Oncogenicity",
}


def variant_call(words: str) -> Call:
    """Return the call that finds ClinVar's record of a variant."""
    return call("clinvar__resolve_variant", *subject("variant", words), variant=words)


def record_call(variation_id: str) -> Call:
    """Return the call that reads the whole record."""
    return call("clinvar__get_variant_record", "the ClinVar record {}", variation_id, variation_id=variation_id)


def first_candidate(search: Result) -> dict[str, Json]:
    """Return the best candidate, or nothing."""
    return next(iter(search.rows("candidates")), {})


def record_link(row: Json) -> str:
    """Return the link to a variant's ClinVar page."""
    return compose.link("clinvar_variation", text_at(row, "accession_version").partition(".")[0])


def identity(row: Json) -> str:
    """Return the variant's names: title, rsID, place on the genome."""
    places = [
        f"{assembly} {text_at(place, 'chr')}:{text_at(place, 'start')} {text_at(place, 'ref')}>{text_at(place, 'alt')}"
        for assembly in ("GRCh38", "GRCh37")
        if (place := at(row, f"locations.{assembly}")) and text_at(place, "ref") and text_at(place, "alt")
    ]
    title = text_at(row, "title")
    parts = [f"`{title}`" if title else "", record_link(row), compose.link("rsid", text_at(row, "rsid")), *places]
    return ", ".join(part for part in parts if part)


def statements(row: Json) -> str:
    """Return the table of the three classifications; a kind that is not given is said to be so."""
    lines = []
    for kind, name in KINDS.items():
        found = at(row, f"classifications.{kind}") or at(row, kind)
        stars = text_at(found, "stars")
        review = compose.plain(text_at(found, "review_status"))
        lines.append(
            [
                name,
                compose.plain(text_at(found, "description")) or "no classification",
                f"{stars} of 4 stars: {review}" if stars else review,
                text_at(found, "last_evaluated"),
                record_link(row),
            ]
        )
    return compose.table(("Classification", "ClinVar says", "Review", "Last evaluated", "Record"), lines)


def in_short(row: Json) -> str:
    """Return the classifications in one clause."""
    found = [
        f"{name.lower()}: {compose.plain(text_at(at(row, f'classifications.{kind}') or at(row, kind), 'description'))}"
        for kind, name in KINDS.items()
        if text_at(at(row, f"classifications.{kind}") or at(row, kind), "description")
    ]
    return "; ".join(found)


def by_condition(record: Json, words: Sequence[str]) -> str:
    """Return what is said by condition: those that hold one of `words` first, "n of m" shown."""
    rows = records_at(record, "conditions")
    wanted = [word.casefold() for word in words if word]
    rows.sort(key=lambda row: not any(word in " ".join(_names(row)).casefold() for word in wanted))
    shown = [
        [
            compose.plain(compose.fitting(_names(row)), compose.CELL_MAX_CHARS),
            compose.link("clinvar_record", text_at(row, "accession").partition(".")[0]),
            compose.plain("; ".join(_said(row))),
        ]
        for row in rows[:CONDITIONS_SHOWN]
    ]
    if not shown:
        return ""
    note = f"{len(shown)} of {compose.counted(len(rows), 'condition')} of the record."
    return compose.document(compose.table(("Condition", "Record", "Classification"), shown), note)


def for_condition(record: Json, disease: str) -> str:
    """Return what is said for a disease by its own name, with the link to that statement, or an empty string."""
    for row in records_at(record, "conditions") if disease else []:
        if any(name.casefold() == disease.casefold() for name in _names(row)) and _said(row):
            link = compose.link("clinvar_record", text_at(row, "accession").partition(".")[0])
            return f"{compose.plain('; '.join(_said(row)))} ({link})"
    return ""


def _names(row: Json) -> list[str]:
    return [str(name) for name in list_at(row, "conditions")]


def _said(row: Json) -> list[str]:
    """Return each statement of a condition with its kind."""
    return [
        f"{name.lower()}: {text_at(each, 'description')}"
        for kind, name in KINDS.items()
        for each in records_at(row, kind)
        if text_at(each, "description")
    ]
