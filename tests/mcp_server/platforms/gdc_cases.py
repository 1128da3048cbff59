"""What each tool of GDC is asked by its example, and what GDC answers: a hit, nothing, an unknown id."""

from dataclasses import dataclass, field
from typing import Any

from mcp_server.platforms.gdc import platform
from tests.mcp_server.platforms.fake_upstream import Played

Json = Any

TOOLS = {tool.function.__name__: tool for tool in platform.tools}
NOT_FOUND = Played({"message": "The requested URL was not found on the server."}, 404)


@dataclass(frozen=True)
class Case:
    """The answers to a tool's example; None where an outcome cannot be."""

    tool: str
    hit: dict[str, Any]
    nothing: dict[str, Any] | None
    unknown: dict[str, Any] | None
    arguments: dict[str, Json] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Json]:
        """The arguments of the call."""
        return self.arguments or dict(TOOLS[self.tool].example)


def page(*hits: Json, total: int | None = None, warnings: Json = None, **facets: dict[str, int]) -> Played:
    """Return a page of a search; facets are named with `__` for their dots."""
    data: dict[str, Json] = {"hits": list(hits)}
    if facets:
        data["aggregations"] = {
            name.replace("__", "."): {"buckets": buckets(counts)} for name, counts in facets.items()
        }
    total = len(hits) if total is None else total
    data["pagination"] = {"count": len(hits), "total": total, "size": 10, "from": 0, "sort": "", "page": 1, "pages": 1}
    return Played({"data": data, "warnings": warnings or {}})


def buckets(counts: dict[str, int]) -> list[Json]:
    """Return counts as buckets."""
    return [{"key": key, "doc_count": number} for key, number in counts.items()]


def cases_by_project(affected: dict[str, int], tested: dict[str, int]) -> Played:
    """Return the portal's counts of cases."""
    counted = {"affected": affected, "tested": tested}
    cases = {name: {"project__project_id": {"buckets": buckets(counts)}} for name, counts in counted.items()}
    return Played({"data": {"viewer": {"explore": {"cases": cases}}}})


def cases_with_calls(**tested: int) -> Played:
    """Return the cases with mutation calls of each project, in the shape of the analysis route."""
    rows = [
        {
            "key": project.replace("_", "-"),
            "doc_count": number + 3,
            # Nested documents: three of them for a case.
            "case_summary": {"doc_count": 3 * number, "case_with_ssm": {"doc_count": number}},
        }
        for project, number in tested.items()
    ]
    projects = {"doc_count_error_upper_bound": 0, "sum_other_doc_count": 0, "buckets": rows}
    return Played({"timed_out": False, "_shards": {"total": 12, "failed": 0}, "aggregations": {"projects": projects}})


def gene(symbol: str, gene_id: str, *synonyms: str, census: bool | None = True, chromosome: str = "7") -> Json:
    """Return a gene."""
    return {
        "id": gene_id, "gene_id": gene_id, "symbol": symbol, "name": symbol, "biotype": "protein_coding",
        "gene_chromosome": chromosome, "is_cancer_gene_census": census, "synonyms": list(synonyms),
    }  # fmt: skip


def ssm(ssm_id: str, change: str, dna: str, of: Json, *, canonical: str = "", **more: Json) -> Json:
    """Return a mutation; `canonical` is the change of the canonical transcript where it is another one."""
    symbol = of["symbol"]

    def transcript(aa_change: str, number: str, is_canonical: bool) -> Json:
        return {
            "transcript": {
                "transcript_id": number, "is_canonical": is_canonical, "aa_change": aa_change,
                "consequence_type": "missense_variant", "annotation": {"vep_impact": "MODERATE"},
                "gene": {"gene_id": of["gene_id"], "symbol": symbol},
            }
        }  # fmt: skip

    return {
        "id": ssm_id, "ssm_id": ssm_id, "gene_aa_change": [f"{symbol} {change}"], "genomic_dna_change": dna,
        "ncbi_build": "GRCh38", "mutation_subtype": "Single base substitution",
        "consequence": [transcript(canonical or change, "ENST00000256078", True), transcript(change, "ENST1", False)],
        **more,
    }  # fmt: skip


def occurrence(ssm_id: str, case_id: str, project: str, number: int = 1) -> Json:
    """Return a case with a mutation."""
    return {
        "id": f"occurrence-{number}",
        "ssm_occurrence_id": f"occurrence-{number}",
        "ssm": {"ssm_id": ssm_id},
        "case": {"case_id": case_id, "submitter_id": case_id.upper(), "project": {"project_id": project}},
    }


def donor(case_id: str, days: float, died: bool, project: str = "TCGA-DLBC") -> Json:
    """Return a case of a survival answer."""
    return {"id": case_id, "time": days, "censored": not died, "survivalEstimate": 1, "project_id": project}


