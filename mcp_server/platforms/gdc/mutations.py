"""Somatic mutations (ssms) of GDC, and the cases that carry them."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from mcp_server.args import AMINO_ACIDS, Limit, Offset, protein_change_form
from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.gdc.genes import Gene, KnownGene, gene_of
from mcp_server.platforms.gdc.service import (
    ASSEMBLY,
    HOST,
    PORTAL,
    SPECIES,
    Found,
    ProjectId,
    SsmId,
    all_of,
    cite_ssm,
    filled,
    in_years,
    platform,
    record,
    search,
    within,
)
from mcp_server.tool import Arg, Cite

Json = Any

_TRANSCRIPT = "consequence.transcript"
SSM_FIELDS = (
    "ssm_id", "gene_aa_change", "genomic_dna_change", "ncbi_build", "chromosome", "start_position", "end_position",
    "reference_allele", "tumor_allele", "mutation_subtype", "cosmic_id",
)  # fmt: skip
TRANSCRIPT_FIELDS = ("transcript_id", "is_canonical", "aa_change", "consequence_type", "gene.gene_id", "gene.symbol",
                     "annotation.vep_impact", "annotation.polyphen_impact", "annotation.sift_impact",
                     "annotation.hgvsc")  # fmt: skip
ASKED = (*SSM_FIELDS, *(f"{_TRANSCRIPT}.{name}" for name in TRANSCRIPT_FIELDS))
_CHROMOSOMES = {"23": "X", "24": "Y"}


def change_form(text: str) -> str:
    """Return a protein change as GDC writes it: `p.(Glu746_Ala750del)` → `E746_A750del`."""
    plain = text.strip().removeprefix("p.").strip("()")
    short = protein_change_form(plain)
    if short != plain:
        return short
    # One-letter codes may read like a three-letter one (insVAL), so only `Val` is taken for one.
    codes = "|".join(code.capitalize() for code in AMINO_ACIDS)
    return re.sub(codes, lambda found: AMINO_ACIDS[found[0].lower()], plain)


def genomic_form(text: str) -> str:
    """Return a genomic change as GDC writes it: `12:25245350:C:T`, `NC_000012.12:g.25245350C>T` → `chr12:g.…`."""
    plain = text.replace(" ", "")
    if found := re.fullmatch(r"NC_0000(\d\d)\.\d+:(g\..+)", plain, re.IGNORECASE):
        number = found[1].lstrip("0")
        return f"chr{_CHROMOSOMES.get(number, number)}:{found[2]}"
    if found := re.fullmatch(r"(?:chr)?(\w+)[-:](\d+)[-:]([ACGT])[-:>]([ACGT])", plain, re.IGNORECASE):
        return f"chr{found[1].upper()}:g.{found[2]}{found[3].upper()}>{found[4].upper()}"
    if found := re.fullmatch(r"(?:chr)?(\w+):(g\..+)", plain, re.IGNORECASE):
        return f"chr{found[1].upper()}:{found[2]}"
    return plain


Change = Annotated[
    str,
    Arg("Protein change on the canonical transcript, one- or three-letter code; needs the gene.", "V600E",
        r"^[A-Z*]\d+\S*$", normalise=change_form),
]  # fmt: skip
CosmicId = Annotated[str, Arg("COSMIC id of a mutation.", "COSM1135366", r"^COS[MV]\d+$", normalise=str.upper)]
GenomicChange = Annotated[
    str,
    Arg("Genomic change on GRCh38.", "chr12:g.25245350C>T", r"^chr(\d{1,2}|X|Y|M|MT):g\.\d+\S+$",
        normalise=genomic_form),
]  # fmt: skip


@platform.tool(
    example={"cosmic_id": "COSM1135366"},
    cites=Cite("gdc_ssm", "mutations[]", "ssm_id", "genomic_dna_change", f"{PORTAL}/ssms/{{id}}"),
    noise="del(.mutations[].consequences[]? | select(.is_canonical | not))",
    keep=(
        ".mutations[].ssm_id",
        ".mutations[].cosmic_id[]",
        ".mutations[].gene_aa_change[]",
        ".mutations[].chromosome",
        ".mutations[].start_position",
        ".mutations[].tumor_allele",
    ),
    asks=(
        "somatic mutation ids",
        "look up a tumour mutation by COSMIC id",
        "simple somatic mutations of a gene in GDC",
    ),
)
async def search_ssms(
    api: Api,
    gene: Gene | None = None,
    protein_change: Change | None = None,
    cosmic_id: CosmicId | None = None,
    genomic_change: GenomicChange | None = None,
    ssm_id: SsmId | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """GDC somatic mutations (ssm ids) by gene, protein change, COSMIC id, genomic change or ssm id: alleles, GRCh38
    place, consequences. For how often use mutation_frequency, for the carriers ssm_occurrences.

    gene (as GDC knows it, with is_cancer_gene_census), assembly, mutations: [{ssm_id, gene_aa_change,
    genomic_dna_change, reference_allele, tumor_allele, cosmic_id, on_canonical_transcript, consequences}].
    """
    _one_question(gene, protein_change, cosmic_id, genomic_change, ssm_id)
    if ssm_id:
        return await _one_ssm(api, ssm_id)
    known = await gene_of(api, gene) if gene else None
    if isinstance(known, Answer):
        return known
    found = await ssms_of(api, known, protein_change, cosmic_id, genomic_change, limit, offset)
    mutations = [mutation(hit, known, protein_change) for hit in found.hits]
    end = offset + len(mutations)
    notes = [*found.notes, known.note if known else ""]
    if not found.total:
        notes.append(f"GDC lists no somatic mutation {_asked(known, protein_change, cosmic_id, genomic_change)}.")
        notes += ["Its genomic changes are on GRCh38."] if genomic_change else []
    data = {"gene": known.data if known else None, "species": SPECIES, "assembly": ASSEMBLY, "mutations": mutations}
    return rows(
        mutations,
        total=found.total,
        next={"offset": end} if mutations and end < found.total else None,
        note=" ".join(filter(None, notes)),
        data=data,
        citations=[known.citation] if known else (),
    )


def _one_question(
    gene: str | None, protein_change: str | None, cosmic_id: str | None, genomic_change: str | None, ssm_id: str | None
) -> None:
    """Refuse a search for nothing, a change without its gene, and an id with further conditions."""
    others = (gene, protein_change, cosmic_id, genomic_change)
    if not any((*others, ssm_id)):
        raise InvalidArguments("gene", "give a gene, a COSMIC id, a genomic change or an ssm id", "KRAS")
    if ssm_id and any(others):
        raise InvalidArguments("ssm_id", "an ssm id names one mutation; leave the other arguments out")
    if protein_change and not gene:
        raise InvalidArguments("gene", f"{protein_change} means nothing without its gene", "BRAF")


def _asked(known: KnownGene | None, *others: str | None) -> str:
    return " ".join(text for text in (known.symbol if known else None, *others) if text)


async def ssms_of(
    api: Api,
    gene: KnownGene | None,
    protein_change: str | None,
    cosmic_id: str | None = None,
    genomic_change: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Found:
    """Return a page of mutations for which all conditions hold."""
    conditions = []
    if gene:
        conditions.append(within(f"{_TRANSCRIPT}.gene.gene_id", gene.gene_id))
    if gene and protein_change:
        conditions.append(within("gene_aa_change", f"{gene.symbol} {protein_change}"))
    if cosmic_id:
        conditions.append(within("cosmic_id", cosmic_id))
    if genomic_change:
        conditions.append(within("genomic_dna_change", genomic_change))
    found = await search(api, "ssms", all_of(*conditions), fields=ASKED, size=limit, offset=offset, sort="ssm_id:asc")
    for hit in found.hits:
        _matched(hit, gene, protein_change, cosmic_id, genomic_change)
    return found


def _listed(value: Json) -> list[Json]:
    """Return a value that may be one or several as a list."""
    return value if isinstance(value, list) else [] if value in (None, "") else [value]


def _matched(
    hit: Json, gene: KnownGene | None, change: str | None, cosmic_id: str | None, genomic_change: str | None
) -> None:
    """Refuse a mutation that was not asked for: an ignored filter looks like an answer."""
    asked = [
        (f"{gene.symbol} {change}" if gene and change else None, _listed(hit.get("gene_aa_change"))),
        (cosmic_id, _listed(hit.get("cosmic_id"))),
        (genomic_change, _listed(hit.get("genomic_dna_change"))),
    ]
    for wanted, got in asked:
        if wanted is not None and wanted not in got:
            raise UpstreamBadResponse(HOST, f"asked for {wanted}, it answered {', '.join(map(str, got)) or 'nothing'}")


def mutation(hit: Json, gene: KnownGene | None = None, change: str | None = None) -> dict[str, Json]:
    """Return a mutation with its assembly and its consequences, flat."""
    if hit.get("ncbi_build") not in (None, ASSEMBLY):
        raise UpstreamBadResponse(HOST, f"a position on {hit['ncbi_build']} where {ASSEMBLY} was promised")
    found = {**filled(hit, SSM_FIELDS), "ssm_id": hit.get("ssm_id") or hit["id"], "assembly": ASSEMBLY}
    found.pop("ncbi_build", None)
    consequences = [_consequence(row["transcript"]) for row in hit.get("consequence") or [] if row.get("transcript")]
    if consequences:
        found["consequences"] = consequences
    if change and gene:
        found["on_canonical_transcript"] = on_canonical(consequences, gene, change)
    return found


def on_canonical(consequences: Sequence[Json], gene: KnownGene, change: str) -> bool | None:
    """Whether the change is that of the gene's canonical transcript; None where no transcript is told."""
    canonical = [
        row for row in consequences if row.get("is_canonical") and row.get("gene_id", gene.gene_id) == gene.gene_id
    ]
    return any(row.get("aa_change") == change for row in canonical) if canonical else None


