"""UniProt: proteins, their identifiers in other databases, natural variants.

REST/JSON at rest.uniprot.org, no key. Totals, cursor and release stand in response headers only.
Whole entries are up to megabytes, so every request names its fields. A merged accession redirects
to its successor or names it; a deleted or split one answers 200 with `entryType` "Inactive".
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import parse_qs, urlsplit

from mcp_server.args import Limit, Offset, UniProtAccession, gene_symbol_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamNotFound, UpstreamRefused, UpstreamUnavailable
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
VARIANT_FIELDS = ("accession", "protein_name", "gene_names", "ft_variant")
LISTED_DATABASES = ("ChEMBL", "HGNC", "GeneID", "MIM", "PharmGKB")
# More OR conditions in one query are refused.
SYMBOLS_A_QUERY = 50
PAGE_SIZE = 500
FUNCTION_MAX_CHARS = 300
POLL_WAITS_S = (0.5, 1, 2, 3, 4, 5, 5, 5, 5)


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
    keywords, length, organism, function (shortened), chembl, ensembl. With more than 50 symbols
    several queries are asked and all rows come at once.
    """
    if not (query or gene_symbols or keyword):
        raise InvalidArguments("query", "give query, gene_symbols or keyword", "tyrosine kinase")
    symbols = [gene_symbol_form(symbol) if organism_id == 9606 else symbol for symbol in gene_symbols or []]
    groups = [symbols[start : start + SYMBOLS_A_QUERY] for start in range(0, len(symbols), SYMBOLS_A_QUERY)] or [[]]
    found: list[Json] = []
    total, next_cursor = 0, None
    for group in groups:
        parameters = {
            "query": _query(query, group, keyword, organism_id, reviewed),
            "fields": SEARCH_FIELDS,
            "size": limit if len(groups) == 1 else PAGE_SIZE,
            "cursor": cursor if len(groups) == 1 else None,
        }
        page, headers = await _page(api, "/uniprotkb/search", parameters)
        found += page["results"]
        total += int(headers.get("x-total-results") or len(page["results"]))
        next_cursor = _next_cursor(headers)
    return _search_answer(found, total, next_cursor, keyword, organism_id)


@platform.tool(core=True, example={"accession": "P04626"}, cites=Cite("uniprot", "", "primaryAccession", "proteinName"))
async def get_protein(api: Api, accession: UniProtAccession) -> Answer:
    """Id card of a protein: names, gene, function, keywords, and its ChEMBL, Ensembl, HGNC, GeneID, MIM, Reactome ids.

    primaryAccession, uniProtkbId, reviewed, proteinName, alternativeNames, geneName, geneSynonyms,
    organism, taxonId, length, ecNumbers, function, keywords, crossReferences (ChEMBL, Ensembl, HGNC,
    GeneID, MIM, PharmGKB: lists of ids; Reactome: [{id, pathwayName}]).
    """
    entry = await _entry(api, accession, ENTRY_FIELDS)
    if isinstance(entry, Answer):
        return entry
    names = entry.get("proteinDescription", {}).get("alternativeNames") or []
    card = {
        **_card(entry),
        "alternativeNames": [name["fullName"]["value"] for name in names if "fullName" in name],
        "taxonId": entry.get("organism", {}).get("taxonId"),
        "function": _function(entry),
        "crossReferences": _cross_references(entry),
    }
    isoform = [Citation("uniprot", accession)] if "-" in accession else []
    return Answer(card, note=_resolved_note(accession, entry), citations=isoform)


@platform.tool(example={"ids": ["P04626"], "from_db": "UniProtKB_AC-ID", "to_db": "ChEMBL"})
async def map_ids(api: Api, ids: Ids, from_db: FromDb, to_db: ToDb) -> Answer:
    """Convert many identifiers between UniProt and another database; says which ids found nothing.

    results: [{from, to}], failedIds.
    """
    form = {"from": from_db, "to": to_db, "ids": list(dict.fromkeys(ids))}
    job = (await api.post_form("/idmapping/run", form))["jobId"]
    await _wait_for(api, job)
    details = await api.get(f"/idmapping/details/{job}")
    _raise_job_errors(api, details)
    path = urlsplit(details.get("redirectURL") or f"/idmapping/results/{job}").path
    pairs: list[Json] = []
    failed: dict[str, None] = {}
    total, cursor, more = 0, None, True
    while more:
        # Results that are whole entries are cut to what names them.
        fields = "accession,id,gene_names" if "/uniprotkb/" in path else None
        page, headers = await _page(api, path, {"size": PAGE_SIZE, "cursor": cursor, "fields": fields})
        _raise_job_errors(api, page)
        pairs += [{"from": pair["from"], "to": _mapped(pair["to"])} for pair in page.get("results") or []]
        # Every page repeats the whole list of failures.
        failed |= dict.fromkeys(page.get("failedIds") or [])
        total = int(headers.get("x-total-results") or len(pairs))
        cursor = _next_cursor(headers)
        more = cursor is not None
    note = f"Nothing was found for {len(failed)} of {len(form['ids'])} ids." if failed else ""
    return rows(pairs, total=max(total, len(pairs)), data={"results": pairs, "failedIds": list(failed)}, note=note)


