"""A gene in cancer on one card: what article search and variant pages show beside their own records.

Two legs run side by side, each within the card's time: the portal (which studies, how often, which changes) and
Cancer Hotspots. One that fails is named, and the other is given.
"""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from mcp_server.args import gene_symbol_form
from mcp_server.envelope import Answer, Citation, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError, UpstreamUnavailable
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import (
    COUNTED,
    HOST,
    HOTSPOTS_HOST,
    STUDY_BY_STUDY,
    CancerProteinChange,
    GeneName,
    Json,
    fraction,
    platform,
    sentences,
)
from mcp_server.platforms.cbioportal.changes import Row, by_change
from mcp_server.platforms.cbioportal.cohorts import PANCANCER_NAME, Cohort, find_cohort
from mcp_server.platforms.cbioportal.counting import Sample, count_calls, mutation_rows, profiled_samples, sample_of
from mcp_server.platforms.cbioportal.frequencies import frequency_rows
from mcp_server.platforms.cbioportal.genes import SPECIES
from mcp_server.platforms.cbioportal.hotspots import ASSEMBLY, PAGE, TUMOURS_V2, ranked_residues, residue_rows
from mcp_server.platforms.cbioportal.recurrence import matching, study_rows

BUDGET_S = 8.0
TOP = 5
IN_TEXT = 3
Found = TypeVar("Found")
MUTATION_FACTS = ("study_id", "cancer_type", "changes", "samples", "profiled_samples", "percent", "vaf_mean", "url")


@dataclass(frozen=True)
class Portal:
    """What the portal says of a gene: its calls, and which samples were looked at."""

    cohort: Cohort
    calls: Sequence[Row]
    profiled: Mapping[str, set[Sample]]

    def frequency(self) -> list[dict[str, Json]]:
        """Return how often the gene is mutated, in each study."""
        return frequency_rows(self.cohort, count_calls(self.cohort, self.calls, self.profiled))

    @property
    def distinct_changes(self) -> int:
        """How many named protein changes there are in all studies."""
        return len(by_change(self.calls))

    def top_changes(self) -> list[dict[str, Json]]:
        """Return the changes that most samples of a study have, each with its study."""
        samples: dict[tuple[str, str], set[Sample]] = {}
        for change, group in by_change(self.calls).items():
            for row in group:
                if (sample := sample_of(row)) in self.profiled[row["studyId"]]:
                    samples.setdefault((row["studyId"], change), set()).add(sample)
        ranked = sorted(samples, key=lambda key: (-len(samples[key]), key))[:TOP]
        return [self._change(study_id, change, len(samples[study_id, change])) for study_id, change in ranked]

    def _change(self, study_id: str, change: str, number: int) -> dict[str, Json]:
        share = fraction(number, len(self.profiled[study_id]), study_id)
        named = self.cohort.named(study_id)
        return {"protein_change": change, "study_id": study_id, "cancer_type": named["cancer_type"], **share}

    def mutation(self, change: str) -> dict[str, Json]:
        """Return in which studies one change is seen."""
        numbers = {study_id: len(samples) for study_id, samples in self.profiled.items()}
        found = study_rows(self.cohort, matching(self.calls, change, self.profiled), numbers, {})
        shown = [{name: row[name] for name in MUTATION_FACTS} for row in found[:TOP]]
        looked_at = sum(1 for number in numbers.values() if number)
        return {
            "protein_change": change,
            "studies_with_it": len(found),
            "studies_profiled": looked_at,
            "studies": shown,
        }


async def _portal(api: Api, gene: str) -> Portal | Answer:
    cohort = await find_cohort(api, gene, None, "mutation")
    if isinstance(cohort, Answer):
        return cohort
    asked: list[Awaitable[Any]] = [mutation_rows(api, cohort), profiled_samples(api, cohort)]
    calls, profiled = await together(asked)
    return Portal(cohort, calls, profiled)


async def _residues(api: Api, symbol: str) -> list[dict[str, Json]]:
    # An Entrez number is nothing that Cancer Hotspots knows.
    return [] if symbol.isdigit() else await residue_rows(api, [symbol])


async def within(part: Awaitable[Found], deadline: float, host: str) -> Found | UpstreamError:
    """Return what a leg brings until the deadline, or why it brought nothing."""
    try:
        async with asyncio.timeout_at(deadline):
            return await part
    except TimeoutError:
        return UpstreamUnavailable(host, f"no answer within the {BUDGET_S:g} s of the card")
    except UpstreamError as error:
        return error


@platform.tool(
    example={"gene": "BRAF", "mutation": "V600E"},
    asks=(
        "quick overview of a gene in cancer",
        "where is this gene most mutated and what are its hotspots",
        "cancer card of an oncogene or tumour suppressor",
    ),
)
async def gene_enrichment_summary(api: Api, gene: GeneName, mutation: CancerProteinChange | None = None) -> Answer:
    """Summarize a gene in cancer on one card: cBioPortal's TCGA studies with most mutated over profiled samples, its
    frequent changes, hotspots, one mutation. For full lists use gene_alteration_frequency, hotspots.
    """
    deadline = asyncio.get_running_loop().time() + BUDGET_S
    written = gene_symbol_form(gene)
    legs: list[Awaitable[Any]] = [
        within(_portal(api, gene), deadline, HOST),
        within(_residues(api, written), deadline, HOTSPOTS_HOST),
    ]
    portal, residues = await together(legs)
    if isinstance(portal, Answer):
        return portal
    symbol = portal.cohort.gene.symbol if isinstance(portal, Portal) else written
    if symbol != written:
        residues = await within(_residues(api, symbol), deadline, HOTSPOTS_HOST)
    if isinstance(portal, UpstreamError) and isinstance(residues, UpstreamError):
        raise portal
    return _card(symbol, portal, residues, mutation)


