"""Genes and transcripts: look-up by name or id, one or many, and the history of an id."""

from typing import Annotated, Any

from mcp_server.args import GeneSymbol, Limit, Offset, look_up_form
from mcp_server.envelope import Answer, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.ensembl.base import (
    GENE,
    GENE_PATTERN,
    AnswerAssembly,
    Species,
    VersionedId,
    filled,
    kept,
    known,
    matched,
    matched_assembly,
    on,
    page,
    platform,
    stable_id_form,
)
from mcp_server.platforms.ensembl.names import (
    GENE_ID,
    GeneName,
    gene_row,
    genes_called,
    genes_named,
    is_primary,
    one_gene,
    refuse_spreadsheet_date,
    retired,
    spellings,
    spreadsheet_date,
    unknown_gene,
)
from mcp_server.tool import Arg, Cite

Json = Any

VersionedGeneId = Annotated[
    str,
    Arg(
        "Ensembl gene id, with or without a version suffix.",
        "ENSG00000141736",
        rf"^{GENE_PATTERN}(\.\d+)?$",
        normalise=stable_id_form,
    ),
]
GeneNames = Annotated[
    list[str],
    Arg("Gene symbols or Ensembl gene ids; at most 200.", ["BRCA2", "BRAF"], max_items=200, normalise=look_up_form),
]
TRANSCRIPT_FIELDS = (
    "id",
    "version",
    "display_name",
    "biotype",
    "is_canonical",
    "gencode_primary",
    "length",
    "start",
    "end",
)


@platform.tool(
    core=True,
    example={"gene_symbol": "HER2"},
    cites=(GENE, Cite("ensembl", "candidates[]", "id", "display_name")),
    asks=(
        "where is a gene in the genome",
        "chromosome location of a gene",
        "gene symbol to ENSG",
        "Ensembl id of a gene",
        "old gene name to current symbol",
        "which chromosome is my gene on",
    ),
)
async def lookup_gene(api: Api, gene_symbol: GeneSymbol, species: Species = "homo_sapiens") -> Answer:
    """Gene symbol, alias or former symbol to its Ensembl gene: id, place on the genome, biotype, canonical transcript.
    First choice for one gene; for several use lookup_batch; for its ids in all databases myvariant__gene_resolve.

    One gene: id, display_name, description, biotype, seq_region_name, start, end, strand,
    assembly_name, canonical_transcript, query, matched_as ("symbol" or "synonym"). Several genes
    share the name: query, matched_as "ambiguous", candidates.
    """
    if GENE_ID.fullmatch(gene_symbol):
        gene: Answer = await get_gene(api, stable_id_form(gene_symbol))
        return gene
    refuse_spreadsheet_date(gene_symbol, "gene_symbol")
    genes, haplotypes = await genes_named(api, gene_symbol, species)
    return _gene_answer(gene_symbol, genes, haplotypes) if genes else unknown_gene(gene_symbol, species)


@platform.tool(
    example={"ensembl_id": "ENSG00000141736"},
    cites=GENE,
    asks=(
        "which gene is this ENSG",
        "gene symbol for an Ensembl id",
        "description and biotype of an Ensembl gene",
        "old or new name behind an ENSG number",
    ),
)
async def get_gene(api: Api, ensembl_id: VersionedGeneId) -> Answer:
    """Ensembl gene id to the gene: symbol, description, place, biotype. Retired ids name their successor. For a
    symbol or any other name use lookup_gene.
    """
    stable_id, _, version = ensembl_id.partition(".")
    record = await known(api, f"/lookup/id/{stable_id}", stable_id)
    if record is None:
        return await retired(api, stable_id)
    matched(api, "gene", stable_id, record.get("id"))
    current = record.get("version")
    note = f"{ensembl_id} was asked; the current version is {current}." if version and version != str(current) else ""
    return Answer(gene_row(record), note=note)


