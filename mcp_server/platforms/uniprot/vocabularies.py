"""UniProt's own lists: diseases, keywords, places in the cell, taxa."""

from typing import Annotated, Any, Literal

from mcp_server.args import DiseaseName, Limit
from mcp_server.envelope import Answer, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.uniprot.base import Cursor, exactly_one, listed, page, platform, rows_of
from mcp_server.tool import Arg, Cite

Json = Any

SITE = "https://www.uniprot.org"

UniprotDiseaseId = Annotated[str, Arg("UniProt disease id.", "DI-01559", r"^DI-\d{5}$", normalise=str.upper)]
TaxonId = Annotated[int, Arg("NCBI taxon number.", 9606, minimum=1)]


@platform.tool(
    example={"query": "breast-ovarian cancer"},
    cites=Cite("uniprot_disease", "[]", "id", "name", f"{SITE}/diseases/{{id}}"),
    asks=(
        "disease name to UniProt disease",
        "MIM acronym",
        "human disease list, DI number",
    ),
)
async def search_diseases(
    api: Api,
    query: DiseaseName | None = None,
    disease_id: UniprotDiseaseId | None = None,
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Find a disease in UniProt's list by words, or read one by its DI number; returns acronym, definition, MIM,
    MedGen, MeSH and the number of proteins. For MONDO or EFO ids use opentargets__search_entities, for all ids
    myvariant__disease_resolve.

    Rows: id, name, acronym, definition, alternativeNames, crossReferences, statistics.
    """
    exactly_one("breast-ovarian cancer", query=query, disease_id=disease_id)
    if disease_id:
        return await _one(api, f"/diseases/{disease_id}", disease_id, "id", "disease")
    part, headers = await page(api, "/diseases/search", {"query": query, "size": limit, "cursor": cursor})
    found = rows_of(part)
    return listed(found, headers, note="" if found else f"UniProt's list has no disease for {query!r}.")


@platform.tool(
    example={"kind": "keywords", "query": "allosteric enzyme"},
    noise="del(.[]? | .isA?, .partOf?)",
    keep=(
        ".[].keyword.id",
        ".[].definition",
        ".[].geneOntologies[].goId",
        ".[].statistics.reviewedProteinCount",
    ),
    asks=(
        "UniProt keyword for a process",
        "controlled vocabulary of locations",
        "KW number, SL number",
        "keyword for a kind of domain such as zinc finger",
    ),
)
async def search_vocabulary(
    api: Api,
    kind: Annotated[Literal["keywords", "locations"], Arg("Which list.", "keywords")],
    query: Annotated[str, Arg("Words of the term, or its KW or SL number.", "allosteric enzyme")],
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Find UniProt keywords or subcellular locations by words; returns id, definition, GO terms and number of
    proteins. A keyword that was found goes into search_proteins.

    Keyword rows: keyword {id, name}, definition, synonyms, geneOntologies, category, parents. Location rows: id,
    name, definition, geneOntologies, isA, partOf.
    """
    part, headers = await page(api, f"/{kind}/search", {"query": query, "size": limit, "cursor": cursor})
    found = rows_of(part)
    answer = listed(found, headers, note="" if found else f"UniProt's {kind} have no term for {query!r}.")
    cite = (
        Cite("uniprot_keyword", "[].keyword", "id", "name", f"{SITE}/keywords/{{id}}")
        if kind == "keywords"
        else Cite("uniprot_location", "[]", "id", "name", f"{SITE}/locations/{{id}}")
    )
    return Answer(**{**vars(answer), "citations": cite.citations(found)})


@platform.tool(
    example={"query": "zebrafish"},
    cites=Cite("taxonomy", "[]", "taxonId", "scientificName", f"{SITE}/taxonomy/{{id}}"),
    noise="del(.[]? | .lineage?, .strains?, .links?)",
    keep=(
        ".[].taxonId",
        ".[].rank",
        ".[].scientificName",
        ".[].parent.taxonId",
        ".[].statistics.reviewedProteinCount",
    ),
    asks=(
        "taxon id of an organism",
        "NCBI taxonomy number of E. coli",
        "species name to taxid",
        "lineage",
    ),
)
async def search_taxonomy(
    api: Api,
    query: Annotated[str | None, Arg("Scientific or common name of a species or group.", "zebrafish")] = None,
    taxon_id: TaxonId | None = None,
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Find the NCBI taxon number of a species by its name, or read one taxon; returns names, rank, parent and numbers
    of proteins.

    Rows: taxonId, scientificName, commonName, mnemonic, rank, parent, lineage, statistics.
    """
    exactly_one("zebrafish", query=query, taxon_id=taxon_id)
    if taxon_id:
        return await _taxon(api, taxon_id)
    part, headers = await page(api, "/taxonomy/search", {"query": query, "size": limit, "cursor": cursor})
    found = rows_of(part)
    return listed(found, headers, note="" if found else f"UniProt knows no taxon {query!r}.")


async def _taxon(api: Api, taxon_id: int) -> Answer:
    """Return one taxon; of a merged one, its successor."""
    try:
        taxon, _ = await page(api, f"/taxonomy/{taxon_id}")
    except UpstreamNotFound:
        return unknown_id(str(taxon_id), f"UniProt knows no taxon {taxon_id}.")
    if taxon.get("active") is False:
        reason = taxon.get("inactiveReason") or {}
        successor = reason.get("mergedTo")
        if successor is None or successor == taxon_id:
            words = reason.get("inactiveReasonType", "inactive")
            return unknown_id(str(taxon_id), f"Taxon {taxon_id} is no longer in use ({words}).")
        present = await _taxon(api, successor)
        note = f"Taxon {taxon_id} was merged into {successor}."
        return Answer(**{**vars(present), "note": f"{note} {present.note}".strip()})
    if taxon["taxonId"] != taxon_id:
        raise UpstreamBadResponse("rest.uniprot.org", f"asked for taxon {taxon_id}, it answered {taxon['taxonId']}")
    return rows([taxon])


async def _one(api: Api, path: str, identifier: str, name: str, what: str) -> Answer:
    """Return one record of a list as a list of one."""
    try:
        found, _ = await page(api, path)
    except UpstreamNotFound:
        return unknown_id(identifier, f"UniProt has no {what} {identifier}.")
    if found[name] != identifier:
        raise UpstreamBadResponse("rest.uniprot.org", f"asked for {identifier}, it answered with {found[name]}")
    return rows([found])