def _consequence(transcript: Json) -> dict[str, Json]:
    names = ("transcript_id", "is_canonical", "aa_change", "consequence_type")
    of_gene = {"gene_symbol": (transcript.get("gene") or {}).get("symbol"),
               "gene_id": (transcript.get("gene") or {}).get("gene_id")}  # fmt: skip
    annotation = filled(transcript.get("annotation") or {}, ("vep_impact", "polyphen_impact", "sift_impact", "hgvsc"))
    return {**filled(of_gene, of_gene), **filled(transcript, names), **annotation}


async def _one_ssm(api: Api, ssm_id: str) -> Answer:
    found = await record(api, f"/ssms/{ssm_id}", {"fields": ",".join(ASKED), "expand": _TRANSCRIPT})
    if found is None:
        return unknown_id(ssm_id, f"GDC has no somatic mutation {ssm_id}.")
    if found.get("ssm_id", ssm_id) != ssm_id:
        raise UpstreamBadResponse(HOST, f"asked for {ssm_id}, it answered {found['ssm_id']}")
    mutations = [mutation({**found, "ssm_id": ssm_id})]
    return rows(mutations, data={"gene": None, "species": SPECIES, "assembly": ASSEMBLY, "mutations": mutations})


OCCURRENCE_FIELDS = (
    "ssm_occurrence_id", "ssm.ssm_id", "case.case_id", "case.submitter_id", "case.project.project_id",
    "case.primary_site", "case.disease_type", "case.diagnoses.primary_diagnosis",
    "case.diagnoses.ajcc_pathologic_stage", "case.diagnoses.tumor_grade", "case.diagnoses.age_at_diagnosis",
)  # fmt: skip
DIAGNOSIS = ("primary_diagnosis", "ajcc_pathologic_stage", "tumor_grade", "age_at_diagnosis")


