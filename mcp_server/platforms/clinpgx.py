"""ClinPGx (formerly PharmGKB) and CPIC: how genetic variants change the response to drugs.

ClinPGx is REST/JSON at https://api.clinpgx.org/v1, two requests a second, no paging: lists are sorted
and cut here, names must match exactly, and "nothing found" is a 404 whose body says so. CPIC is
PostgREST at https://api.cpicpgx.org/v1; without `order` its rows come in no order.
"""

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import DrugName, GeneSymbol, Limit, Offset, gene_symbol_form, look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform

Json = Any

PAGE = "https://www.clinpgx.org"
CPIC = "https://api.cpicpgx.org/v1"
LEVELS = ("1A", "1B", "2A", "2B", "3", "4")
GUIDELINE_FIELDS = (
    "id", "name", "source", "recommendation", "dosingInformation", "alternateDrugAvailable",
    "otherPrescribingGuidance", "hasTestingInfo", "pediatric",
)  # fmt: skip
ALLELE_COLUMNS = "name,clinicalfunctionalstatus,clinicalfunctionalsubstrate,activityvalue,strength,findings,citations"
EXACT_NAMES = "ClinPGx matches the generic drug name and the approved gene symbol exactly: resolve the name first."

platform = Platform(
    "clinpgx",
    title="ClinPGx",
    base_url="https://api.clinpgx.org/v1",
    docs="https://api.clinpgx.org",
    licence="CC BY-SA 4.0 (ClinPGx), CC0 1.0 (CPIC)",
    rate=Rate(1.8),
    hosts=("api.cpicpgx.org",),
)

EntityQuery = Annotated[
    str,
    Arg(
        "Gene symbol, generic drug name, rsID, star allele or PA accession; the exact name.",
        "CYP2C19",
        normalise=look_up_form,
    ),
]
EntityKind = Annotated[
    Literal["auto", "gene", "chemical", "variant", "haplotype"],
    Arg("What the query names; `auto` tells it from the form and tries in turn."),
]
Levels = Annotated[
    list[Literal["1A", "1B", "2A", "2B", "3", "4"]],
    Arg("Levels of evidence to keep, from 1A (strongest) to 4.", ["1A", "1B"]),
]
CpicLevel = Annotated[
    Literal["A", "A/B", "B", "B/C", "C", "C/D", "D"], Arg("CPIC level to keep: A and B have prescribing actions.")
]
GuidelineSource = Annotated[str, Arg("Issuing body to keep, e.g. CPIC, DPWG, CPNDS, RNPGx.", "CPIC")]
CpicPopulation = Annotated[str, Arg("Patient group of a CPIC recommendation, as CPIC words it.", "general")]
PopulationGroup = Annotated[str, Arg("CPIC population group, as CPIC words it.", "European")]
StarAllele = Annotated[str, Arg("Star allele, with or without the gene.", "*2")]


def _errors(error: UpstreamNotFound) -> list[Json] | None:
    """Return ClinPGx's own error list, or None if the 404 is not of its making."""
    if isinstance(error.body, dict) and error.body.get("status") == "fail":
        found = (error.body.get("data") or {}).get("errors")
        return found if isinstance(found, list) else None
    return None


async def _search(api: Api, path: str, criteria: Mapping[str, Json], former_path: str = "") -> list[Json]:
    """Return the records that match; a 404 that speaks of no unknown id means none.

    `former_path` is asked once where the route itself is missing: routes were renamed in 2026.
    """
    try:
        answer = await api.get(path, criteria)
    except UpstreamNotFound as error:
        errors = _errors(error)
        if errors is not None and not any(item.get("code") for item in errors):
            return []
        if errors is None and former_path:
            return await _search(api, former_path, criteria)
        raise
    found = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise UpstreamBadResponse("api.clinpgx.org", f"no list of records in the answer of {path}")
    # The same record can stand in a list twice.
    return list({str(item["id"]): item for item in found}.values())


async def _record(api: Api, path: str) -> Json:
    """Return one record by accession, or None if ClinPGx does not know it."""
    try:
        return (await api.get(path, {"view": "min"}))["data"]
    except UpstreamNotFound as error:
        if _errors(error) is None:
            raise
        return None


async def _cpic(api: Api, view: str, filters: Mapping[str, Json]) -> list[Json]:
    found = await api.get(f"/{view}", filters, base=CPIC)
    if not isinstance(found, list):
        raise UpstreamBadResponse("api.cpicpgx.org", f"no list of rows in the answer of {view}")
    return found


def _needs_gene_or_drug(gene_symbol: str | None, drug_name: str | None) -> None:
    if not gene_symbol and not drug_name:
        raise InvalidArguments("gene_symbol", "give a gene symbol, a drug name, or both", "CYP2C19")


