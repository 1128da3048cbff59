"""Finding proteins, and the id cards of one or many."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import Limit, UniProtAccession, gene_symbol_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.platforms.uniprot.base import ENTRY, Cursor, OrganismId, next_cursor, page, platform, quoted, rows_of
from mcp_server.platforms.uniprot.entry import (
    card,
    ensembl_genes,
    fetch_entry,
    function_text,
    ids,
    isoform_citation,
    of_organism,
    properties,
    references,
    resolved_note,
    shortened,
)
from mcp_server.platforms.uniprot.queries import query_page
from mcp_server.tool import Arg, Cite

Json = Any

SearchText = Annotated[
    str | None, Arg("Words or a UniProt query, e.g. a protein, family or disease name.", "tyrosine kinase")
]
GeneSymbols = Annotated[
    list[str] | None, Arg("Exact gene symbols, any of them; at most 200.", ["ERBB2", "EGFR"], max_items=200)
]
Keyword = Annotated[str | None, Arg("UniProt keyword, by its exact name or KW number.", "Kinase")]
Disease = Annotated[str | None, Arg("Words of a disease that the entry's disease comment names.", "melanoma")]
EcNumber = Annotated[str | None, Arg("EC number of an enzyme; dashes leave its end open.", "2.7.10.1", r"^[0-9n.*-]+$")]
Reviewed = Annotated[bool, Arg("Only curated entries (Swiss-Prot).")]
Order = Annotated[
    Literal["score", "annotation_score", "length", "gene", "accession"], Arg("What comes first.", "annotation_score")
]
Accessions = Annotated[
    list[UniProtAccession],
    Arg("UniProt accessions, at most 100.", ["P04626", "P00533"], max_items=100, normalise=str.upper),
]

SEARCH_FIELDS = (
    "accession",
    "id",
    "gene_names",
    "protein_name",
    "organism_name",
    "ec",
    "keyword",
    "length",
    "cc_function",
    "xref_chembl",
    "xref_ensembl",
)
ENTRY_FIELDS = (
    *SEARCH_FIELDS,
    "xref_hgnc",
    "xref_geneid",
    "xref_mim",
    "xref_pharmgkb",
    "xref_reactome",
)
LISTED_DATABASES = ("ChEMBL", "HGNC", "GeneID", "MIM", "PharmGKB")
SORTS = {
    "score": None,
    "annotation_score": "annotation_score desc",
    "length": "length desc",
    "gene": "gene asc",
    "accession": "accession asc",
}
# More OR conditions in one query are refused.
SYMBOLS_A_QUERY = 50
PAGE_SIZE = 500
# Accessions that a batch leaves out are asked for one by one, up to this many.
SINGLE_LOOKUPS = 25


@platform.tool(
    example={"gene_symbols": ["ERBB2", "EGFR"], "keyword": "Kinase"},
    cites=Cite("uniprot", "[]", "primaryAccession", "proteinName"),
    asks=(
        "find a protein by name",
        "UniProt accession of a gene",
        "all human kinases",
        "proteins with an EC number",
        "Swiss-Prot search",
        "which proteins carry this name",
    ),
)
async def search_proteins(
    api: Api,
    query: SearchText = None,
    gene_symbols: GeneSymbols = None,
    keyword: Keyword = None,
    disease: Disease = None,
    ec_number: EcNumber = None,
    organism_id: OrganismId = 9606,
    reviewed: Reviewed = True,
    sort: Order = "score",
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Find proteins by gene symbols, keyword (e.g. Kinase), disease, EC number or words; returns accessions, names,
    ChEMBL and Ensembl ids. For one known accession use get_protein.

    Rows: primaryAccession, uniProtkbId, reviewed, geneName, geneSynonyms, proteinName, ecNumbers, keywords, length,
    organism, function (shortened), chembl, ensembl. With more than 50 symbols several queries are asked and all
    rows come at once.
    """
    if not (query or gene_symbols or keyword or disease or ec_number):
        raise InvalidArguments("query", "give query, gene_symbols, keyword, disease or ec_number", "tyrosine kinase")
    symbols = [gene_symbol_form(symbol) if organism_id == 9606 else symbol for symbol in gene_symbols or []]
    groups = [symbols[start : start + SYMBOLS_A_QUERY] for start in range(0, len(symbols), SYMBOLS_A_QUERY)] or [[]]
    more = {"keyword": keyword, "cc_disease": disease, "ec": ec_number}
    found: list[Json] = []
    total, following = 0, None
    for group in groups:
        parameters = {
            "query": _query(query, group, more, organism_id, reviewed),
            "fields": SEARCH_FIELDS,
            "sort": SORTS[sort],
            "size": limit if len(groups) == 1 else PAGE_SIZE,
            "cursor": cursor if len(groups) == 1 else None,
        }
        part, headers = await query_page(api, "/uniprotkb/search", parameters)
        found += of_organism(rows_of(part), organism_id)
        total += int(headers.get("x-total-results") or len(rows_of(part)))
        following = next_cursor(headers)
    return _search_answer(found, total, following, keyword, organism_id, reviewed)


