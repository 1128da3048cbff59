"""What UniProt knows of the natural variants at one residue: where they were found, and what they do."""

import re

from chat.providers.planner import compose
from chat.providers.planner.results import Call, Json, Result, call, list_at, records_at, text_at

IN_SHORT_MAX_CHARS = 200


def residue_call(accession: str, change: str) -> Call | None:
    """Return the call for the natural variants at a change's residue, or None if it names no residue."""
    position = "".join(filter(str.isdigit, change))
    if not accession or not position:
        return None
    about = f"natural variants of {accession} at residue {position}"
    return call("uniprot__get_variants", about, accession=accession, position=int(position))


def variants_in(result: Result | None) -> list[dict[str, Json]]:
    """Return the natural variants of a result."""
    return records_at(result.data, "variants") if result is not None and result.has_data else []


def rsids_in(result: Result | None) -> tuple[str, ...]:
    """Return the dbSNP ids of the variants."""
    return tuple(str(rsid) for row in variants_in(result) for rsid in list_at(row, "dbSNP"))


def in_short(result: Result | None, accession: str, change: str) -> str:
    """Return what UniProt says of the change itself, with its link, or an empty string."""
    texts = [_described(row) for row in variants_in(result) if change in _changes(row)]
    told = compose.shortened(texts[0], IN_SHORT_MAX_CHARS) if texts else ""
    return f"{told} (UniProt {compose.link('uniprot', accession)})" if told else ""


def listed(result: Result | None, accession: str) -> str:
    """Return the variants at the residue as a list, or what there was instead."""
    if result is None:
        return ""
    lines = []
    for row in variants_in(result):
        ids = compose.listed([compose.link("rsid", str(rsid)) for rsid in list_at(row, "dbSNP")])
        facts = "; ".join(part for part in (_described(row), ids) if part)
        lines.append(f"UniProt {compose.link('uniprot', accession)}, {compose.listed(_changes(row))}: {facts}.")
    if not lines and not result.is_failed:
        return f"Natural variants at this residue: {compose.said(result) or 'none listed'}."
    return compose.bullets(lines) if lines else ""


def _described(row: Json) -> str:
    return compose.plain(re.sub(r"(?:; )?dbSNP:rs\d+", "", text_at(row, "description")))


def _changes(row: Json) -> list[str]:
    """Return a variant's changes as `T790M`."""
    new = [str(each) for each in list_at(row, "alternativeSequences")]
    return [f"{text_at(row, 'originalSequence')}{text_at(row, 'start')}{each}" for each in new]
