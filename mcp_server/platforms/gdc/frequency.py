"""How often a gene or a protein change is mutated: affected cases over the cases with mutation calls."""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset
from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.together import together
from mcp_server.platforms.gdc.genes import Gene, KnownGene, gene_of
from mcp_server.platforms.gdc.mutations import Change, changed
from mcp_server.platforms.gdc.service import (
    HOST,
    PORTAL,
    SPECIES,
    ProjectId,
    all_of,
    cases_by_project,
    cite_project,
    cite_ssm,
    found_in,
    in_address,
    platform,
    program_of,
    share,
    ssm_tested,
    unknown_project,
    within,
)
from mcp_server.tool import Arg, Cite

Json = Any

Program = Annotated[str, Arg("Program whose projects are listed, or ALL.", "TCGA", normalise=str.upper)]
# A case with a copy number change alone is "affected" too, so a mutation must be asked for expressly.
HAS_MUTATION = {"op": "NOT", "content": {"field": "cases.gene.ssm.observation.observation_id", "value": "MISSING"}}
IMPACTS = {"high_or_moderate": ("HIGH", "MODERATE"), "any": ("HIGH", "MODERATE", "LOW", "MODIFIER")}


def mutated_in(gene: KnownGene) -> Json:
    """Return the condition that a case has a somatic mutation in a gene."""
    return all_of(HAS_MUTATION, within("genes.gene_id", gene.gene_id))


@platform.tool(
    example={"gene": "BRAF", "protein_change": "V600E"},
    cites=Cite("gdc_project", "projects[]", "project_id", "", f"{PORTAL}/projects/{{id}}"),
    asks=(
        "how often is TP53 mutated in TCGA",
        "percent of tumours with a mutated gene by cancer type",
        "pan-cancer mutation rate",
        "fraction of patients with a mutation",
        "how many TCGA patients carry a mutation in the gene",
    ),
)
async def mutation_frequency(
    api: Api,
    gene: Gene,
    protein_change: Change | None = None,
    program: Program = "TCGA",
    min_cases: Annotated[int, Arg("Fewest affected cases of a project to list it.", minimum=1)] = 1,
) -> Answer:
    """TCGA and other GDC cohorts: in how many cases a gene, or one protein change, is somatically mutated, by project,
    over the tested cases. For published studies use cbioportal__gene_alteration_frequency.

    gene (with is_cancer_gene_census: in the Cancer Gene Census or not), ssms (the DNA changes counted), projects:
    [{project_id, affected_cases, tested_cases, percent}] by percent, not_observed: [{project_id, tested_cases}].
    """
    known = await gene_of(api, gene)
    if isinstance(known, Answer):
        return known
    ssms = await changed(api, known, protein_change) if protein_change else []
    what = f"{known.symbol} {protein_change}" if protein_change else f"mutation in {known.symbol}"
    if protein_change and not ssms:
        nothing = {"gene": known.data, "protein_change": protein_change, "ssms": [], "projects": []}
        note = f"GDC lists no somatic mutation {what}. {known.note}".strip()
        return rows([], data=nothing, note=note, citations=[known.citation])
    condition = within("ssms.ssm_id", *(row["ssm_id"] for row in ssms)) if ssms else mutated_in(known)
    affected, tested = await cases_by_project(api, condition, "ssm")
    found = {project: number for project, number in tested.items() if program in ("ALL", program_of(project).upper())}
    if not found:
        programs = ", ".join(sorted({program_of(project) for project in tested}))
        raise InvalidArguments("program", f"{program} has no project with mutation calls; known: {programs}", "TCGA")
    for project in affected.keys() - tested.keys():
        raise UpstreamBadResponse(HOST, f"affected cases in {project}, which has no tested ones")
    shares = [share(project, affected[project], number) for project, number in found.items() if affected.get(project)]
    listed = sorted(
        (row for row in shares if row["affected_cases"] >= min_cases),
        key=lambda row: (-row["percent"], row["project_id"]),
    )
    rest = [{"project_id": name, "tested_cases": found[name]} for name in sorted(found) if not affected.get(name)]
    data: dict[str, Json] = {
        "gene": known.data,
        "protein_change": protein_change,
        "ssms": [_named(row) for row in ssms],
        "projects": listed,
        "not_observed": rest,
    }
    notes = [known.note, _counted(what, bool(protein_change), ssms, len(shares) - len(listed), min_cases)]
    if not listed:
        notes.insert(0, f"No {what} in at least {min_cases} of the cases of a project of {program}.")
    cited = [known.citation, *(cite_ssm(row["ssm_id"], what) for row in ssms)]
    return rows(listed, data=data, note=" ".join(filter(None, notes)), citations=cited)


