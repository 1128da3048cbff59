"""Open Targets Platform: targets, diseases, drugs, variants and the scored links between them.

GraphQL at https://api.platform.opentargets.org/api/v4/graphql, no key. An unknown id answers 200 with
a null root; a removed field answers 400 with the reason in `errors`. Lists of drugs have no paging and
no useful order: they are sorted and cut here. Disease ids moved from EFO to MONDO with release 26.06.
"""

from mcp_server.platforms.opentargets import (
    associations,
    diseases,
    drug_safety,
    drugs,
    entities,
    evidence,
    expert,
    studies,
    target_biology,
    targets,
    variants,
)
from mcp_server.platforms.opentargets.service import platform

__all__ = [
    "associations",
    "diseases",
    "drug_safety",
    "drugs",
    "entities",
    "evidence",
    "expert",
    "platform",
    "studies",
    "target_biology",
    "targets",
    "variants",
]
