"""Which cancer studies there are, and what one of them holds."""

import difflib
import html
import re
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Annotated, Any

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamNotFound
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import (
    Json,
    StudyId,
    known,
    listed,
    next_page,
    platform,
    says_unknown,
    segment,
    sentences,
    study_url,
)
from mcp_server.platforms.cbioportal.clinical import attributes_of
from mcp_server.platforms.cbioportal.cohorts import (
    assembly,
    cancer_type,
    cited_papers,
    cited_study,
    find_studies,
    profiles_of,
    species,
)
from mcp_server.tool import Arg

NEAR_MAX = 8
COUNTS = (
    "allSampleCount",
    "sequencedSampleCount",
    "cnaSampleCount",
    "structuralVariantCount",
    "mrnaRnaSeqSampleCount",
    "mrnaRnaSeqV2SampleCount",
    "mrnaMicroarraySampleCount",
    "miRnaSampleCount",
    "methylationHm27SampleCount",
    "rppaSampleCount",
    "massSpectrometrySampleCount",
    "completeSampleCount",
    "treatmentCount",
)
CancerType = Annotated[
    str,
    Arg(
        "OncoTree id or name of a cancer type; its subtypes are found too.",
        "luad",
        r"^[^/?#]{2,80}$",
        normalise=look_up_form,
    ),
]


def plain(text: Json) -> str:
    """Return a description without its HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", str(text or ""))).split())


def shown_study(study: Json) -> dict[str, Json]:
    """Return what an answer says of a study: the counts that it has, its assembly, its page."""
    return {
        **known(study, "studyId", "name", "cancerTypeId"),
        "cancerType": cancer_type(study),
        "species": species(study),
        "assembly": assembly(study),
        **known(study, "pmid", "citation", "importDate"),
        **{name: study[name] for name in COUNTS if study.get(name)},
        "url": study_url(study["studyId"]),
    }


def has_words(study: Json, words: Iterable[str]) -> bool:
    """Tell whether all words stand in a study's names: the portal's own search is not trusted to have looked."""
    names = ("studyId", "name", "cancerTypeId", "citation", "description")
    text = " ".join([*(str(study.get(name) or "") for name in names), cancer_type(study)]).lower()
    return all(word in text for word in words)


def subtypes(types: Sequence[Mapping[str, Json]], wanted: str) -> set[str]:
    """Return the ids of a cancer type, by id or name, and of all below it in OncoTree."""
    asked = wanted.lower()
    names = ("cancerTypeId", "shortName", "name")
    found = {str(one["cancerTypeId"]) for one in types if asked in {str(one.get(name) or "").lower() for name in names}}
    children: dict[str, list[str]] = {}
    for one in types:
        children.setdefault(str(one.get("parent") or "").lower(), []).append(str(one["cancerTypeId"]))
    below = list(found)
    while below:
        new = [child for child in children.get(below.pop().lower(), []) if child not in found]
        found.update(new)
        below += new
    return found


async def _cancer_types(api: Api, wanted: str | None) -> list[dict[str, Json]]:
    return listed(await api.get("/cancer-types"), "/cancer-types") if wanted else []


@platform.tool(
    example={"keyword": "glioblastoma", "limit": 5},
    asks=(
        "find a cohort or data set of breast cancer tumours",
        "sequencing studies of a tumour type",
        "MSK-IMPACT, METABRIC, TCGA PanCancer study ids",
        "which cancer cohorts exist",
    ),
)
async def search_cancer_studies(
    api: Api,
    keyword: Annotated[
        str,
        Arg("Words in the study's name, id, cancer type or citation; all of them.", "msk lung", normalise=look_up_form),
    ]
    | None = None,
    cancer_type: CancerType | None = None,
    min_samples: Annotated[int, Arg("Least number of samples.", minimum=1)] | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Find cBioPortal cancer cohorts (studies) by words, cancer type or size: study ids, sample counts, papers, the
    largest first. For clinical trials use clinicaltrials__search_studies; for GDC projects gdc__search_projects.
    """
    # Page numbers of this route began at 0 until version 7 and begin at 1 since: all studies come in one page.
    asked: list[Awaitable[Any]] = [
        api.get("/studies", {"keyword": keyword, "projection": "DETAILED"}),
        _cancer_types(api, cancer_type),
    ]
    answer, types = await together(asked)
    studies = listed(answer, "/studies")
    chosen = subtypes(types, cancer_type) if cancer_type else set()
    if cancer_type and not chosen:
        return _unknown_type(types, cancer_type)
    words = (keyword or "").lower().split()
    found = [
        study
        for study in studies
        if has_words(study, words)
        and (not chosen or study.get("cancerTypeId") in chosen)
        and (study.get("allSampleCount") or 0) >= (min_samples or 0)
    ]
    found.sort(key=lambda study: (-(study.get("allSampleCount") or 0), study["studyId"]))
    shown = found[offset : offset + limit]
    return rows(
        [shown_study(study) for study in shown],
        total=len(found),
        next=next_page(offset, len(shown), len(found)),
        note="" if found else "No cBioPortal study fits. Use fewer words, or a wider cancer type.",
        citations=[citation for study in shown for citation in (cited_study(study), *cited_papers(study))],
    )


