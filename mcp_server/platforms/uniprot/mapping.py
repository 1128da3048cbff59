"""From identifiers to identifiers: mapping jobs over many, the cross-references of one entry."""

import asyncio
import re
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import urlsplit

from mcp_server.args import UniProtAccession
from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamRefused, UpstreamUnavailable
from mcp_server.platforms.uniprot.base import ENTRY, next_cursor, page, platform, rows_of
from mcp_server.platforms.uniprot.entry import IDENTITY_FIELDS, entry_answer, fetch_entry, properties
from mcp_server.tool import Arg

Json = Any

PAGE_SIZE = 500
POLL_WAITS_S = (0.5, 1, 2, 3, 4, 5, 5, 5, 5)
GENE_NAMES = "Gene_Name"
# What people call a database, where UniProt calls it otherwise.
FIELD_OF = {
    "go": "go",
    "omim": "xref_mim",
    "entrez": "xref_geneid",
    "ncbigene": "xref_geneid",
    "clinpgx": "xref_pharmgkb",
    "guidetopharmacology": "xref_guidetopharmacology",
    "mane": "xref_mane-select",
    "maneselect": "xref_mane-select",
    "alphafold": "xref_alphafolddb",
}
DEFAULT_DATABASES = (
    "Ensembl", "MANE-Select", "RefSeq", "CCDS", "HGNC", "GeneID", "MIM", "Orphanet", "OpenTargets", "ChEMBL",
    "DrugBank", "GuidetoPHARMACOLOGY", "PharmGKB", "PDB", "AlphaFoldDB", "InterPro", "Pfam", "Reactome", "KEGG",
    "STRING",
)  # fmt: skip


def _from_form(text: str) -> str:
    """Accept the name that results have for the name that requests need."""
    return {"uniprotkb": "UniProtKB_AC-ID", "uniprot": "UniProtKB_AC-ID", "gene name": GENE_NAMES}.get(
        text.lower(), text
    )


Ids = Annotated[list[str], Arg("Identifiers to convert, all of one database; at most 500.", ["P04626"], max_items=500)]
FromDb = Annotated[
    str,
    Arg(
        "Database of the given ids, by UniProt's mapping name, e.g. Gene_Name, Ensembl, ChEMBL, GeneID.",
        "UniProtKB_AC-ID",
        normalise=_from_form,
    ),
]
ToDb = Annotated[str, Arg("Database wanted, e.g. UniProtKB, Ensembl, ChEMBL, GeneID, HGNC.", "ChEMBL")]
TaxonId = Annotated[int | None, Arg("Only proteins of this NCBI taxon; for gene names only.", 9606, minimum=1)]
Databases = Annotated[
    list[str] | None,
    Arg("Databases by UniProt's name; without them some twenty are asked for.", ["ChEMBL", "PDB"], max_items=60),
]


@platform.tool(
    example={"ids": ["P04626"], "from_db": "UniProtKB_AC-ID", "to_db": "ChEMBL"},
    asks=(
        "gene symbol to UniProt",
        "RefSeq to UniProt",
        "convert protein ids",
        "id mapping",
        "PDB code to accession",
        "accession to Ensembl",
    ),
)
async def map_ids(api: Api, ids: Ids, from_db: FromDb, to_db: ToDb, taxon_id: TaxonId = None) -> Answer:
    """Convert many identifiers between UniProt and another database (ENSG to UniProt, accession to ChEMBL target, gene
    names, RefSeq, PDB, HGNC); says which ids found nothing. All ids of one protein: get_cross_references; of one gene:
    myvariant__gene_resolve.

    results: [{from, to}], failedIds; suggestedIds where UniProt gives them.
    """
    if taxon_id is not None and from_db != GENE_NAMES:
        raise InvalidArguments("taxon_id", f"a taxon goes with from_db {GENE_NAMES} only", 9606)
    form: dict[str, Json] = {"from": from_db, "to": to_db, "ids": list(dict.fromkeys(ids)), "taxId": taxon_id}
    job = (await api.post_form("/idmapping/run", form))["jobId"]
    await _wait_for(api, job)
    details = await api.get(f"/idmapping/details/{job}")
    _raise_job_errors(details)
    path = urlsplit(details.get("redirectURL") or f"/idmapping/results/{job}").path
    found = await _results(api, path)
    data = {"results": found.pairs, "failedIds": list(found.failed)}
    if found.suggested:
        data["suggestedIds"] = found.suggested
    notes = [f"Nothing was found for {len(found.failed)} of {len(form['ids'])} ids."] if found.failed else []
    if found.obsolete:
        notes.append(f"{found.obsolete} ids are obsolete entries of UniProtKB.")
    notes += found.warnings
    return rows(found.pairs, total=max(found.total, len(found.pairs)), data=data, note=" ".join(notes))


