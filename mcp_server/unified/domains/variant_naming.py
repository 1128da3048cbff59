"""What the sources call a variant: told by MyVariant, by Ensembl in its place, or by the id itself."""

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_server.codes import ToolCode
from mcp_server.platforms.myvariant.names import protein_form
from mcp_server.unified.calls import Calls, Found, SourceFailed

Json = Any
# Others wait for the names that MyVariant, or Ensembl in its place, gives a variant: neither may take all the time.
NAMES_S = 10.0
# Ensembl is asked as well where MyVariant takes longer than it usually does.
SECOND_AFTER_S = 1.5
_ASSEMBLIES = {"19": "GRCh37", "38": "GRCh38"}


@dataclass(frozen=True)
class Names:
    """What the sources call a variant."""

    rsid: str = ""
    gene: str = ""
    protein_change: str = ""
    hg38: str = ""
    hg19: str = ""

    @property
    def change(self) -> str:
        """Gene and protein change as far as they are known, else the place in the genome."""
        return " ".join(filter(None, (self.gene, self.protein_change))) or self.hg38 or self.hg19


@dataclass(frozen=True)
class Named:
    """The names of a variant, MyVariant's cards where it has any, and who failed to name it."""

    names: list[Names]
    cards: list[Mapping[str, Json]]
    note: str = ""
    errors: tuple[SourceFailed, ...] = ()

    @property
    def is_nobody_there(self) -> bool:
        """Whether no source could be reached at all: others will hardly be."""
        return (
            bool(self.errors)
            and not self.cards
            and all(
                failed.code == ToolCode.UPSTREAM_UNAVAILABLE and failed.http_status is None for failed in self.errors
            )
        )


def spelt(identifier: str) -> Names | None:
    """Return the names of a variant that is given by gene and protein change."""
    found = re.fullmatch(r"(?!chr)([A-Za-z][\w.@-]*)[ :](?:p\.)?(?![cgmnr]\.)(\S+)", identifier)
    return Names(gene=found[1], protein_change=found[2]) if found else None


async def named(identifier: str, rsid: str, calls: Calls) -> Named:
    """Ask MyVariant what a variant is called, and Ensembl where that takes long or brings nothing."""
    soon = calls.by(time.monotonic() + NAMES_S)
    first = asyncio.create_task(_tried(soon, "myvariant__variant_clinical_summary", variant=identifier))
    second: asyncio.Task[tuple[list[Names], SourceFailed | None]] | None = None
    try:
        await asyncio.wait({first}, timeout=SECOND_AFTER_S)
        if not first.done():
            second = asyncio.create_task(_predicted(identifier, rsid, soon))
        summary, failed = await first
        errors = (failed,) if failed else ()
        if summary and (cards := summary.rows()):
            return Named([_of_card(one) for one in cards], cards, summary.note)
        if own := spelt(identifier):
            return Named([own], [], errors=errors)
        names, late = await (second or _predicted(identifier, rsid, calls.by(time.monotonic() + NAMES_S)))
        return Named(names, [], errors=(*errors, *((late,) if late else ())))
    finally:
        for task in (first, second):
            if task is not None:
                task.cancel()


async def _tried(calls: Calls, tool: str, **asked: Json) -> tuple[Found | None, SourceFailed | None]:
    try:
        return await calls(tool, **asked), None
    except SourceFailed as failed:
        return None, failed


async def _predicted(identifier: str, rsid: str, calls: Calls) -> tuple[list[Names], SourceFailed | None]:
    """Return what Ensembl's predictor calls a variant: one name for each protein that it changes."""
    placed = re.fullmatch(r"(.+?)@hg(19|38)", identifier)
    asked: dict[str, Json] = {"variant": placed[1] if placed else identifier}
    asked |= {"assembly": _ASSEMBLIES[placed[2]]} if placed else {}
    found, failed = await _tried(calls, "ensembl__predict_variant", **asked)
    first: Mapping[str, Json] = next(iter(found.rows() if found else ()), {})
    known = next((str(one["id"]) for one in first.get("colocated_variants") or () if str(one["id"])[:2] == "rs"), "")
    places = {f"hg{placed[2]}": placed[1]} if placed else {}
    hits = {
        (str(hit.get("gene_symbol") or ""), protein_form(str(hit.get("hgvsp") or "").partition(":")[2]))
        for hit in first.get("transcript_consequences") or ()
    }
    # Other genes may only lie near: where a protein is changed, they say nothing.
    changed = sorted(hit for hit in hits if all(hit)) or sorted(hits)[:1] or [("", "")]
    return [Names(rsid or known, gene, change, **places) for gene, change in changed], failed


def _of_card(card: Mapping[str, Json]) -> Names:
    genomic = card.get("genomic_ids") or {}
    return Names(
        str(card.get("rsid") or ""),
        str(next(iter(card.get("genes") or ()), "")),
        str(next(iter(card.get("protein_changes") or ()), "")),
        str(genomic.get("hg38") or ""),
        str(genomic.get("hg19") or ""),
    )
