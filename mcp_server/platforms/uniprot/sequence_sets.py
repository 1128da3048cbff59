"""Sets of sequences: clusters of similar ones, archives of equal ones, proteomes, the products of one gene."""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, UniProtAccession, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.uniprot.base import Cursor, exactly_one, listed, page, platform, quoted, rows_of
from mcp_server.platforms.uniprot.entry import IDENTITY_FIELDS, fetch_entry
from mcp_server.platforms.uniprot.entry import identity as identity_of
from mcp_server.tool import Arg, Cite

Json = Any

SITE = "https://www.uniprot.org"
IDENTITIES = {"100": "1.0", "90": "0.9", "50": "0.5"}

ClusterId = Annotated[str, Arg("UniRef cluster.", "UniRef90_P05067", r"^UniRef(50|90|100)_[A-Z0-9]+(-\d+)?$")]
UniParcId = Annotated[str, Arg("UniParc id.", "UPI000002DB1C", r"^UPI[0-9A-F]{10}$", normalise=str.upper)]
ProteomeId = Annotated[str, Arg("Proteome id.", "UP000005640", r"^UP\d{9,11}$", normalise=str.upper)]


@platform.tool(
    example={"accession": "P05067", "identity": "90"},
    cites=Cite("uniref", "cluster", "id", "name", f"{SITE}/uniref/{{id}}"),
    noise="del(.cluster.members, .cluster.organisms, .. | .sequence?)",
    keep=(
        ".cluster.id",
        ".cluster.memberCount",
        ".members[].memberId",
        ".members[].accessions[]",
        ".members[].organismTaxId",
    ),
    asks=(
        "sequence clusters, 90 percent identical proteins",
        "close homologues by sequence identity",
        "UniRef90",
    ),
)
async def get_uniref_cluster(
    api: Api,
    accession: UniProtAccession | None = None,
    cluster_id: ClusterId | None = None,
    identity: Annotated[Literal["100", "90", "50"], Arg("Per cent of identity, with an accession.", "90")] = "90",
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Cluster of similar sequences (UniRef50, 90 or 100) that a protein belongs to, with its members and their
    species. For records of exactly the same sequence use get_uniparc_entry.

    cluster: {id, name, memberCount, commonTaxon, representativeMember}, members: [{memberId, accessions,
    organismName, organismTaxId, proteinName, sequenceLength}].
    """
    exactly_one("P05067", accession=accession, cluster_id=cluster_id)
    if accession:
        query = f"(uniprot_id:{accession}) AND (identity:{IDENTITIES[identity]})"
        part, _ = await page(api, "/uniref/search", {"query": query, "size": 2})
        if not rows_of(part):
            return await _no_set(api, accession, f"UniRef{identity} cluster")
        cluster = rows_of(part)[0]
        if cluster["entryType"] != f"UniRef{identity}":
            raise UpstreamBadResponse("rest.uniprot.org", f"asked for UniRef{identity}, got {cluster['entryType']}")
    else:
        try:
            cluster, _ = await page(api, f"/uniref/{cluster_id}/light")
        except UpstreamNotFound:
            return unknown_id(cluster_id or "", f"UniProt has no cluster {cluster_id}.")
        _same(cluster["id"], cluster_id or "")
    members, headers = await page(api, f"/uniref/{cluster['id']}/members", {"size": limit, "cursor": cursor})
    return listed(rows_of(members), headers, data={"cluster": cluster, "members": rows_of(members)})


@platform.tool(
    example={"accession": "A0A008APQ8"},
    cites=Cite("uniparc", "", "uniParcId", "", f"{SITE}/uniparc/{{id}}"),
    noise="del(.sequence.value, .sequenceFeatures)",
    keep=(
        ".uniParcId",
        ".crossReferences[].database",
        ".crossReferences[].id",
        ".crossReferences[].active",
        ".crossReferences[].created",
        ".crossReferences[].organism.taxonId",
    ),
    asks=(
        "all records with the same sequence",
        "deleted accession",
        "sequence archive, UPI",
    ),
)
async def get_uniparc_entry(
    api: Api,
    accession: UniProtAccession | None = None,
    upi: UniParcId | None = None,
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Every database record of one exact sequence (UniParc), also for accessions deleted from UniProtKB; returns
    database, id, dates, organism.

    uniParcId, crossReferenceCount, organisms, proteinNames, geneNames, sequence, crossReferences: [{database, id,
    version, active, created, lastUpdated, geneName, proteinName, organism}].
    """
    exactly_one("A0A008APQ8", accession=accession, upi=upi)
    note = ""
    if accession:
        canonical = accession.partition("-")[0]
        try:
            entry, _ = await page(api, f"/uniprotkb/{canonical}", {"fields": "accession,uniparc_id"})
        except UpstreamNotFound:
            return unknown_id(accession, f"UniProt has no entry {canonical}.")
        upi = entry.get("extraAttributes", {}).get("uniParcId")
        if upi is None:
            raise UpstreamBadResponse("rest.uniprot.org", f"the entry of {canonical} names no UniParc sequence")
        if entry["primaryAccession"] != canonical:
            note = f"{canonical} was merged into {entry['primaryAccession']}: this is the sequence of the latter."
        elif "-" in accession:
            note = f"This is the canonical sequence of {canonical}, not that of isoform {accession}."
        elif entry.get("entryType") == "Inactive":
            note = f"{canonical} is no longer in UniProtKB."
    try:
        found, _ = await page(api, f"/uniparc/{upi}/light")
    except UpstreamNotFound:
        return unknown_id(upi or "", f"UniProt has no UniParc sequence {upi}.")
    _same(found["uniParcId"], upi or "")
    records, headers = await page(api, f"/uniparc/{upi}/databases", {"size": limit, "cursor": cursor})
    return listed(rows_of(records), headers, note=note, data=found | {"crossReferences": rows_of(records)})


@platform.tool(
    example={"query": "organism_id:9606"},
    cites=Cite("proteome", "[]", "id", "taxonomy.scientificName", f"{SITE}/proteomes/{{id}}"),
    noise="del(.[]? | .components?, .citations?, .taxonLineage?)",
    keep=(
        ".[].id",
        ".[].proteomeType",
        ".[].genomeAssembly.assemblyId",
        ".[].geneCount",
        ".[].proteinCount",
        ".[].proteomeCompletenessReport",
    ),
    asks=(
        "reference proteome of a bacterium",
        "how many proteins does an organism have",
        "UP number, BUSCO",
        "proteome download id",
    ),
)
async def search_proteomes(
    api: Api,
    query: Annotated[str | None, Arg("Species or UniProt query of proteomes.", "organism_id:9606")] = None,
    proteome_id: ProteomeId | None = None,
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Find the proteomes of a species, or read one: type, genome assembly, numbers of genes and proteins, completeness
    (BUSCO).

    Rows: id, taxonomy, proteomeType, geneCount, proteinCount, genomeAssembly, proteomeCompletenessReport,
    proteomeStatistics.
    """
    exactly_one("organism_id:9606", query=query, proteome_id=proteome_id)
    if proteome_id:
        try:
            found, _ = await page(api, f"/proteomes/{proteome_id}")
        except UpstreamNotFound:
            return unknown_id(proteome_id, f"UniProt has no proteome {proteome_id}.")
        _same(found["id"], proteome_id)
        return rows([found])
    part, headers = await page(api, "/proteomes/search", {"query": query, "size": limit, "cursor": cursor})
    return listed(rows_of(part), headers, note="" if rows_of(part) else f"No proteome for {query!r}.")


@platform.tool(
    example={"accession": "P05067"},
    cites=Cite("uniprot", "[].canonicalProtein", "id", "proteinName"),
    noise="del(.. | .sequence?.value?)",
    keep=(
        ".[].proteomeId",
        ".[].canonicalProtein.id",
        ".[].canonicalProtein.sequence.length",
        ".[].relatedProteins[].id",
        ".[].relatedProteins[].entryType",
    ),
    asks=(
        "all entries of one gene, reviewed and unreviewed",
        "canonical and TrEMBL fragments",
        "one protein per gene",
    ),
)
async def get_gene_centric_set(
    api: Api,
    accession: UniProtAccession | None = None,
    gene_symbol: Annotated[str | None, Arg("Gene symbol, with a proteome.", "APP", normalise=look_up_form)] = None,
    proteome_id: ProteomeId | None = None,
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """All UniProt entries of one gene in a reference proteome: the canonical protein with its isoforms, fragments and
    unreviewed entries. For how isoforms differ use get_isoforms.

    Rows: proteomeId, canonicalProtein, relatedProteins: [{id, entryType, proteinName, geneName, organism,
    sequence}].
    """
    exactly_one("P05067", accession=accession, gene_symbol=gene_symbol)
    if gene_symbol and not proteome_id:
        raise InvalidArguments("proteome_id", "a gene symbol needs a proteome", "UP000005640")
    named = f"(accession:{accession})" if accession else f"(gene:{quoted(gene_symbol or '')})"
    query = f"{named} AND (upid:{proteome_id})" if proteome_id else named
    part, headers = await page(api, "/genecentric/search", {"query": query, "size": limit, "cursor": cursor})
    if accession and not rows_of(part):
        return await _no_set(api, accession, "set of entries of one gene")
    note = "" if rows_of(part) else f"Proteome {proteome_id} has no gene {gene_symbol}."
    return listed(rows_of(part), headers, note=note)


async def _no_set(api: Api, accession: str, what: str) -> Answer:
    """Tell an accession without a set from one that nobody has."""
    entry = await fetch_entry(api, accession, IDENTITY_FIELDS)
    if isinstance(entry, Answer):
        return entry
    present = entry["primaryAccession"]
    hint = f" It is now {present}: ask for that." if present != accession.partition("-")[0] else ""
    return rows([], data=identity_of(entry), note=f"{accession} is in no {what}.{hint}")


def _same(found: str, asked: str) -> None:
    if found != asked:
        raise UpstreamBadResponse("rest.uniprot.org", f"asked for {asked}, it answered with {found}")
