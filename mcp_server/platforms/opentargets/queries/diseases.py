"""Texts about one disease, and about what links diseases to genes."""

from mcp_server.platforms.opentargets.queries import RELEASE

DISEASE_INFO = f"""
query DiseaseInfo($efoId: String!) {{
  {RELEASE}
  disease(efoId: $efoId) {{
    id name description synonyms {{ relation terms }} dbXRefs obsoleteTerms isTherapeuticArea
    therapeuticAreas {{ id name }} parents {{ id name }} children {{ id name }}
  }}
}}"""

DISEASE_ASSOCIATED_TARGETS = f"""
query DiseaseAssociatedTargets(
  $efoId: String!, $index: Int!, $size: Int!, $indirect: Boolean!, $orderBy: String, $filter: String
) {{
  {RELEASE}
  disease(efoId: $efoId) {{
    id name
    associatedTargets(
      page: {{index: $index, size: $size}}, enableIndirect: $indirect, orderByScore: $orderBy, BFilter: $filter
    ) {{
      count
      rows {{
        score target {{ id approvedSymbol approvedName }} datatypeScores {{ id score }} datasourceScores {{ id score }}
      }}
    }}
  }}
}}"""

TARGET_ASSOCIATED_DISEASES = f"""
query TargetAssociatedDiseases(
  $ensemblId: String!, $index: Int!, $size: Int!, $indirect: Boolean!
  $measurements: Boolean, $orderBy: String, $filter: String
) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    associatedDiseases(
      page: {{index: $index, size: $size}}, enableIndirect: $indirect, includeMeasurements: $measurements
      orderByScore: $orderBy, BFilter: $filter
    ) {{
      count
      rows {{ score disease {{ id name }} datatypeScores {{ id score }} datasourceScores {{ id score }} }}
    }}
  }}
}}"""

DISEASE_PHENOTYPES = f"""
query DiseasePhenotypes($efoId: String!, $index: Int!, $size: Int!) {{
  {RELEASE}
  disease(efoId: $efoId) {{
    id name
    phenotypes(page: {{index: $index, size: $size}}) {{
      count
      rows {{
        phenotypeHPO {{ id name }} phenotypeEFO {{ id name }}
        evidence {{
          aspect qualifierNot frequency frequencyHPO {{ name }} onset {{ name }} sex resource references
        }}
      }}
    }}
  }}
}}"""

TARGET_DISEASE_EVIDENCE = f"""
query TargetDiseaseEvidence(
  $efoId: String!, $ensemblId: String!, $ensemblIds: [String!]!, $datasourceIds: [String!]
  $indirect: Boolean, $size: Int, $cursor: String
) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{ id approvedSymbol }}
  disease(efoId: $efoId) {{
    id name
    evidences(
      ensemblIds: $ensemblIds, enableIndirect: $indirect, datasourceIds: $datasourceIds, size: $size, cursor: $cursor
    ) {{
      count cursor
      rows {{
        id datasourceId datatypeId score disease {{ id name }} target {{ id }} diseaseFromSource literature
        publicationYear urls {{ niceName url }} studyId clinicalStage clinicalReportId drug {{ id name }}
        trialWhyStopped directionOnTrait directionOnTarget variant {{ id }} variantRsId clinicalSignificances
        confidence cohortPhenotypes textMiningSentences {{ text section }}
      }}
    }}
  }}
}}"""

# The service counts one list a call; aliases ask for all sources at once.
EVIDENCE_SOURCES = (
    "clinical_precedence", "gwas_credible_sets", "gene_burden", "eva", "genomics_england", "gene2phenotype",
    "uniprot_literature", "uniprot_variants", "orphanet", "clingen", "cancer_gene_census", "intogen", "eva_somatic",
    "cancer_biomarkers", "crispr_screen", "crispr", "reactome", "europepmc", "expression_atlas", "impc",
)  # fmt: skip
_PAIR = "ensemblIds: $ensemblIds, enableIndirect: $indirect, size: 1"
_COUNTED = " ".join(f'{each}: evidences({_PAIR}, datasourceIds: ["{each}"]) {{ count }}' for each in EVIDENCE_SOURCES)

EVIDENCE_COUNTS = f"""
query EvidenceCounts($efoId: String!, $ensemblId: String!, $ensemblIds: [String!]!, $indirect: Boolean) {{
  {RELEASE}
  associationDatasources {{ datasource datatype }}
  target(ensemblId: $ensemblId) {{ id approvedSymbol }}
  disease(efoId: $efoId) {{ id name all: evidences({_PAIR}) {{ count }} {_COUNTED} }}
}}"""
