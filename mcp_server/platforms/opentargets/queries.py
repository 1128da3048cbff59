"""The GraphQL texts asked of Open Targets, one constant an operation.

Every field exists in release 26.06. `meta` rides along, so that each result names its release.
"""

RELEASE = "meta { dataVersion { year month } }"

SEARCH_ENTITIES = f"""
query SearchEntities($query: String!, $entityNames: [String!], $size: Int!) {{
  {RELEASE}
  search(queryString: $query, entityNames: $entityNames, page: {{index: 0, size: $size}}) {{
    total
    hits {{ id entity name description score
      object {{
        __typename
        ... on Target {{ approvedSymbol approvedName biotype symbolSynonyms {{ label }} obsoleteSymbols {{ label }} }}
        ... on Disease {{ therapeuticAreas {{ id name }} synonyms {{ relation terms }} obsoleteTerms }}
        ... on Drug {{ drugType maximumClinicalStage drugSynonyms: synonyms {{ label }} tradeNames {{ label }} }}
        ... on Variant {{ rsIds mostSevereConsequence {{ label }} }}
        ... on Study {{ traitFromSource studyType }}
      }}
    }}
  }}
}}"""

TARGET_INFO = f"""
query TargetInfo($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol approvedName biotype
    genomicLocation {{ chromosome start end strand }}
    functionDescriptions
    symbolSynonyms {{ label }} obsoleteSymbols {{ label }}
    proteinIds {{ id source }} dbXrefs {{ id source }}
    targetClass {{ label level }}
    subcellularLocations {{ location }}
    tractability {{ label modality value }}
  }}
}}"""

DISEASE_INFO = f"""
query DiseaseInfo($efoId: String!) {{
  {RELEASE}
  disease(efoId: $efoId) {{
    id name description synonyms {{ relation terms }} dbXRefs obsoleteTerms isTherapeuticArea
    therapeuticAreas {{ id name }} parents {{ id name }} children {{ id name }}
  }}
}}"""

DISEASE_ASSOCIATED_TARGETS = f"""
query DiseaseAssociatedTargets($efoId: String!, $index: Int!, $size: Int!, $indirect: Boolean!) {{
  {RELEASE}
  disease(efoId: $efoId) {{
    id name
    associatedTargets(page: {{index: $index, size: $size}}, enableIndirect: $indirect) {{
      count
      rows {{ score target {{ id approvedSymbol approvedName }} datatypeScores {{ id score }} }}
    }}
  }}
}}"""

TARGET_ASSOCIATED_DISEASES = f"""
query TargetAssociatedDiseases($ensemblId: String!, $index: Int!, $size: Int!, $indirect: Boolean!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    associatedDiseases(page: {{index: $index, size: $size}}, enableIndirect: $indirect) {{
      count
      rows {{ score disease {{ id name }} datatypeScores {{ id score }} }}
    }}
  }}
}}"""

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
          id name drugType maximumClinicalStage parentMolecule {{ id name }}
          mechanismsOfAction {{ rows {{ mechanismOfAction actionType targets {{ id approvedSymbol }} }} }}
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
          id name drugType maximumClinicalStage parentMolecule {{ id name }}
          mechanismsOfAction {{ rows {{ mechanismOfAction actionType targets {{ id approvedSymbol }} }} }}
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
      rows {{ mechanismOfAction actionType targetName targets {{ id approvedSymbol approvedName }} }}
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
