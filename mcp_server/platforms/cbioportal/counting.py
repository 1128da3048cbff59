"""Altered over profiled samples of one gene: from the portal's own counts, or from single calls and gene panels.

The portal counts a study in one call, for every gene of it; that call is meant for its pages and may move. For a
set of whole-exome studies two calls over all of them are far less to load, and say the same: which samples have a
call, and which have the gene on their panel. Calls outside a sample's panel count in neither.
"""

from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound, UpstreamRefused
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import HOST, Alteration, Json, fraction, listed
from mcp_server.platforms.cbioportal.cohorts import Cohort
from mcp_server.platforms.cbioportal.genes import Gene

Sample = tuple[str, str]
ROUTES: dict[str, str] = {
    "mutation": "/mutated-genes/fetch",
    "cna": "/cna-genes/fetch",
    "structural_variant": "/structuralvariant-genes/fetch",
}
AMPLIFIED, DEEP_DELETED = 2, -2
# Samples without a panel had their whole exome or genome read.
WHOLE = frozenset({"", "NA", "WES", "WXS", "WGS"})


@dataclass(frozen=True)
class Count:
    """Altered and profiled samples of a gene in one study; `more` are further facts, `note` what to know of them."""

    altered: int
    profiled: int
    more: dict[str, Json] = field(default_factory=dict)
    note: str = ""

    def shown(self, where: str) -> dict[str, Json]:
        """Return both numbers and the percentage."""
        return {**fraction(self.altered, self.profiled, where), **self.more}


def sample_of(row: Mapping[str, Json]) -> Sample:
    """Return what makes a sample one and the same: its id is only unique in its study."""
    return str(row["studyId"]), str(row["sampleId"])


async def count_study(api: Api, cohort: Cohort, study_id: str, alteration: Alteration) -> Count:
    """Count one study: as the portal does, or from single calls where it has no row or no such call."""
    try:
        rows = listed(await api.post(ROUTES[alteration], {"studyIds": [study_id]}), ROUTES[alteration])
    except (UpstreamNotFound, UpstreamRefused):
        rows = []
    own = [row for row in rows if is_of(row, cohort.gene)]
    if own:
        return _portal_count(own, alteration)
    # Without a row the gene has no call, and only the panels say whether it was looked at.
    return (await count_rows(api, cohort.only([study_id]), alteration))[study_id]


def is_of(row: Mapping[str, Json], gene: Gene) -> bool:
    """Tell whether a row is about the gene: the portal puts genes that share a symbol into one row."""
    return row.get("entrezGeneId") == gene.entrez_id or row.get("hugoGeneSymbol") == gene.symbol


def _portal_count(rows: list[dict[str, Json]], alteration: Alteration) -> Count:
    profiled = {row.get("numberOfProfiledCases") for row in rows}
    number = profiled.pop() if len(profiled) == 1 else None
    if not isinstance(number, int):
        raise UpstreamBadResponse(HOST, f"{ROUTES[alteration]}: no single number of profiled samples")
    more: dict[str, Json] = {}
    if alteration == "cna":
        more["amplified_samples"] = sum(_altered(row) for row in rows if row.get("alteration") == AMPLIFIED)
        more["deep_deleted_samples"] = sum(_altered(row) for row in rows if row.get("alteration") == DEEP_DELETED)
    q_values = [row["qValue"] for row in rows if isinstance(row.get("qValue"), int | float)]
    more |= {"q_value": min(q_values)} if q_values else {}
    note = ""
    if any("numberOfAlteredCasesOnPanel" not in row for row in rows):
        note = "The portal does not tell calls on a sample's panel from others: altered samples include both."
    # A sample has one copy number, so amplified and deleted samples are different ones.
    return Count(sum(_altered(row) for row in rows), number, more, note)


def _altered(row: Mapping[str, Json]) -> int:
    number = row.get("numberOfAlteredCasesOnPanel", row.get("numberOfAlteredCases"))
    if not isinstance(number, int):
        raise UpstreamBadResponse(HOST, "a count of altered samples is missing")
    return number


async def count_rows(api: Api, cohort: Cohort, alteration: Alteration) -> dict[str, Count]:
    """Count all studies of a cohort from single calls and gene panels."""
    if not cohort.profiles:
        return {}
    if alteration == "cna":
        return count_copy_numbers(cohort, await copy_number_values(api, cohort))
    fetch = mutation_rows if alteration == "mutation" else fusion_rows
    asked: list[Awaitable[Any]] = [fetch(api, cohort), profiled_samples(api, cohort)]
    rows, profiled = await together(asked)
    return count_calls(cohort, rows, profiled)


def count_calls(
    cohort: Cohort, rows: Iterable[Mapping[str, Json]], profiled: Mapping[str, set[Sample]]
) -> dict[str, Count]:
    """Count, in each study, the profiled samples that have a call."""
    called: dict[str, set[Sample]] = {study_id: set() for study_id in cohort.profiles}
    for row in rows:
        called[row["studyId"]].add(sample_of(row))
    return {
        study_id: Count(len(called[study_id] & profiled[study_id]), len(profiled[study_id]))
        for study_id in cohort.profiles
    }


