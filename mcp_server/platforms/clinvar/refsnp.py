"""dbSNP through NCBI Variation Services: one rs number in depth, and its frequencies by population."""

from collections.abc import Iterable, Iterator
from typing import Any

from mcp_server.args import Rsid
from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamError, UpstreamNotFound
from mcp_server.platforms.clinvar.base import VARIATION_SERVICES, platform
from mcp_server.tool import Cite

Json = Any

HOST = "api.ncbi.nlm.nih.gov"
ALFA = "PRJNA507278"
MERGES_MAX = 3


@platform.tool(
    example={"rsid": "rs268"},
    cites=Cite("rsid", "", "rsid"),
    noise="del(.alleles[].frequencies) | del(.citations)",
    keep=(
        ".rsid",
        ".merged_here[]",
        ".genes[].gene_id",
        ".alleles[].hgvs",
        ".alleles[].spdi",
        ".alleles[].proteins[]",
        ".alleles[].clinical[]",
    ),
    asks=(
        "what is this rs number",
        "merged rs ids",
        "alleles of a SNP on hg19 and hg38",
        "dbSNP entry of a polymorphism",
        "is it a SNP or an indel",
    ),
)
async def get_refsnp(api: Api, rsid: Rsid) -> Answer:
    """dbSNP record of one rsID: alleles with HGVS and SPDI on both assemblies, genes, protein changes, clinical
    submissions, numbers merged into it; follows a merge. For several rsIDs use get_dbsnp_summaries; predictor scores:
    myvariant__variant_get.

    query, rsid, variant_type, merged_here, genes, alleles (the reference first): [{is_reference, allele, spdi, hgvs:
    {GRCh38, GRCh37}, transcripts, proteins, consequences, clinical: [{accession, significance, review_status,
    conditions}], frequencies: [{study, allele_count, total_count}]}], citations (PMIDs).
    """
    number, notes = rsid.removeprefix("rs"), []
    for _ in range(MERGES_MAX + 1):
        record = await _refsnp(api, number)
        if record is None:
            return unknown_id(rsid, f"dbSNP has no {f'rs{number}'}.")
        targets = [str(one) for one in (record.get("merged_snapshot_data") or {}).get("merged_into") or []]
        if not targets:
            break
        notes = [f"{rsid} was merged into rs{targets[0]}; use that number with other databases."]
        number = targets[0].removeprefix("rs")
    snapshot = record.get("primary_snapshot_data")
    if not snapshot:
        if "withdrawn_snapshot_data" in record:
            return unknown_id(rsid, f"{rsid} was withdrawn from dbSNP for good.")
        raise UpstreamBadResponse(HOST, f"rs{number} is neither a record nor merged nor withdrawn")
    alleles = _alleles(snapshot)
    genes: dict[str, Json] = {}
    for gene in _genes(snapshot.get("allele_annotations") or []):
        genes.setdefault(gene["locus"], {"symbol": gene["locus"], "gene_id": str(gene["id"]), "name": gene["name"]})
    data = {
        "query": rsid,
        "rsid": f"rs{number}",
        "variant_type": snapshot.get("variant_type"),
        "merged_here": [f"rs{row['merged_rsid']}" for row in record.get("dbsnp1_merges") or []],
        "genes": list(genes.values()),
        "alleles": alleles,
        "citations": record.get("citations") or [],
    }
    return Answer(data, note=" ".join(notes))


@platform.tool(
    example={"rsid": "rs328"},
    cites=Cite("rsid", "", "rsid"),
    asks=(
        "allele frequency in ALFA",
        "minor allele frequency by ancestry in dbSNP",
        "how rare is this SNP in African or Latin American people",
    ),
)
async def get_allele_frequencies(api: Api, rsid: Rsid) -> Answer:
    """Allele frequencies of an rsID in the ALFA project of dbSNP, by population, with counts. By 1000 Genomes
    population: thousand_genomes__population_frequencies; gnomAD: myvariant__variant_get; many rsIDs:
    get_dbsnp_summaries.

    rsid, frequencies: [{study, population, population_id, allele, is_reference, frequency, allele_count,
    total_count}].
    """
    number = rsid.removeprefix("rs")
    try:
        answer = await api.get(f"/refsnp/{number}/frequency", base=VARIATION_SERVICES)
    except UpstreamNotFound:
        return unknown_id(rsid, f"dbSNP has no {rsid}, or it was merged: get_refsnp tells.")
    populations: dict[str, str] = {}
    note = ""
    try:
        populations = dict(_named(await api.get("/metadata/frequency", base=VARIATION_SERVICES)))
    except UpstreamError as error:
        note = f"Populations have no names, because that request failed: {error}."
    found = [row for place in (answer.get("results") or {}).values() for row in _frequencies(place, populations)]
    if not found:
        return empty(f"ALFA has no counts of {rsid}.", data={"rsid": rsid, "frequencies": []})
    return rows(found, data={"rsid": rsid, "frequencies": found}, note=note)