@platform.tool(
    example={"accession": "P00533", "position": 790}, cites=Cite("uniprot", "", "primaryAccession", "proteinName")
)
async def get_variants(
    api: Api, accession: UniProtAccession, position: Position = None, limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """Curated natural variants of a protein, with their description (disease, effect) and dbSNP ids.

    primaryAccession, proteinName, geneName, variants: [{start, end, originalSequence,
    alternativeSequences, description, featureId, dbSNP}].
    """
    entry = await _entry(api, accession, VARIANT_FIELDS)
    if isinstance(entry, Answer):
        return entry
    features = [_variant(feature) for feature in entry.get("features") or [] if feature["type"] == "Natural variant"]
    wanted = [row for row in features if position is None or (row["start"] or 0) <= position <= (row["end"] or 0)]
    shown = wanted[offset : offset + limit]
    end = offset + len(shown)
    data = {name: _card(entry)[name] for name in ("primaryAccession", "proteinName", "geneName")} | {"variants": shown}
    return rows(
        shown,
        total=len(wanted),
        next={"offset": end} if end < len(wanted) else None,
        data=data,
        note=_resolved_note(accession, entry),
    )


async def _page(api: Api, path: str, parameters: Mapping[str, Json]) -> tuple[Json, Mapping[str, str]]:
    """Return a page and its headers, and remember the release."""
    page, headers = await api.get_page(path, parameters)
    api.trace.release = headers.get("x-uniprot-release", api.trace.release)
    return page, headers


def _next_cursor(headers: Mapping[str, str]) -> str | None:
    link = re.search(r'<([^>]+)>;\s*rel="next"', headers.get("link", ""))
    return parse_qs(urlsplit(link[1]).query).get("cursor", [None])[0] if link else None


def _query(query: str | None, symbols: Sequence[str], keyword: str | None, organism_id: int, reviewed: bool) -> str:
    """Join the filters in a fixed order, so that one question always makes one request."""
    parts = [f"({query})"] if query else []
    if symbols:
        parts.append("(" + " OR ".join(f"gene_exact:{_quoted(symbol)}" for symbol in symbols) + ")")
    if keyword:
        parts.append(f"(keyword:{_quoted(keyword)})")
    parts.append(f"(organism_id:{organism_id})")
    if reviewed:
        parts.append("(reviewed:true)")
    return " AND ".join(parts)


def _quoted(text: str) -> str:
    plain = text.replace('"', "")
    return plain if re.fullmatch(r"\w+", plain) else f'"{plain}"'


def _search_answer(
    found: Sequence[Json], total: int, next_cursor: str | None, keyword: str | None, organism_id: int
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
    cards = [
        {
            **_card(entry),
            "function": _shortened(_function(entry)),
            "chembl": _ids(entry, "ChEMBL"),
            "ensembl": _ensembl_genes(entry),
        }
        for entry in kept
    ]
    return rows(cards, total=total, next={"cursor": next_cursor} if next_cursor else None, note=note)


def _has_keyword(entry: Json, keyword: str) -> bool:
    named = {word for row in entry.get("keywords") or [] for word in (row["name"].lower(), row["id"].lower())}
    return keyword.lower() in named


async def _entry(api: Api, accession: str, fields: Sequence[str]) -> Json:
    """Return the active entry, or the answer that explains why there is none. A merged accession is followed."""
    canonical = accession.partition("-")[0]
    try:
        entry, _ = await _page(api, f"/uniprotkb/{canonical}", {"fields": fields})
    except UpstreamNotFound:
        return unknown_id(accession, f"UniProt has no entry {canonical}.")
    if entry.get("entryType") != "Inactive":
        return entry
    reason = entry.get("inactiveReason", {})
    successors = reason.get("mergeDemergeTo") or []
    if reason.get("inactiveReasonType") == "MERGED" and len(successors) == 1 and successors[0] != canonical:
        return await _entry(api, successors[0], fields)
    words = reason.get("deletedReason") or reason.get("inactiveReasonType", "")
    note = f"{canonical} is no longer in UniProtKB ({words})."
    note += f" It went into {', '.join(successors)}." if successors else ""
    return unknown_id(accession, note, replacement=successors or None)


def _resolved_note(asked: str, entry: Json) -> str:
    """Say when the entry is another one than its accession suggests, or covers more than was asked."""
    canonical, _, isoform = asked.partition("-")
    notes = []
    if entry["primaryAccession"] != canonical:
        notes.append(f"{canonical} was merged into {entry['primaryAccession']}; use that accession.")
    if isoform:
        notes.append(f"This is the entry of all isoforms; positions refer to the canonical one, not to {asked}.")
    return " ".join(notes)


def _card(entry: Json) -> Json:
    """Return the identity of an entry."""
    genes = entry.get("genes") or [{}]
    description = entry.get("proteinDescription", {})
    name: Json = description.get("recommendedName") or next(iter(description.get("submissionNames") or []), {})
    return {
        "primaryAccession": entry["primaryAccession"],
        "uniProtkbId": entry.get("uniProtkbId"),
        "reviewed": entry.get("entryType", "").startswith("UniProtKB reviewed"),
        "geneName": genes[0].get("geneName", {}).get("value"),
        "geneSynonyms": [synonym["value"] for synonym in genes[0].get("synonyms") or []],
        "proteinName": name.get("fullName", {}).get("value"),
        "ecNumbers": [number["value"] for number in name.get("ecNumbers") or []],
        "keywords": [keyword["name"] for keyword in entry.get("keywords") or []],
        "length": entry.get("sequence", {}).get("length"),
        "organism": entry.get("organism", {}).get("scientificName"),
    }


def _function(entry: Json) -> str:
    texts = [
        text["value"]
        for comment in entry.get("comments") or []
        if comment.get("commentType") == "FUNCTION"
        for text in comment.get("texts") or []
    ]
    return " ".join(texts)


def _shortened(text: str) -> str:
    """Return the beginning of a function text, without its references to papers."""
    text = re.sub(r" ?\((?:PubMed:\d+(?:, )?)+\)", "", text)
    if len(text) <= FUNCTION_MAX_CHARS:
        return text
    return f"{text[:FUNCTION_MAX_CHARS].rpartition(' ')[0]} …"


def _references(entry: Json, database: str) -> Iterator[Json]:
    return (row for row in entry.get("uniProtKBCrossReferences") or [] if row["database"] == database)


def _ids(entry: Json, database: str) -> list[str]:
    return list(dict.fromkeys(row["id"] for row in _references(entry, database)))


def _properties(reference: Json) -> dict[str, str]:
    return {row["key"]: row["value"] for row in reference.get("properties") or []}


def _ensembl_genes(entry: Json) -> list[str]:
    """Return the Ensembl gene ids without version: the entry lists transcripts."""
    genes = (_properties(row).get("GeneId", "").partition(".")[0] for row in _references(entry, "Ensembl"))
    return [gene for gene in dict.fromkeys(genes) if gene]


def _cross_references(entry: Json) -> Json:
    pathways = [
        {"id": row["id"], "pathwayName": _properties(row).get("PathwayName")} for row in _references(entry, "Reactome")
    ]
    listed = {database: _ids(entry, database) for database in LISTED_DATABASES}
    return {**listed, "Ensembl": _ensembl_genes(entry), "Reactome": pathways}


def _variant(feature: Json) -> Json:
    sequence = feature.get("alternativeSequence") or {}
    return {
        "start": feature["location"]["start"].get("value"),
        "end": feature["location"]["end"].get("value"),
        "originalSequence": sequence.get("originalSequence"),
        "alternativeSequences": sequence.get("alternativeSequences") or [],
        "description": feature.get("description", ""),
        "featureId": feature.get("featureId"),
        "dbSNP": [row["id"] for row in feature.get("featureCrossReferences") or [] if row["database"] == "dbSNP"],
    }


async def _wait_for(api: Api, job: str) -> None:
    """Return when the mapping job is done. A followed redirect shows results instead of a status."""
    for wait_s in POLL_WAITS_S:
        status = await api.get(f"/idmapping/status/{job}")
        _raise_job_errors(api, status)
        if "results" in status or status.get("jobStatus") == "FINISHED":
            return
        api.progress("UniProt is still mapping the ids")
        await asyncio.sleep(wait_s)
    raise UpstreamUnavailable("rest.uniprot.org", f"the mapping job {job} is still running; call again in a minute")


def _raise_job_errors(api: Api, answer: Json) -> None:
    errors = answer.get("errors") or []
    if errors:
        raise UpstreamRefused("rest.uniprot.org", "; ".join(error.get("message", "") for error in errors), body=answer)


def _mapped(target: Json) -> str:
    return str(target["primaryAccession"]) if isinstance(target, dict) else str(target)
