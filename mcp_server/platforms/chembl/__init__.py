"""ChEMBL: drug-like molecules with their targets, mechanisms, activities, indications and warnings."""

from mcp_server.platforms.chembl import activities, assays, drug_lists, drugs, molecules, structures, targets
from mcp_server.platforms.chembl.service import platform

__all__ = ["activities", "assays", "drug_lists", "drugs", "molecules", "platform", "structures", "targets"]