async def _refsnp(api: Api, number: str) -> Json:
    try:
        record = await api.get(f"/refsnp/{number}", base=VARIATION_SERVICES)
    except UpstreamNotFound as error:
        if "not found" not in error.message.lower():
            raise
        return None
    if str(record.get("refsnp_id")) != number:
        raise UpstreamBadResponse(HOST, f"asked for rs{number}, it answered rs{record.get('refsnp_id')}")
    return record


def _alleles(snapshot: Json) -> list[Json]:
    """Return the alleles in the order of the annotations, with their names on both assemblies."""
    named: list[dict[str, str]] = []
    spdis: list[Json] = []
    for placement in snapshot.get("placements_with_allele") or []:
        assembly = _assembly(placement)
        for number, allele in enumerate(placement["alleles"] if assembly else ()):
            if number == len(named):
                named.append({})
                spdis.append({})
            named[number].setdefault(assembly, allele.get("hgvs", ""))
            if placement.get("is_ptlp"):
                spdis[number] = (allele.get("allele") or {}).get("spdi") or {}
    annotations = snapshot.get("allele_annotations") or [{}] * len(named)
    return [
        {**_named_allele(spdi), "hgvs": names, **_annotated(annotation)}
        for names, spdi, annotation in zip(named, spdis, annotations, strict=False)
    ]


def _assembly(placement: Json) -> str:
    """Return the assembly of a placement on a whole chromosome, or an empty string for any other."""
    for row in (placement.get("placement_annot") or {}).get("seq_id_traits_by_assembly") or []:
        name = str(row.get("assembly_name", "")).partition(".")[0]
        if row.get("is_chromosome") and name in ("GRCh38", "GRCh37"):
            return name
    return ""


def _named_allele(spdi: Json) -> Json:
    parts = ("seq_id", "position", "deleted_sequence", "inserted_sequence")
    return {
        # The reference allele stands in the list too.
        "is_reference": spdi.get("deleted_sequence") == spdi.get("inserted_sequence"),
        "allele": spdi.get("inserted_sequence"),
        "spdi": ":".join(str(spdi[part]) for part in parts) if spdi else None,
    }


def _genes(annotations: Iterable[Json]) -> Iterator[Json]:
    for annotation in annotations:
        for place in annotation.get("assembly_annotation") or []:
            yield from place.get("genes") or []


def _annotated(annotation: Json) -> Json:
    transcripts, proteins, consequences = set(), set(), set()
    for gene in _genes([annotation]):
        for rna in gene.get("rnas") or []:
            protein = rna.get("protein") or {}
            transcripts.add(rna["id"])
            consequences |= {
                row["name"] for row in protein.get("sequence_ontology") or rna.get("sequence_ontology") or []
            }
            change = (protein.get("variant") or {}).get("spdi")
            if change:
                residues = f"{change['deleted_sequence']}{change['position'] + 1}{change['inserted_sequence']}"
                proteins.add(f"{change['seq_id']}:{residues}")
    return {
        "transcripts": sorted(transcripts),
        "proteins": sorted(proteins),
        "consequences": sorted(consequences),
        "clinical": [_clinical(row) for row in annotation.get("clinical") or []],
        "frequencies": [
            {"study": row["study_name"], "allele_count": row["allele_count"], "total_count": row["total_count"]}
            for row in annotation.get("frequency") or []
        ],
    }


def _clinical(row: Json) -> Json:
    return {
        "accession": row.get("accession_version"),
        "significance": row.get("clinical_significances"),
        "review_status": row.get("review_status"),
        "conditions": row.get("disease_names"),
    }


def _frequencies(place: Json, populations: dict[str, str]) -> Iterator[Json]:
    """Yield one row an allele and population: the service counts, and the counts of a population make its total."""
    reference = place.get("ref")
    for study, counted in (place.get("counts") or {}).items():
        for population, alleles in (counted.get("allele_counts") or {}).items():
            total = sum(alleles.values())
            for allele, count in alleles.items():
                yield {
                    "study": "ALFA" if study == ALFA else study,
                    "population": populations.get(population),
                    "population_id": population,
                    "allele": allele,
                    "is_reference": allele == reference,
                    "frequency": round(count / total, 6) if total else None,
                    "allele_count": count,
                    "total_count": total,
                }


def _named(metadata: Json) -> Iterator[tuple[str, str]]:
    """Yield accession and name of every population, wherever they are nested."""
    if isinstance(metadata, list):
        for part in metadata:
            yield from _named(part)
    elif isinstance(metadata, dict):
        accession = next((v for v in metadata.values() if isinstance(v, str) and v.startswith("SAMN")), None)
        if accession and isinstance(metadata.get("name"), str):
            yield accession, metadata["name"]
        for part in metadata.values():
            yield from _named(part)
