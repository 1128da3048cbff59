"""Texts about variants, GWAS and QTL studies, and fine-mapped signals."""

from mcp_server.platforms.opentargets.queries import RELEASE

VARIANT_INFO = f"""
query VariantInfo($variantId: String!) {{
  {RELEASE}
  variant(variantId: $variantId) {{
    id chromosome position referenceAllele alternateAllele rsIds hgvsId variantDescription
    mostSevereConsequence {{ id label }}
    variantEffect {{ method assessment score normalisedScore target {{ id approvedSymbol }} }}
    alleleFrequencies {{ populationName alleleFrequency }}
    transcriptConsequences {{
      transcriptId aminoAcidChange impact isEnsemblCanonical target {{ id approvedSymbol }} uniprotAccessions
      variantConsequences {{ id label }}
    }}
    dbXrefs {{ id source }}
  }}
}}"""

VARIANT_EVIDENCE = f"""
query VariantEvidence($variantId: String!, $datasourceIds: [String!], $size: Int, $cursor: String) {{
  {RELEASE}
  variant(variantId: $variantId) {{
    id rsIds
    evidences(datasourceIds: $datasourceIds, size: $size, cursor: $cursor) {{
      count cursor
      rows {{
        id datasourceId score disease {{ id name }} target {{ id approvedSymbol }} clinicalSignificances confidence
        literature studyId
      }}
    }}
    pharmacogenomics {{
      genotypeId drugs {{ drugId drugFromSource }} phenotypeText evidenceLevel pgxCategory
      target {{ id approvedSymbol }} literature
    }}
  }}
}}"""

VARIANT_CREDIBLE_SETS = f"""
query VariantCredibleSets($variantId: String!, $studyTypes: [StudyTypeEnum!], $index: Int!, $size: Int!) {{
  {RELEASE}
  variant(variantId: $variantId) {{
    id rsIds
    credibleSets(studyTypes: $studyTypes, page: {{index: $index, size: $size}}) {{
      count
      rows {{
        studyLocusId pValueMantissa pValueExponent beta confidence finemappingMethod
        study {{
          id traitFromSource studyType diseases {{ id name }} target {{ id approvedSymbol }}
          biosample {{ biosampleName }}
        }}
        l2GPredictions(page: {{index: 0, size: 3}}) {{ rows {{ score target {{ id approvedSymbol }} }} }}
      }}
    }}
  }}
}}"""

TARGET_CREDIBLE_SETS = f"""
query TargetCredibleSets($ensemblId: String!, $index: Int!, $size: Int!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    credibleSets(page: {{index: $index, size: $size}}) {{
      count
      rows {{
        studyLocusId study {{ id traitFromSource studyType }} variant {{ id rsIds }} pValueMantissa pValueExponent
        beta confidence finemappingMethod
      }}
    }}
  }}
}}"""

GWAS_STUDIES = f"""
query GwasStudies($efoId: String!, $diseaseIds: [String!], $indirect: Boolean, $index: Int!, $size: Int!) {{
  {RELEASE}
  disease(efoId: $efoId) {{ id name }}
  studies(diseaseIds: $diseaseIds, enableIndirect: $indirect, page: {{index: $index, size: $size}}) {{
    count
    rows {{
      id studyType traitFromSource nSamples nCases publicationFirstAuthor publicationDate pubmedId hasSumstats
    }}
  }}
}}"""

GWAS_STUDY = f"""
query GwasStudy($studyId: String!, $index: Int!, $size: Int!) {{
  {RELEASE}
  study(studyId: $studyId) {{
    id studyType traitFromSource projectId nSamples nCases nControls cohorts publicationTitle publicationFirstAuthor
    publicationJournal publicationDate pubmedId diseases {{ id name }} target {{ id approvedSymbol }}
    credibleSets(page: {{index: $index, size: $size}}) {{
      count
      rows {{
        studyLocusId variant {{ id rsIds }} pValueMantissa pValueExponent beta
        l2GPredictions(page: {{index: 0, size: 3}}) {{ rows {{ score target {{ id approvedSymbol }} }} }}
      }}
    }}
  }}
}}"""

CREDIBLE_SET = f"""
query CredibleSet($studyLocusId: String!, $studyTypes: [StudyTypeEnum!], $index: Int!, $size: Int!) {{
  {RELEASE}
  credibleSet(studyLocusId: $studyLocusId) {{
    studyLocusId studyType region variant {{ id rsIds }} pValueMantissa pValueExponent beta standardError
    finemappingMethod confidence
    study {{ id traitFromSource target {{ id approvedSymbol }} diseases {{ id name }} pubmedId }}
    l2GPredictions(page: {{index: $index, size: $size}}) {{
      count rows {{ score target {{ id approvedSymbol }} features {{ name value shapValue }} }}
    }}
    colocalisation(studyTypes: $studyTypes, page: {{index: $index, size: $size}}) {{
      count
      rows {{
        h4 clpp colocalisationMethod numberColocalisingVariants rightStudyType
        otherStudyLocus {{ studyLocusId study {{ id traitFromSource target {{ id approvedSymbol }} }} }}
      }}
    }}
    locus(page: {{index: $index, size: $size}}) {{
      count rows {{ variant {{ id rsIds }} posteriorProbability is95CredibleSet }}
    }}
  }}
}}"""