def _named(row: Json) -> Json:
    names = ("ssm_id", "genomic_dna_change", "assembly", "cosmic_id", "on_canonical_transcript")
    return {name: row[name] for name in names if row.get(name) not in (None, [])}


def _counted(what: str, is_change: bool, ssms: list[Json], below: int, min_cases: int) -> str:
    """Say what was counted, so that the numbers are not taken for something else."""
    notes = ["Cases, each once, over those with open mutation calls; projects must not be added up."]
    if not is_change:
        notes.append("Every somatic mutation in the gene counts, silent and non-coding ones too; copy number does not.")
    if ssms and not any(row["on_canonical_transcript"] for row in ssms):
        notes.append(f"{what} is not the change of the canonical transcript, but of another one.")
    if below:
        notes.append(f"{below} more projects have fewer than {min_cases} affected cases.")
    return " ".join(notes)


@platform.tool(
    example={"project": "TCGA-DLBC", "limit": 10},
    cites=Cite("ensembl", "genes[]", "gene_id", "symbol", f"{PORTAL}/genes/{{id}}"),
    asks=(
        "most frequently mutated genes of a cancer",
        "driver genes in TCGA-LUAD",
        "which genes are mutated most in melanoma",
        "which genes are hit most in a cancer",
    ),
)
async def top_mutated_genes(
    api: Api,
    project: ProjectId,
    impact: Annotated[
        Literal["high_or_moderate", "any"], Arg("Which mutations count: those that VEP takes to matter, or all.")
    ] = "high_or_moderate",
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Most often mutated genes of one GDC project, e.g. TCGA-DLBC: affected cases over the project's tested cases. For
    one gene over projects use mutation_frequency.

    project_id, tested_cases, genes: [{gene_id, symbol, affected_cases, tested_cases, percent}].
    """
    filters = {
        "op": "AND",
        "content": [
            within("case.project.project_id", project),
            within("case.ssm.consequence.transcript.annotation.vep_impact", *IMPACTS[impact]),
        ],
    }
    parameters = {"fields": "gene_id,symbol", "filters": in_address(filters), "size": limit, "from": offset}
    answer, tested = await together((api.get("/analysis/top_mutated_genes_by_project", parameters), ssm_tested(api)))
    found = found_in(answer, "analysis/top_mutated_genes_by_project")
    if project not in tested:
        return unknown_project(project, tested)
    genes = [_ranked(hit, project, tested[project]) for hit in found.hits]
    end = offset + len(genes)
    words = "of high or moderate impact" if impact == "high_or_moderate" else "of any impact"
    note = f"Cases with a somatic mutation {words}, over the {tested[project]} cases with open mutation calls."
    if not genes:
        note = f"GDC lists no mutated gene of {project}: {tested[project]} of its cases have open mutation calls."
    return rows(
        genes,
        total=found.total,
        next={"offset": end} if genes and end < found.total else None,
        note=note,
        data={"project_id": project, "species": SPECIES, "tested_cases": tested[project], "genes": genes},
        citations=[cite_project(project)],
    )


def _ranked(hit: Json, project: str, tested: int) -> dict[str, Json]:
    """Return a gene with its share; the score is the number of affected cases."""
    affected = int(hit["_score"])
    if affected != hit["_score"]:
        raise UpstreamBadResponse(HOST, f"a score of {hit['_score']} where a number of cases was promised")
    counted = share(project, affected, tested)
    counted.pop("project_id")
    return {"gene_id": hit["gene_id"], "symbol": hit.get("symbol"), **counted}