def _next(offset: int, returned: int, total: int) -> dict[str, Json] | None:
    return {"offset": offset + returned} if returned and offset + returned < total else None


def _names(gene_symbol: str | None, drug_name: str | None) -> str:
    return " and ".join(name for name in (gene_symbol, drug_name) if name)


async def _find_gene(api: Api, query: str) -> list[Json]:
    return await _search(api, "/data/gene", {"symbol": gene_symbol_form(query), "view": "min"})


async def _find_chemical(api: Api, query: str) -> list[Json]:
    found = await _search(api, "/data/chemical", {"name": query.lower(), "view": "min"})
    return found or await _search(api, "/data/chemical", {"name": query.capitalize(), "view": "min"})


async def _find_variant(api: Api, query: str) -> list[Json]:
    return await _search(api, "/data/variant/", {"symbol": query.lower(), "view": "min"})


async def _find_haplotype(api: Api, query: str) -> list[Json]:
    return await _search(api, "/data/haplotype", {"symbol": query.upper(), "view": "min"})


FINDERS: dict[str, Callable[[Api, str], Any]] = {
    "gene": _find_gene,
    "chemical": _find_chemical,
    "variant": _find_variant,
    "haplotype": _find_haplotype,
}
PAGES = {"gene": "gene", "chemical": "chemical", "variant": "variant", "haplotype": "haplotype"}


def _kinds(query: str, kind: str) -> Sequence[str]:
    if kind != "auto":
        return (kind,)
    if re.fullmatch(r"rs\d+", query, re.IGNORECASE):
        return ("variant",)
    return ("haplotype",) if "*" in query else ("gene", "chemical")


def _cite(kind: str, record: Json) -> Citation:
    label = record.get("symbol") or record.get("name") or ""
    return Citation("clinpgx", str(record["id"]), label, f"{PAGE}/{PAGES[kind]}/{record['id']}")


@platform.tool(example={"query": "CYP2C19", "type": "gene"})
async def resolve_entity(api: Api, query: EntityQuery, type: EntityKind = "auto") -> Answer:
    """Find the ClinPGx accession (PA…) of a gene, drug, rsID or star allele by its exact name."""
    if re.fullmatch(r"PA\d+", query, re.IGNORECASE):
        return await _by_accession(api, query.upper(), tuple(FINDERS) if type == "auto" else (type,))
    kinds = _kinds(query, type)
    for kind in kinds:
        found = await FINDERS[kind](api, query)
        if found:
            data = {"query": query, "type": kind, "records": found}
            return rows(found, data=data, citations=[_cite(kind, record) for record in found])
    return empty(
        f"ClinPGx has no {' or '.join(kinds)} called {query!r}. {EXACT_NAMES}", {"query": query, "records": []}
    )


async def _by_accession(api: Api, accession: str, kinds: Sequence[str]) -> Answer:
    for kind in kinds:
        record = await _record(api, f"/data/{kind}/{accession}")
        if record is not None:
            return rows(
                [record],
                data={"query": accession, "type": kind, "records": [record]},
                citations=[_cite(kind, record)],
            )
    return unknown_id(accession, f"ClinPGx has no {' or '.join(kinds)} {accession}.")


def _short(records: Iterable[Json]) -> list[Json]:
    return [{name: record[name] for name in ("id", "symbol", "name") if record.get(name)} for record in records or []]


def _annotation(record: Json) -> Json:
    location = record.get("location") or {}
    kept = {name: record[name] for name in ("id", "accessionId", "name", "types", "score") if name in record}
    related = ("relatedChemicals", "relatedDiseases", "relatedGuidelines", "relatedLabels")
    return {
        **kept,
        "levelOfEvidence": {"term": (record.get("levelOfEvidence") or {}).get("term")},
        "location": {"displayName": location.get("displayName"), "genes": _short(location.get("genes") or [])},
        **{name: _short(record[name]) for name in related if record.get(name) is not None},
        "url": f"{PAGE}/clinicalAnnotation/{record['id']}",
    }


def _is_about(annotation: Json, gene_symbol: str | None, drug_name: str | None) -> bool:
    genes = {gene.get("symbol", "").lower() for gene in annotation["location"]["genes"]}
    drugs = {drug.get("name", "").lower() for drug in annotation.get("relatedChemicals", [])}
    return (not gene_symbol or gene_symbol.lower() in genes) and (not drug_name or drug_name.lower() in drugs)


def _strength(annotation: Json) -> tuple[int, float]:
    level = annotation["levelOfEvidence"]["term"]
    return (LEVELS.index(level) if level in LEVELS else len(LEVELS), -(annotation.get("score") or 0))


