"""How Open Targets is asked: the platform, one request, ids that moved, pages and citations."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from mcp_server.args import look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.rate_limit import Rate
from mcp_server.platforms.opentargets.queries import entities as texts
from mcp_server.tool import Arg, Platform, Source

Json = Any

platform = Platform(
    "opentargets",
    title="Open Targets",
    base_url="https://api.platform.opentargets.org/api/v4/graphql",
    docs="https://platform-docs.opentargets.org",
    licence="CC0 1.0",
    rate=Rate(3),
    source=Source(
        provider="Open Targets, at EMBL-EBI",
        homepage="https://platform.opentargets.org",
        attribution="Data from the Open Targets Platform.",
        cite="Buniello A et al. Nucleic Acids Res. 2025;53(D1):D1467. https://doi.org/10.1093/nar/gkae1128",
        limits="No published quota; ask for batches rather than looping over single entities.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the data release, such as 26.06."""
    query = "query PlatformRelease { meta { dataVersion { year month } } }"
    version = (await api.graphql("PlatformRelease", query, {}))["meta"]["dataVersion"]
    return f"{version['year']}.{version['month']}"


HOST = "api.platform.opentargets.org"
PAGE = "https://platform.opentargets.org"
PAGE_ROWS_MAX = 3000
# Ranking looks at this many hits, so that an exact name is found where the text search puts it lower.
SEARCH_HITS_MIN = 25
HUMAN = "Homo sapiens"
ASSEMBLY = "GRCh38"
ROOTS = {"target": "ensemblId", "disease": "efoId", "drug": "chemblId", "variant": "variantId", "study": "studyId"}
KINDS = {"target": "ensembl", "disease": "ontology", "drug": "chembl", "variant": "variant", "study": "study"}

EntityType = Literal["target", "disease", "drug", "variant", "study"]
Datasource = Literal[
    "clinical_precedence", "gwas_credible_sets", "gene_burden", "eva", "genomics_england", "gene2phenotype",
    "uniprot_literature", "uniprot_variants", "orphanet", "clingen", "cancer_gene_census", "intogen", "eva_somatic",
    "cancer_biomarkers", "crispr_screen", "crispr", "reactome", "europepmc", "expression_atlas", "impc",
]  # fmt: skip
Datasources = Annotated[
    list[Datasource] | None, Arg("Only evidence of these sources; without it all of them.", ["eva", "europepmc"])
]
StudyTypes = Annotated[
    list[Literal["gwas", "eqtl", "pqtl", "sqtl", "tuqtl", "sceqtl", "scpqtl", "scsqtl", "sctuqtl"]] | None,
    Arg("Only these kinds of studies; without it all of them.", ["gwas"]),
]
Cursor = Annotated[str | None, Arg("Where to go on: `next` of an earlier result gives it.")]
WholeLists = Annotated[bool, Arg("Whether lists inside a row come whole, instead of their first entries and a count.")]


def _variant_form(text: str) -> str:
    """Return `chr19:44908822:c>t` as `19_44908822_C_T`; an rsID in lower case; a hashed id as it is."""
    if re.fullmatch(r"rs\d+", text, re.IGNORECASE):
        return text.lower()
    if text.upper().startswith("OTVAR"):
        return text
    return re.sub(r"[-:>/]", "_", re.sub(r"^chr", "", text, flags=re.IGNORECASE)).upper()


VariantId = Annotated[
    str,
    Arg(
        "Variant as chromosome, position, reference and alternate allele (GRCh38), or an rsID.",
        "19_44908822_C_T",
        r"^((\d{1,2}|X|Y|MT)_\d+_[ACGT]+_[ACGT]+|OTVAR_\w+|rs\d+)$",
        normalise=_variant_form,
    ),
]


async def ask(api: Api, operation: str, text: str, variables: dict[str, Json]) -> Json:
    """Run an operation and note the release that answered. Variables that are None are not sent."""
    given = {name: value for name, value in variables.items() if value is not None}
    data = await api.graphql(operation, text, given)
    version = (data.get("meta") or {}).get("dataVersion")
    if version:
        api.trace.release = f"{version['year']}.{version['month']}"
    return data


async def ask_record(api: Api, entity: str, operation: str, text: str, identifier: str, **variables: Json) -> Json:
    """Return one record, or None where the id is not known; another record than the one asked for is refused."""
    record = (await ask(api, operation, text, {ROOTS[entity]: identifier, **variables}))[entity]
    if record is not None:
        check_same(entity, identifier, record)
    return record


def check_same(entity: str, asked: str, record: Json) -> None:
    """Refuse a record that carries another id than the one asked for."""
    # Only an older recording, whose query did not select the id, can be without one.
    if record.setdefault("id", asked) != asked:
        raise UpstreamBadResponse(HOST, f"asked for the {entity} {asked}, the answer is about {record['id']}")


