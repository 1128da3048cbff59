"""Genes, drugs, variants and star alleles: their accession, their page, and what is linked to them."""

from collections.abc import Sequence
from typing import Annotated, Literal

from mcp_server.args import Limit, Offset, gene_symbol_form, look_up_form
from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.clinpgx.service import (
    ACCESSION,
    EXACT_NAMES,
    FINDERS,
    HOST,
    RSID,
    SPECIES,
    EntityQuery,
    Json,
    cite,
    external_ids,
    kept,
    kinds_of,
    next_page,
    plain,
    platform,
    record,
    report,
    short,
)
from mcp_server.tool import Arg

SYNONYMS_SHOWN = 10
EntityKind = Annotated[
    Literal["auto", "gene", "chemical", "variant", "haplotype", "disease"],
    Arg("What the query names; `auto` tells it from the form and tries in turn. Diseases only if said."),
]
ConnectedType = Annotated[
    Literal["Chemical", "Gene", "Disease", "Variant", "Haplotype"], Arg("Kind of the objects to list.")
]


@platform.tool(
    example={"query": "CYP2C19", "type": "gene"},
    asks=(
        "PharmGKB accession id",
        "PA number of a drug or gene",
        "look up an exact name in PharmGKB",
    ),
)
async def resolve_entity(api: Api, query: EntityQuery, type: EntityKind = "auto") -> Answer:
    """Find the ClinPGx (PharmGKB) accession (PA…) of a gene, drug, rsID, star allele or disease by its exact name. For
    other ids of a gene use myvariant__gene_resolve, of a drug myvariant__chem_resolve.
    """
    if ACCESSION.fullmatch(query):
        return await _by_accession(api, query.upper(), tuple(FINDERS) if type == "auto" else (type,))
    kinds = kinds_of(query, type)
    for kind in kinds:
        found = await FINDERS[kind](api, query)
        if found:
            data = {"query": query, "type": kind, "records": found}
            return rows(found, data=data, citations=[cite(kind, item) for item in found])
    return empty(
        f"ClinPGx has no {' or '.join(kinds)} called {query!r}. {EXACT_NAMES}", {"query": query, "records": []}
    )


async def _by_accession(api: Api, accession: str, kinds: Sequence[str]) -> Answer:
    for kind in kinds:
        found = await record(api, f"/data/{kind}/{accession}")
        if found is not None:
            return rows(
                [found],
                data={"query": accession, "type": kind, "records": [found]},
                citations=[cite(kind, found)],
            )
    return unknown_id(accession, f"ClinPGx has no {' or '.join(kinds)} {accession}.")


async def whole(api: Api, kind: str, query: str) -> Json:
    """Return the whole record of a name or accession, or the answer that says why there is none."""
    if ACCESSION.fullmatch(query):
        found = await record(api, f"/data/{kind}/{query.upper()}", "max")
        return unknown_id(query.upper(), f"ClinPGx has no {kind} {query.upper()}.") if found is None else found
    hits = await FINDERS[kind](api, query)
    if not hits:
        hint = "A merged rsID is not known by its old number." if kind == "variant" else EXACT_NAMES
        return empty(f"ClinPGx has no {kind} called {query!r}. {hint}")
    if len(hits) > 1:
        data = {"query": query, "candidates": short(hits)}
        return rows(hits, note="ClinPGx has several of that name: ask by accession.", data=data)
    found = await record(api, f"/data/{kind}/{hits[0]['id']}", "max")
    if found is None:
        raise UpstreamBadResponse(HOST, f"{hits[0]['id']} was found by name but has no record")
    return found


@platform.tool(
    example={"gene": "CYP2D6"},
    asks=(
        "very important pharmacogene, VIP",
        "PharmGKB page of a gene",
        "what role does CYP3A5 play for drugs",
    ),
)
async def get_gene(
    api: Api, gene: Annotated[str, Arg("Approved gene symbol or PA accession.", "CYP2D6", normalise=gene_symbol_form)]
) -> Answer:
    """Get the pharmacogene page of a human gene: VIP tier and summary, CPIC and PharmVar flags, place, other ids. For
    the evidence use search_clinical_annotations.
    """
    found = await whole(api, "gene", gene)
    if isinstance(found, Answer):
        return found
    if not ACCESSION.fullmatch(gene) and found.get("symbol") != gene:
        raise UpstreamBadResponse(HOST, f"asked for {gene}, got {found.get('symbol')}")
    names = found.get("altNames") or {}
    chromosome = (found.get("chr") or {}).get("name")
    places = {
        assembly: {"chromosome": chromosome, "start": found[f"chrStartPos{key}"], "stop": found.get(f"chrStopPos{key}")}
        for assembly, key in (("GRCh37", "B37"), ("GRCh38", "B38"))
        if found.get(f"chrStartPos{key}") is not None
    }
    flags = ("cpicGene", "pharmVarGene", "amp", "usesStarAlleles", "alleleFunctionSource", "vipTier", "vipId")
    data = {
        **kept(found, "id", "symbol", "name"),
        "species": SPECIES,
        **{name: found[name] for name in flags if name in found},
        "vipSummary": plain(found.get("vipSummary")),
        "altSymbols": names.get("symbol") or [],
        "altNames": names.get("synonym") or [],
        "strand": found.get("strand"),
        "locations": places,
        "crossReferences": external_ids(found),
    }
    return Answer(data, citations=[cite("gene", found)])