async def query_rows(api: Api, query: str, *, limit: int, cursor: str | None) -> tuple[list[Json], int, str | None]:
    """Return a page of the rows of a query in UniProt's own language, how many there are, and where it goes on."""
    parameters = {"query": query, "fields": SEARCH_FIELDS, "size": limit, "cursor": cursor}
    part, headers = await query_page(api, "/uniprotkb/search", parameters)
    entries = rows_of(part)
    total = int(headers.get("x-total-results") or len(entries))
    return [_row(entry) for entry in entries], total, next_cursor(headers)


@platform.tool(
    core=True,
    example={"accession": "P04626"},
    cites=ENTRY,
    asks=(
        "what protein is P04637",
        "protein name and function of an accession",
        "UniProt entry summary",
        "which gene encodes it",
        "what is known about this protein in short",
    ),
)
async def get_protein(api: Api, accession: UniProtAccession) -> Answer:
    """Id card of a protein by UniProt accession: names, gene, function, keywords, and its ChEMBL, Ensembl, HGNC,
    GeneID, MIM, Reactome ids; for several use get_proteins_batch.

    primaryAccession, uniProtkbId, reviewed, proteinName, alternativeNames, geneName, geneSynonyms, organism,
    taxonId, length, ecNumbers, function, keywords, crossReferences (ChEMBL, Ensembl, HGNC, GeneID, MIM, PharmGKB:
    lists of ids; Reactome: [{id, pathwayName}]).
    """
    entry = await fetch_entry(api, accession, ENTRY_FIELDS)
    if isinstance(entry, Answer):
        return entry
    names = entry.get("proteinDescription", {}).get("alternativeNames") or []
    found = {
        **card(entry),
        "alternativeNames": [name["fullName"]["value"] for name in names if "fullName" in name],
        "taxonId": entry.get("organism", {}).get("taxonId"),
        "function": function_text(entry),
        "crossReferences": _cross_references(entry),
    }
    return Answer(found, note=resolved_note(accession, entry), citations=isoform_citation(accession))


@platform.tool(
    example={"accessions": ["P04626", "P00533"]},
    cites=Cite("uniprot", "proteins[]", "primaryAccession", "proteinName"),
    asks=(
        "several UniProt accessions at once",
        "list of accessions to names",
        "bulk protein records",
    ),
)
async def get_proteins_batch(api: Api, accessions: Accessions) -> Answer:
    """Many at once (up to 100): id cards of proteins by UniProt accession, with gene, organism, function, ChEMBL and
    Ensembl ids; says which accessions have no entry.

    proteins: [{asked, primaryAccession, uniProtkbId, reviewed, geneName, proteinName, organism, length, function,
    chembl, ensembl}], notFound: [{asked, why}]. A merged accession gives its successor.
    """
    asked = list(dict.fromkeys(accessions))
    canonical = list(dict.fromkeys(accession.partition("-")[0] for accession in asked))
    parameters = {"accessions": canonical, "fields": SEARCH_FIELDS, "size": len(canonical)}
    part, _ = await page(api, "/uniprotkb/accessions", parameters)
    entries = {entry["primaryAccession"]: entry for entry in rows_of(part) if entry["entryType"] != "Inactive"}
    why: dict[str, str] = {}
    # Former accessions are missing from the list, as those are that never were.
    missing = [accession for accession in canonical if accession not in entries]
    for accession in missing[:SINGLE_LOOKUPS]:
        entry = await fetch_entry(api, accession, SEARCH_FIELDS)
        if isinstance(entry, Answer):
            why[accession] = entry.note
        else:
            entries[accession] = entry
    for accession in missing[SINGLE_LOOKUPS:]:
        why[accession] = "Not in the list; not looked up as a former accession: ask for it with get_protein."
    shown = [
        {"asked": accession, **_row(entries[accession.partition("-")[0]])}
        for accession in asked
        if accession.partition("-")[0] in entries
    ]
    lost = [{"asked": accession, "why": why[accession]} for accession in asked if accession in why]
    notes = [resolved_note(row["asked"], row) for row in shown]
    if lost:
        notes.append(f"{len(lost)} of {len(asked)} accessions have no entry.")
    data = {"proteins": shown, "notFound": lost}
    outcome = ResultOutcome.DATA if shown else ResultOutcome.UNKNOWN_ID
    note = " ".join(note for note in notes if note)
    return Answer(data, outcome, total=len(shown), returned=len(shown), note=note)


