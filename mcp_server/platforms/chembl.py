"""ChEMBL: drug-like molecules with their targets, mechanisms, indications and warnings.

REST/JSON at https://www.ebi.ac.uk/chembl/api/data, no key. An unknown parameter is silently ignored,
so every row is checked for the id that was asked for. Mechanisms, indications and warnings hang on
one form of a drug, often a salt: they are collected by parent. A 404 with an empty body means "no such
record", one with a page means a routing fault.
"""

from typing import Annotated

from mcp_server.args import ChemblId, DrugName, GeneSymbol, Limit, Offset, UniProtAccession
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform

platform = Platform(
    "chembl",
    title="ChEMBL",
    base_url="https://www.ebi.ac.uk/chembl/api/data",
    docs="https://chembl.gitbook.io/chembl-interface-documentation/web-services",
    licence="CC BY-SA 3.0",
    rate=Rate(4),
)

ChemblTargetId = Annotated[str, Arg("ChEMBL id of a target.", "CHEMBL1824", r"^CHEMBL\d+$", normalise=str.upper)]


@platform.tool(core=True, example={"drug_name": "clopidogrel"})
async def resolve_drug(api: Api, drug_name: DrugName) -> Answer:
    """Find the ChEMBL id of a drug by name, brand or code: the parent first, with salts, phase and withdrawal."""
    raise NotImplementedError


@platform.tool(example={"chembl_id": "CHEMBL554"})
async def get_molecule(api: Api, chembl_id: ChemblId) -> Answer:
    """Get a molecule's names, type, structure, properties, highest phase, withdrawal and its other forms."""
    raise NotImplementedError


@platform.tool(example={"chembl_id": "CHEMBL554"})
async def get_drug_mechanisms(api: Api, chembl_id: ChemblId) -> Answer:
    """List a drug's curated mechanisms of action and targets, collected over parent and salts, naming the form."""
    raise NotImplementedError


@platform.tool(example={"chembl_id": "CHEMBL554"})
async def get_drug_indications(api: Api, chembl_id: ChemblId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """List diseases a drug is approved for (phase 4) or studied in, over parent and salts, highest phase first."""
    raise NotImplementedError


@platform.tool(example={"target_chembl_id": "CHEMBL1824"})
async def find_drugs_by_target(
    api: Api, target_chembl_id: ChemblTargetId, limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """List drugs whose curated mechanism is a given ChEMBL target, with action, phase, form and withdrawal."""
    raise NotImplementedError


@platform.tool(example={"gene_symbol": "ERBB2"})
async def resolve_target(
    api: Api, gene_symbol: GeneSymbol | None = None, uniprot_accession: UniProtAccession | None = None
) -> Answer:
    """Find human ChEMBL targets by gene symbol or UniProt accession, single proteins first. Give one of both."""
    raise NotImplementedError


@platform.tool(example={"chembl_id": "CHEMBL122"})
async def get_drug_warnings(api: Api, chembl_id: ChemblId) -> Answer:
    """List a drug's withdrawals and boxed warnings: year, country, reason, class, over parent and salts."""
    raise NotImplementedError
