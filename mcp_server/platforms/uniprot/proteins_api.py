"""EBI's Proteins API over UniProt: large-scale variants, genome positions, peptides, epitopes.

REST/JSON at www.ebi.ac.uk/proteins/api; XML unless JSON is asked for. A protein without such data is a
404 as an unknown one is, so UniProt itself is asked which it is. Positions come as texts.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from mcp_server.args import Limit, Offset, ProteinChange, UniProtAccession
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.uniprot.base import platform, sliced
from mcp_server.platforms.uniprot.entry import IDENTITY_FIELDS, fetch_entry, identity, nothing
from mcp_server.tool import Arg, Cite

Json = Any

BASE = "https://www.ebi.ac.uk/proteins/api"
HOST = "www.ebi.ac.uk"
PROTEIN = Cite("uniprot", "", "accession", "geneName")
NO_LINKS = "del(.variants[]? | .evidences, .ftId, .locations, .xrefs[]?.url)"

Position = Annotated[int | None, Arg("Residue of the canonical sequence.", 600, minimum=1)]


@platform.tool(
    example={"accession": "P15056", "position": 600},
    cites=PROTEIN,
    noise=NO_LINKS,
    keep=(
        ".accession",
        ".variants[].begin",
        ".variants[].alternativeSequence",
        ".variants[].clinicalSignificances",
        ".variants[].frequency",
        ".variants[].polyphenScore",
        ".variants[].siftScore",
        ".variants[].xrefs[].id",
    ),
    asks=(
        "gnomAD missense variants of a protein",
        "all known variants by residue",
        "cancer mutations of a protein from COSMIC",
        "large-scale variation",
    ),
)
async def get_population_variants(
    api: Api,
    accession: UniProtAccession,
    position: Position = None,
    change: ProteinChange | None = None,
    clinical_significance: Annotated[str | None, Arg("Only variants with this word in it.", "pathogenic")] = None,
    disease: Annotated[str | None, Arg("Only variants linked to a disease with these words.", "melanoma")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Large-scale variants of a protein from gnomAD, ClinVar, COSMIC and TOPMed, with clinical significance,
    frequencies and predictions, by residue. Only the curated ones: get_variants; one variant by rsID or genomic id:
    myvariant__variant_get.

    variants: [{begin, end, wildType, mutatedType, xrefs, genomicLocation (HGVS, names its reference sequence),
    clinicalSignificances, predictions, populationFrequencies, association}].
    """
    location = f"{position}-{position}" if position else None
    found = await _protein_record(api, f"/variation/{_canonical(accession)}", accession, {"location": location})
    if isinstance(found, Answer):
        return found
    every = found.get("features") or []
    words = (clinical_significance or "").lower(), (disease or "").lower()
    wanted = [row for row in every if _wanted(row, position, change, *words)]
    data = _identity(found)
    note = _isoform_note(accession)
    if not wanted:
        note = f"None of the {len(every)} variants that were read meets the filters. {note}".strip()
    return sliced(wanted, limit, offset, data, "variants", note)


@platform.tool(
    example={"accession": "O00560", "position": 69},
    cites=PROTEIN,
    asks=(
        "genomic location of a residue",
        "which codon encodes amino acid 600",
        "protein position to chromosome",
        "exon boundaries of a protein",
    ),
)
async def get_genomic_coordinates(api: Api, accession: UniProtAccession, position: Position = None) -> Answer:
    """Where a protein or one of its residues lies on the genome: chromosome, assembly, exons or codon, Ensembl ids; by
    UniProt accession. From an Ensembl transcript or protein use ensembl__map_to_genome.

    transcripts: [{ensemblGeneId, ensemblTranscriptId, ensemblTranslationId, assemblyName, chromosome, strand,
    start, end, exons, or codon (of `position`: start, end)}].
    """
    canonical = _canonical(accession)
    found = await _get(api, "/coordinates", {"accession": canonical})
    if not found:
        return await _nothing(api, accession, "genome position")
    if len(found) != 1 or found[0]["accession"] != canonical:
        named = ", ".join(row["accession"] for row in found)
        raise UpstreamBadResponse(HOST, f"asked for the coordinates of {canonical}, got {named}")
    record = found[0]
    length = len(record.get("sequence") or "")
    places = [_place(row, length, position) for row in record.get("gnCoordinate") or []]
    notes = [_isoform_note(accession)]
    if position and position > length:
        missing = f"{canonical} has {length} residues; there is no residue {position}."
        return rows([], data=_identity(record) | {"length": length}, note=missing)
    if any(row["assemblyName"] is None for row in places):
        notes.append("Where assemblyName is null, the database does not tell the assembly.")
    data = _identity(record) | {"length": length, "transcripts": places}
    return rows(places, data=data, note=" ".join(note for note in notes if note))


