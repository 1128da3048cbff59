"""Reference molecules of participants: `uniprot:P04637` with the display name `UniProt:P04637 TP53`."""

import re
from collections.abc import Iterable
from typing import Any

Json = Any


def participants_of(found: Iterable[Json], kind: str = "all") -> list[Json]:
    """Return the participants of an event, each once.

    One protein takes part in many forms: each compartment and modification is an entity of its own.
    """
    references = {row["stId"]: row for entity in found for row in entity.get("refEntities") or []}
    participants = [participant(row) for row in references.values()]
    if kind == "all":
        return participants
    return [row for row in participants if (row["database"] == "uniprot") == (kind == "proteins")]


def participant(reference: Json) -> Json:
    """Read a reference entity."""
    database, _, identifier = reference["stId"].partition(":")
    shown = reference.get("displayName") or ""
    gene = re.fullmatch(r"UniProt:\S+ (\S.*)", shown)
    return {
        "identifier": reference.get("identifier") or identifier,
        "database": database,
        "geneName": gene[1] if gene else None,
        "displayName": shown,
        "schemaClass": reference.get("schemaClass"),
    }