@platform.tool(core=True, example={"gene_symbol": "CYP2C19", "drug_name": "clopidogrel"})
async def search_clinical_annotations(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    level: Levels | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List graded evidence (1A–4) that variants of a gene change the response to a drug. Needs gene or drug."""
    _needs_gene_or_drug(gene_symbol, drug_name)
    criteria = {
        "location.genes.symbol": gene_symbol_form(gene_symbol) if gene_symbol else None,
        "relatedChemicals.name": drug_name.lower() if drug_name else None,
        "view": "min",
    }
    found = await _search(api, "/data/summaryAnnotation", criteria, "/data/clinicalAnnotation")
    about = [item for item in map(_annotation, found) if _is_about(item, gene_symbol, drug_name)]
    kept = sorted((item for item in about if not level or item["levelOfEvidence"]["term"] in level), key=_strength)
    shown = kept[offset : offset + limit]
    note = ""
    if not kept:
        wanted = f" at level {', '.join(level)}" if level else ""
        note = f"ClinPGx has no clinical annotation for {_names(gene_symbol, drug_name)}{wanted}. {EXACT_NAMES}"
    return rows(
        shown,
        total=len(kept),
        next=_next(offset, len(shown), len(kept)),
        note=note,
        citations=[Citation("clinpgx_annotation", str(item["id"]), item.get("name") or "") for item in shown],
    )


def _plain(markup: str) -> str:
    """Return the text of ClinPGx's HTML, one line a paragraph or table row."""
    text = re.sub(r"</(p|li|tr|h\d|div)>|<br\s*/?>", "\n", markup)
    text = re.sub(r"</t[dh]>", " | ", text)
    text = html.unescape(re.sub(r"<[^>]+>", "", text))
    return "\n".join(line for line in (" ".join(part.split()).strip(" |") for part in text.splitlines()) if line)


def _guideline(record: Json) -> Json:
    kept = {name: record[name] for name in GUIDELINE_FIELDS if name in record}
    summary = (record.get("summaryMarkdown") or {}).get("html")
    if summary:
        kept["summary"] = _plain(summary)
    return {
        **kept,
        "relatedGenes": _short(record.get("relatedGenes") or []),
        "relatedChemicals": _short(record.get("relatedChemicals") or []),
        "url": f"{PAGE}/guidelineAnnotation/{record['id']}",
    }


@platform.tool(example={"gene_symbol": "CYP2C19", "drug_name": "clopidogrel"})
async def search_guideline_annotations(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    source: GuidelineSource | None = None,
) -> Answer:
    """List dosing guidelines (CPIC, DPWG and others) for a gene or a drug, with a summary. Needs gene or drug."""
    _needs_gene_or_drug(gene_symbol, drug_name)
    criteria: dict[str, Json] = {"view": "base"}
    for kind, name, criterion in (
        ("gene", gene_symbol, "relatedGenes.accessionId"),
        ("chemical", drug_name, "relatedChemicals.accessionId"),
    ):
        if name:
            found = await FINDERS[kind](api, name)
            if not found:
                return empty(f"ClinPGx has no {kind} called {name!r}. {EXACT_NAMES}")
            criteria[criterion] = found[0]["id"]
    guidelines = [_guideline(record) for record in await _search(api, "/data/guidelineAnnotation", criteria)]
    kept = [item for item in guidelines if not source or str(item.get("source")).lower() == source.lower()]
    kept.sort(key=lambda item: (item.get("source") or "", item.get("name") or ""))
    others = ", ".join(sorted({str(item.get("source")) for item in guidelines}))
    note = ""
    if not kept:
        note = f"ClinPGx has no guideline annotation for {_names(gene_symbol, drug_name)}"
        note += f" from {source}; there are some from {others}." if guidelines else "."
    return rows(
        kept,
        note=note,
        citations=[Citation("clinpgx", item["id"], item.get("name") or "", item["url"]) for item in kept],
    )


@platform.tool(example={"drug_name": "clopidogrel"})
async def search_cpic_pairs(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    cpic_level: CpicLevel | None = None,
) -> Answer:
    """List CPIC gene-drug pairs with level, guideline and label testing status. Needs gene or drug."""
    _needs_gene_or_drug(gene_symbol, drug_name)
    filters = {
        "genesymbol": f"eq.{gene_symbol_form(gene_symbol)}" if gene_symbol else None,
        "drugname": f"ilike.*{_without_wildcards(drug_name)}*" if drug_name else None,
        "cpiclevel": f"eq.{cpic_level}" if cpic_level else None,
        "select": "*",
        "order": "cpiclevel.asc,genesymbol.asc,drugname.asc",
    }
    pairs = await _cpic(api, "pair_view", filters)
    pmids = dict.fromkeys(pmid for pair in pairs for pmid in pair.get("pmids") or [])
    note = f"CPIC lists no pair for {_names(gene_symbol, drug_name)}"
    note += f" at level {cpic_level}." if cpic_level else ". CPIC knows drugs by their generic name."
    return rows(
        pairs,
        note="" if pairs else note,
        citations=[*_cited_guidelines(pairs), *(Citation("pmid", str(pmid)) for pmid in pmids)],
    )


def _without_wildcards(text: str) -> str:
    return re.sub(r"[*%_]", " ", text).strip()


def _cited_guidelines(found: Iterable[Json]) -> list[Citation]:
    """Cite the guideline pages that rows name."""
    pages = {row["guidelineurl"]: row.get("guidelinename") or "" for row in found if row.get("guidelineurl")}
    return [Citation("clinpgx", url.rpartition("/")[2], name, url) for url, name in pages.items()]


@platform.tool(example={"drug_name": "clopidogrel", "gene_symbol": "CYP2C19"})
async def get_cpic_recommendations(
    api: Api,
    drug_name: DrugName,
    gene_symbol: GeneSymbol | None = None,
    population: CpicPopulation | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Get CPIC's dosing recommendations for a drug by phenotype or activity score, with their strength."""
    filters = {"drugname": f"eq.{drug_name.lower()}", "select": "*", "order": "recommendationid.asc"}
    found = await _cpic(api, "recommendation_view", filters)
    gene = gene_symbol_form(gene_symbol) if gene_symbol else None
    of_gene = [row for row in found if not gene or gene in (row.get("lookupkey") or {})]
    # Some of CPIC's populations end in a blank.
    populations = sorted({str(row.get("population")).strip() for row in of_gene})
    wanted = (population or "").lower()
    kept = [row for row in of_gene if not wanted or str(row.get("population")).strip().lower() == wanted]
    shown = kept[offset : offset + limit]
    note = ""
    if not kept:
        note = f"CPIC has no recommendation for {_names(gene, drug_name)}"
        note += f" in {population!r}; its groups are {', '.join(populations)}." if of_gene else "."
    return rows(
        shown,
        total=len(kept),
        next=_next(offset, len(shown), len(kept)),
        note=note,
        citations=_cited_guidelines(shown),
    )


def _allele_order(name: str) -> tuple[int, str]:
    number = re.search(r"\d+", name)
    return (int(number.group()) if number else 0, name)


@platform.tool(example={"gene_symbol": "CYP2C19", "population": "European"})
async def get_allele_frequencies(
    api: Api, gene_symbol: GeneSymbol, population: PopulationGroup | None = None
) -> Answer:
    """Get the frequencies of a gene's star alleles in CPIC's population groups; null means not measured."""
    gene = gene_symbol_form(gene_symbol)
    filters = {"genesymbol": f"eq.{gene}", "select": "*", "order": "name.asc,population_group.asc"}
    found = await _cpic(api, "population_frequency_view", filters)
    if not found:
        return empty(f"CPIC has no allele frequencies for {gene}.")
    groups = sorted({row["population_group"] for row in found})
    wanted = (population or "").lower()
    kept = [
        {name: value for name, value in row.items() if name != "genesymbol"}
        for row in sorted(found, key=lambda row: (_allele_order(row["name"]), row["population_group"]))
        if not wanted or row["population_group"].lower() == wanted
    ]
    note = "A frequency of null was not measured, one of 0 was. subjectcount counts the group for the whole gene."
    if not kept:
        note = f"CPIC has no group {population!r} for {gene}; its groups are {', '.join(groups)}."
    return rows(
        kept,
        note=note,
        data={"genesymbol": gene, "population_groups": groups, "rows": kept},
        citations=[Citation("star_allele", f"{gene}{name}") for name in dict.fromkeys(row["name"] for row in kept)],
    )


@platform.tool(example={"gene_symbol": "CYP2C19"})
async def search_star_alleles(
    api: Api, gene_symbol: GeneSymbol, allele: StarAllele | None = None, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """List a gene's named alleles with their function, activity value and strength of evidence, from CPIC."""
    gene = gene_symbol_form(gene_symbol)
    filters = {"genesymbol": f"eq.{gene}", "select": ALLELE_COLUMNS, "order": "name.asc"}
    found = await _cpic(api, "allele", filters)
    wanted = (allele or "").upper().removeprefix(gene)
    kept = [row for row in found if not wanted or row["name"].upper() == wanted]
    kept.sort(key=lambda row: _allele_order(row["name"]))
    shown = kept[offset : offset + limit]
    note = ""
    if not kept:
        note = f"CPIC has no allele {wanted} of {gene}." if found else f"CPIC names no alleles of {gene}."
    return rows(
        shown,
        total=len(kept),
        next=_next(offset, len(shown), len(kept)),
        note=note,
        data={"genesymbol": gene, "alleles": shown},
        citations=[Citation("star_allele", f"{gene}{row['name']}") for row in shown],
    )