async def mutation_rows(api: Api, cohort: Cohort) -> list[dict[str, Json]]:
    """Return the gene's mutation calls in all profiles of a cohort, without those that were not called."""
    body = {"entrezGeneIds": [cohort.gene.entrez_id], "molecularProfileIds": list(cohort.profiles.values())}
    answer = await api.post("/mutations/fetch", body, {"projection": "SUMMARY"})
    return called_mutations(listed(answer, "/mutations/fetch"), cohort)


def called_mutations(rows: Iterable[dict[str, Json]], cohort: Cohort) -> list[dict[str, Json]]:
    """Keep the called mutations, each of the gene and of a profile that was asked for."""
    checked = []
    for row in rows:
        if row.get("entrezGeneId") != cohort.gene.entrez_id:
            raise UpstreamBadResponse(
                HOST, f"asked for {cohort.gene.symbol}, got a row of gene {row.get('entrezGeneId')}"
            )
        _check_profile(row, cohort)
        # An uncalled mutation is only the reads that support one; fusions stood among mutations until 2020.
        uncalled = str(row.get("mutationStatus") or "").upper() == "UNCALLED"
        if not uncalled and str(row.get("mutationType") or "").upper() != "FUSION":
            checked.append(row)
    return checked


async def fusion_rows(api: Api, cohort: Cohort) -> list[dict[str, Json]]:
    """Return the structural variants that have the gene at one of their sites."""
    body = {"entrezGeneIds": [cohort.gene.entrez_id], "molecularProfileIds": list(cohort.profiles.values())}
    rows = listed(await api.post("/structural-variant/fetch", body), "/structural-variant/fetch")
    for row in rows:
        _check_profile(row, cohort)
        if cohort.gene.entrez_id not in (row.get("site1EntrezGeneId"), row.get("site2EntrezGeneId")):
            raise UpstreamBadResponse(HOST, f"asked for {cohort.gene.symbol}, got a structural variant without it")
    return rows


def _check_profile(row: Mapping[str, Json], cohort: Cohort) -> None:
    if cohort.profiles.get(str(row.get("studyId"))) != row.get("molecularProfileId"):
        raise UpstreamBadResponse(
            HOST, f"a row of the profile {row.get('molecularProfileId')}, which was not asked for"
        )


async def copy_number_values(api: Api, cohort: Cohort) -> dict[Sample, float]:
    """Return the gene's copy number in each profiled sample; the portal sends it as a number or as text."""
    body = {"entrezGeneIds": [cohort.gene.entrez_id], "molecularProfileIds": list(cohort.profiles.values())}
    rows = listed(await api.post("/molecular-data/fetch", body, {"projection": "SUMMARY"}), "/molecular-data/fetch")
    values = {}
    for row in rows:
        if row.get("entrezGeneId") != cohort.gene.entrez_id:
            raise UpstreamBadResponse(
                HOST, f"asked for {cohort.gene.symbol}, got a row of gene {row.get('entrezGeneId')}"
            )
        _check_profile(row, cohort)
        if (number := as_number(row.get("value"))) is not None:
            values[sample_of(row)] = number
    return values


def as_number(value: Json) -> float | None:
    """Read a number that may come as text; anything else is missing."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def count_copy_numbers(cohort: Cohort, values: Mapping[Sample, float]) -> dict[str, Count]:
    """Count amplified and deep-deleted samples, in each study, over those with a copy number."""
    counts = {}
    for study_id in cohort.profiles:
        own = [value for (study, _), value in values.items() if study == study_id]
        amplified, deleted = own.count(AMPLIFIED), own.count(DEEP_DELETED)
        more = {"amplified_samples": amplified, "deep_deleted_samples": deleted}
        counts[study_id] = Count(amplified + deleted, len(own), more)
    return counts


async def profiled_samples(api: Api, cohort: Cohort) -> dict[str, set[Sample]]:
    """Return, for each study, the samples in which the gene was looked at."""
    path = "/gene-panel-data/fetch"
    rows = listed(await api.post(path, {"molecularProfileIds": list(cohort.profiles.values())}), path)
    looked_at = [row for row in rows if row.get("profiled") is True]
    with_gene = await panels_with(api, cohort.gene, {_panel(row) for row in looked_at} - {""})
    samples: dict[str, set[Sample]] = {study_id: set() for study_id in cohort.profiles}
    for row in looked_at:
        _check_profile(row, cohort)
        if _panel(row) in with_gene:
            samples[row["studyId"]].add(sample_of(row))
    return samples


def _panel(row: Mapping[str, Json]) -> str:
    name = str(row.get("genePanelId") or "")
    return "" if name.upper() in WHOLE else name


async def panels_with(api: Api, gene: Gene, panels: Iterable[str]) -> set[str]:
    """Return which of the panels hold the gene; no panel, the whole exome, always does."""
    wanted = sorted(panels)
    if not wanted:
        return {""}
    path = "/gene-panels/fetch"
    found = {
        row.get("genePanelId"): row for row in listed(await api.post(path, wanted, {"projection": "DETAILED"}), path)
    }
    for name in wanted:
        if not isinstance(found.get(name, {}).get("genes"), list):
            raise UpstreamBadResponse(HOST, f"no list of genes of the panel {name}")
    return {"", *(name for name in wanted if any(is_of(one, gene) for one in found[name]["genes"]))}