@platform.tool(
    example={"query": "(gene:APP) AND (reviewed:true)", "group": "taxonomy"},
    asks=(
        "how many human proteins are membrane proteins",
        "number of proteins per species",
        "statistics of a protein query",
        "how many proteins have a known 3D structure",
    ),
)
async def count_proteins_by_group(
    api: Api,
    query: Annotated[str, Arg("UniProt query whose hits are counted.", "(keyword:Kinase) AND (organism_id:9606)")],
    group: Annotated[
        Literal["taxonomy", "keyword", "go", "ec"], Arg("The tree whose branches are counted.", "taxonomy")
    ],
    parent: Annotated[
        str | None, Arg("Id of the branch to open, from an earlier result; the top of the tree by default.", "9606")
    ] = None,
) -> Answer:
    """Count how the proteins that match a UniProt query split by taxon, keyword, GO term or EC number. Returns numbers
    only; for the proteins use search_proteins.

    groups: [{id, label, count, expandable}], ancestors, parent: {label, count}. An expandable branch is opened by
    its id as `parent`.
    """
    found, _ = await query_page(api, f"/uniprotkb/groups/{group}", {"query": query, "parent": parent})
    groups = rows_of(found, "groups")
    note = "" if groups else f"No hit of this query lies below {parent or 'the top'} of the {group} tree."
    return rows(groups, data=found, note=note)


def _query(
    query: str | None, symbols: Sequence[str], more: dict[str, str | None], organism_id: int, reviewed: bool
) -> str:
    """Join the filters in a fixed order, so that one question always makes one request."""
    parts = [f"({query})"] if query else []
    if symbols:
        parts.append("(" + " OR ".join(f"gene_exact:{quoted(symbol)}" for symbol in symbols) + ")")
    parts += [f"({field}:{value if field == 'ec' else quoted(value)})" for field, value in more.items() if value]
    parts.append(f"(organism_id:{organism_id})")
    if reviewed:
        parts.append("(reviewed:true)")
    return " AND ".join(parts)


def _search_answer(
    found: Sequence[Json], total: int, following: str | None, keyword: str | None, organism_id: int, reviewed: bool
) -> Answer:
    """Answer with the found proteins that carry exactly the keyword: upstream matches words of keywords."""
    kept = [entry for entry in found if keyword is None or _has_keyword(entry, keyword)]
    note = ""
    if len(kept) < len(found):
        other = len(found) - len(kept)
        note = f"{other} more only had the word {keyword!r} in the name of another keyword and were left out."
        total -= other
    if not kept:
        note = f"UniProt has no such protein of taxon {organism_id}. {note}".strip()
        note += " Only curated entries were searched; reviewed=false searches all." if reviewed else ""
    return rows(
        [_row(entry) for entry in kept], total=total, next={"cursor": following} if following else None, note=note
    )


def _row(entry: Json) -> dict[str, Json]:
    return {
        **card(entry),
        "function": shortened(function_text(entry)),
        "chembl": ids(entry, "ChEMBL"),
        "ensembl": ensembl_genes(entry),
    }


def _has_keyword(entry: Json, keyword: str) -> bool:
    named = {word for row in entry.get("keywords") or [] for word in (row["name"].lower(), row["id"].lower())}
    return keyword.lower() in named


def _cross_references(entry: Json) -> Json:
    pathways = [
        {"id": row["id"], "pathwayName": properties(row).get("PathwayName")} for row in references(entry, "Reactome")
    ]
    listed = {database: ids(entry, database) for database in LISTED_DATABASES}
    return {**listed, "Ensembl": ensembl_genes(entry), "Reactome": pathways}
