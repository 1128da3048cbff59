"""Which gene a name means: symbols, synonyms, everyday names, ids, alternative haplotypes, damaged cells."""

import re
from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import quote

from mcp_server.args import gene_symbol_form, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.ensembl.base import GENE_PATTERN, HUMAN, kept, known, matched, stable_id_form
from mcp_server.tool import Arg

Json = Any

GeneName = Annotated[
    str,
    Arg("Gene symbol, everyday name or Ensembl gene id.", "ERBB2", normalise=look_up_form),
]
GENE_FIELDS = (
    "id",
    "display_name",
    "description",
    "biotype",
    "seq_region_name",
    "start",
    "end",
    "strand",
    "assembly_name",
    "canonical_transcript",
    "species",
    "version",
)
GENE_ID = re.compile(rf"{GENE_PATTERN}(\.\d+)?", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"CHR_|HSCHR|PATCH|HG\d+_", re.IGNORECASE)
_DATE = re.compile(r"(\d{1,2})-(mar|sep|dec)", re.IGNORECASE)
# Families whose old symbols (MARCH1, MARC1, SEPT6, DEC1) spreadsheets turn into dates.
_DATE_FAMILIES = {"mar": ("MARCHF", "MTARC"), "sep": ("SEPTIN",), "dec": ("DELEC",)}


def gene_row(record: Json) -> Json:
    """Keep of a gene what answers need."""
    return kept(record, GENE_FIELDS)


def is_primary(gene: Json) -> bool:
    """Whether it lies on a chromosome, not on an alternative haplotype or patch."""
    return not _ALTERNATIVE.search(str(gene.get("seq_region_name", "")))


def spreadsheet_date(name: str) -> str:
    """Return the genes that a date may stand for, or an empty string when it is none."""
    date = _DATE.fullmatch(name)
    return " or ".join(f"{family}{int(date[1])}" for family in _DATE_FAMILIES[date[2].lower()]) if date else ""


def refuse_spreadsheet_date(name: str, argument: str) -> None:
    """Refuse a name that a spreadsheet damaged, and name the genes that may be meant."""
    if meant := spreadsheet_date(name):
        message = f"{name!r} looks like a gene name that a spreadsheet turned into a date; {meant} may be meant"
        raise InvalidArguments(argument, message, meant.partition(" ")[0])


async def genes_named(api: Api, name: str, species: str) -> tuple[list[Json], int]:
    """Return the genes that a name stands for and how many further ids lie on alternative haplotypes."""
    # "HER2/neu" is one gene by two names; "BRCA1/BRCA2" are two genes.
    genes: dict[str, Json] = {}
    haplotypes = 0
    for part in filter(None, (part.strip() for part in name.split("/"))):
        found, skipped = await genes_called(api, part, species)
        genes |= {gene["id"]: gene for gene in found}
        haplotypes += skipped
    return list(genes.values()), haplotypes


async def genes_called(api: Api, name: str, species: str) -> tuple[list[Json], int]:
    """Return the genes of that name and how many ids on alternative haplotypes were passed over."""
    for spelling in spellings(name, species):
        path = quote(spelling, safe="")
        record = await known(api, f"/lookup/symbol/{species}/{path}", spelling)
        if record is not None and is_primary(record):
            return [{**record, "matched_by": spelling}], 0
        named = await known(api, f"/xrefs/symbol/{species}/{path}", spelling, {"object_type": "gene"}) or []
        # LRG rows name the same gene in another numbering.
        ids = [row["id"] for row in named if not row["id"].startswith("LRG_")]
        if ids:
            found = await api.post("/lookup/id", {"ids": ids})
            return _best([gene for gene in found.values() if gene], spelling)
        if record is not None:
            return [{**record, "matched_by": spelling}], 0
    return [], 0


def spellings(name: str, species: str) -> list[str]:
    """Return the spellings to try, the most exact first."""
    usual = gene_symbol_form(name) if species == HUMAN else name
    return list(dict.fromkeys([usual, re.sub(r"[- ]", "", usual)]))


def _best(genes: Sequence[Json], spelling: str) -> tuple[list[Json], int]:
    """Keep genes on primary chromosomes, and among them the approved symbol before synonyms."""
    primary = [gene for gene in genes if is_primary(gene)] or list(genes)
    approved = [gene for gene in primary if gene.get("display_name", "").upper() == spelling.upper()]
    kept_genes = [{**gene, "matched_by": spelling} for gene in approved or primary]
    return kept_genes, len(genes) - len(primary)


async def one_gene(api: Api, gene: str, species: str) -> tuple[Json, str]:
    """Return the one gene that a name or id stands for, and what is to be said of it.

    Without one, the first value is an `Answer` that tells so; a name of several genes is refused with
    the candidates. An id brings its species; a species other than the default must agree with it.
    """
    if GENE_ID.fullmatch(gene):
        return await _gene_by_id(api, stable_id_form(gene).partition(".")[0], species)
    refuse_spreadsheet_date(gene, "gene")
    found, _ = await genes_named(api, gene, species)
    if not found:
        return unknown_gene(gene, species), ""
    if len(found) > 1:
        named = ", ".join(f"{row.get('display_name', '')} ({row['id']})" for row in found)
        raise InvalidArguments("gene", f"{gene!r} stands for several genes: {named}. Choose one", found[0]["id"])
    symbol = found[0].get("display_name", "")
    is_symbol = symbol.upper() == found[0]["matched_by"].upper()
    return found[0], "" if is_symbol else f"{gene!r} is a synonym or former symbol of {symbol}."


async def _gene_by_id(api: Api, stable_id: str, species: str) -> tuple[Json, str]:
    record = await known(api, f"/lookup/id/{stable_id}", stable_id)
    if record is None:
        return await retired(api, stable_id), ""
    matched(api, "gene", stable_id, record.get("id"))
    own = record.get("species", species)
    if species not in (HUMAN, own):
        raise InvalidArguments("species", f"{stable_id} is a gene of {own}, not of {species}", own)
    return record, "" if own == HUMAN else f"{stable_id} is a gene of {own}."


def unknown_gene(name: str, species: str) -> Answer:
    """Answer that there is no gene of that name."""
    note = f"Ensembl has no {species} gene with the symbol or synonym {name!r}. Check spelling and species."
    return unknown_id(name, note)


async def retired(api: Api, stable_id: str) -> Answer:
    """Answer for an id without a current record: its history, if it has one."""
    history = await known(api, f"/archive/id/{stable_id}", stable_id)
    if history is None:
        return unknown_id(stable_id, f"Ensembl never had a record {stable_id}.")
    successors = [row["stable_id"] for row in history.get("possible_replacement") or []]
    note = f"{stable_id} is retired: last seen in release {history.get('release')}, assembly {history.get('assembly')}."
    note += f" Possible successors: {', '.join(successors)}." if successors else " No successor is recorded."
    return unknown_id(stable_id, note, replacement=successors or None)
