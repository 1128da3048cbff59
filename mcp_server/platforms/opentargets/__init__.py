"""Open Targets Platform: targets, diseases, drugs and the scored associations between them.

GraphQL at https://api.platform.opentargets.org/api/v4/graphql, no key. An unknown id answers 200 with
a null root; a removed field answers 400 with the reason in `errors`. Lists of drugs and indications
have no paging and no order: they are sorted and cut here. Disease ids moved from EFO to MONDO with
release 26.06.
"""

from typing import Annotated, Literal

from mcp_server.args import ChemblId, DiseaseId, EnsemblGeneId, Limit, Offset, look_up_form
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform

platform = Platform(
    "opentargets",
    title="Open Targets",
    base_url="https://api.platform.opentargets.org/api/v4/graphql",
    docs="https://platform-docs.opentargets.org",
    licence="CC0 1.0",
    rate=Rate(3),
)

EntityType = Literal["target", "disease", "drug", "variant", "study"]
SearchText = Annotated[
    str,
    Arg(
        "Gene symbol, disease or drug name, rsID, or an id of another release.", "breast cancer", normalise=look_up_form
    ),
]
EntityTypes = Annotated[
    list[EntityType], Arg("Kinds of records to look for; without it targets, diseases and drugs.", ["disease"])
]


@platform.tool(core=True, example={"query": "breast cancer", "entity_types": ["disease"]})
async def search_entities(
    api: Api, query: SearchText, entity_types: EntityTypes | None = None, limit: Limit = 10, offset: Offset = 0
) -> Answer:
    """Find Open Targets ids (ENSG, MONDO, CHEMBL) of genes, diseases or drugs by free text; exact names first."""
    raise NotImplementedError


@platform.tool(example={"ensembl_id": "ENSG00000141736"})
async def get_target_info(api: Api, ensembl_id: EnsemblGeneId) -> Answer:
    """Get a target's symbol, name, biotype, location, function, proteins, classes and tractability by Ensembl id."""
    raise NotImplementedError


@platform.tool(example={"disease_id": "MONDO_0004989"})
async def get_disease_info(api: Api, disease_id: DiseaseId) -> Answer:
    """Get a disease's definition, synonyms, therapeutic areas, parents, children and former ids."""
    raise NotImplementedError


@platform.tool(example={"disease_id": "MONDO_0004989", "limit": 50})
async def get_disease_associated_targets(
    api: Api, disease_id: DiseaseId, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """Disease → targets: genes associated with a disease, ranked by overall score, with scores by data type."""
    raise NotImplementedError


@platform.tool(example={"ensembl_id": "ENSG00000141736", "limit": 5})
async def get_target_associated_diseases(
    api: Api, ensembl_id: EnsemblGeneId, limit: Limit = 25, offset: Offset = 0
) -> Answer:
    """Target → diseases: diseases associated with a gene, ranked by overall score, with scores by data type."""
    raise NotImplementedError


@platform.tool(core=True, example={"ensembl_id": "ENSG00000141736"})
async def get_target_drugs(api: Api, ensembl_id: EnsemblGeneId, limit: Limit = 200, offset: Offset = 0) -> Answer:
    """List drugs and clinical candidates acting on a target, highest stage first, with mechanism and diseases tried."""
    raise NotImplementedError


@platform.tool(example={"disease_id": "MONDO_0004989"})
async def get_disease_drugs(api: Api, disease_id: DiseaseId, limit: Limit = 100, offset: Offset = 0) -> Answer:
    """List drugs and clinical candidates tried in a disease, highest stage first, with mechanism and targets."""
    raise NotImplementedError


@platform.tool(example={"chembl_id": "CHEMBL554"})
async def get_drug_info(api: Api, chembl_id: ChemblId) -> Answer:
    """Get a drug's type, highest stage, mechanisms with Ensembl targets, names, parent and salts, and warnings."""
    raise NotImplementedError


@platform.tool(example={"chembl_id": "CHEMBL1464"})
async def get_drug_pharmacogenomics(api: Api, chembl_id: ChemblId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """List variants that change the response to a drug, with evidence level, gene and category, strongest first."""
    raise NotImplementedError