def _card(
    symbol: str, portal: Portal | UpstreamError, residues: list[dict[str, Json]] | UpstreamError, mutation: str | None
) -> Answer:
    """Put the parts together."""
    failed: list[dict[str, Json]] = []
    data: dict[str, Json] = {"gene": {"symbol": symbol, "species": SPECIES}, "title": f"{symbol} in cancer"}
    citations: list[Citation] = []
    if isinstance(portal, UpstreamError):
        names = ["frequency", "top_changes", *(["mutation"] if mutation else [])]
        failed += [{"part": name, "source": portal.host, "message": str(portal)} for name in names]
    else:
        data |= _portal_parts(portal, mutation)
        cited = [
            row["study_id"] for row in (*data["frequency"]["studies"], *data.get("mutation", {}).get("studies", ()))
        ]
        citations += portal.cohort.cited(dict.fromkeys(cited))
    if isinstance(residues, UpstreamError):
        failed.append({"part": "hotspots", "source": residues.host, "message": str(residues)})
    else:
        data["hotspots"] = _hotspots(residues)
        citations += [Citation("cancer_hotspots", symbol, f"{symbol} in Cancer Hotspots", PAGE)] if residues else []
    data |= {"failed": failed, "text": _text(symbol, data, failed)}
    data["url"] = citations[0].wire()["url"] if citations else PAGE
    note = sentences(STUDY_BY_STUDY, f"Not answered: {', '.join(one['part'] for one in failed)}." if failed else "")
    if not citations and not failed:
        return empty(f"No mutation of {symbol} in the {PANCANCER_NAME}, and no hotspot.", data)
    return Answer(data, note=note, citations=citations)


def _portal_parts(portal: Portal, mutation: str | None) -> dict[str, Json]:
    found = portal.frequency()
    altered = [row for row in found if row["altered_samples"]]
    parts: dict[str, Json] = {
        "gene": portal.cohort.gene.shown,
        "set": PANCANCER_NAME,
        "counted": COUNTED,
        "frequency": {
            "studies_profiled": len(found),
            "studies_with_mutation": len(altered),
            "studies": altered[:TOP],
        },
        "distinct_changes": portal.distinct_changes,
        "top_changes": portal.top_changes(),
    }
    return {**parts, "mutation": portal.mutation(mutation)} if mutation else parts


def _hotspots(found: list[dict[str, Json]]) -> dict[str, Json]:
    facts = ("residue", "type", "tumors", "q_value", "variants", "tumor_types", "transcript_id")
    shown = [{name: row[name] for name in facts if name in row} for row in ranked_residues(found)[:TOP]]
    for row in shown:
        for name in ("variants", "tumor_types"):
            every = row.pop(name, {})
            row |= {f"top_{name}": dict(list(every.items())[:IN_TEXT]), f"{name}_total": len(every)}
    head = {"source": "Cancer Hotspots v2", "tumors_in_dataset": TUMOURS_V2, "assembly": ASSEMBLY}
    return {**head, "total": len(found), "residues": shown}


def _text(symbol: str, data: Mapping[str, Json], failed: Sequence[Mapping[str, Json]]) -> str:
    """Return the card in words, short enough for a line among search results."""
    parts = []
    if "frequency" in data:
        studies = [_share(row, row["cancer_type"]) for row in data["frequency"]["studies"][:IN_TEXT]]
        parts.append(f"{symbol} mutated samples of profiled ones, {PANCANCER_NAME}: {'; '.join(studies) or 'none'}.")
    if "mutation" in data:
        one = data["mutation"]
        seen = [
            _share({**row, "altered_samples": row["samples"]}, row["cancer_type"]) for row in one["studies"][:IN_TEXT]
        ]
        parts.append(f"{one['protein_change']}: {'; '.join(seen) or 'in none of them'}.")
    elif data.get("top_changes"):
        changes = [
            _share(row, f"{row['protein_change']} in {row['cancer_type']}") for row in data["top_changes"][:IN_TEXT]
        ]
        parts.append(f"Changes: {'; '.join(changes)}.")
    if data.get("hotspots", {}).get("residues"):
        residues = [f"{row['residue']} {row['tumors']}" for row in data["hotspots"]["residues"][:IN_TEXT]]
        parts.append(f"Hotspots (tumors of {TUMOURS_V2}, Cancer Hotspots v2): {', '.join(residues)}.")
    if failed:
        parts.append(f"Not answered: {', '.join(str(one['part']) for one in failed)}.")
    return " ".join(parts)


def _share(row: Mapping[str, Json], name: str) -> str:
    return f"{name} {row['altered_samples']}/{row['profiled_samples']} ({row['percent']} %)"
