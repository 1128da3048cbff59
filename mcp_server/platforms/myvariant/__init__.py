"""MyVariant.info: annotations of human variants from many databases, in one record; MyGene, MyChem, MyDisease.

REST/JSON at myvariant.info/v1 and three sister hosts, no key. Two indexes, hg19 (their default) and hg38, in which
one id means different variants. Not found is a 404 with JSON, or `notfound` in a batch; a search without
hits is a 200. One value is an object, several are a list. Fields must be asked for, or records are huge.
"""

from mcp_server.platforms.myvariant import chemicals, clinical, diseases, fields, genes, records, search
from mcp_server.platforms.myvariant.base import platform

__all__ = ["chemicals", "clinical", "diseases", "fields", "genes", "platform", "records", "search"]