@platform.tool(
    example={"drug": "codeine"},
    asks=(
        "PharmGKB page of a drug",
        "metabolites, brand names, other ids of a medicine in ClinPGx",
    ),
)
async def get_chemical(
    api: Api, drug: Annotated[str, Arg("Generic drug name or PA accession.", "codeine", normalise=look_up_form)]
) -> Answer:
    """Get the ClinPGx page of a drug: types, other names, metabolites, components, ids in other databases. For genes
    that matter to it use drug_pgx_profile, for targets and phases chembl__drug_dossier.
    """
    found = await whole(api, "chemical", drug)
    if isinstance(found, Answer):
        return found
    if not ACCESSION.fullmatch(drug) and str(found.get("name")).lower() != drug.lower():
        raise UpstreamBadResponse(HOST, f"asked for {drug}, got {found.get('name')}")
    names = found.get("altNames") or {}
    data = {
        **kept(found, "id", "name", "types", "smiles", "pediatric"),
        "genericNames": names.get("generic") or [],
        "tradeNames": names.get("trade") or [],
        "metabolites": short(found.get("metabolites")),
        "components": short(found.get("components")),
        "crossReferences": external_ids(found),
    }
    return Answer(data, citations=[cite("chemical", found)])


@platform.tool(
    example={"variant": "rs3892097"},
    asks=(
        "PharmGKB page of a SNP",
        "pharmacogenetic variant by rs number",
        "what is rs4149056 in pharmacogenomics",
    ),
)
async def get_pgx_variant(
    api: Api,
    variant: Annotated[str, Arg("rsID or PA accession.", "rs3892097", r"^([rR][sS]|[pP][aA])\d+$")],
) -> Answer:
    """Get the pharmacogenomic page of an rsID: accession, genes, kind of change, other names, ClinVar id. For its
    evidence use search_clinical_annotations, for place and consequence ensembl__get_variant.
    """
    found = await whole(api, "variant", variant)
    if isinstance(found, Answer):
        return found
    if RSID.fullmatch(variant) and found.get("symbol") != variant.lower():
        raise UpstreamBadResponse(HOST, f"asked for {variant}, got {found.get('symbol')}")
    synonyms = (found.get("altNames") or {}).get("synonym") or []
    fields = ("id", "symbol", "type", "changeClassification", "clinicalSignificance", "rare", "raritySource")
    data = {
        **kept(found, *fields),
        "obsolete": bool(found.get("obsolete")),
        "species": SPECIES,
        "relatedGenes": short(found.get("relatedGenes")),
        "synonyms": synonyms[:SYNONYMS_SHOWN],
        "synonymCount": len(synonyms),
        "crossReferences": external_ids(found),
    }
    note = "ClinPGx marks this variant as obsolete." if data["obsolete"] else ""
    return Answer(data, note=note, citations=[cite("variant", found)])


async def accession_of(api: Api, query: str) -> tuple[str, str]:
    """Return the accession and the label of a name, or empty ones."""
    if ACCESSION.fullmatch(query):
        return query.upper(), query.upper()
    for kind in kinds_of(query, "auto"):
        found = await FINDERS[kind](api, query)
        if found:
            return str(found[0]["id"]), str(found[0].get("symbol") or found[0].get("name"))
    return "", ""


@platform.tool(
    example={"query": "CYP2C19", "type": "Chemical"},
    asks=(
        "what is connected to a gene or drug in PharmGKB",
        "all related drugs, diseases and variants",
        "network around a pharmacogene",
    ),
)
async def get_connected_objects(
    api: Api, query: EntityQuery, type: ConnectedType, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """List everything ClinPGx links to one object, e.g. all drugs of a gene, by name only with the kinds of link. The
    most linked come first. For evidence with levels use search_clinical_annotations.
    """
    accession, label = await accession_of(api, query)
    if not accession:
        return empty(f"ClinPGx has nothing called {query!r}. {EXACT_NAMES}")
    found = [row for row in await report(api, f"/report/connectedObjects/{accession}/{type}") if row]
    connected = [
        {**kept(row.get("connectedObject") or {}, "id", "symbol", "name"), "connectionTypes": _link_names(row)}
        for row in found
    ]
    connected.sort(key=lambda row: (-len(row["connectionTypes"]), str(row.get("symbol") or row.get("name"))))
    shown = connected[offset : offset + limit]
    return rows(
        shown,
        total=len(connected),
        next=next_page(offset, len(shown), len(connected)),
        note="" if connected else f"ClinPGx links no {type} to {label}.",
        data={"query": query, "accession": accession, "type": type, "connected": shown},
        citations=[cite(type.lower(), row) for row in shown if "id" in row],
    )


def _link_names(row: Json) -> list[str]:
    """Return the kinds of link as words, whether they come as words or as records."""
    links = row.get("connectionTypes") or []
    return sorted(
        {str(link.get("name") or link.get("term")) if isinstance(link, dict) else str(link) for link in links}
    )
