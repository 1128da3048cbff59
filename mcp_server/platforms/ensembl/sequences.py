"""Sequences of records and regions, and positions carried from one coordinate system to another."""

from typing import Annotated, Any, Literal

from mcp_server.args import EnsemblId
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamNotFound
from mcp_server.platforms.ensembl.base import (
    AnswerAssembly,
    Region,
    RegionAssembly,
    Species,
    bounds,
    is_human,
    known,
    matched,
    matched_assembly,
    on_id,
    on_region,
    page,
    platform,
    region_words,
)
from mcp_server.tool import Arg, Cite

Json = Any

SHOWN_MAX = 5_000
SEQUENCE_REGION_MAX = 10_000_000
FLANK_MAX = 1_000_000

Flank = Annotated[int | None, Arg("Bases to add on this side.", minimum=1, maximum=FLANK_MAX)]
Mapped = Annotated[Literal["GRCh38", "GRCh37"], Arg("Human genome assembly.")]


@platform.tool(
    example={"ensembl_id": "ENSP00000288602", "type": "protein"},
    cites=Cite("ensembl", "[]", "id"),
    asks=(
        "cDNA of a transcript",
        "coding sequence in FASTA",
        "protein sequence of an ENSP",
        "upstream promoter sequence of a gene",
        "mRNA sequence",
    ),
)
async def get_sequence(
    api: Api,
    ensembl_id: EnsemblId,
    type: Annotated[
        Literal["genomic", "cdna", "cds", "protein"] | None,
        Arg("Which sequence; left out, genomic for genes and transcripts and protein for proteins."),
    ] = None,
    start: Annotated[int | None, Arg("First position, counted on the sequence itself.", minimum=1)] = None,
    end: Annotated[int | None, Arg("Last position, counted on the sequence itself.", minimum=1)] = None,
    expand_5prime: Flank = None,
    expand_3prime: Flank = None,
    assembly: AnswerAssembly = "GRCh38",
) -> Answer:
    """DNA, cDNA, CDS or protein sequence of an Ensembl gene, transcript or protein id, with flanks or a part of it.
    Amino acids of a UniProt accession or isoform: uniprot__get_sequence; sequence of a region: get_region_sequence.

    Rows (a gene has one for each of its transcripts, but one genomic): id, molecule, description, seq (at most 5,000
    letters), from, length (of what was asked for).
    """
    _refuse_mixed(ensembl_id, type, start, end, (expand_5prime, expand_3prime))
    is_gene = _kind(ensembl_id) == "G"
    several = is_gene and type in ("cdna", "cds", "protein")
    if several and (start or end):
        raise InvalidArguments("start", f"a gene has several {type} sequences; ask for a part of one transcript")
    parameters = {
        "type": type,
        "start": start,
        "end": end,
        "expand_5prime": expand_5prime,
        "expand_3prime": expand_3prime,
        "multiple_sequences": 1 if several else None,
    }
    api = on_id(api, assembly, ensembl_id)
    try:
        found = await known(api, f"/sequence/id/{ensembl_id}", ensembl_id, parameters)
    except UpstreamNotFound as error:
        if "no results" not in error.message.lower():
            raise
        return empty(f"{ensembl_id} has no {type or 'genomic'} sequence; a transcript need not be coding.", data=[])
    if found is None:
        return unknown_id(ensembl_id, f"Ensembl has no current record {ensembl_id}.")
    sequences = found if isinstance(found, list) else [found]
    for sequence in sequences:
        matched(api, "record", ensembl_id, str(sequence.get("query", ensembl_id)).partition(".")[0])
        matched(api, "molecule", _molecule(ensembl_id, type), sequence.get("molecule"))
        if is_human(ensembl_id) and str(sequence.get("desc")).startswith("chromosome:"):
            matched(api, "assembly", assembly, sequence["desc"].split(":")[1])
    shown = [_shown(sequence, start or 1) for sequence in sequences]
    longest = max((row["length"] for row in shown), default=0)
    if longest <= SHOWN_MAX:
        return rows(shown)
    note = f"The longest sequence has {longest:,} letters; the first {SHOWN_MAX:,} of each are shown."
    if several or expand_5prime or expand_3prime:
        return rows(shown, note=f"{note} Ask for a part of one transcript with start and end.")
    first = start or 1
    last = first + longest - 1
    return rows(shown, note=note, next={"start": first + SHOWN_MAX, "end": last})


