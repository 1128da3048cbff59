"""Texts about drugs and clinical candidates, of a target, of a disease or alone."""

from mcp_server.platforms.opentargets.queries import RELEASE

CANDIDATE = """id name drugType maximumClinicalStage parentMolecule { id name }
          mechanismsOfAction { rows { mechanismOfAction actionType targets { id approvedSymbol } } }"""
"""What is asked of each drug in a list of candidates."""

TARGET_DRUGS = f"""
query TargetDrugs($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    drugAndClinicalCandidates {{
      count
      rows {{
        id maxClinicalStage
        drug {{
          {CANDIDATE}
        }}
        diseases {{ disease {{ id name }} diseaseFromSource }}
        clinicalReports {{ id }}
      }}
    }}
  }}
}}"""

DISEASE_DRUGS = f"""
query DiseaseDrugs($efoId: String!) {{
  {RELEASE}
  disease(efoId: $efoId) {{
    id name
    drugAndClinicalCandidates {{
      count
      rows {{
        id maxClinicalStage
        drug {{
          {CANDIDATE}
        }}
        clinicalReports {{ id }}
      }}
    }}
  }}
}}"""

DRUG_INFO = f"""
query DrugInfo($chemblId: String!) {{
  {RELEASE}
  drug(chemblId: $chemblId) {{
    id name drugType description maximumClinicalStage
    synonyms {{ label }} tradeNames {{ label }}
    parentMolecule {{ id name }} childMolecules {{ id name }}
    crossReferences {{ source ids }}
    drugWarnings {{ warningType toxicityClass country year description }}
    mechanismsOfAction {{
      uniqueActionTypes uniqueTargetTypes
      rows {{
        mechanismOfAction actionType targetName targets {{ id approvedSymbol approvedName }}
        references {{ source ids }}
      }}
    }}
    indications {{ count }}
  }}
}}"""

DRUG_PHARMACOGENOMICS = f"""
query DrugPharmacogenomics($chemblId: String!) {{
  {RELEASE}
  drug(chemblId: $chemblId) {{
    id name
    pharmacogenomics {{
      variantRsId variantId genotypeId genotype haplotypeId phenotypeText genotypeAnnotationText pgxCategory
      evidenceLevel isDirectTarget target {{ id approvedSymbol }} drugs {{ drugId drugFromSource }}
      literature datasourceId studyId
    }}
  }}
}}"""

DRUG_DISEASES = f"""
query DrugDiseases($chemblId: String!) {{
  {RELEASE}
  drug(chemblId: $chemblId) {{
    id name parentMolecule {{ id name }} childMolecules {{ id name }}
    indications {{ count rows {{ id maxClinicalStage disease {{ id name }} clinicalReports {{ id }} }} }}
  }}
}}"""

DRUG_SAFETY = f"""
query DrugSafety($chemblId: String!, $index: Int!, $size: Int!) {{
  {RELEASE}
  drug(chemblId: $chemblId) {{
    id name
    drugWarnings {{
      warningType toxicityClass country year description efoTerm references {{ source id url }}
    }}
    adverseEvents(page: {{index: $index, size: $size}}) {{
      count criticalValue rows {{ name count logLR meddraCode }}
    }}
  }}
}}"""

TARGET_PHARMACOGENOMICS = f"""
query TargetPharmacogenomics($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    pharmacogenomics {{
      variantRsId variantId genotypeId genotype haplotypeId phenotypeText genotypeAnnotationText pgxCategory
      evidenceLevel isDirectTarget drugs {{ drugId drugFromSource drug {{ id name }} }} literature datasourceId
      studyId variantFunctionalConsequence {{ label }}
    }}
  }}
}}"""

CLINICAL_REPORTS = f"""
query ClinicalReports($ids: [String!]!) {{
  {RELEASE}
  clinicalReports(clinicalReportsIds: $ids) {{
    id source type title url year clinicalStage phaseFromSource trialPhase trialStartDate trialOverallStatus
    trialWhyStopped trialStopReasonCategories trialStudyType trialLiterature
    drugs {{ drug {{ id name }} drugFromSource }} diseases {{ disease {{ id name }} diseaseFromSource }}
  }}
}}"""