@platform.tool(
    example={"genes": ["BRCA2", "ENSG00000157764"]},
    cites=Cite("ensembl", "genes[]", "id", "display_name"),
    asks=(
        "list of gene symbols to Ensembl ids",
        "convert gene names in bulk",
        "many ENSG to symbols",
        "positions of a gene list",
    ),
)
async def lookup_batch(
    api: Api, genes: GeneNames, species: Species = "homo_sapiens", assembly: AnswerAssembly = "GRCh38"
) -> Answer:
    """Many at once (up to 200): approved gene symbols or Ensembl gene ids to genes with id, place and biotype.
    Synonyms and former symbols are not tried; for these use lookup_gene.

    genes: rows of lookup_gene with query; not_found: [{query, reason}].
    """
    api = on(api, assembly, species)
    sent = {name: stable_id_form(name).partition(".")[0] for name in genes if GENE_ID.fullmatch(name)}
    symbols = {name: spellings(name, species)[0] for name in genes if name not in sent and not spreadsheet_date(name)}
    found = await _by_keys(api, "/lookup/id", "ids", list(sent.values())) if sent else {}
    if symbols:
        found |= await _by_keys(api, f"/lookup/symbol/{species}", "symbols", list(symbols.values()))
    matched_assembly(api, [row for row in found.values() if row], assembly if species == "homo_sapiens" else None)
    located, missing = [], []
    for name in dict.fromkeys(genes):
        record = found.get(sent.get(name) or symbols.get(name, ""))
        if record and name in symbols and not is_primary(record):
            record = next(iter((await genes_called(api, name, species))[0]), record)
        if record:
            located.append({"query": name, **gene_row({**record, "species": _species(record, species)})})
        else:
            missing.append({"query": name, "reason": _missing_reason(name, name in sent)})
    if not located:
        return unknown_id(", ".join(genes), "; ".join(f"{row['query']}: {row['reason']}" for row in missing))
    note = f"{len(missing)} of {len(located) + len(missing)} were not found; see not_found." if missing else ""
    return rows(located, data={"genes": located, "not_found": missing}, note=note)