@platform.tool(
    example={"accession": "P04626", "databases": ["ChEMBL", "PDB", "GO"]},
    cites=ENTRY,
    asks=(
        "other database ids of a protein",
        "RefSeq NP of an accession",
        "InterPro, Pfam, PDB links",
    ),
)
async def get_cross_references(api: Api, accession: UniProtAccession, databases: Databases = None) -> Answer:
    """Ids of one protein, by UniProt accession, in other databases: RefSeq, PDB, InterPro, MIM, DrugBank and others.
    For many proteins and one database use map_ids; for an Ensembl id ensembl__get_cross_references.

    crossReferences: {database: [{id, isoformId, and what UniProt adds, e.g. Method, GoTerm}]}.
    """
    wanted = databases or list(DEFAULT_DATABASES)
    fields = list(dict.fromkeys(_field(name) for name in wanted))
    try:
        entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, *fields))
    except UpstreamRefused as error:
        # The accession's form was checked: only a database can be refused.
        raise InvalidArguments("databases", f"UniProt refuses a name: {error.message}", ["ChEMBL", "PDB"]) from error
    if isinstance(entry, Answer):
        return entry
    grouped: dict[str, list[Json]] = {}
    for row in entry.get("uniProtKBCrossReferences") or []:
        if _field(row["database"]) in fields:
            grouped.setdefault(row["database"], []).append(_reference(row))
    every = [row for found in grouped.values() for row in found]
    answer = entry_answer(accession, entry, every, f"id in {', '.join(wanted)}", crossReferences=grouped)
    return answer


def _field(database: str) -> str:
    """Return the field that brings a database's ids."""
    plain = database.strip().lower()
    return FIELD_OF.get(re.sub(r"[^a-z0-9]", "", plain)) or f"xref_{plain.replace(' ', '-')}"


def _reference(row: Json) -> dict[str, Json]:
    kept = {name: value for name, value in properties(row).items() if value != "-"}
    isoform = {"isoformId": row["isoformId"]} if row.get("isoformId") else {}
    return {"id": row["id"], **isoform, **kept}


class _Found:
    """What the pages of a mapping bring together."""

    def __init__(self) -> None:
        self.pairs: list[Json] = []
        self.failed: dict[str, None] = {}
        self.suggested: list[Json] = []
        self.warnings: list[str] = []
        self.obsolete = 0
        self.total = 0

    def add(self, found: Json) -> None:
        """Take in one page. Every page repeats what concerns the whole job."""
        self.pairs += [{"from": pair["from"], "to": _mapped(pair["to"])} for pair in rows_of(found)]
        self.failed |= dict.fromkeys(found.get("failedIds") or [])
        self.suggested = found.get("suggestedIds") or self.suggested
        self.obsolete = found.get("obsoleteCount") or self.obsolete
        self.warnings = [row.get("message", "") for row in found.get("warnings") or []] or self.warnings


async def _results(api: Api, path: str) -> _Found:
    """Read all pages of a mapping."""
    found = _Found()
    cursor, more = None, True
    while more:
        # Results that are whole entries are cut to what names them.
        fields = "accession,id,gene_names" if "/uniprotkb/" in path else None
        part, headers = await page(api, path, {"size": PAGE_SIZE, "cursor": cursor, "fields": fields})
        _raise_job_errors(part)
        found.add(part)
        found.total = int(headers.get("x-total-results") or len(found.pairs))
        cursor = next_cursor(headers)
        more = cursor is not None
    return found


async def _wait_for(api: Api, job: str) -> None:
    """Return when the mapping job is done. A followed redirect shows results instead of a status."""
    for wait_s in POLL_WAITS_S:
        status = await api.get(f"/idmapping/status/{job}")
        _raise_job_errors(status)
        if "results" in status or status.get("jobStatus") == "FINISHED":
            return
        api.progress("UniProt is still mapping the ids")
        await asyncio.sleep(wait_s)
    raise UpstreamUnavailable("rest.uniprot.org", f"the mapping job {job} is still running; call again in a minute")


def _raise_job_errors(answer: Json) -> None:
    errors = answer.get("errors") or []
    if errors:
        raise UpstreamRefused("rest.uniprot.org", "; ".join(error.get("message", "") for error in errors), body=answer)


def _mapped(target: Json) -> str:
    """Return the id of a target: UniRef and UniParc entries have names of their own."""
    return str(target) if not isinstance(target, dict) else str(next(_names(target)))


def _names(target: Json) -> Iterator[Json]:
    return (target[name] for name in ("primaryAccession", "uniParcId", "id") if name in target)
