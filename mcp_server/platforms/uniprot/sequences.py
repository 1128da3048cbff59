"""Sequences: the residues, the isoforms, and the versions that an entry went through."""

import re
from typing import Annotated, Any

from mcp_server.args import UniProtAccession
from mcp_server.envelope import Answer, Citation, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.uniprot.base import ENTRY, NO_EVIDENCES, platform, rows_of
from mcp_server.platforms.uniprot.entry import (
    IDENTITY_FIELDS,
    changed,
    comments,
    entry_answer,
    features,
    fetch_entry,
    properties,
    references,
)
from mcp_server.tool import Arg, Cite

Json = Any

ISOFORM_FIELDS = (*IDENTITY_FIELDS, "cc_alternative_products", "ft_var_seq", "xref_ensembl")
_HEADER = re.compile(
    r">(?:sp|tr)\|(?P<accession>[^|]+)\|(?P<id>\S+) (?P<name>.*?) OS=(?P<organism>.*?) OX=(?P<taxon>\d+)"
)

Start = Annotated[int | None, Arg("First residue wanted, counted from 1.", 1, minimum=1)]
End = Annotated[int | None, Arg("Last residue wanted.", 60, minimum=1)]
Versions = Annotated[
    str | None, Arg("Versions of the entry: numbers and ranges.", "1,10-12", r"^\d+(-\d+)?(,\d+(-\d+)?)*$")
]
Compared = Annotated[
    list[int] | None, Arg("Two versions whose difference is wanted, line by line.", [1, 2], max_items=2)
]


@platform.tool(
    example={"accession": "P01116", "start": 1, "end": 60},
    cites=Cite("uniprot", "", "accession", "proteinName"),
    asks=(
        "amino acid sequence",
        "FASTA of a protein",
        "residues 100 to 200",
        "peptide sequence of an isoform",
    ),
)
async def get_sequence(api: Api, accession: UniProtAccession, start: Start = None, end: End = None) -> Answer:
    """Amino acids of a UniProt accession or isoform (P04637-2): the whole sequence or a stretch of it. For DNA, cDNA
    or CDS of an Ensembl id use ensembl__get_sequence.

    accession, uniProtkbId, proteinName, geneName, organism, taxonId, length (of the whole), start, end, sequence.
    """
    try:
        text = await api.get_text(f"/uniprotkb/{accession}.fasta")
    except UpstreamNotFound:
        return unknown_id(accession, f"UniProt has no sequence {accession}.")
    header, _, residues = text.strip().partition("\n")
    found = _HEADER.match(header)
    if found is None:
        return await _no_fasta(api, accession, text)
    note = await _identity_note(api, accession, found["accession"])
    sequence = "".join(residues.split())
    first, last = start or 1, min(end or len(sequence), len(sequence))
    if first > last:
        raise InvalidArguments("start", f"{accession} has {len(sequence)} residues; asked for {first} to {last}", 1)
    if end and end > len(sequence):
        note = f"{note} The sequence ends at {len(sequence)}.".strip()
    gene = re.search(r"\bGN=(\S+)", header)
    data = {
        "accession": found["accession"],
        "uniProtkbId": found["id"],
        "proteinName": found["name"],
        "geneName": gene[1] if gene else None,
        "organism": found["organism"],
        "taxonId": int(found["taxon"]),
        "length": len(sequence),
        "start": first,
        "end": last,
        "sequence": sequence[first - 1 : last],
    }
    return Answer(data, note=note)


@platform.tool(
    example={"accession": "P04637"},
    cites=ENTRY,
    noise=NO_EVIDENCES,
    keep=(
        ".primaryAccession",
        ".isoforms[].isoformIds[]",
        ".isoforms[].isoformSequenceStatus",
        ".transcripts[]",
        ".alternativeSequences[].start",
        ".alternativeSequences[].end",
    ),
    asks=(
        "splice variants of a protein",
        "alternative splicing, isoform 2",
        "differences between isoforms",
        "does one gene make several proteins",
    ),
)
async def get_isoforms(api: Api, accession: UniProtAccession) -> Answer:
    """Splice isoforms of a protein: ids, names, which one is canonical, how each differs, and their Ensembl
    transcripts. For the residues use get_sequence.

    isoforms: [{isoformIds, name, isoformSequenceStatus ("Displayed" is the canonical one), sequenceIds}],
    alternativeSequences: [{featureId, start, end, originalSequence, alternativeSequences, description}],
    transcripts: [{transcriptId, proteinId, geneId, isoformId}].
    """
    entry = await fetch_entry(api, accession, ISOFORM_FIELDS)
    if isinstance(entry, Answer):
        return entry
    found = [row for comment in comments(entry, "ALTERNATIVE PRODUCTS") for row in comment.get("isoforms") or []]
    transcripts = [
        {
            "transcriptId": row["id"],
            "proteinId": properties(row).get("ProteinId"),
            "geneId": properties(row).get("GeneId"),
            "isoformId": row.get("isoformId"),
        }
        for row in references(entry, "Ensembl")
    ]
    return entry_answer(
        accession,
        entry,
        found,
        "isoform beside its one sequence",
        isoforms=found,
        alternativeSequences=[changed(row) for row in features(entry, "Alternative sequence")],
        transcripts=transcripts,
    )


