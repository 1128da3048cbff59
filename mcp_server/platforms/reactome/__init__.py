"""Reactome: pathways and reactions, what takes part in them, interactions, orthology, enrichment analysis.

REST/JSON at reactome.org/ContentService and /AnalysisService, no key, a new release every three months.
Nothing found is a 404 with JSON on every route. Texts hold HTML. Lists may hold a bare number for an
object that came earlier in the same answer. Gene symbols are no identifiers of the data routes.
"""

from mcp_server.platforms.reactome import (
    analysis,
    diseases,
    entities,
    events,
    exports,
    hierarchy,
    interactors,
    joined,
    mapping,
    records,
    searches,
)
from mcp_server.platforms.reactome.base import platform

__all__ = [
    "analysis",
    "diseases",
    "entities",
    "events",
    "exports",
    "hierarchy",
    "interactors",
    "joined",
    "mapping",
    "platform",
    "records",
    "searches",
]
