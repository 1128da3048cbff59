"""ClinPGx (formerly PharmGKB) and CPIC: how genetic variants change the response to drugs."""

from mcp_server.platforms.clinpgx import alleles, annotations, cpic, entities, guidelines, links, pages
from mcp_server.platforms.clinpgx.service import platform

__all__ = ["alleles", "annotations", "cpic", "entities", "guidelines", "links", "pages", "platform"]