def _unknown_type(types: Sequence[Json], wanted: str) -> Answer:
    names = {str(one.get("name") or "").lower(): str(one["cancerTypeId"]) for one in types}
    close = difflib.get_close_matches(wanted.lower(), [*names, *names.values()], n=NEAR_MAX, cutoff=0.5)
    near = [one for one in names if wanted.lower() in one][:NEAR_MAX] or close
    advice = f"Near: {', '.join(f'{one} ({names[one]})' if one in names else one for one in near)}." if near else ""
    return unknown_id(wanted, sentences(f"cBioPortal has no cancer type {wanted!r}.", advice))


@platform.tool(
    example={"study_id": "gbm_tcga_pub"},
    noise="del(.profiles[]?.description, .sample_lists[]?.description, .clinical_attributes[]?.description)",
    keep=(
        ".studyId",
        ".pmid",
        ".allSampleCount",
        ".sequencedSampleCount",
        ".profiles[].molecularProfileId",
        ".sample_lists[].sampleListId",
        ".clinical_attributes[].clinicalAttributeId",
    ),
    asks=(
        "what is in this cohort",
        "sample lists and molecular profiles of a study",
        "how many samples does a cancer study have",
        "does the study have RNA or copy number data",
        "which molecule types does this cohort have",
    ),
)
async def get_cancer_study(api: Api, study_id: StudyId) -> Answer:
    """Get one cBioPortal cancer cohort: sample counts, molecular profiles, sample lists and clinical attributes. For a
    clinical trial use clinicaltrials__get_study; the values of an attribute: clinical_summary.
    """
    asked: list[Awaitable[Any]] = [
        find_studies(api, [study_id]),
        profiles_of(api, [study_id]),
        _sample_lists(api, study_id),
        attributes_of(api, study_id),
    ]
    studies, profiles, lists, attributes = await together(asked)
    if isinstance(studies, Answer):
        return studies
    study = studies[study_id]
    profile_facts = ("molecularProfileId", "molecularAlterationType", "datatype", "name", "description")
    attribute_facts = ("clinicalAttributeId", "displayName", "datatype", "patientAttribute", "description")
    data = {
        **shown_study(study),
        "description": plain(study.get("description")),
        "profiles": [known(one, *profile_facts) for one in profiles],
        "sample_lists": [known(one, "sampleListId", "category", "name", "description", "sampleCount") for one in lists],
        "clinical_attributes": [known(one, *attribute_facts) for one in attributes],
    }
    return Answer(data, citations=[cited_study(study), *cited_papers(study)])


async def _sample_lists(api: Api, study_id: str) -> list[dict[str, Json]]:
    path = f"/studies/{segment(study_id)}/sample-lists"
    try:
        return listed(await api.get(path), path)
    except UpstreamNotFound as error:
        if not says_unknown(error, "Study"):
            raise
        return []
