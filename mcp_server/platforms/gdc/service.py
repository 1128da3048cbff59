"""How GDC is asked: the platform, filters, searches and facets, and counts of cases by project."""

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from mcp_server.envelope import Answer, Citation, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound, UpstreamUnavailable
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform, Source

Json = Any

HOST = "api.gdc.cancer.gov"
PORTAL = "https://portal.gdc.cancer.gov"
ASSEMBLY = "GRCh38"
SPECIES = "Homo sapiens"
PAGE_ROWS = 1000
# Elasticsearch, which stands behind GDC, shows no rows beyond this window.
WINDOW_ROWS = 10_000
DAYS_A_YEAR = 365.25

platform = Platform(
    "gdc",
    title="GDC",
    base_url=f"https://{HOST}",
    docs="https://docs.gdc.cancer.gov/API/Users_Guide/Getting_Started/",
    licence="open access data of the NCI Genomic Data Commons, https://gdc.cancer.gov/about-gdc/gdc-policies",
    rate=Rate(4),
    source=Source(
        provider="Genomic Data Commons, National Cancer Institute",
        homepage="https://gdc.cancer.gov",
        attribution="Data from the NCI Genomic Data Commons, named with project and data release.",
        cite="Heath AP et al. Nat Genet. 2021;53:257. https://doi.org/10.1038/s41588-021-00791-5",
        limits="No published quota; large requests are to be split. Controlled data are not asked for.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the data release and the version of the API."""
    status = await api.get("/status")
    return ", ".join(part for part in (status.get("data_release"), f"API {status['tag']}") if part)


def project_form(text: str) -> str:
    """Return a project id in upper case; a bare TCGA study code gets its prefix: `brca` → `TCGA-BRCA`."""
    upper = text.upper().replace("_", "-") if text.upper().startswith("TCGA_") else text.upper()
    return upper if "-" in upper else f"TCGA-{upper}"


ProjectId = Annotated[
    str,
    Arg(
        "GDC project id, or the bare code of a TCGA study (BRCA).",
        "TCGA-DLBC",
        r"^[A-Z0-9][A-Z0-9_.]*(-[A-Z0-9._]+)+$",
        normalise=project_form,
    ),
]
SsmId = Annotated[
    str,
    Arg(
        "GDC id of a somatic mutation, a UUID that search_ssms gives.",
        "edd1ae2c-3ca9-52bd-a124-b09ed304fcc2",
        r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        normalise=str.lower,
    ),
]


def within(name: str, *values: Json) -> Json:
    """Return the condition that a field has one of these values."""
    return {"op": "in", "content": {"field": name, "value": list(values)}}


def all_of(*conditions: Json) -> Json:
    """Return the condition that all of these hold."""
    return {"op": "and", "content": list(conditions)}


def in_address(filters: Json) -> str:
    """Return filters as they stand in an address."""
    return json.dumps(filters, separators=(",", ":"))


@dataclass(frozen=True)
class Found:
    """One page of a search; `notes` are GDC's own warnings about fields that it left out."""

    hits: list[Json]
    total: int
    facets: Mapping[str, list[Json]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


async def search(
    api: Api,
    endpoint: str,
    filters: Json = None,
    *,
    fields: Sequence[str] = (),
    facets: Sequence[str] = (),
    expand: Sequence[str] = (),
    size: int = 10,
    offset: int = 0,
    sort: str | None = None,
) -> Found:
    """Return one page of a search endpoint."""
    body: dict[str, Json] = {"size": size, "from": offset}
    body |= {"filters": filters} if filters else {}
    for name, values in (("fields", fields), ("facets", facets), ("expand", expand)):
        body |= {name: ",".join(values)} if values else {}
    body |= {"sort": sort} if sort else {}
    answer = await api.post(f"/{endpoint}", body)
    return found_in(answer, endpoint)


def found_in(answer: Json, endpoint: str) -> Found:
    """Read a page of a search; a warning about a filter means an answer to another question."""
    data = answer.get("data") if isinstance(answer, dict) else None
    data = data if isinstance(data, dict) else {}
    hits, pagination = data.get("hits"), data.get("pagination")
    if not isinstance(hits, list) or not isinstance(pagination, dict) or not isinstance(pagination.get("total"), int):
        raise UpstreamBadResponse(HOST, f"no page of hits in the answer of /{endpoint}")
    warnings = answer.get("warnings") or {}
    ignored = {name: text for name, text in warnings.items() if name not in ("fields", "expand")}
    if ignored:
        raise UpstreamBadResponse(HOST, f"it did not heed the whole request: {ignored}")
    notes = tuple(f"GDC left out {name}: {text}." for name, text in warnings.items())
    facets = {name: found["buckets"] for name, found in (data.get("aggregations") or {}).items()}
    return Found(hits, pagination["total"], facets, notes)


async def every_hit(
    api: Api, endpoint: str, filters: Json, *, fields: Sequence[str], expand: Sequence[str] = (), sort: str
) -> list[Json]:
    """Return all hits, page by page; never a part of them."""
    hits: list[Json] = []
    while True:
        page = await search(
            api, endpoint, filters, fields=fields, expand=expand, size=PAGE_ROWS, offset=len(hits), sort=sort
        )
        hits += page.hits
        if len(hits) >= page.total:
            return hits
        if not page.hits or page.total > WINDOW_ROWS:
            raise UpstreamBadResponse(HOST, f"/{endpoint} has {page.total} rows but shows {len(hits)}")


async def record(api: Api, path: str, parameters: Mapping[str, Json] | None = None) -> Json:
    """Return the record at a path, or None when GDC itself says that it has none."""
    try:
        answer = await api.get(path, parameters)
    except UpstreamNotFound as error:
        if isinstance(error.body, dict) and (error.body.get("message") or error.body.get("error")):
            return None
        raise
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, dict):
        raise UpstreamBadResponse(HOST, f"no record in the answer of {path}")
    return data


def counts_of(buckets: Iterable[Json]) -> dict[str, int]:
    """Return the count under each key."""
    return {str(bucket["key"]): int(bucket["doc_count"]) for bucket in buckets}


async def ssm_tested(api: Api) -> dict[str, int]:
    """Return how many cases of each project have open mutation calls; a filter would be ignored here."""
    answer = await api.get("/analysis/mutated_cases_count_by_project", {"size": 0})
    shards = answer.get("_shards") or {}
    if answer.get("timed_out") or shards.get("failed"):
        raise UpstreamUnavailable(HOST, "the count of tested cases is not complete")
    projects = answer["aggregations"]["projects"]
    if projects.get("sum_other_doc_count"):
        raise UpstreamBadResponse(HOST, "the count of tested cases leaves projects out")
    return {bucket["key"]: int(bucket["case_summary"]["case_with_ssm"]["doc_count"]) for bucket in projects["buckets"]}


CASES_BY_PROJECT = """
query CasesByProject($affected: FiltersArgument, $tested: FiltersArgument) {
  viewer { explore { cases {
    affected: aggregations(filters: $affected) { project__project_id { buckets { key doc_count } } }
    tested: aggregations(filters: $tested) { project__project_id { buckets { key doc_count } } }
  } } }
}
"""


def tested_with(data: str) -> Json:
    """Return the condition that a case has data of a kind: `ssm` or `cnv`."""
    return within("cases.available_variation_data", data)


async def cases_by_project(api: Api, affected: Json, data: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return affected and tested cases of each project: cases, so that one with two mutations counts once."""
    tested = all_of(tested_with(data))
    variables = {"affected": all_of(tested_with(data), affected) if affected else tested, "tested": tested}
    answer = await api.graphql("CasesByProject", CASES_BY_PROJECT, variables, path="/v0/graphql")
    cases = answer["viewer"]["explore"]["cases"]
    counts = tuple(counts_of(cases[name]["project__project_id"]["buckets"]) for name in ("affected", "tested"))
    if affected and len(counts[1]) > 1 and counts[0] == counts[1]:
        raise UpstreamBadResponse(HOST, "every tested case is said to be affected: the filter was not heeded")
    return counts[0], counts[1]


def share(project_id: str, affected: int, tested: int | None) -> Json:
    """Return a project's affected cases over its tested ones; more than all of them is an error."""
    if tested is not None and affected > tested:
        raise UpstreamBadResponse(HOST, f"{affected} affected of {tested} tested cases in {project_id}")
    percent = round(100 * affected / tested, 2) if tested else None
    return {"project_id": project_id, "affected_cases": affected, "tested_cases": tested, "percent": percent}


def program_of(project_id: str) -> str:
    """Return the program of a project: what stands before the first dash."""
    return project_id.partition("-")[0]


def unknown_project(project_id: str, known: Iterable[str]) -> Answer:
    """Answer that GDC has no such project, with near ones."""
    near = difflib.get_close_matches(project_id, list(known), n=3, cutoff=0.5)
    meant = f" Near ones: {', '.join(near)}." if near else ""
    return unknown_id(project_id, f"GDC has no project {project_id}.{meant} search_projects lists them.")


def cite_project(project_id: str, name: str = "") -> Citation:
    """Cite a project's page."""
    return Citation("gdc_project", project_id, name, f"{PORTAL}/projects/{project_id}")


def cite_ssm(ssm_id: str, label: str = "") -> Citation:
    """Cite a somatic mutation's page."""
    return Citation("gdc_ssm", ssm_id, label, f"{PORTAL}/ssms/{ssm_id}")


def in_years(diagnosis: Mapping[str, Json]) -> dict[str, Json]:
    """Name the unit of a diagnosis' age, which GDC gives in days, and give the years beside it."""
    named = {
        ("age_at_diagnosis_days" if name == "age_at_diagnosis" else name): each for name, each in diagnosis.items()
    }
    days = named.get("age_at_diagnosis_days")
    return {**named, "age_at_diagnosis_years": round(days / DAYS_A_YEAR, 1)} if days is not None else named


def filled(found: Mapping[str, Json], names: Iterable[str]) -> dict[str, Json]:
    """Return the named fields that say something."""
    return {name: found[name] for name in names if found.get(name) not in (None, "", [])}
