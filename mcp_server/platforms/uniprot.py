"""UniProt: proteins, their identifiers in other databases, natural variants."""

from typing import Annotated, Any

from mcp_server.args import Limit, Offset, UniProtAccession
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

platform = Platform(
    "uniprot",
    title="UniProt",
    base_url="https://rest.uniprot.org",
    docs="https://www.uniprot.org/help/api",
    licence="CC BY 4.0",
    rate=Rate(5),
)

SearchText = Annotated[
    str | None, Arg("Words or a UniProt query, e.g. a protein, family or disease name.", "tyrosine kinase")
]
GeneSymbols = Annotated[
    list[str] | None, Arg("Exact gene symbols, any of them; at most 200.", ["ERBB2", "EGFR"], max_items=200)
]
Keyword = Annotated[str | None, Arg("UniProt keyword, by its exact name or KW number.", "Kinase")]
OrganismId = Annotated[int, Arg("NCBI taxon number of the organism; 9606 is human.", minimum=1)]
Reviewed = Annotated[bool, Arg("Only curated entries (Swiss-Prot).")]
Cursor = Annotated[str | None, Arg("Where to go on: `next` of an earlier result gives it.")]
Ids = Annotated[list[str], Arg("Identifiers to convert, all of one database; at most 100.", ["P04626"], max_items=100)]
FromDb = Annotated[str, Arg("Database of the given ids, by UniProt's mapping name.", "UniProtKB_AC-ID")]
ToDb = Annotated[str, Arg("Database wanted, e.g. UniProtKB, Ensembl, ChEMBL, GeneID, HGNC.", "ChEMBL")]
Position = Annotated[int | None, Arg("Only variants at this residue of the canonical sequence.", 790, minimum=1)]


@platform.tool(
    core=True,
    example={"gene_symbols": ["ERBB2", "EGFR"], "keyword": "Kinase"},
    cites=Cite("uniprot", "[]", "primaryAccession", "proteinName"),
)
async def search_proteins(
    api: Api,
    query: SearchText = None,
    gene_symbols: GeneSymbols = None,
    keyword: Keyword = None,
    organism_id: OrganismId = 9606,
    reviewed: Reviewed = True,
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Find proteins by gene symbols, keyword (e.g. Kinase) or words; returns accessions, names, ChEMBL and Ensembl ids.

    Rows: primaryAccession, uniProtkbId, reviewed, geneName, geneSynonyms, proteinName, ecNumbers,
    keywords, length, organism, function (shortened), chembl, ensembl.
    """
    raise NotImplementedError


@platform.tool(core=True, example={"accession": "P04626"}, cites=Cite("uniprot", "", "primaryAccession", "proteinName"))
async def get_protein(api: Api, accession: UniProtAccession) -> Answer:
    """Id card of a protein: names, gene, function, keywords, and its ChEMBL, Ensembl, HGNC, GeneID, MIM, Reactome ids.

    primaryAccession, uniProtkbId, reviewed, proteinName, alternativeNames, geneName, geneSynonyms,
    organism, taxonId, length, ecNumbers, function, keywords, crossReferences (ChEMBL, Ensembl, HGNC,
    GeneID, MIM, PharmGKB: lists of ids; Reactome: [{id, pathwayName}]).
    """
    raise NotImplementedError


@platform.tool(example={"ids": ["P04626"], "from_db": "UniProtKB_AC-ID", "to_db": "ChEMBL"})
async def map_ids(api: Api, ids: Ids, from_db: FromDb, to_db: ToDb) -> Answer:
    """Convert many identifiers between UniProt and another database; says which ids found nothing.

    results: [{from, to}], failedIds.
    """
    raise NotImplementedError


@platform.tool(
    example={"accession": "P00533", "position": 790}, cites=Cite("uniprot", "", "primaryAccession", "proteinName")
)
async def get_variants(
    api: Api, accession: UniProtAccession, position: Position = None, limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """Curated natural variants of a protein, with their description (disease, effect) and dbSNP ids.

    primaryAccession, proteinName, variants: [{start, end, originalSequence, alternativeSequences,
    description, featureId, dbSNP}].
    """
    raise NotImplementedError