@platform.tool(
    example={"accession": "Q653S1"},
    cites=PROTEIN,
    noise="del(.sites[]?.datasets[]?.universalSpectrumId)",
    keep=(
        ".accession",
        ".sites[].position",
        ".sites[].residue",
        ".sites[].name",
        ".sites[].datasets[].id",
        ".sites[].datasets[].confidence",
    ),
    asks=(
        "phosphosites from mass spectrometry",
        "phosphoproteomics",
        "ubiquitination, acetylation seen in proteomics data",
    ),
)
async def get_proteomics_ptms(
    api: Api, accession: UniProtAccession, position: Position = None, limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """Modified residues of a protein (phosphorylation, ubiquitination sites) seen by mass spectrometry, with data sets
    and confidence, by UniProt accession. For curated modifications use get_features.

    sites: [{position, residue, name, sources, peptides, datasets: [{id, pubmed, confidence, siteProbability}]}].
    """
    found = await _protein_record(api, f"/proteomics/ptm/{_canonical(accession)}", accession)
    if isinstance(found, Answer):
        return found
    sites = [row for row in _sites(found) if position in (None, row["position"])]
    note = (
        _isoform_note(accession) if sites else f"No modified residue was seen{f' at {position}' if position else ''}."
    )
    return sliced(sites, limit, offset, _identity(found), "sites", note)


@platform.tool(
    example={"accession": "P01116"},
    cites=PROTEIN,
    noise="del(.. | .evidences?)",
    keep=(
        ".accession",
        ".features[].type",
        ".features[].begin",
        ".features[].end",
        ".features[].xrefs[].id",
    ),
    asks=(
        "T cell and B cell epitopes",
        "where do antibodies bind",
        "immunogenic peptides, vaccine",
        "antigen used for an antibody",
        "which stretch of the protein do antibodies see",
    ),
)
async def get_epitopes_and_antigens(
    api: Api, accession: UniProtAccession, limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """Epitopes (IEDB) and stretches that antibodies were raised against (Human Protein Atlas) in a protein, by UniProt
    accession; returns residues and sequence.

    features: [{type, begin, end, xrefs …}], epitopes before antigens.
    """
    found: list[Json] = []
    owner: dict[str, Json] = {}
    for path in ("epitope", "antigen"):
        try:
            part = await _get(api, f"/{path}/{_canonical(accession)}")
        except UpstreamNotFound:
            continue
        _same(part, accession)
        owner = owner or _identity(part)
        found += part.get("features") or []
    if not owner:
        return await _nothing(api, accession, "epitope or antigen")
    return sliced(found, limit, offset, owner, "features", _isoform_note(accession))


async def _get(api: Api, path: str, parameters: dict[str, Json] | None = None) -> Json:
    return await api.get(path, parameters, base=BASE, headers={"Accept": "application/json"})


async def _protein_record(api: Api, path: str, accession: str, parameters: dict[str, Json] | None = None) -> Json:
    """Return the record of this protein, or the answer that says why there is none."""
    try:
        found = await _get(api, path, parameters)
    except UpstreamNotFound:
        return await _nothing(api, accession, "record of this kind")
    _same(found, accession)
    return found


async def _nothing(api: Api, accession: str, what: str) -> Answer:
    """Tell a protein without data from one that nobody has."""
    entry = await fetch_entry(api, accession, IDENTITY_FIELDS)
    if isinstance(entry, Answer):
        return entry
    present = entry["primaryAccession"]
    merged = (
        f" {_canonical(accession)} was merged into {present}: ask for that." if present != _canonical(accession) else ""
    )
    return rows(
        [],
        data=identity(entry),
        note=nothing(entry, f"{what} at EBI's Proteins API, which stands beside its entry,") + merged,
    )


def _same(found: Json, accession: str) -> None:
    if not isinstance(found, dict) or found.get("accession") != _canonical(accession):
        named = found.get("accession") if isinstance(found, dict) else type(found).__name__
        raise UpstreamBadResponse(HOST, f"asked for {_canonical(accession)}, it answered with {named}")


def _canonical(accession: str) -> str:
    return accession.partition("-")[0]


def _isoform_note(accession: str) -> str:
    return f"Positions refer to the canonical sequence, not to {accession}." if "-" in accession else ""


def _identity(record: Json) -> dict[str, Json]:
    genes = [row["value"] for row in record.get("gene") or [] if row.get("type") == "primary"]
    return {
        "accession": record["accession"],
        "entryName": record.get("entryName") or record.get("name"),
        "geneName": record.get("geneName") or next(iter(genes), None),
        "organism": record.get("organismName"),
        "taxonId": record.get("taxid"),
    }


def _wanted(variant: Json, position: int | None, change: str | None, significance: str, disease: str) -> bool:
    """Tell whether a variant meets every filter; an empty word is no filter."""
    first, last = _number(variant.get("begin")), _number(variant.get("end"))
    if position is not None and not (first is not None and first <= position <= (last or first)):
        return False
    new = variant.get("mutatedType") or variant.get("alternativeSequence")
    if change and change != f"{variant.get('wildType')}{first}{new}":
        return False
    if significance and significance not in _words(variant.get("clinicalSignificances")):
        return False
    linked = [variant.get("association"), variant.get("descriptions"), variant.get("description")]
    return not disease or disease in _words(linked)


def _words(part: Json) -> str:
    """Return the texts inside a part of a record, in lower case: older records hold a text, present ones a list."""
    if isinstance(part, dict):
        return " ".join(_words(value) for value in part.values())
    if isinstance(part, list):
        return " ".join(_words(value) for value in part)
    return part.lower() if isinstance(part, str) else ""


def _number(text: Json) -> int | None:
    return int(text) if str(text).isdigit() else None


def _place(row: Json, length: int, position: int | None) -> dict[str, Json]:
    """Return one transcript's place on the genome, with the codon of a residue where one is asked for."""
    location = row.get("genomicLocation") or {}
    exons = [_exon(part) for part in location.get("exon") or []]
    reverse = bool(location.get("reverseStrand"))
    place = {
        "ensemblGeneId": row.get("ensemblGeneId"),
        "ensemblTranscriptId": row.get("ensemblTranscriptId"),
        "ensemblTranslationId": row.get("ensemblTranslationId"),
        "assemblyName": location.get("assemblyName"),
        "nucleotideId": location.get("nucleotideId"),
        "chromosome": location.get("chromosome"),
        "strand": -1 if reverse else 1,
        "start": location.get("start"),
        "end": location.get("end"),
    }
    if position is None:
        return place | {"exons": exons}
    return place | {"codon": _codon(exons, reverse, length, position)}


def _exon(part: Json) -> dict[str, Json]:
    protein, genome = part["proteinLocation"], part["genomeLocation"]
    return {
        "id": part.get("id"),
        "residues": [_at(protein, "begin"), _at(protein, "end")],
        "start": _at(genome, "begin"),
        "end": _at(genome, "end"),
    }


def _at(location: Json, side: str) -> int | None:
    """Return one bound; a stretch of one has a single position."""
    found = (location.get(side) or location.get("position") or {}).get("position")
    return found if isinstance(found, int) else None


def _codon(exons: Sequence[Json], reverse: bool, length: int, position: int) -> dict[str, Json] | None:
    """Return the bases of a residue, counted along the coding exons; None where these do not fit the protein."""
    bounds = [(exon["start"], exon["end"]) for exon in exons]
    if any(side is None for bound in bounds for side in bound):
        return None
    stretches = [range(min(bound), max(bound) + 1) for bound in bounds]
    if sum(len(stretch) for stretch in stretches) != 3 * length:
        return None
    bases: list[int] = []
    for stretch in stretches:
        bases += reversed(stretch) if reverse else stretch
    codon = sorted(bases[3 * (position - 1) : 3 * position])
    place: dict[str, Json] = {"start": codon[0], "end": codon[-1]}
    # An intron may split a codon: then its ends alone would be misread.
    return place if codon[-1] - codon[0] == 2 else place | {"bases": codon}


def _sites(record: Json) -> list[Json]:
    """Return the modified residues, each with all peptides that show it."""
    sites: dict[tuple[int, str], Json] = {}
    for peptide in record.get("features") or []:
        begin = _number(peptide.get("begin"))
        for ptm in peptide.get("ptms") or []:
            if begin is None:
                continue
            residue = begin + ptm["position"] - 1
            sequence = record.get("sequence") or ""
            site = sites.setdefault(
                (residue, ptm["name"]),
                {
                    "position": residue,
                    "residue": sequence[residue - 1 : residue] or peptide["peptide"][ptm["position"] - 1],
                    "name": ptm["name"],
                    "sources": [],
                    "peptides": [],
                    "datasets": [],
                },
            )
            site["sources"] = list(dict.fromkeys([*site["sources"], *(ptm.get("sources") or [])]))
            site["peptides"] = list(dict.fromkeys([*site["peptides"], peptide["peptide"]]))
            site["datasets"] += [_dataset(row) for row in ptm.get("dbReferences") or []]
    return [sites[key] for key in sorted(sites)]


def _dataset(row: Json) -> dict[str, Json]:
    known = row.get("properties") or {}
    return {
        "id": row["id"],
        "pubmed": known.get("Pubmed ID"),
        "confidence": known.get("Confidence score"),
        "siteProbability": known.get("Final site probability"),
        "universalSpectrumId": known.get("Universal Spectrum Id"),
    }