@platform.tool(
    example={"ssm_id": "edd1ae2c-3ca9-52bd-a124-b09ed304fcc2", "project": "TCGA-PAAD", "limit": 5},
    cites=Cite("gdc_case", "occurrences[]", "case_id", "submitter_id", f"{PORTAL}/cases/{{id}}"),
    asks=(
        "which patients carry a mutation",
        "list of cases with KRAS G12D",
        "tumour samples that have this somatic change",
        "TCGA patients with a given mutation",
    ),
)
async def ssm_occurrences(
    api: Api,
    ssm_id: SsmId | None = None,
    gene: Gene | None = None,
    protein_change: Change | None = None,
    project: ProjectId | None = None,
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """GDC cases that carry a somatic mutation (ssm id, or gene and protein change): case, project, site, stage, for
    making a cohort. For counts and percentages use mutation_frequency: occurrences are no cases.

    ssm_ids, occurrences: [{ssm_occurrence_id, ssm_id, case_id, submitter_id, project_id, primary_site, disease_type,
    diagnoses}]; total counts occurrences.
    """
    if bool(ssm_id) == bool(gene) or bool(gene) != bool(protein_change):
        raise InvalidArguments("ssm_id", "give either an ssm id, or a gene with a protein change", "gene KRAS, G12D")
    asked: Answer | list[str] = [ssm_id] if ssm_id else await _ssm_ids(api, str(gene), str(protein_change))
    if isinstance(asked, Answer):
        return asked
    conditions = [within("ssm.ssm_id", *asked)]
    conditions += [within("case.project.project_id", project)] if project else []
    found = await search(
        api, "ssm_occurrences", all_of(*conditions), fields=OCCURRENCE_FIELDS, size=limit, offset=offset,
        sort="ssm_occurrence_id:asc",
    )  # fmt: skip
    listed = [_occurrence(hit, asked, project) for hit in found.hits]
    if not found.total and ssm_id and await record(api, f"/ssms/{ssm_id}", {"fields": "ssm_id"}) is None:
        return unknown_id(ssm_id, f"GDC has no somatic mutation {ssm_id}.")
    notes = list(found.notes)
    if not found.total:
        notes.append(f"GDC lists no case with it{f' in {project}' if project else ''}.")
    if len(asked) > 1 and listed:
        notes.append(f"{len(asked)} DNA changes give this protein change; a case with two of them stands here twice.")
    end = offset + len(listed)
    return rows(
        listed,
        total=found.total,
        next={"offset": end} if listed and end < found.total else None,
        note=" ".join(notes),
        data={"ssm_ids": asked, "occurrences": listed},
        citations=[cite_ssm(one) for one in asked],
    )


async def _ssm_ids(api: Api, gene: str, protein_change: str) -> list[str] | Answer:
    """Return the ids of the mutations that make a protein change."""
    known = await gene_of(api, gene)
    if isinstance(known, Answer):
        return known
    found = await changed(api, known, protein_change)
    if not found:
        return empty(f"GDC lists no somatic mutation {known.symbol} {protein_change}. {known.note}".strip())
    return [str(row["ssm_id"]) for row in found]


async def changed(api: Api, gene: KnownGene, protein_change: str) -> list[Json]:
    """Return the mutations that make a protein change: on the canonical transcript, else on any other."""
    found = await ssms_of(api, gene, protein_change)
    if found.total > len(found.hits):
        raise UpstreamBadResponse(HOST, f"{found.total} mutations for one protein change, {len(found.hits)} shown")
    mutations = [mutation(hit, gene, protein_change) for hit in found.hits]
    return [row for row in mutations if row["on_canonical_transcript"]] or mutations


def _occurrence(hit: Json, asked: Sequence[str], project: str | None) -> dict[str, Json]:
    """Return one occurrence, flat; another mutation or project than the one asked for is refused."""
    case = hit["case"]
    ssm_id = (hit.get("ssm") or {}).get("ssm_id")
    project_id = (case.get("project") or {}).get("project_id")
    for wanted, got in ((asked, ssm_id), ([project] if project else None, project_id)):
        if wanted and got is not None and got not in wanted:
            raise UpstreamBadResponse(HOST, f"asked for {', '.join(wanted)}, it answered {got}")
    named = {"ssm_occurrence_id": hit.get("ssm_occurrence_id") or hit.get("id"), "ssm_id": ssm_id,
             "project_id": project_id}  # fmt: skip
    diagnoses = [in_years(filled(row, DIAGNOSIS)) for row in case.get("diagnoses") or []]
    of_case = filled(case, ("case_id", "submitter_id", "primary_site", "disease_type"))
    return {**filled(named, named), **of_case, **({"diagnoses": diagnoses} if any(diagnoses) else {})}
