"""One variant, opened: MyVariant, GDC, 1000 Genomes and cBioPortal side by side, each block with source and assembly.

A source that is down leaves the other blocks whole, and is named.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from mcp_server.codes import ToolCode
from mcp_server.unified.calls import Calls, Found, SourceFailed
from mcp_server.unified.domains import variant, variant_cards
from mcp_server.unified.domains.base import Document, LegFailed, dug, notice, sections
from mcp_server.unified.domains.variant_naming import NAMES_S, Names, named, spelt

Json = Any
# Where nobody could be reached so far, the others get what is left of this: a dead network is known within 10 s.
NOBODY_S = 9.5
ORDER = ("myvariant", "gdc", "thousand_genomes", "cbioportal")
# One rsID may name several changes of one base; each is asked for by itself.
CHANGES_MAX = 4


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
            return await asked
        except SourceFailed as failed:
            self.errors.append(failed)
        return None

    async def block(self, platform: str, assembly: str, asked: Awaitable[Found], change: str = "") -> None:
        """Ask a source and keep its block; `assembly` stands where its data names none.

        With `change`, the data is that of one of several changes.
        """
        source = self.calls.title(platform)
        found = await self.tried(asked)
        self.calls.desk.progress(f"{source}: {'no answer' if found is None else 'answered'}")
        if found is None:
            return
        if not found.has_data:
            words = f"{source}{f' on {change}' if change else ''}: {found.note or 'it has nothing on this variant.'}"
            self.notices.append(notice("N_NOTHING", words))
            return
        own = str(dug(found.data, "assembly") or assembly)
        url = next((str(one["url"]) for one in found.citations if one.get("url")), "")
        self.keep(platform, own, url, {change: found.data} if change else found.data, found.note)

    def keep(self, platform: str, assembly: str, url: str, data: Json, note: str = "") -> None:
        """Keep a source's block; what is there already is of another change of the same variant."""
        known = self.blocks.get(platform)
        if known is not None:
            known["data"] |= data
            return
        block = {"source": self.calls.title(platform), "assembly": assembly, "url": url, "data": data}
        self.blocks[platform] = block | ({"note": note} if note else {})


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open a variant by rsID, by genomic id with its assembly, or by gene and protein change."""
    began = time.monotonic()
    joined = Joined(calls)
    rsid = identifier.lower() if re.fullmatch(r"rs\d+", identifier, re.IGNORECASE) else ""
    async with asyncio.TaskGroup() as group:
        # Who needs no other name than the one that was given is asked at once.
        if rsid:
            group.create_task(_frequencies(rsid, joined))
        if own := spelt(identifier):
            group.create_task(_cancer([own], joined))
        found = await named(identifier, rsid, calls)
        joined.errors += found.errors
        if found.is_nobody_there:
            joined.calls = calls.by(began + NOBODY_S)
        if found.cards:
            assemblies = sorted({name for one in found.cards for name in one.get("genomic_ids") or ()}, reverse=True)
            page = variant_cards.page(_page_row(found.cards[0]))
            joined.keep("myvariant", " and ".join(assemblies), page, found.cards, found.note)
        if not rsid and found.names[0].rsid:
            group.create_task(_frequencies(found.names[0].rsid, joined))
        if not own:
            group.create_task(_cancer(found.names, joined))
    if not joined.blocks:
        if joined.errors:
            raise LegFailed(joined.errors)
        return None
    return _document(identifier, found.names, found.cards, joined)


async def _cancer(names: Sequence[Names], joined: Joined) -> None:
    """Ask GDC and cBioPortal about each gene and change."""
    several = len({each.change for each in names}) > 1
    labelled = [(each, each.change if several else "") for each in _apart(names, joined)]
    asked = [ask(each, joined, label) for each, label in labelled for ask in (_gdc, _cbioportal)]
    await asyncio.gather(*asked)


async def by_name(name: str, calls: Calls) -> Document | None:
    """Open a variant by a name of a transcript or protein, which Ensembl brings to its place in the genome."""
    return await opened(await variant.place(name, calls), calls)


def _apart(names: Sequence[Names], joined: Joined) -> list[Names]:
    """Return one of each gene and change; of very many the first ones, and say so."""
    different = list({each.change: each for each in names}.values())
    if len(different) > CHANGES_MAX:
        left = ", ".join(each.change for each in different[CHANGES_MAX:])
        joined.notices.append(notice("N_NOT_ASKED", f"GDC and cBioPortal were not asked for {left}."))
    return different[:CHANGES_MAX]


def _page_row(card: Mapping[str, Json]) -> Mapping[str, Json]:
    genomic = card.get("genomic_ids") or {}
    assembly = next(iter(genomic), "hg38")
    return {**card, "variant_id": genomic.get(assembly, ""), "assembly": assembly}


async def _frequencies(rsid: str, joined: Joined) -> None:
    await joined.block("thousand_genomes", "not given", _population(rsid, joined.calls))


async def _population(rsid: str, calls: Calls) -> Found:
    """Return the frequencies of Ensembl, filled up from MyVariant unless that takes too long."""
    tool = "thousand_genomes__population_frequencies"
    try:
        return await calls.by(time.monotonic() + NAMES_S)(tool, rsid=rsid)
    except SourceFailed as failed:
        if failed.code != ToolCode.TOOL_TIMEOUT:
            raise
    return await calls(tool, rsid=rsid, source="ensembl")


async def _gdc(names: Names, joined: Joined, change: str) -> None:
    if names.gene and names.protein_change:
        asked = joined.calls("gdc__mutation_frequency", gene=names.gene, protein_change=names.protein_change)
    elif names.hg38:
        asked = joined.calls("gdc__search_ssms", genomic_change=names.hg38)
    else:
        joined.notices.append(_not_asked(joined.calls.title("gdc"), "gene and protein change"))
        return
    await joined.block("gdc", "GRCh38", asked, change)


async def _cbioportal(names: Names, joined: Joined, change: str) -> None:
    if not names.gene:
        joined.notices.append(_not_asked(joined.calls.title("cbioportal"), "gene"))
        return
    if not names.protein_change:
        words = f"cBioPortal's block is about {names.gene} as a whole: no source gave a protein change."
        joined.notices.append(notice("N_WHOLE_GENE", words))
    asked = joined.calls("cbioportal__gene_enrichment_summary", gene=names.gene, mutation=names.protein_change)
    await joined.block("cbioportal", "GRCh37", asked, change)


def _not_asked(source: str, missing: str) -> dict[str, Json]:
    return notice("N_NOT_ASKED", f"{source} was not asked: it goes by {missing}, which no source gave.")


def _document(identifier: str, names: Sequence[Names], cards: Sequence[Mapping[str, Json]], joined: Joined) -> Document:
    """Put the blocks together under one title, with a text that says the main facts of each."""
    blocks = {name: joined.blocks[name] for name in ORDER if name in joined.blocks}
    changes = list(dict.fromkeys(each.change for each in names if each.change))
    title = ", ".join(changes[:CHANGES_MAX]) or names[0].rsid or identifier
    whole = [each.gene for each in names if each.gene and not each.protein_change]
    parts: list[tuple[str, object]] = []
    for number, each in enumerate(names):
        parts += _facts(each, cards[number] if cards else {}, each.change if len(names) > 1 else "")
    text = sections(
        (
            *parts,
            ("1000 Genomes", _population_words(dug(blocks, "thousand_genomes", "data"))),
            *_of_changes("GDC", dug(blocks, "gdc", "data"), changes, _gdc_words),
            *_of_changes(
                f"cBioPortal ({', '.join(whole)} as a whole)" if whole else "cBioPortal",
                dug(blocks, "cbioportal", "data"),
                changes,
                lambda data: str(dug(data, "text") or ""),
            ),
            ("No answer from", list(dict.fromkeys(failed.source for failed in joined.errors))),
        )
    )
    url = next((str(block["url"]) for block in blocks.values() if block["url"]), "") or _page_of(identifier)
    sources = [str(block["source"]) for block in blocks.values()]
    return Document(identifier, title, text or title, url, blocks, sources, joined.errors, joined.notices)


def _facts(names: Names, card: Mapping[str, Json], change: str) -> list[tuple[str, object]]:
    """Return what is said of one change, under its name where there are several."""
    places = [f"{name} ({assembly})" for assembly, name in (("GRCh38", names.hg38), ("GRCh37", names.hg19)) if name]
    label = f"{change} " if change else ""
    return [
        (f"{label}Variant".strip(), [*places, names.rsid]),
        (f"{label}Consequence", card.get("consequences")),
        (f"{label}ClinVar", "; ".join(word.removeprefix("ClinVar ") for word in variant_cards.clinvar_words(card))),
        (f"{label}gnomAD", variant_cards.frequency_words(card.get("gnomad"))),
    ]


def _of_changes(
    source: str, data: Json, changes: Sequence[str], words: Callable[[Json], str]
) -> list[tuple[str, object]]:
    """Return what a source says, of each change where its data is of several."""
    if isinstance(data, Mapping) and data and set(data) <= set(changes):
        return [(f"{source}, {change}", words(data[change])) for change in changes if change in data]
    return [(source, words(data))]


def _page_of(identifier: str) -> str:
    if identifier.lower().startswith("rs"):
        return f"https://www.ncbi.nlm.nih.gov/snp/{identifier.lower()}"
    return f"https://www.ncbi.nlm.nih.gov/clinvar/?term={quote(identifier)}"


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
