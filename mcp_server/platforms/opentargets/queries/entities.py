"""Texts that find records of any kind: searches, literature, neighbours."""

from mcp_server.platforms.opentargets.queries import RELEASE

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

SEARCH_ENTITIES_BATCH = f"""
query SearchEntitiesBatch($terms: [String!]!, $entityNames: [String!]) {{
  {RELEASE}
  mapIds(queryTerms: $terms, entityNames: $entityNames) {{
    total
    mappings {{
      term
      hits {{ id entity name score
        object {{
          __typename
          ... on Target {{ approvedSymbol approvedName symbolSynonyms {{ label }} obsoleteSymbols {{ label }} }}
          ... on Disease {{ synonyms {{ relation terms }} obsoleteTerms }}
          ... on Drug {{ drugType maximumClinicalStage drugSynonyms: synonyms {{ label }} tradeNames {{ label }} }}
          ... on Variant {{ rsIds }}
          ... on Study {{ traitFromSource studyType }}
        }}
      }}
    }}
  }}
}}"""

TARGET_LITERATURE = f"""
query TargetLiterature(
  $id: String!, $ids: [String!], $startYear: Int, $endYear: Int, $cursor: String
) {{
  {RELEASE}
  target(ensemblId: $id) {{
    id approvedSymbol
    literatureOcurrences(additionalIds: $ids, startYear: $startYear, endYear: $endYear, cursor: $cursor) {{
      count filteredCount earliestPubYear cursor rows {{ pmid pmcid publicationDate }}
    }}
  }}
}}"""

DISEASE_LITERATURE = f"""
query DiseaseLiterature(
  $id: String!, $ids: [String!], $startYear: Int, $endYear: Int, $cursor: String
) {{
  {RELEASE}
  disease(efoId: $id) {{
    id name
    literatureOcurrences(additionalIds: $ids, startYear: $startYear, endYear: $endYear, cursor: $cursor) {{
      count filteredCount earliestPubYear cursor rows {{ pmid pmcid publicationDate }}
    }}
  }}
}}"""

DRUG_LITERATURE = f"""
query DrugLiterature(
  $id: String!, $ids: [String!], $startYear: Int, $endYear: Int, $cursor: String
) {{
  {RELEASE}
  drug(chemblId: $id) {{
    id name
    literatureOcurrences(additionalIds: $ids, startYear: $startYear, endYear: $endYear, cursor: $cursor) {{
      count filteredCount earliestPubYear cursor rows {{ pmid pmcid publicationDate }}
    }}
  }}
}}"""

SIMILAR = """similarEntities(entityNames: $entityNames, threshold: $threshold, size: $size) {
      id category score
      object {
        __typename
        ... on Target { approvedSymbol approvedName }
        ... on Disease { diseaseName: name }
        ... on Drug { drugName: name maximumClinicalStage }
      }
    }"""

TARGET_SIMILAR = f"""
query TargetSimilar($id: String!, $entityNames: [String!], $threshold: Float, $size: Int) {{
  {RELEASE}
  target(ensemblId: $id) {{
    id approvedSymbol
    {SIMILAR}
  }}
}}"""

DISEASE_SIMILAR = f"""
query DiseaseSimilar($id: String!, $entityNames: [String!], $threshold: Float, $size: Int) {{
  {RELEASE}
  disease(efoId: $id) {{
    id name
    {SIMILAR}
  }}
}}"""

DRUG_SIMILAR = f"""
query DrugSimilar($id: String!, $entityNames: [String!], $threshold: Float, $size: Int) {{
  {RELEASE}
  drug(chemblId: $id) {{
    id name
    {SIMILAR}
  }}
}}"""