async def ask_disease(
    api: Api, operation: str, text: str, disease_id: str, variables: Callable[[str], dict[str, Json]] = lambda id: {}
) -> tuple[Json, str]:
    """Return the answer with its `disease`; a former id is followed to the present one, and the note says so."""
    answer = await ask(api, operation, text, {"efoId": disease_id, **variables(disease_id)})
    present, note = disease_id, ""
    if answer["disease"] is None and (hit := await _present_disease(api, disease_id)):
        present, note = hit["id"], f"{disease_id} is a former id; {hit['id']} ({hit['name']}) is used."
        answer = await ask(api, operation, text, {"efoId": present, **variables(present)})
    if answer["disease"] is None:
        return answer, ""
    check_same("disease", present, answer["disease"])
    return answer, note


async def _present_disease(api: Api, former: str) -> Json:
    found = await search(api, former, ["disease"], SEARCH_HITS_MIN)
    return next(
        (hit for hit in found["hits"] if former in ((hit.get("object") or {}).get("obsoleteTerms") or [])), None
    )


async def search(api: Api, query: str, entity_types: Sequence[str], size: int) -> Json:
    """Return the hits of a text search."""
    variables = {"query": query, "entityNames": list(entity_types), "size": size}
    return (await ask(api, "SearchEntities", texts.SEARCH_ENTITIES, variables))["search"]


async def ask_variant(
    api: Api, operation: str, text: str, variant: str, **variables: Json
) -> tuple[Json, str | Answer]:
    """Return a variant's record and a note; an rsID is looked up first. Without a record, the answer that says why."""
    note = ""
    if variant.startswith("rs"):
        found = await search(api, variant, ["variant"], SEARCH_HITS_MIN)
        named = [hit["id"] for hit in found["hits"] if variant in ((hit.get("object") or {}).get("rsIds") or [])]
        if len(named) != 1:
            why = f"{variant} names {len(named)} variants: call again with one of them." if named else ""
            return None, unknown_id(variant, why or f"Open Targets has no variant {variant}.", named)
        note, variant = f"{variant} is {named[0]}.", named[0]
    record = await ask_record(api, "variant", operation, text, variant, **variables)
    return record, note if record is not None else unknown("variant", variant)


def unknown(what: str, identifier: str) -> Answer:
    """Answer that Open Targets does not know an id."""
    return unknown_id(identifier, f"Open Targets has no {what} {identifier}.")


def cite(entity: str, identifier: str, label: str) -> Citation:
    """Cite a record by its page at Open Targets."""
    return Citation(KINDS[entity], identifier, label, f"{PAGE}/{entity}/{identifier}")


def cite_gene(target: Json) -> Citation:
    """Cite a target by its page."""
    return cite("target", target["id"], target.get("approvedSymbol") or "")


def cite_papers(numbers: Iterable[Json]) -> list[Citation]:
    """Cite the PubMed and PubMed Central numbers among `numbers`, each once."""
    found = dict.fromkeys(str(number) for number in numbers if number)
    kinds = [("pmcid" if each.upper().startswith("PMC") else "pmid", each) for each in found]
    return [Citation(kind, each) for kind, each in kinds if re.fullmatch(r"(PMC)?\d+", each, re.IGNORECASE)]


def gene(target: Json) -> Json:
    """Return the short form of a target; all of them are human."""
    return {"id": target["id"], "approvedSymbol": target.get("approvedSymbol"), "species": HUMAN}


def window(offset: int, limit: int) -> tuple[int, int, int]:
    """Return page index, page size and rows to skip, since the service counts in whole pages."""
    if offset + limit > PAGE_ROWS_MAX:
        raise InvalidArguments("offset", f"only the first {PAGE_ROWS_MAX} rows can be listed", 0)
    return (offset // limit, limit, 0) if offset % limit == 0 else (0, offset + limit, offset)


def next_offset(offset: int, returned: int, total: int) -> dict[str, Json] | None:
    """Return the arguments that go on, where there is more."""
    return {"offset": offset + returned} if returned and offset + returned < total else None


def page(owner: dict[str, Json], shown: list[Json], total: int, offset: int, *, nothing: str, note: str = "") -> Answer:
    """Answer with one page of rows below their owner; `nothing` says what there is none of."""
    if not shown:
        nothing = nothing if total == 0 else f"No row is listed from row {offset} on."
        note = f"{note} {nothing}".strip()
    data = {**owner, "count": total, "rows": shown}
    return rows(shown, total=total, next=next_offset(offset, len(shown), total), note=note, data=data)


def cited(answer: Answer, *citations: Citation) -> Answer:
    """Return the answer with its citations."""
    return replace(answer, citations=citations)


def without_nulls(row: Json) -> Json:
    """Leave out what a row does not say: most of an evidence's fields are null."""
    return {name: value for name, value in row.items() if value is not None and value != []}


def labels(items: Json) -> list[str]:
    """Return the labels of a list."""
    return [item["label"] for item in items or []]


def names_match(wanted: str, *names: str | None) -> bool:
    """Say whether `wanted` is part of one of the names, whatever the case and the spelling of Greek letters."""
    part = look_up_form(wanted).lower()
    return any(part in look_up_form(name).lower() for name in names if name)
