"""One gene's identifiers in many databases, from MyGene.info."""

import re
from typing import Annotated, Any

from mcp_server.args import look_up_form
from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.myvariant.base import (
    GENES,
    as_list,
    filled,
    first_text,
    is_any,
    platform,
    search,
    texts,
    values,
)
from mcp_server.tool import Arg, Cite

Json = Any

_HOST = "mygene.info"
# More than are shown: the service does not rank a symbol above an alias.
LOOKED_AT = 50
_FIELDS = (
    "symbol", "name", "alias", "entrezgene", "retired", "taxid", "type_of_gene", "ensembl.gene", "uniprot", "HGNC",
    "MIM", "genomic_pos", "genomic_pos_hg19", "map_location", "summary",
)  # fmt: skip
_SPECIES = {
    "human": "9606", "mouse": "10090", "rat": "10116", "fruitfly": "7227", "fly": "7227", "nematode": "6239",
    "worm": "6239", "zebrafish": "7955", "thale-cress": "3702", "frog": "8364", "pig": "9823", "cow": "9913",
    "dog": "9615", "chicken": "9031", "yeast": "559292", "homo sapiens": "9606", "mus musculus": "10090",
    "rattus norvegicus": "10116", "danio rerio": "7955", "drosophila melanogaster": "7227",
    "caenorhabditis elegans": "6239",
}  # fmt: skip
_LATIN = {number: name.capitalize() for name, number in _SPECIES.items() if " " in name}
_ASSEMBLY_UNKNOWN = "not told by MyGene"
# What a text must look like to be an id, the fields that hold it, and what is not part of the value there.
_ID_FORMS = (
    (r"(\d+)", ("entrezgene", "retired")),
    (r"(ENS[A-Z]*G\d{11})(?:\.\d+)?", ("ensembl.gene",)),
    (r"HGNC:?\s?(\d+)", ("HGNC",)),
    (r"O?MIM:?\s?(\d{6})", ("MIM",)),
)
_UNIPROT = r"([OPQ]\d[A-Z0-9]{3}\d|[A-NR-Z]\d([A-Z][A-Z0-9]{2}\d){1,2})(-\d+)?"
_NAME_FIELDS = ("symbol", "alias")


def species_form(text: str) -> str:
    """Return the NCBI taxon number of a species by its everyday or Latin name."""
    plain = look_up_form(text).lower()
    return _SPECIES.get(plain, plain)


Query = Annotated[
    str,
    Arg("Symbol, alias, Entrez, Ensembl, HGNC or UniProt id; HGNC and OMIM numbers with their prefix.", "HER2",
        normalise=look_up_form),
]  # fmt: skip
Species = Annotated[
    str, Arg("NCBI taxon number, or a name such as human or mouse.", "9606", r"^\d+$", normalise=species_form)
]
GeneLimit = Annotated[int, Arg("How many genes to return at most.", minimum=1, maximum=50)]


@platform.tool(
    example={"query": "HER2"},
    cites=(
        Cite("ncbi_gene", "[]", "entrez_gene_id", "symbol", "https://www.ncbi.nlm.nih.gov/gene/{id}"),
        Cite("ensembl", "[].ensembl_gene_ids[]"),
    ),
    asks=(
        "Entrez id of a gene",
        "HGNC, OMIM, UniProt ids of a gene",
        "NCBI Gene number",
        "what is HER2 officially called",
        "gene name in mouse",
        "all numbers and names of a gene",
    ),
)
async def gene_resolve(api: Api, query: Query, species: Species = "9606", limit: GeneLimit = 5) -> Answer:
    """Gene symbol, alias or id to all its ids at once, in any species: Entrez, Ensembl, HGNC, UniProt, OMIM, with name,
    place and summary. To only get a human ENSG with its place use ensembl__lookup_gene.

    Rows, the best match first: symbol, name, matched_by, taxon, species, entrez_gene_id, ensembl_gene_ids, hgnc_id,
    uniprot_accessions, uniprot_trembl, omim_ids, aliases, type_of_gene, places (assembly with each), summary.
    """
    identifier, fields = _read(query)
    terms = {identifier, query} if fields == _NAME_FIELDS else {identifier}
    parameters = {
        "q": is_any(fields, sorted(terms)),
        "species": species,
        "fields": _FIELDS,
        "size": LOOKED_AT,
    }
    hits, total = await search(api, parameters, base=GENES, host=_HOST)
    genes = sorted((_gene(hit, identifier, species) for hit in hits), key=lambda gene: gene["matched_by"] != "symbol")
    if not genes:
        words = f"MyGene has no gene {query!r} in species {species}; the symbol may be another one there."
        return empty(words, data=[]) if fields == _NAME_FIELDS else unknown_id(query, words)
    notes = [f"{query!r} is an alias of {genes[0]['symbol']}."] if genes[0]["matched_by"] == "alias" else []
    if genes[0]["matched_by"] == "alias" and total > 1:
        notes = [f"{query!r} is no symbol, but an alias of {total} genes; tell which is meant."]
    if genes[0]["matched_by"] == "retired":
        notes.append(f"Gene {identifier} was merged into {genes[0].get('entrez_gene_id')}.")
    if total > len(genes[:limit]):
        notes.append(f"{total - len(genes[:limit])} more match; raise limit.")
    return rows(genes[:limit], total=total, note=" ".join(notes))