def patient(case_id: str, days: int = 14000, project: str = "TCGA-BRCA", **more: Json) -> Json:
    """Return a case; its age at diagnosis is in days."""
    return {
        "id": case_id, "case_id": case_id, "submitter_id": case_id.upper(), "primary_site": "Breast",
        "disease_type": "Ductal and Lobular Neoplasms", "project": {"project_id": project},
        "demographic": {"sex_at_birth": "female", "vital_status": "Alive", "cause_of_death": None},
        "diagnoses": [{"age_at_diagnosis": days, "ajcc_pathologic_stage": "Stage IIA", "tumor_grade": None}],
        **more,
    }  # fmt: skip


def study(project_id: str, name: str, sites: list[str], diseases: list[str], cases: int = 100) -> Json:
    """Return a project."""
    return {
        "id": project_id, "project_id": project_id, "name": name, "primary_site": sites, "disease_type": diseases,
        "program": {"name": project_id.partition("-")[0]}, "summary": {"case_count": cases}, "released": True,
    }  # fmt: skip


KRAS, BRAF = gene("KRAS", "ENSG00000133703", chromosome="12"), gene("BRAF", "ENSG00000157764", "B-RAF1")
ERBB2 = gene("ERBB2", "ENSG00000141736", "HER2", "NEU", "HER-2", chromosome="17")
G12D_ID, V600E_ID = "edd1ae2c-3ca9-52bd-a124-b09ed304fcc2", "84aef48f-31e6-52e4-8e05-7d5b9ab15087"
G12D = ssm(G12D_ID, "G12D", "chr12:g.25245350C>T", KRAS, cosmic_id=["COSM1135366", "COSM521"],
           reference_allele="C", tumor_allele="T", chromosome="chr12", start_position=25245350)  # fmt: skip
V600E = ssm(V600E_ID, "V600E", "chr7:g.140753336A>T", BRAF)
GBM = study("TCGA-GBM", "Glioblastoma Multiforme", ["Brain"], ["Gliomas"], 617)
BRCA = study("TCGA-BRCA", "Breast Invasive Carcinoma", ["Breast"], ["Ductal and Lobular Neoplasms"], 1098)
TESTED = {"TCGA-SKCM": 470, "TCGA-LUAD": 571, "TCGA-DLBC": 50, "FM-AD": 18004}
NO_SYMBOL = {"/genes": [page(), page()]}

CASES = [
    Case("search_projects", {"/projects": page(BRCA, GBM)}, {"/projects": page(BRCA)}, None),
    Case("mutation_frequency",
         {"/genes": page(BRAF), "/ssms": page(V600E),
          "/graphql": cases_by_project({"TCGA-SKCM": 188, "TCGA-LUAD": 5, "FM-AD": 800}, TESTED)},
         {"/genes": page(BRAF), "/ssms": page()}, NO_SYMBOL),
    Case("top_mutated_genes",
         {"/top_mutated_genes_by_project": page({"symbol": "KMT2D", "gene_id": "ENSG00000167548", "_score": 13.0}),
          "/mutated_cases_count_by_project": cases_with_calls(TCGA_DLBC=50)},
         {"/top_mutated_genes_by_project": page(), "/mutated_cases_count_by_project": cases_with_calls(TCGA_DLBC=0)},
         {"/top_mutated_genes_by_project": page(), "/mutated_cases_count_by_project": cases_with_calls(TCGA_LUAD=571)}),
    Case("search_ssms", {"/ssms": page(G12D)}, {"/ssms": page()}, None),
    Case("ssm_occurrences", {"/ssm_occurrences": page(occurrence(G12D_ID, "case-1", "TCGA-PAAD"), total=61)},
         {"/ssm_occurrences": page(), f"/ssms/{G12D_ID}": Played({"data": {"ssm_id": G12D_ID}, "warnings": {}})},
         {"/ssm_occurrences": page(), f"/ssms/{G12D_ID}": NOT_FOUND}),
    Case("search_cases", {"/cases": page(patient("case-1"), total=75)},
         {"/cases": [page(), page(project__project_id={"TCGA-BRCA": 1098})]},
         {"/cases": [page(), page(project__project_id={"TCGA-BLCA": 412})]}),
    Case("survival",
         {"/analysis/survival": Played({"results": [{"donors": [donor("a", 10, True), donor("b", 400, False)]}],
                                        "overallStats": {}})},
         {"/analysis/survival": Played({"results": [], "overallStats": {}}),
          "/mutated_cases_count_by_project": cases_with_calls(TCGA_DLBC=50)},
         {"/analysis/survival": Played({"results": [], "overallStats": {}}),
          "/mutated_cases_count_by_project": cases_with_calls(TCGA_LUAD=571)}),
    Case("copy_number",
         {"/genes": page(ERBB2), "/cnv_occurrences": page(total=140, case__project__project_id={"TCGA-BRCA": 140}),
          "/graphql": cases_by_project({"TCGA-BRCA": 1000}, {"TCGA-BRCA": 1000})},
         {"/genes": page(ERBB2), "/cnv_occurrences": page(case__project__project_id={}),
          "/graphql": cases_by_project({"TCGA-BRCA": 1000}, {"TCGA-BRCA": 1000})},
         NO_SYMBOL),
]  # fmt: skip
