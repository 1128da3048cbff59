"""Names of tools that are no more, with the tool that now answers, and what to say of a name that nobody knows.

Public and pure: the server and the loop say the same to a model that learned a name elsewhere.
"""

import difflib
from collections.abc import Iterable

NEAR_MAX = 4
NEAR_CUTOFF = 0.6

# Renamed, folded into another tool, or dropped because another tool answers better.
SUCCESSORS: dict[str, str] = {
    "biorxiv__list_preprints_by_funder": "biorxiv__list_recent_preprints",
    "cbioportal__get_study": "cbioportal__get_cancer_study",
    "cbioportal__resolve_gene": "myvariant__gene_resolve",
    "cbioportal__search_studies": "cbioportal__search_cancer_studies",
    "chembl__get_release_info": "about_sources",
    "chembl__get_target_components": "chembl__get_target",
    "chembl__get_unranked_activities": "chembl__get_bioactivities",
    "clinicaltrials__field_sizes": "clinicaltrials__field_values",
    "clinicaltrials__get_study_arms_interventions": "clinicaltrials__get_study",
    "clinicaltrials__get_study_contacts": "clinicaltrials__get_study_locations",
    "clinicaltrials__get_study_design": "clinicaltrials__get_study",
    "clinicaltrials__get_study_documents": "clinicaltrials__get_study_references",
    "clinicaltrials__get_version": "about_sources",
    "clinicaltrials__list_enums": "clinicaltrials__describe_search",
    "clinicaltrials__list_fields": "clinicaltrials__describe_search",
    "clinicaltrials__list_search_areas": "clinicaltrials__describe_search",
    "clinicaltrials__registry_size": "clinicaltrials__count_studies",
    "clinicaltrials__search_by_outcome": "clinicaltrials__search_studies",
    "clinpgx__get_clinical_annotation": "clinpgx__get_annotation",
    "clinpgx__get_drug_label": "clinpgx__get_annotation",
    "clinpgx__get_guideline_annotation": "clinpgx__get_annotation",
    "clinpgx__get_literature": "clinpgx__get_curated_paper",
    "clinpgx__get_pathway": "clinpgx__get_pk_pd_pathway",
    "clinpgx__get_statistics": "about_sources",
    "clinpgx__get_variant": "clinpgx__get_pgx_variant",
    "clinpgx__get_variant_annotation": "clinpgx__get_annotation",
    "clinpgx__get_variant_frequency": "thousand_genomes__population_frequencies",
    "clinpgx__list_cpic_guidelines": "clinpgx__search_guideline_annotations",
    "clinvar__convert_hgvs": "clinvar__convert_variant",
    "clinvar__convert_spdi": "clinvar__convert_variant",
    "clinvar__convert_vcf_variant": "clinvar__convert_variant",
    "clinvar__get_submission": "clinvar__list_submissions",
    "clinvar__search_drug_response_variants": "clinvar__search_variants",
    "clinvar__search_variants_by_region": "clinvar__search_variants",
    "ensembl__get_release_info": "about_sources",
    "ensembl__get_taxonomy": "uniprot__search_taxonomy",
    "ensembl__predict_variant_by_hgvs": "ensembl__predict_variant",
    "ensembl__predict_variant_by_id": "ensembl__predict_variant",
    "ensembl__predict_variant_by_region": "ensembl__predict_variant",
    "ensembl__search_external_records": "ensembl__find_by_external_id",
    "gdc__gene": "ensembl__lookup_gene",
    "myvariant__variant_facets": "clinvar__summarize_gene_variants",
    "opentargets__get_drug_indications": "opentargets__get_drug_diseases",
    "opentargets__get_drug_mechanisms": "opentargets__get_drug_info",
    "opentargets__get_platform_version": "about_sources",
    "opentargets__get_study": "opentargets__get_gwas_study",
    "opentargets__get_target_pathways_and_go": "reactome__map_identifier_to_pathways",
    "opentargets__map_ids": "opentargets__search_entities_batch",
    "pubchem__get_classification": "pubchem__get_compound_section",
    "pubchem__get_compound_description": "pubchem__get_compound_summary",
    "pubchem__get_compound_record": "pubchem__get_compound_3d",
    "pubchem__get_compound_xrefs": "pubchem__get_external_ids",
    "pubchem__get_drug_information": "pubchem__get_drug_label_texts",
    "pubchem__get_protein_summary": "pubchem__search_assays_by_target",
    "pubchem__get_regulatory_status": "pubchem__get_compound_section",
    "pubchem__list_compound_sections": "pubchem__get_compound_section",
    "pubmed__convert_article_ids": "pubmed__convert_ids",
    "pubmed__describe_database": "pubmed__check_query",
    "pubmed__find_citing_articles": "europepmc__get_citations",
    "pubmed__get_article_summaries": "pubmed__get_articles",
    "pubmed__get_bioc_passages": "pubmed__get_pmc_full_text",
    "pubmed__get_cited_references": "europepmc__get_references",
    "pubtator3__get_full_text_annotations": "pubtator3__get_annotations",
    "reactome__get_object_field": "reactome__get_pathway",
    "reactome__get_version": "about_sources",
    "reactome__list_diseases": "reactome__get_disease_pathways",
    "reactome__list_search_filters": "reactome__search",
    "reactome__list_species": "reactome__get_orthologous_event",
    "reactome__list_top_pathways": "reactome__get_pathway_hierarchy",
    "reactome__map_reference": "uniprot__get_cross_references",
    "reactome__suggest_terms": "reactome__search",
    "thousand_genomes__linkage_disequilibrium": "ensembl__get_ld",
    "uniprot__get_citation": "uniprot__get_publications",
    "uniprot__get_disease": "uniprot__search_diseases",
    "uniprot__get_interactions": "reactome__get_interactors",
    "uniprot__list_query_and_return_fields": "uniprot__search_proteins",
}


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return tools that a wrong name may mean: of another database, of a former name, then the most alike."""
    names = sorted(known)
    bare = _bare(name)
    same = [tool for tool in names if _bare(tool) == bare]
    former = [now for gone, now in SUCCESSORS.items() if _bare(gone) == bare and now in names]
    alike = difflib.get_close_matches(name, names, n=NEAR_MAX, cutoff=NEAR_CUTOFF)
    return list(dict.fromkeys([*same, *former, *alike]))[:NEAR_MAX]


def no_such_tool(name: str, known: Iterable[str]) -> str:
    """Say that there is no tool of this name, and which one to call instead."""
    names = set(known)
    now = SUCCESSORS.get(name, "")
    if now in names:
        return f"there is no tool {name!r} any more: {now} has taken its place."
    near = near_names(name, names)
    hint = f" Near names: {', '.join(near)}." if near else ""
    return f"there is no tool {name!r}.{hint}"


def _bare(name: str) -> str:
    """Return a name without the database and whatever a client put before it."""
    return name.rpartition("__")[2].rpartition(".")[2]