@platform.tool(
    example={"accession": "P04637", "versions": "1-3"},
    asks=(
        "when did a UniProt entry change",
        "older version of an entry",
        "obsolete or demerged accession",
    ),
)
async def get_entry_history(
    api: Api, accession: UniProtAccession, versions: Versions = None, compare: Compared = None
) -> Answer:
    """Versions of a UniProt entry with their releases and dates, and what changed between two of them (UniSave); for
    deleted entries, too.

    versions: [{entryVersion, sequenceVersion, firstRelease, firstReleaseDate, lastRelease, lastReleaseDate}]; with
    compare: the difference, line by line.
    """
    canonical = accession.partition("-")[0]
    if compare is not None:
        if versions is not None or len(set(compare)) != 2:
            raise InvalidArguments("compare", "give two different versions, without `versions`", [1, 2])
        path = f"/unisave/{canonical}/diff"
        parameters: dict[str, Json] = {"version1": min(compare), "version2": max(compare)}
    else:
        path = f"/unisave/{canonical}"
        parameters = {"format": "json", "versions": versions}
    try:
        found = await api.get(path, parameters)
    except UpstreamNotFound:
        return unknown_id(accession, f"UniProt has no history of {canonical} in these versions.")
    cited = [Citation("uniprot", canonical)]
    if compare is not None:
        named = {found.get(side, {}).get("accession", canonical) for side in ("entry1", "entry2")}
        _same(canonical, named)
        return Answer({"accession": canonical, "compared": sorted(compare), **found}, citations=cited)
    listed = rows_of(found)
    _same(canonical, {row.get("accession", canonical) for row in listed})
    note = "" if listed else f"UniProt lists no such version of {canonical}."
    return rows(listed, data={"accession": canonical, "versions": listed}, note=note, citations=cited)


def _same(asked: str, found: set[str]) -> None:
    if found - {asked}:
        raise UpstreamBadResponse("rest.uniprot.org", f"asked for {asked}, it answered with {', '.join(sorted(found))}")


async def _no_fasta(api: Api, accession: str, text: str) -> Answer:
    """Explain an answer without a sequence: an entry that is no longer there has none."""
    entry = await fetch_entry(api, accession, IDENTITY_FIELDS)
    if isinstance(entry, Answer):
        return entry
    raise UpstreamBadResponse("rest.uniprot.org", f"expected a FASTA record, got {text[:80]!r}")


async def _identity_note(api: Api, asked: str, found: str) -> str:
    """Check that the sequence is the one asked for; say how where its name is another."""
    canonical, _, isoform = asked.partition("-")
    if found == asked:
        return ""
    if not isoform:
        # A merged accession is redirected; anything else is a mistake.
        entry = await fetch_entry(api, canonical, IDENTITY_FIELDS)
        if not isinstance(entry, Answer) and entry["primaryAccession"] == found:
            return f"{asked} was merged into {found}; use that accession."
    elif found == canonical:
        # The canonical isoform goes by the bare accession.
        entry = await fetch_entry(api, canonical, ISOFORM_FIELDS)
        shown = [] if isinstance(entry, Answer) else comments(entry, "ALTERNATIVE PRODUCTS")
        for row in (row for comment in shown for row in comment.get("isoforms") or []):
            if row.get("isoformSequenceStatus") == "Displayed" and asked in row["isoformIds"]:
                return f"{asked} is the canonical isoform."
    raise UpstreamBadResponse("rest.uniprot.org", f"asked for the sequence of {asked}, it answered with {found}")