def _read(query: str) -> tuple[str, tuple[str, ...]]:
    """Return what to look for and the fields to look in."""
    for pattern, fields in _ID_FORMS:
        if found := re.fullmatch(pattern, query, re.IGNORECASE):
            return found[1].upper(), fields
    if re.fullmatch(_UNIPROT, query, re.IGNORECASE):
        # Some symbols look like accessions.
        return query.upper().partition("-")[0], ("uniprot.Swiss-Prot", "uniprot.TrEMBL", *_NAME_FIELDS)
    return query, _NAME_FIELDS


def _gene(hit: Json, identifier: str, species: str) -> dict[str, Json]:
    taxon = first_text(hit, "taxid")
    if taxon is not None and taxon != species:
        raise UpstreamBadResponse(_HOST, f"asked for species {species}, it answered {hit['_id']} of {taxon}")
    gene = {
        "symbol": first_text(hit, "symbol"),
        "name": first_text(hit, "name"),
        "matched_by": _matched_by(hit, identifier),
        "taxon": taxon or species,
        "species": _LATIN.get(taxon or species),
        "entrez_gene_id": first_text(hit, "entrezgene"),
        "ensembl_gene_ids": texts(hit, "ensembl.gene"),
        "hgnc_id": f"HGNC:{hgnc}" if (hgnc := first_text(hit, "HGNC")) else None,
        "uniprot_accessions": texts(hit, "uniprot.Swiss-Prot"),
        "uniprot_trembl": texts(hit, "uniprot.TrEMBL"),
        "omim_ids": texts(hit, "MIM"),
        "aliases": texts(hit, "alias"),
        "type_of_gene": first_text(hit, "type_of_gene"),
        "cytoband": first_text(hit, "map_location"),
        "places": _places(hit, species),
        "summary": first_text(hit, "summary"),
    }
    return filled(gene)


def _matched_by(hit: Json, identifier: str) -> str:
    wanted = identifier.lower()
    fields = ("symbol", "entrezgene", "ensembl.gene", "HGNC", "MIM", "uniprot.Swiss-Prot", "uniprot.TrEMBL", "retired")
    for field in fields:
        if wanted in (text.lower() for text in texts(hit, field)):
            return field
    return "alias" if wanted in (text.lower() for text in texts(hit, "alias")) else "words"


def _places(hit: Json, species: str) -> list[dict[str, Json]]:
    """Return where the gene lies; only for human genes is the assembly known, and elsewhere that is said."""
    present = "GRCh38" if species == "9606" else _ASSEMBLY_UNKNOWN
    named = [(present, place) for place in values(hit, "genomic_pos")]
    named += [("GRCh37", place) for place in values(hit, "genomic_pos_hg19")]
    return [
        filled(
            {
                "assembly": assembly,
                "chromosome": place.get("chr"),
                "start": place.get("start"),
                "end": place.get("end"),
                "strand": place.get("strand"),
                "ensembl_gene_id": place.get("ensemblgene"),
            }
        )
        for assembly, place in named
        if isinstance(place, dict) and as_list(place.get("start"))
    ]
