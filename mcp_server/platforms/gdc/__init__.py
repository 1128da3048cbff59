"""NCI Genomic Data Commons: projects, cases, somatic mutations, copy number and survival of TCGA and other programs.

REST/JSON at api.gdc.cancer.gov, no key for open data; positions are GRCh38. The field of one thing is spelt
differently at each endpoint, and a field that is not known is ignored with a warning in a 200. A gene counts as
"affected" by copy number too, so mutated cases are counted with a condition of their own.
"""

from mcp_server.platforms.gdc import cases, copy_number, frequency, mutations, projects, survival
from mcp_server.platforms.gdc.service import platform

__all__ = ["cases", "copy_number", "frequency", "mutations", "platform", "projects", "survival"]