@platform.tool(
    example={"region": "X:1000000-1000100", "assembly": "GRCh38"},
    asks=(
        "reference sequence of chr1 from to",
        "genomic DNA of a locus",
        "bases around a position",
        "flanking sequence of a SNP for primers",
        "letters of the DNA around a position",
    ),
)
async def get_region_sequence(
    api: Api,
    region: Region,
    assembly: RegionAssembly = None,
    mask: Annotated[Literal["hard", "soft"] | None, Arg("Repeats as N (hard) or in lower case (soft).")] = None,
    expand_5prime: Flank = None,
    expand_3prime: Flank = None,
    species: Species = "homo_sapiens",
) -> Answer:
    """DNA sequence of a region of a chromosome, with flanks or masked repeats; longer than 5,000 bases in parts.
    For the sequence of an Ensembl id use get_sequence.

    region, assembly_name, species, seq, length (of what was asked for).
    """
    name, start, end = bounds(region, SEQUENCE_REGION_MAX)
    api = on_region(api, assembly, species)
    strand = -1 if region.endswith(":-1") else 1
    path = f"/sequence/region/{species}/{name}:{start}..{end}:{strand}"
    parameters = {"mask": mask, "expand_5prime": expand_5prime, "expand_3prime": expand_3prime}
    try:
        found = await known(api, path, region_words(name, start, end), parameters)
    except UpstreamNotFound as error:
        if "no results" not in error.message.lower():
            raise
        found = None
    if found is None:
        return unknown_id(region, f"{species} has no region {region}.")
    _, version, place, *_ = f"{found.get('id', '')}:::".split(":")
    matched(api, "chromosome", name, place or name)
    if assembly:
        matched(api, "assembly", assembly, version)
    sequence = found.get("seq", "")
    data = {
        "region": region,
        "assembly_name": version or None,
        "species": species,
        "seq": sequence[:SHOWN_MAX],
        "length": len(sequence),
    }
    flanked = bool(expand_5prime or expand_3prime)
    if len(sequence) <= SHOWN_MAX:
        return Answer(data)
    note = f"The first {SHOWN_MAX:,} of {len(sequence):,} bases."
    if flanked:
        return Answer(data, note=f"{note} Ask for the rest as a region without flanks.")
    rest = f"{name}:{start + SHOWN_MAX}-{end}" if strand == 1 else f"{name}:{start}-{end - SHOWN_MAX}:-1"
    return Answer(data, note=note, next={"region": rest})


@platform.tool(
    example={"region": "X:1000000-1000100", "from_assembly": "GRCh37", "to_assembly": "GRCh38"},
    asks=(
        "liftover hg19 to hg38",
        "convert genome build",
        "GRCh37 coordinates on GRCh38",
        "old build to new build",
    ),
)
async def map_assembly(api: Api, region: Region, from_assembly: Mapped, to_assembly: Mapped) -> Answer:
    """Liftover: human coordinates from GRCh37 (hg19) to GRCh38 (hg38) or back, for a region or one position. Positions
    of a transcript or protein: map_to_genome.

    Rows, one a mapped piece: original and mapped, each assembly, seq_region_name, start, end, strand.
    """
    if from_assembly == to_assembly:
        other = "GRCh37" if from_assembly == "GRCh38" else "GRCh38"
        raise InvalidArguments("to_assembly", f"both assemblies are {from_assembly}; nothing is to be mapped", other)
    name, start, end = bounds(region, 300_000_000)
    strand = -1 if region.endswith(":-1") else 1
    path = f"/map/homo_sapiens/{from_assembly}/{name}:{start}..{end}:{strand}/{to_assembly}"
    found = await known(api, path, region_words(name, start, end))
    if found is None:
        return unknown_id(region, f"{from_assembly} has no region {region}.")
    mappings = found.get("mappings") or []
    for row in mappings:
        matched(api, "assembly", from_assembly, row["original"].get("assembly"))
        matched(api, "assembly", to_assembly, row["mapped"].get("assembly"))
    covered = sum(row["original"]["end"] - row["original"]["start"] + 1 for row in mappings)
    note = f"Nothing of {from_assembly} {region} is in {to_assembly}." if not mappings else ""
    if mappings and covered < end - start + 1:
        note = f"Only {covered:,} of {end - start + 1:,} bases are in {to_assembly}."
    return rows(mappings, note=note)


