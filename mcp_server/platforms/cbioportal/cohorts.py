"""The studies that a question is about, and the molecular profile of each in which it is answered."""

import difflib
import re
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_server.envelope import Answer, Citation, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError, UpstreamNotFound
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import (
    Alteration,
    Json,
    gene_url,
    known,
    listed,
    record_of,
    says_unknown,
    segment,
    study_url,
)
from mcp_server.platforms.cbioportal.genes import SPECIES, Gene, find_gene

PANCANCER_NAME = "TCGA PanCancer Atlas 2018"
# Each TCGA tumour is in one of these studies only, which no other set of the portal can say.
PANCANCER = tuple(
    f"{tumour}_tcga_pan_can_atlas_2018"
    for tumour in (
        "acc", "blca", "brca", "cesc", "chol", "coadread", "dlbc", "esca", "gbm", "hnsc", "kich", "kirc", "kirp",
        "laml", "lgg", "lihc", "luad", "lusc", "meso", "ov", "paad", "pcpg", "prad", "sarc", "skcm", "stad", "tgct",
        "thca", "thym", "ucec", "ucs", "uvm",
    )
)  # fmt: skip
PROFILE_TYPES: dict[str, tuple[str, str]] = {
    "mutation": ("MUTATION_EXTENDED", ""),
    "cna": ("COPY_NUMBER_ALTERATION", "DISCRETE"),
    "structural_variant": ("STRUCTURAL_VARIANT", ""),
}
ASSEMBLIES = {"hg19": "GRCh37", "hg38": "GRCh38", "mm10": "GRCm38"}
ALL_SAMPLES = "all_cases_in_study"


@dataclass(frozen=True)
class Cohort:
    """One gene, the studies asked about, and the profile of each.

    Studies without such a profile are `unprofiled`; those of the default set that the portal lacks are `absent`.
    """

    gene: Gene
    studies: dict[str, Json]
    profiles: dict[str, str]
    unprofiled: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    def left_out(self, unlooked: Iterable[str] = ()) -> dict[str, list[str]]:
        """Return which studies have no row: nobody looked at the gene there, or the portal has them no longer."""
        named = {"not_profiled": [*self.unprofiled, *unlooked], "not_in_portal": self.absent}
        return {name: studies for name, studies in named.items() if studies}

    def only(self, study_ids: Iterable[str]) -> "Cohort":
        """Return the same gene in some of the studies."""
        wanted = [study_id for study_id in study_ids if study_id in self.profiles]
        return Cohort(
            self.gene, {one: self.studies[one] for one in wanted}, {one: self.profiles[one] for one in wanted}
        )

    def named(self, study_id: str) -> dict[str, Json]:
        """Return what every row says of its study."""
        study = self.studies[study_id]
        return {
            "study_id": study_id,
            **known(study, "name"),
            "cancer_type": cancer_type(study),
            "url": gene_url(study_id, self.gene.symbol),
        }

    def cited(self, study_ids: Iterable[str]) -> list[Citation]:
        """Cite the gene's page in each study, and the studies' papers."""
        chosen = [self.studies[one] for one in study_ids]
        papers = [citation for study in chosen for citation in cited_papers(study)]
        return [*(cited_study(study, gene_url(study["studyId"], self.gene.symbol)) for study in chosen), *papers]


def cancer_type(study: Json) -> str:
    """Return a study's cancer type in words, or its OncoTree id."""
    named = study.get("cancerType") or {}
    return str(named.get("name") or study.get("cancerTypeId") or "")


def assembly(study: Json) -> str:
    """Return the assembly of a study's coordinates as GRC names it."""
    genome = str(study.get("referenceGenome") or "")
    return ASSEMBLIES.get(genome, genome)


def species(study: Json) -> str:
    """Return the species of a study's samples."""
    return "Mus musculus" if str(study.get("referenceGenome") or "").startswith("mm") else SPECIES


def cited_study(study: Json, url: str = "") -> Citation:
    """Cite a study on its own page, or on one of a gene in it."""
    study_id = study["studyId"]
    return Citation("cbioportal_study", study_id, str(study.get("name") or ""), url or study_url(study_id))


def cited_papers(study: Json) -> list[Citation]:
    """Cite the papers of a study; it may have several."""
    return [
        Citation("pmid", pmid, str(study.get("citation") or ""))
        for pmid in re.findall(r"\d+", str(study.get("pmid") or ""))
    ]


