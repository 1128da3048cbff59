"""One variant, opened: MyVariant, GDC, 1000 Genomes and cBioPortal side by side, each block with source and assembly.

A source that is down leaves the other blocks whole, and is named.
"""

import asyncio
import re
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_server.unified.calls import Calls, Found, SourceFailed
from mcp_server.unified.domains import variant_cards
from mcp_server.unified.domains.base import Document, LegFailed, dug, notice, sections

Json = Any
BLOCK_S = 18.0
ORDER = ("myvariant", "gdc", "thousand_genomes", "cbioportal")


@dataclass(frozen=True)
class Names:
    """What the sources call a variant."""

    rsid: str = ""
    gene: str = ""
    protein_change: str = ""
    hg38: str = ""
    hg19: str = ""


@dataclass
class Joined:
    """What has been gathered of a variant: blocks by source, failures, and why a block is missing."""

    calls: Calls
    blocks: dict[str, Json] = field(default_factory=dict)
    errors: list[SourceFailed] = field(default_factory=list)
    notices: list[dict[str, Json]] = field(default_factory=list)

    async def tried(self, asked: Awaitable[Found]) -> Found | None:
        """Return an answer, or None for a source that failed or was too slow; the failure is kept."""
        try:
            async with asyncio.timeout(BLOCK_S):
                return await asked
        except SourceFailed as failed:
            self.errors.append(failed)
        return None

    async def block(self, platform: str, assembly: str, asked: Awaitable[Found]) -> None:
        """Ask a source and keep its block; `assembly` stands where its data names none."""
        found = await self.tried(asked)
        if found is None:
            return
        source = self.calls.title(platform)
        if not found.has_data:
            self.notices.append(notice("N_NOTHING", f"{source}: {found.note or 'it has nothing on this variant.'}"))
            return
        own = str(dug(found.data, "assembly") or assembly)
        url = next((str(one["url"]) for one in found.citations if one.get("url")), "")
        self.keep(platform, own, url, found.data, found.note)

    def keep(self, platform: str, assembly: str, url: str, data: Json, note: str = "") -> None:
        """Keep a source's block."""
        block = {"source": self.calls.title(platform), "assembly": assembly, "url": url, "data": data}
        self.blocks[platform] = block | ({"note": note} if note else {})


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open a variant by rsID, by genomic id with its assembly, or by gene and protein change."""
    joined = Joined(calls)
    rsid = identifier.lower() if re.fullmatch(r"rs\d+", identifier, re.IGNORECASE) else ""
    async with asyncio.TaskGroup() as group:
        # An rsID is all that 1000 Genomes needs: it is asked at once.
        if rsid:
            group.create_task(_frequencies(rsid, joined))
        summary = await joined.tried(calls("myvariant__variant_clinical_summary", variant=identifier))
        cards: list[Mapping[str, Json]] = summary.rows() if summary else []
        names = _names_of(cards[0]) if cards else await _names(identifier, rsid, joined)
        if not rsid and names.rsid:
            group.create_task(_frequencies(names.rsid, joined))
        group.create_task(_gdc(names, joined))
        group.create_task(_cbioportal(names, joined))
    if cards:
        joined.keep(
            "myvariant",
            "hg38 and hg19",
            variant_cards.page(_page_row(cards[0])),
            cards,
            summary.note if summary else "",
        )
    if not joined.blocks:
        if joined.errors:
            raise LegFailed(joined.errors)
        return None
    return _document(identifier, names, cards, joined)


async def _names(identifier: str, rsid: str, joined: Joined) -> Names:
    """Return the names of a variant that MyVariant does not give; GDC and cBioPortal go by gene and change."""
    if found := re.fullmatch(r"(\S+) (?:p\.)?(\S+)", identifier):
        return Names(rsid, found[1], found[2])
    spelt = re.fullmatch(r"(.+?)@hg(19|38)", identifier)
    asked: dict[str, Json] = {"variant": spelt[1] if spelt else identifier}
    asked |= {"assembly": "GRCh37"} if spelt and spelt[2] == "19" else {}
    predicted = await joined.tried(joined.calls("ensembl__predict_variant", **asked))
    first: Mapping[str, Json] = next(iter(predicted.rows() if predicted else ()), {})
    hit: Mapping[str, Json] = next(iter(first.get("transcript_consequences") or ()), {})
    change = str(hit.get("hgvsp") or "").partition(":p.")[2]
    known = next((str(one["id"]) for one in first.get("colocated_variants") or () if str(one["id"])[:2] == "rs"), "")
    hg38 = spelt[1] if spelt and spelt[2] == "38" else ""
    return Names(rsid or known, str(hit.get("gene_symbol") or ""), change, hg38)


def _names_of(card: Mapping[str, Json]) -> Names:
    genomic = card.get("genomic_ids") or {}
    return Names(
        str(card.get("rsid") or ""),
        str(next(iter(card.get("genes") or ()), "")),
        str(next(iter(card.get("protein_changes") or ()), "")),
        str(genomic.get("hg38") or ""),
        str(genomic.get("hg19") or ""),
    )


def _page_row(card: Mapping[str, Json]) -> Mapping[str, Json]:
    genomic = card.get("genomic_ids") or {}
    assembly = next(iter(genomic), "hg38")
    return {**card, "variant_id": genomic.get(assembly, ""), "assembly": assembly}


async def _frequencies(rsid: str, joined: Joined) -> None:
    asked = joined.calls("thousand_genomes__population_frequencies", rsid=rsid)
    await joined.block("thousand_genomes", "not given", asked)


async def _gdc(names: Names, joined: Joined) -> None:
    if names.gene and names.protein_change:
        asked = joined.calls("gdc__mutation_frequency", gene=names.gene, protein_change=names.protein_change)
    elif names.hg38:
        asked = joined.calls("gdc__search_ssms", genomic_change=names.hg38)
    else:
        joined.notices.append(_not_asked(joined.calls.title("gdc"), "gene and protein change"))
        return
    await joined.block("gdc", "GRCh38", asked)


async def _cbioportal(names: Names, joined: Joined) -> None:
    if not names.gene:
        joined.notices.append(_not_asked(joined.calls.title("cbioportal"), "gene"))
        return
    asked = joined.calls("cbioportal__gene_enrichment_summary", gene=names.gene, mutation=names.protein_change)
    await joined.block("cbioportal", "GRCh37", asked)


def _not_asked(source: str, missing: str) -> dict[str, Json]:
    return notice("N_NOT_ASKED", f"{source} was not asked: it goes by {missing}, which no source gave.")


def _document(identifier: str, names: Names, cards: list[Mapping[str, Json]], joined: Joined) -> Document:
    """Put the blocks together under one title, with a text that says the main facts of each."""
    card: Mapping[str, Json] = cards[0] if cards else {}
    blocks = {name: joined.blocks[name] for name in ORDER if name in joined.blocks}
    title = " ".join(filter(None, (names.gene, names.protein_change))) or names.rsid or identifier
    places = [f"{name} ({assembly})" for assembly, name in (("GRCh38", names.hg38), ("GRCh37", names.hg19)) if name]
    text = sections(
        (
            ("Variant", [*places, names.rsid]),
            ("Consequence", card.get("consequences")),
            ("ClinVar", "; ".join(words.removeprefix("ClinVar ") for words in variant_cards.clinvar_words(card))),
            ("gnomAD", variant_cards.frequency_words(card.get("gnomad"))),
            ("1000 Genomes", _population_words(dug(blocks, "thousand_genomes", "data"))),
            ("GDC", _gdc_words(dug(blocks, "gdc", "data"))),
            ("cBioPortal", dug(blocks, "cbioportal", "data", "text")),
            ("Several variants", f"{len(cards)} variants carry this name; see the cards" if len(cards) > 1 else ""),
            ("No answer from", [failed.source for failed in joined.errors]),
        )
    )
    url = next((str(block["url"]) for block in blocks.values() if block["url"]), "")
    sources = [str(block["source"]) for block in blocks.values()]
    return Document(identifier, title, text or title, url, blocks, sources, joined.errors, joined.notices)


def _population_words(data: Json) -> str:
    """Return the frequency of each allele that is not the reference, in all and in the super-populations."""
    words = []
    for allele in dug(data, "alleles") or ():
        if allele.get("is_reference") or not allele.get("observed"):
            continue
        shown = [f"{name} {one['frequency']:.3f}" for name, one in (allele.get("populations") or {}).items()]
        words.append(f"allele {allele.get('allele')}: {', '.join(shown)}")
    return "; ".join(words)


def _gdc_words(data: Json) -> str:
    """Return the projects with most affected cases over tested ones."""
    shown = [
        f"{row['project_id']} {row['affected_cases']} of {row['tested_cases']} cases ({row['percent']} %)"
        for row in (dug(data, "projects") or ())[:5]
    ]
    return "; ".join(shown)
