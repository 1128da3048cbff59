"""Texts about one gene or its protein, or about several genes."""

from mcp_server.platforms.opentargets.queries import RELEASE

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

TARGETS_BATCH = f"""
query TargetsBatch($ensemblIds: [String!]!) {{
  {RELEASE}
  targets(ensemblIds: $ensemblIds) {{
    id approvedSymbol approvedName biotype targetClass {{ label level }} tractability {{ label modality value }}
  }}
}}"""

TARGET_DRUGGABILITY = f"""
query TargetDruggability($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol tractability {{ label modality value }}
    chemicalProbes {{
      id drugId isHighQuality mechanismOfAction probeMinerScore probesDrugsScore urls {{ niceName url }}
    }}
    targetClass {{ label level }}
    tep {{ name therapeuticArea description uri }}
  }}
}}"""

TARGET_SAFETY = f"""
query TargetSafety($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    safetyLiabilities {{
      event eventId datasource effects {{ direction dosing }} biosamples {{ tissueLabel cellLabel cellFormat }}
      studies {{ name type description }} literature url
    }}
  }}
}}"""

TARGET_EXPRESSION = f"""
query TargetExpression($ensemblId: String!, $index: Int!, $size: Int!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    baselineExpression(page: {{index: $index, size: $size}}) {{
      count
      rows {{
        datasourceId datatypeId unit median min q1 q3 max specificity_score distribution_score
        tissueBiosample {{ biosampleId biosampleName }} celltypeBiosample {{ biosampleId biosampleName }}
      }}
    }}
  }}
}}"""

TARGET_INTERACTIONS = f"""
query TargetInteractions(
  $ensemblId: String!, $source: InteractionSourceEnum, $threshold: Float, $index: Int!, $size: Int!
) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    interactions(sourceDatabase: $source, scoreThreshold: $threshold, page: {{index: $index, size: $size}}) {{
      count
      rows {{
        score count sourceDatabase intA intABiologicalRole intB intBBiologicalRole
        targetB {{ id approvedSymbol }} speciesB {{ mnemonic scientificName }}
      }}
    }}
  }}
}}"""

TARGET_CONSTRAINT = f"""
query TargetConstraint($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol geneticConstraint {{ constraintType exp obs score oe oeLower oeUpper upperBin6 }}
  }}
}}"""

TARGET_ESSENTIALITY = f"""
query TargetEssentiality($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol isEssential
    depMapEssentiality {{
      tissueId tissueName
      screens {{ cellLineName depmapId diseaseFromSource geneEffect expression mutation }}
    }}
  }}
}}"""

TARGET_MOUSE_PHENOTYPES = f"""
query TargetMousePhenotypes($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{
    id approvedSymbol
    mousePhenotypes {{
      modelPhenotypeId modelPhenotypeLabel modelPhenotypeClasses {{ label }} targetInModel targetInModelMgiId
      biologicalModels {{ id allelicComposition literature }}
    }}
  }}
}}"""

TARGET_PRIORITISATION = f"""
query TargetPrioritisation($ensemblId: String!) {{
  {RELEASE}
  target(ensemblId: $ensemblId) {{ id approvedSymbol prioritisation {{ items {{ key value }} }} }}
}}"""