@platform.tool(
    example={"ensembl_id": "ENST00000288602", "space": "cdna", "start": 100, "end": 300},
    asks=(
        "amino acid position to chromosome coordinates",
        "cDNA position to genome",
        "codon of an ENSP residue",
        "protein coordinates to genomic",
        "which base belongs to this residue",
    ),
)
async def map_to_genome(
    api: Api,
    ensembl_id: EnsemblId,
    space: Annotated[Literal["cdna", "cds", "translation"], Arg("What the positions are counted on.")],
    start: Annotated[int, Arg("First position.", 100, minimum=1)],
    end: Annotated[int, Arg("Last position.", 300, minimum=1)],
    assembly: AnswerAssembly = "GRCh38",
) -> Answer:
    """Positions on a cDNA or CDS (ENST) or a protein (ENSP) to positions on the genome. For residues of a UniProt
    accession use uniprot__get_genomic_coordinates; between assemblies map_assembly.

    Rows, one an exon: assembly_name, seq_region_name, start, end, strand, gap (1 where nothing is mapped), rank.
    """
    kind = "P" if space == "translation" else "T"
    if _kind(ensembl_id) != kind:
        example = "ENSP00000288602" if kind == "P" else "ENST00000288602"
        raise InvalidArguments("ensembl_id", f"positions of a {space} need an id like {example}", example)
    if end < start:
        raise InvalidArguments("end", f"{end} lies before start, {start}", start)
    api = on_id(api, assembly, ensembl_id)
    found = await known(api, f"/map/{space}/{ensembl_id}/{start}..{end}", ensembl_id)
    if found is None:
        return unknown_id(ensembl_id, f"Ensembl has no current record {ensembl_id}.")
    mappings = found.get("mappings") or []
    placed = [row for row in mappings if not row.get("gap")]
    matched_assembly(api, placed, assembly if is_human(ensembl_id) else None)
    note = "" if mappings else f"{start}-{end} lies outside {ensembl_id}."
    return page(mappings, max(len(mappings), 1), note=note, citations=[Citation("ensembl", ensembl_id)])


def _kind(ensembl_id: str) -> str:
    """Return G, T, P or E: the letter before the number, after the letters of the species."""
    return ensembl_id[-12]


def _refuse_mixed(
    ensembl_id: str, type: str | None, start: int | None, end: int | None, flanks: tuple[int | None, int | None]
) -> None:
    if _kind(ensembl_id) == "P" and type not in (None, "protein"):
        raise InvalidArguments("type", f"{ensembl_id} is a protein; its {type} belongs to its transcript", "protein")
    if _kind(ensembl_id) == "E" and type not in (None, "genomic"):
        raise InvalidArguments("type", f"{ensembl_id} is an exon and has only a genomic sequence", "genomic")
    if start and end and end < start:
        raise InvalidArguments("end", f"{end} lies before start, {start}", start)
    if any(flanks) and (start or end):
        raise InvalidArguments("expand_5prime", "flanks go with the whole sequence, not with start and end")
    if any(flanks) and (type in ("protein", "cds", "cdna") or _kind(ensembl_id) == "P"):
        raise InvalidArguments("expand_5prime", f"only a genomic sequence has flanks, not {type or 'protein'}")


def _molecule(ensembl_id: str, type: str | None) -> str:
    return "protein" if type == "protein" or _kind(ensembl_id) == "P" else "dna"


def _shown(sequence: Json, first: int) -> Json:
    letters = sequence.get("seq", "")
    row = {"id": sequence.get("id"), "molecule": sequence.get("molecule"), "description": sequence.get("desc")}
    return {**row, "from": first, "seq": letters[:SHOWN_MAX], "length": len(letters)}