async def find_studies(api: Api, study_ids: Sequence[str]) -> dict[str, Json] | Answer:
    """Return the studies by id, with their sample counts; unknown ones become the answer that says so."""
    found = await studies_there(api, study_ids)
    missing = [one for one in study_ids if one not in found]
    return await unknown_studies(api, missing) if missing else found


async def studies_there(api: Api, study_ids: Sequence[str]) -> dict[str, Json]:
    """Return those of the studies that the portal has, in the order asked for."""
    found = {study["studyId"]: study for study in await _records(api, study_ids)}
    return {one: found[one] for one in study_ids if one in found}


async def _records(api: Api, study_ids: Sequence[str]) -> list[Json]:
    if len(study_ids) > 1:
        answer = await api.post("/studies/fetch", list(study_ids), {"projection": "DETAILED"})
        return [study for study in listed(answer, "/studies/fetch") if study.get("studyId") in study_ids]
    try:
        return [record_of(await api.get(f"/studies/{segment(study_ids[0])}"), "studyId", study_ids[0])]
    except UpstreamNotFound as error:
        if not says_unknown(error, "Study"):
            raise
        return []


async def unknown_studies(api: Api, missing: Sequence[str]) -> Answer:
    """Answer that studies are not known, with near ids where the portal lists them."""
    names = ", ".join(missing)
    try:
        ids = [str(study.get("studyId")) for study in listed(await api.get("/studies"), "/studies")]
    except UpstreamError:
        ids = []
    near = [match for one in missing for match in difflib.get_close_matches(one, ids, n=3, cutoff=0.5)]
    advice = f"Near ids: {', '.join(dict.fromkeys(near))}." if near else "Find ids with search_cancer_studies."
    return unknown_id(names, f"cBioPortal has no study {names}. {advice}")


async def profiles_of(api: Api, study_ids: Sequence[str]) -> list[Json]:
    """Return the molecular profiles of studies, which are never named by rule."""
    if len(study_ids) > 1:
        answer = await api.post("/molecular-profiles/fetch", {"studyIds": list(study_ids)})
        return listed(answer, "/molecular-profiles/fetch")
    try:
        answer = await api.get(f"/studies/{segment(study_ids[0])}/molecular-profiles")
    except UpstreamNotFound as error:
        if not says_unknown(error, "Study"):
            raise
        return []
    return listed(answer, "molecular-profiles")


def chosen_profiles(profiles: Iterable[Json], alteration: Alteration) -> dict[str, str]:
    """Return for each study the first profile of a kind, which is also the one that the portal counts by."""
    wanted, datatype = PROFILE_TYPES[alteration]
    chosen: dict[str, str] = {}
    for profile in profiles:
        if profile.get("molecularAlterationType") == wanted and datatype in ("", profile.get("datatype")):
            chosen.setdefault(str(profile.get("studyId")), str(profile["molecularProfileId"]))
    return chosen


async def find_cohort(api: Api, gene: str, study_ids: Sequence[str] | None, alteration: Alteration) -> Cohort | Answer:
    """Find the gene, the studies and their profiles together; what is unknown becomes the answer.

    Without study ids the PanCancer Atlas is meant; a study of it that the portal has no longer is left out and said.
    """
    ids = list(dict.fromkeys(study_ids or PANCANCER))
    studies_by_id = find_studies if study_ids else studies_there
    asked: list[Awaitable[Any]] = [find_gene(api, gene), studies_by_id(api, ids), profiles_of(api, ids)]
    found, studies, profiles = await together(asked)
    for part in (found, studies):
        if isinstance(part, Answer):
            return part
    chosen = chosen_profiles(profiles, alteration)
    with_profile = {study_id: chosen[study_id] for study_id in studies if study_id in chosen}
    unprofiled = [study_id for study_id in studies if study_id not in chosen]
    return Cohort(found, studies, with_profile, unprofiled, [one for one in ids if one not in studies])


async def sample_list(api: Api, study_id: str) -> str:
    """Return the id of the list of all of a study's samples."""
    lists = listed(await api.get(f"/studies/{segment(study_id)}/sample-lists"), "sample-lists")
    for one in lists:
        if one.get("category") == ALL_SAMPLES:
            return str(one["sampleListId"])
    return f"{study_id}_all"