@platform.tool(
    example={"gene": "ENSG00000157764"},
    cites=(Cite("ensembl", "", "gene_id", "gene_symbol"), Cite("ensembl", "transcripts[]", "id", "display_name")),
    noise="del(.transcripts[].exons, .transcripts[].utr)",
    keep=(
        ".gene_id",
        ".transcripts[].id",
        ".transcripts[].biotype",
        ".transcripts[].is_canonical",
        ".transcripts[].protein_id",
        ".transcripts[].mane[].refseq_match",
    ),
    asks=(
        "splice variants of a gene",
        "canonical transcript, MANE Select",
        "ENST and NM numbers",
        "how many transcripts does a gene have",
        "exon structure",
        "does the gene make more than one product",
    ),
)
async def get_transcripts(
    api: Api,
    gene: GeneName,
    with_exons: Annotated[bool, Arg("Also the exons and untranslated regions with their positions.")] = False,
    mane_only: Annotated[bool, Arg("Only MANE Select and MANE Plus Clinical transcripts.")] = False,
    species: Species = "homo_sapiens",
    assembly: AnswerAssembly = "GRCh38",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Transcripts of one gene, canonical and MANE first: id, biotype, length, protein id, RefSeq match of MANE, exons
    on request. For the gene itself use lookup_gene.

    gene_id, gene_symbol, species, assembly_name, seq_region_name, strand, transcripts: [{id, version,
    display_name, biotype, is_canonical, length, start, end, protein_id, protein_length, mane: [{type,
    refseq_match}], exons, utr}].
    """
    api = on(api, assembly, species)
    found, note = await one_gene(api, gene, species)
    if isinstance(found, Answer):
        return found
    parameters = {"expand": 1, "mane": 1, "utr": 1 if with_exons else None}
    record = await api.get(f"/lookup/id/{found['id']}", parameters)
    matched(api, "gene", found["id"], record.get("id"))
    matched_assembly(api, [record], assembly if record.get("species") == "homo_sapiens" else None)
    transcripts = [_transcript(row, with_exons) for row in record.get("Transcript") or []]
    transcripts.sort(key=lambda row: (not row.get("is_canonical"), "mane" not in row, row["id"]))
    chosen = [row for row in transcripts if not mane_only or "mane" in row]
    if mane_only:
        note = f"{len(chosen)} of {len(transcripts)} transcripts are MANE. {note}".strip()
    elif not chosen:
        note = f"Ensembl lists no transcript of {record['id']}. {note}".strip()
    wrap = {"gene_id": record["id"], "gene_symbol": record.get("display_name")}
    wrap |= kept(record, ("species", "assembly_name", "seq_region_name", "strand"))
    return page(chosen, limit, offset, wrap=wrap, under="transcripts", note=note)


@platform.tool(
    example={"ensembl_id": "ENSG00000157764"},
    cites=Cite("ensembl", "", "id"),
    noise="del(.peptide)",
    keep=(
        ".id",
        ".latest",
        ".is_current",
        ".release",
        ".assembly",
        ".possible_replacement[].stable_id",
    ),
    asks=(
        "is this Ensembl id retired",
        "what replaced an old ENSG",
        "deprecated stable id",
        "my Ensembl id is not found any more",
    ),
)
async def get_id_history(api: Api, ensembl_id: VersionedId) -> Answer:
    """Whether an Ensembl gene, transcript or protein id is current, its latest version, last release and assembly,
    and what may replace it. For the record of a current id use get_gene.

    id, version, type, is_current, latest, release, assembly, possible_replacement: [{stable_id, score}].
    """
    record = await known(api, f"/archive/id/{ensembl_id}", ensembl_id.partition(".")[0])
    if record is None:
        return unknown_id(ensembl_id, f"Ensembl never had a record {ensembl_id}.")
    matched(api, "id", ensembl_id.partition(".")[0], str(record.get("id", "")).partition(".")[0])
    is_current = str(record.get("is_current") or "") == "1"
    successors = ", ".join(row["stable_id"] for row in record.get("possible_replacement") or [])
    note = "" if is_current else f"Not current: last in release {record.get('release')}, {record.get('assembly')}."
    if successors and not is_current:
        note += f" May be replaced by {successors}."
    return Answer({"query": ensembl_id, **record, "is_current": is_current}, note=note)


async def _by_keys(api: Api, path: str, key: str, names: list[str]) -> dict[str, Json]:
    """Return the records of a batch look-up by the name that was sent; unknown ones are left out or null."""
    found: dict[str, Json] = await api.post(path, {key: list(dict.fromkeys(names))})
    for name, record in found.items():
        if key == "ids" and record:
            matched(api, "id", name, record.get("id"))
    return found


def _species(record: Json, asked: str) -> str:
    """Return a record's species; the batch look-up echoes the word of the request, so it may be an alias."""
    return asked if record.get("species") in (None, "human") else str(record["species"])


def _missing_reason(name: str, is_id: bool) -> str:
    if meant := spreadsheet_date(name):
        return f"looks like a gene name that a spreadsheet turned into a date; {meant} may be meant"
    if is_id:
        return "no current record of this id; get_id_history tells what became of it"
    return "no approved symbol; lookup_gene also knows synonyms and former symbols"


def _transcript(record: Json, with_exons: bool) -> Json:
    row = kept(record, TRANSCRIPT_FIELDS)
    protein = record.get("Translation") or {}
    row |= {"protein_id": protein["id"]} if protein.get("id") else {}
    row |= {"protein_length": protein["length"]} if protein.get("length") else {}
    if mane := [kept(match, ("type", "refseq_match")) for match in record.get("MANE") or []]:
        row["mane"] = mane
    if with_exons:
        dropped = (
            "db_type",
            "object_type",
            "species",
            "assembly_name",
            "seq_region_name",
            "strand",
            "source",
            "Parent",
        )
        row["exons"] = [filled(part, dropped) for part in record.get("Exon") or []]
        row["utr"] = [
            {**filled(part, (*dropped, "id")), "kind": part.get("object_type")} for part in record.get("UTR") or []
        ]
    return row


def _gene_answer(query: str, genes: list[Json], haplotypes: int) -> Answer:
    notes = [f"{haplotypes} more ids of this name lie on alternative haplotypes."] if haplotypes else []
    if len(genes) > 1:
        names = ", ".join(gene.get("display_name", gene["id"]) for gene in genes)
        notes.insert(0, f"{query!r} stands for several genes: {names}. Choose one.")
        data = {"query": query, "matched_as": "ambiguous", "candidates": [gene_row(gene) for gene in genes]}
        return Answer(data, total=len(genes), returned=len(genes), note=" ".join(notes))
    gene = genes[0]
    symbol = gene.get("display_name", "")
    is_symbol = symbol.upper() == gene["matched_by"].upper()
    if not is_symbol:
        notes.insert(0, f"{query!r} is a synonym or former symbol; the approved symbol is {symbol}.")
    data = {"query": query, "matched_as": "symbol" if is_symbol else "synonym", **gene_row(gene)}
    return Answer(data, note=" ".join(notes))
