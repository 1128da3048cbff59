"""Known variants: their records, one or many, all their names, and what a paper cites."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import Limit, Offset, Rsid
from mcp_server.envelope import Answer, Citation, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError, UpstreamRefused
from mcp_server.platforms.ensembl.base import (
    AnswerAssembly,
    Assembly,
    filled,
    known,
    matched,
    matched_assembly,
    on,
    page,
    platform,
)
from mcp_server.platforms.ensembl.consequences import (
    VariantName,
    hgvs_of,
    is_rsid,
    position_of,
    prediction,
    require_assembly,
)
from mcp_server.platforms.ensembl.names import is_primary
from mcp_server.tool import Arg, Cite

Json = Any

VARIANT_PATTERN = r"^(rs\d+|COS[MV]\d+|[edn]s[sv]v?\d+)$"


def variant_id_form(text: str) -> str:
    """Return an rs number or structural variant in lower case, a COSMIC id in upper case."""
    return text.upper() if text.upper().startswith("COS") else text.lower()


VariantId = Annotated[
    str,
    Arg("dbSNP reference number; also COSMIC or structural variant ids.", "rs113488022", VARIANT_PATTERN,
        normalise=variant_id_form),
]  # fmt: skip
Rsids = Annotated[
    list[str],
    Arg("dbSNP reference numbers, COSMIC or structural variant ids; at most 100.", ["rs699", "rs12777823"],
        VARIANT_PATTERN, max_items=100, normalise=variant_id_form),
]  # fmt: skip
PaperId = Annotated[
    str,
    Arg("PubMed number or PubMed Central id.", "26318936", r"^(\d{1,8}|PMC\d+)$",
        normalise=lambda text: text.upper().removeprefix("PMID").lstrip(": ")),
]  # fmt: skip
Include = Annotated[
    list[Literal["populations", "phenotypes", "population_genotypes"]] | None,
    Arg("Further parts of the record; population parts are long.", ["phenotypes"]),
]
_SPDI = re.compile(r"N[CGTW]_\d+\.\d+:\d+:[ACGT]*:[ACGT]*")
INCLUDED = {"populations": "pops", "phenotypes": "phenotypes", "population_genotypes": "population_genotypes"}
_NAMED = Cite("rsid", "[]", "name")


@platform.tool(
    example={"rsid": "rs113488022"},
    noise="del(.evidence)",
    keep=(
        ".name",
        ".MAF",
        ".minor_allele",
        ".most_severe_consequence",
        ".clinical_significance[]",
        ".genes[].gene_id",
        ".mappings[]",
    ),
    asks=(
        "what is known of this SNP",
        "position and alleles of an rs number",
        "which gene is the SNP in",
        "ancestral allele, MAF",
        "which letters can stand at this SNP",
    ),
)
async def get_variant(
    api: Api, rsid: VariantId, include: Include = None, assembly: AnswerAssembly = "GRCh38"
) -> Answer:
    """One rsID: place, alleles, gene, most severe consequence, clinical significance, minor allele frequency. For
    several use get_variants_batch; frequencies by population: thousand_genomes__population_frequencies; predictor
    scores: myvariant__variant_get.

    Ensembl's record (name, mappings, most_severe_consequence, clinical_significance, MAF,
    minor_allele, synonyms; populations, phenotypes and population_genotypes on request) and genes:
    [{gene_id, gene_symbol, consequence_terms}], null when that part failed.
    """
    api = on(api, assembly)
    parameters = {INCLUDED[part]: 1 for part in include or ()}
    record = await known(api, f"/variation/homo_sapiens/{rsid}", rsid, parameters)
    if record is None:
        return unknown_id(rsid, f"Ensembl has no variant {rsid}.")
    matched_assembly(api, record.get("mappings") or [], assembly)
    notes = _said_of(record, rsid)
    try:
        # Ensembl's record names no gene.
        genes = _affected_genes(await known(api, f"/vep/homo_sapiens/id/{rsid}", rsid) or [])
    except UpstreamError as error:
        genes = None
        notes.append(f"The genes are not known, because that request failed: {error}.")
    data = {"query": rsid, **record, "genes": genes}
    return Answer(data, note=" ".join(notes), citations=[_citation(record.get("name", rsid))])


@platform.tool(
    example={"rsids": ["rs699", "rs12777823"]},
    noise="del(.variants[].evidence, .variants[].synonyms)",
    keep=(
        ".variants[].name",
        ".variants[].MAF",
        ".variants[].minor_allele",
        ".variants[].most_severe_consequence",
        ".variants[].clinical_significance[]",
        ".variants[].mappings[]",
    ),
    asks=(
        "look up a list of SNPs",
        "many rs numbers at once",
        "bulk rsID positions",
    ),
)
async def get_variants_batch(api: Api, rsids: Rsids, assembly: AnswerAssembly = "GRCh38") -> Answer:
    """Many at once (up to 100): records of rsIDs with place, alleles, most severe consequence, clinical significance
    and minor allele frequency, without genes. With scores and ClinVar: myvariant__variant_batch; frequencies by
    population: thousand_genomes__compare_populations.

    variants: [{query, name, mappings, most_severe_consequence, clinical_significance, MAF, minor_allele, synonyms}];
    not_found.
    """
    api = on(api, assembly)
    asked = list(dict.fromkeys(rsids))
    found = await known(api, "/variation/homo_sapiens", asked, body={"ids": asked}) or {}
    by_name = {name: (key, record) for key, record in found.items() if record for name in _names(key, record)}
    variants, notes = [], []
    for rsid in asked:
        if rsid in by_name:
            record = by_name[rsid][1]
            matched_assembly(api, record.get("mappings") or [], assembly)
            notes += _said_of(record, rsid)
            variants.append({"query": rsid, **filled(record)})
    missing = [rsid for rsid in asked if rsid not in by_name]
    if missing:
        notes.append(f"Ensembl has no variant {', '.join(missing)}.")
    if not variants:
        return unknown_id(", ".join(asked), " ".join(notes))
    cited = [_citation(row.get("name", row["query"])) for row in variants]
    return rows(variants, data={"variants": variants, "not_found": missing}, note=" ".join(notes), citations=cited)


@platform.tool(
    example={"paper": "26318936"},
    cites=_NAMED,
    noise="del(.[].evidence, .[].synonyms)",
    keep=(
        ".[].name",
        ".[].most_severe_consequence",
        ".[].clinical_significance[]",
        ".[].mappings[]",
    ),
    asks=(
        "which SNPs does a paper report",
        "variants cited in a publication",
        "PMID to rs numbers",
    ),
)
async def get_variants_in_paper(api: Api, paper: PaperId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """Paper to variants: the human variants that Ensembl links to a PMID or PMCID, with place and consequence. All
    entities in its text: pubtator3__get_annotations; the papers about a variant: pubtator3__get_variant_publications.

    Rows: name, mappings, most_severe_consequence, clinical_significance, MAF, minor_allele.
    """
    kind = "pmcid" if paper.startswith("PMC") else "pmid"
    found = await known(api, f"/variation/homo_sapiens/{kind}/{paper}", paper)
    if not found:
        return empty(f"Ensembl links no variant to {kind.upper()} {paper}.", data=[])
    return page([filled(row) for row in found], limit, offset)


@platform.tool(
    example={"variant": "ENST00000366667:c.803C>T"},
    cites=Cite("rsid", "alleles[]", "rsid"),
    asks=(
        "HGVS for an rs number",
        "convert variant notation",
        "rsID to VCF",
        "genomic to protein change names",
        "all synonyms of a variant",
    ),
)
async def recode_variant(api: Api, variant: VariantName, assembly: Assembly = None) -> Answer:
    """All names of a known variant, for each allele: rsID and other ids, genomic, coding and protein HGVS, SPDI and VCF
    form. To check or normalise one exact name use clinvar__convert_variant.

    query, assembly_name, alleles: [{allele (on the strand of the query), rsid, id, hgvsg, hgvsc, hgvsp, spdi,
    vcf_string}].
    """
    require_assembly(variant, assembly)
    sent = _recoder_form(variant)
    api = on(api, assembly)
    found = await _recoded(api, sent)
    if found is None:
        return unknown_id(variant, f"Ensembl has no variant {variant}.")
    alleles = _alleles(api, sent, found)
    data = {"query": variant, "assembly_name": assembly or "GRCh38", "alleles": alleles}
    return rows(alleles, data=data, note="" if alleles else f"Ensembl has no further names of {variant}.")


@platform.tool(
    example={"rsid": "rs12777823"},
    cites=(
        Cite("rsid", "variant", "name"),
        Cite("ensembl", "consequences[].transcript_consequences[]", "gene_id", "gene_symbol"),
    ),
    noise="del(.variant.evidence)",
    keep=(
        ".variant.name",
        ".variant.MAF",
        ".variant.clinical_significance[]",
        ".variant.phenotypes[].trait",
        ".consequences[].most_severe_consequence",
        ".names[]",
    ),
    asks=(
        "everything on a SNP",
        "full overview of an rs number",
        "complete variant report from Ensembl",
    ),
)
async def variant_dossier(api: Api, rsid: Rsid, assembly: AnswerAssembly = "GRCh38") -> Answer:
    """Overview of one rsID in one call: record with phenotypes, predicted consequences on canonical and MANE
    transcripts, all HGVS, SPDI and VCF names. For the record alone use get_variant, for a clinical card
    myvariant__variant_clinical_summary.

    query, variant (record with phenotypes), consequences (rows of predict_variant), names (alleles of
    recode_variant); a part whose request failed is null and named in the note.
    """
    api = on(api, assembly)
    record = await known(api, f"/variation/homo_sapiens/{rsid}", rsid, {"phenotypes": 1})
    if record is None:
        return unknown_id(rsid, f"Ensembl has no variant {rsid}.")
    matched_assembly(api, record.get("mappings") or [], assembly)
    notes = _said_of(record, rsid)
    consequences = names = None
    try:
        options = {"canonical": 1, "hgvs": 1, "mane": 1, "protein": 1}
        places = await known(api, f"/vep/homo_sapiens/id/{rsid}", rsid, options) or []
        matched_assembly(api, places, assembly)
        consequences = [prediction(place) for place in places]
    except UpstreamError as error:
        notes.append(f"The consequences are missing, because that request failed: {error}.")
    try:
        names = _alleles(api, rsid, await _recoded(api, rsid) or [])
    except UpstreamError as error:
        notes.append(f"The names are missing, because that request failed: {error}.")
    data = {"query": rsid, "variant": filled(record), "consequences": consequences, "names": names}
    return Answer(data, note=" ".join(notes))


def _citation(name: str) -> Citation:
    if is_rsid(name):
        return Citation("rsid", name)
    is_known_place = name.startswith("COS")
    page_of = "Variation/Explore?v" if is_known_place else "StructuralVariation/Explore?sv"
    return Citation("ensembl_variant", name, url=f"https://www.ensembl.org/Homo_sapiens/{page_of}={name}")


def _said_of(record: Json, rsid: str) -> list[str]:
    """Return what is to be said of a record: another number than the one asked for, a failed check."""
    notes = []
    if record.get("name") not in (None, rsid):
        notes.append(f"{rsid} was merged into {record['name']}; use that number with other databases.")
    if record.get("failed"):
        notes.append(f"Ensembl marks {record.get('name', rsid)} as failed: {record['failed']}.")
    return notes


def _names(key: str, record: Json) -> set[str]:
    return {key, record.get("name", key), *(record.get("synonyms") or [])}


def _affected_genes(places: Sequence[Json]) -> list[Json]:
    """Return each gene of a VEP answer once, with the consequences on all its transcripts."""
    genes: dict[str, Json] = {}
    for place in [place for place in places if is_primary(place)] or places:
        for row in place.get("transcript_consequences") or []:
            gene = genes.setdefault(
                row["gene_id"],
                {"gene_id": row["gene_id"], "gene_symbol": row.get("gene_symbol"), "consequence_terms": []},
            )
            new = [term for term in row.get("consequence_terms", []) if term not in gene["consequence_terms"]]
            gene["consequence_terms"] += new
    return list(genes.values())


def _recoder_form(variant: str) -> str:
    """Return a variant as the recoder reads it: rsID, HGVS name, or SPDI for a position (which counts from 0)."""
    if is_rsid(variant):
        return variant.lower()
    if position := position_of(variant):
        chromosome, start, reference, alternate = position
        return f"{chromosome}:{start - 1}:{reference}:{alternate}"
    return variant if _SPDI.fullmatch(variant) else hgvs_of(variant)


async def _recoded(api: Api, sent: str) -> Json:
    path = f"/variant_recoder/homo_sapiens/{quote(sent, safe=':')}"
    try:
        return (
            await known(api, path, sent, {"vcf_string": 1}) if is_rsid(sent) else await api.get(path, {"vcf_string": 1})
        )
    except UpstreamRefused as error:
        if error.message.lower().startswith("no variant found"):
            return None
        raise


def _alleles(api: Api, sent: str, found: Sequence[Json]) -> list[Json]:
    alleles = []
    for entry in found:
        for allele, names in entry.items():
            if not isinstance(names, dict):
                continue
            matched(api, "variant", sent, names.get("input"))
            numbers = [name for name in names.get("id") or [] if is_rsid(name)]
            alleles.append({"allele": allele, "rsid": numbers[0] if numbers else None, **filled(names, ("input",))})
    return alleles
