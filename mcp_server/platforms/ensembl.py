"""Ensembl: genes, variants and their predicted consequences, cross references.

REST/JSON at rest.ensembl.org (GRCh38) and grch37.rest.ensembl.org, no key, 55,000 requests an hour.
What it does not know it answers with 400 and a text that names what was asked; a 429 is plain text.
Symbols are case-sensitive, and one gene may have further ids on alternative haplotypes.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import EnsemblId, GeneSymbol, Rsid, gene_symbol_form, look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError, UpstreamNotFound, UpstreamRefused
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

platform = Platform(
    "ensembl",
    title="Ensembl",
    base_url="https://rest.ensembl.org",
    docs="https://rest.ensembl.org/documentation",
    licence="EMBL-EBI terms of use, no restriction",
    rate=Rate(10),
    hosts=("grch37.rest.ensembl.org",),
)

_GENE = Cite("ensembl", "", "id", "display_name")

Species = Annotated[
    str,
    Arg(
        "Species as Ensembl names it.",
        "mus_musculus",
        r"^[a-z0-9_]+$",
        normalise=lambda text: text.lower().replace(" ", "_"),
    ),
]
VersionedGeneId = Annotated[
    str,
    Arg(
        "Ensembl gene id, with or without a version suffix.",
        "ENSG00000141736",
        r"^ENS[A-Z]*G\d{11}(\.\d+)?$",
        normalise=str.upper,
    ),
]
VariantName = Annotated[
    str,
    Arg(
        "Variant as rsID, HGVS name, or position with alleles (chromosome-position-reference-alternate).",
        "ENST00000288602:c.1799T>A",
        normalise=look_up_form,
    ),
]
Assembly = Annotated[
    Literal["GRCh38", "GRCh37"] | None,
    Arg("Genome assembly of the coordinates; required for genomic HGVS names and positions."),
]
ExternalDb = Annotated[str | None, Arg("Only this database, by Ensembl's name for it.", "HGNC")]

GRCH37 = "https://grch37.rest.ensembl.org"
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
TRANSCRIPT_FIELDS = (
    "gene_id",
    "gene_symbol",
    "transcript_id",
    "biotype",
    "canonical",
    "mane_select",
    "consequence_terms",
    "impact",
    "hgvsc",
    "hgvsp",
    "amino_acids",
    "codons",
    "protein_start",
    "protein_end",
    "variant_allele",
    "sift_prediction",
    "sift_score",
    "polyphen_prediction",
    "polyphen_score",
    "distance",
)
PLACE_FIELDS = (
    "id",
    "input",
    "assembly_name",
    "seq_region_name",
    "start",
    "end",
    "strand",
    "allele_string",
    "most_severe_consequence",
)
COLOCATED_FIELDS = ("id", "allele_string", "clin_sig", "clin_sig_allele", "somatic")

_GENE_ID = re.compile(r"ENS[A-Z]*G\d{11}(\.\d+)?", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"CHR_|HSCHR|PATCH|HG\d+_", re.IGNORECASE)
_DATE = re.compile(r"(\d{1,2})-(mar|sep|dec)", re.IGNORECASE)
# Families whose old symbols (MARCH1, MARC1, SEPT6, DEC1) spreadsheets turn into dates.
_DATE_FAMILIES = {"mar": ("MARCHF", "MTARC"), "sep": ("SEPTIN",), "dec": ("DELEC",)}
_POSITION = re.compile(
    r"(?:chr)?(?P<chromosome>[0-9]{1,2}|X|Y|MT?)[-:_ ](?P<position>\d+)[-:_ ]?(?P<ref>[ACGT]+)[-:_ >/](?P<alt>[ACGT]+)",
    re.IGNORECASE,
)


@platform.tool(
    core=True, example={"gene_symbol": "HER2"}, cites=(_GENE, Cite("ensembl", "candidates[]", "id", "display_name"))
)
async def lookup_gene(api: Api, gene_symbol: GeneSymbol, species: Species = "homo_sapiens") -> Answer:
    """Gene symbol, alias or former symbol to its Ensembl gene: id, place on the genome, biotype, canonical transcript.

    One gene: id, display_name, description, biotype, seq_region_name, start, end, strand,
    assembly_name, canonical_transcript, query, matched_as ("symbol" or "synonym"). Several genes
    share the name: query, matched_as "ambiguous", candidates.
    """
    if _GENE_ID.fullmatch(gene_symbol):
        gene: Answer = await get_gene(api, gene_symbol.upper())
        return gene
    _refuse_spreadsheet_date(gene_symbol)
    # "HER2/neu" is one gene by two names; "BRCA1/BRCA2" are two genes.
    genes: dict[str, Json] = {}
    haplotypes = 0
    for name in filter(None, (part.strip() for part in gene_symbol.split("/"))):
        found, skipped = await _genes_called(api, name, species)
        genes |= {gene["id"]: gene for gene in found}
        haplotypes += skipped
    if not genes:
        return unknown_id(
            gene_symbol,
            f"Ensembl has no {species} gene with the symbol or synonym {gene_symbol!r}. Check spelling and species.",
        )
    return _gene_answer(gene_symbol, list(genes.values()), haplotypes)


@platform.tool(example={"ensembl_id": "ENSG00000141736"}, cites=_GENE)
async def get_gene(api: Api, ensembl_id: VersionedGeneId) -> Answer:
    """Ensembl gene id to the gene: symbol, description, place, biotype. Retired ids name their successor."""
    stable_id, _, version = ensembl_id.partition(".")
    record = await _known(api, f"/lookup/id/{stable_id}", stable_id)
    if record is None:
        return await _retired(api, stable_id)
    current = record.get("version")
    note = f"{ensembl_id} was asked; the current version is {current}." if version and version != str(current) else ""
    return Answer(_gene(record), note=note)


@platform.tool(core=True, example={"rsid": "rs113488022"}, cites=Cite("rsid", "", "name"), noise="del(.evidence)")
async def get_variant(api: Api, rsid: Rsid) -> Answer:
    """One rsID: place, alleles, gene, most severe consequence, clinical significance, minor allele frequency.

    Ensembl's record (name, mappings, most_severe_consequence, clinical_significance, MAF,
    minor_allele, synonyms) and genes: [{gene_id, gene_symbol, consequence_terms}], null when that
    part failed.
    """
    record = await _known(api, f"/variation/homo_sapiens/{rsid}", rsid)
    if record is None:
        return unknown_id(rsid, f"Ensembl has no variant {rsid}.")
    notes = []
    if record.get("name") not in (None, rsid):
        notes.append(f"{rsid} was merged into {record['name']}; use that number with other databases.")
    try:
        # Ensembl's record names no gene.
        genes = _affected_genes(await _known(api, f"/vep/homo_sapiens/id/{rsid}", rsid) or [])
    except UpstreamError as error:
        genes = None
        notes.append(f"The genes are not known, because that request failed: {error}.")
    return Answer({"query": rsid, **record, "genes": genes}, note=" ".join(notes))


@platform.tool(
    example={"variant": "7-140453136-A-T", "assembly": "GRCh37"},
    cites=Cite("ensembl", "[].transcript_consequences[]", "gene_id", "gene_symbol"),
)
async def predict_variant(api: Api, variant: VariantName, assembly: Assembly = None) -> Answer:
    """Predicted consequences (VEP) of a variant by rsID, HGVS name or position, on canonical and MANE transcripts.

    Rows, one a place: id, assembly_name, seq_region_name, start, end, allele_string,
    most_severe_consequence, transcript_consequences, transcripts_total, colocated_variants.
    """
    path = _vep_path(variant, assembly)
    options = {"canonical": 1, "hgvs": 1, "mane": 1, "protein": 1}
    base = GRCH37 if assembly == "GRCh37" else None
    is_rsid = re.fullmatch(r"rs\d+", variant, re.IGNORECASE) is not None
    if is_rsid:
        found = await _known(api, path, variant, options, base)
    else:
        # A 400 on a notation says what is wrong with it: that is for the caller to correct.
        found = await api.get(path, options, base=base)
    if found is None:
        return unknown_id(variant, f"Ensembl has no variant {variant}.")
    return rows([_prediction(place) for place in found])


@platform.tool(example={"ensembl_id": "ENSG00000157764", "external_db": "HGNC"})
async def get_cross_references(api: Api, ensembl_id: EnsemblId, external_db: ExternalDb = None) -> Answer:
    """Ids in other databases (HGNC, NCBI Gene, MIM, UniProt, RefSeq) of an Ensembl gene, transcript or protein.

    Rows: dbname, primary_id, display_id, description, synonyms.
    """
    found = await _known(api, f"/xrefs/id/{ensembl_id}", ensembl_id, {"external_db": external_db})
    if found is None:
        return unknown_id(ensembl_id, f"Ensembl has no current record {ensembl_id}.")
    if not found:
        where = f"in {external_db!r}; an unknown database name gives nothing either" if external_db else "at all"
        return empty(f"{ensembl_id} has no cross reference {where}.", data=[])
    fields = ("dbname", "primary_id", "display_id", "description", "synonyms")
    return rows([_kept(row, fields) for row in found], citations=[Citation("ensembl", ensembl_id)])


async def _known(
    api: Api, path: str, asked: str, parameters: dict[str, Json] | None = None, base: str | None = None
) -> Json:
    """Return the JSON at `path`, or None when Ensembl says that it does not know `asked`.

    Every refusal is a 400; only its text tells "unknown" (it names what was asked) from a fault
    in the request or the service.
    """
    try:
        return await api.get(path, parameters, base=base)
    except (UpstreamRefused, UpstreamNotFound) as error:
        if asked.lower() in error.message.lower():
            return None
        raise


async def _genes_called(api: Api, name: str, species: str) -> tuple[list[Json], int]:
    """Return the genes of that name and how many ids on alternative haplotypes were passed over."""
    for spelling in _spellings(name, species):
        path = quote(spelling, safe="")
        record = await _known(api, f"/lookup/symbol/{species}/{path}", spelling)
        if record is not None and _is_primary(record):
            return [{**record, "matched_by": spelling}], 0
        named = await _known(api, f"/xrefs/symbol/{species}/{path}", spelling, {"object_type": "gene"}) or []
        # LRG rows name the same gene in another numbering.
        ids = [row["id"] for row in named if not row["id"].startswith("LRG_")]
        if ids:
            found = await api.post("/lookup/id", {"ids": ids})
            return _best([gene for gene in found.values() if gene], spelling)
        if record is not None:
            return [{**record, "matched_by": spelling}], 0
    return [], 0


def _spellings(name: str, species: str) -> list[str]:
    """Return the spellings to try, the most exact first."""
    usual = gene_symbol_form(name) if species in ("homo_sapiens", "human") else name
    return list(dict.fromkeys([usual, re.sub(r"[- ]", "", usual)]))


def _is_primary(gene: Json) -> bool:
    return not _ALTERNATIVE.search(gene.get("seq_region_name", ""))


def _best(genes: Sequence[Json], spelling: str) -> tuple[list[Json], int]:
    """Keep genes on primary chromosomes, and among them the approved symbol before synonyms."""
    primary = [gene for gene in genes if _is_primary(gene)] or list(genes)
    approved = [gene for gene in primary if gene.get("display_name", "").upper() == spelling.upper()]
    kept = [{**gene, "matched_by": spelling} for gene in approved or primary]
    return kept, len(genes) - len(primary)


def _gene_answer(query: str, genes: Sequence[Json], haplotypes: int) -> Answer:
    notes = [f"{haplotypes} more ids of this name lie on alternative haplotypes."] if haplotypes else []
    if len(genes) > 1:
        names = ", ".join(gene.get("display_name", gene["id"]) for gene in genes)
        notes.insert(0, f"{query!r} stands for several genes: {names}. Choose one.")
        data = {"query": query, "matched_as": "ambiguous", "candidates": [_gene(gene) for gene in genes]}
        return Answer(data, total=len(genes), returned=len(genes), note=" ".join(notes))
    gene = genes[0]
    symbol = gene.get("display_name", "")
    is_symbol = symbol.upper() == gene["matched_by"].upper()
    if not is_symbol:
        notes.insert(0, f"{query!r} is a synonym or former symbol; the approved symbol is {symbol}.")
    data = {"query": query, "matched_as": "symbol" if is_symbol else "synonym", **_gene(gene)}
    return Answer(data, note=" ".join(notes))


async def _retired(api: Api, stable_id: str) -> Answer:
    """Answer for an id without a current record: its history, if it has one."""
    history = await _known(api, f"/archive/id/{stable_id}", stable_id)
    if history is None:
        return unknown_id(stable_id, f"Ensembl never had a gene {stable_id}.")
    successors = [row["stable_id"] for row in history.get("possible_replacement") or []]
    note = f"{stable_id} is retired: last seen in release {history.get('release')}, assembly {history.get('assembly')}."
    note += f" Possible successors: {', '.join(successors)}." if successors else " No successor is recorded."
    return unknown_id(stable_id, note, replacement=successors or None)


def _refuse_spreadsheet_date(name: str) -> None:
    date = _DATE.fullmatch(name)
    if date:
        number, families = int(date[1]), _DATE_FAMILIES[date[2].lower()]
        meant = " or ".join(f"{family}{number}" for family in families)
        message = f"{name!r} looks like a gene name that a spreadsheet turned into a date; {meant} may be meant"
        raise InvalidArguments("gene_symbol", message, f"{families[0]}{number}")


def _vep_path(variant: str, assembly: str | None) -> str:
    """Return the VEP path for an rsID, a position with alleles, or an HGVS name."""
    if re.fullmatch(r"rs\d+", variant, re.IGNORECASE):
        return f"/vep/homo_sapiens/id/{variant.lower()}"
    position = _POSITION.fullmatch(variant)
    if (position or ":g." in variant) and assembly is None:
        raise InvalidArguments("assembly", "a position means nothing without its genome assembly", "GRCh38")
    if position:
        chromosome, start = position["chromosome"].upper(), int(position["position"])
        end = start + len(position["ref"]) - 1
        return f"/vep/homo_sapiens/region/{chromosome}:{start}-{end}:1/{position['alt'].upper()}"
    if not re.search(r":[cgmnpr]\.", variant):
        raise InvalidArguments(
            "variant", f"{variant!r} is no rsID, HGVS name or position with alleles", "7-140753336-A-T"
        )
    return f"/vep/homo_sapiens/hgvs/{quote(variant.removeprefix('chr'), safe='')}"


def _prediction(place: Json) -> Json:
    """Keep of a VEP answer what tells consequences: canonical and MANE transcripts, or all where none is marked."""
    transcripts = place.get("transcript_consequences") or []
    marked = [row for row in transcripts if row.get("canonical") or row.get("mane_select")] or transcripts
    return {
        **_kept(place, PLACE_FIELDS),
        "transcript_consequences": [_kept(row, TRANSCRIPT_FIELDS) for row in marked],
        "transcripts_total": len(transcripts),
        "colocated_variants": [_kept(row, COLOCATED_FIELDS) for row in place.get("colocated_variants") or []],
    }


def _affected_genes(places: Sequence[Json]) -> list[Json]:
    """Return each gene of a VEP answer once, with the consequences on all its transcripts."""
    genes: dict[str, Json] = {}
    for place in [place for place in places if _is_primary(place)] or places:
        for row in place.get("transcript_consequences") or []:
            gene = genes.setdefault(
                row["gene_id"],
                {"gene_id": row["gene_id"], "gene_symbol": row.get("gene_symbol"), "consequence_terms": []},
            )
            new = [term for term in row.get("consequence_terms", []) if term not in gene["consequence_terms"]]
            gene["consequence_terms"] += new
    return list(genes.values())


def _gene(record: Json) -> Json:
    return _kept(record, GENE_FIELDS)


def _kept(record: Json, fields: Iterable[str]) -> Json:
    """Return the named fields that are there and not empty."""
    return {name: record[name] for name in fields if record.get(name) not in (None, [], "")}
