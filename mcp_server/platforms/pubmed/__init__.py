"""PubMed: articles by query or number, their links, citations and full text at PubMed Central."""

from mcp_server.platforms.pubmed import articles, citations, full_text, links, queries, vocabularies
from mcp_server.platforms.pubmed.service import platform

__all__ = ["articles", "citations", "full_text", "links", "platform", "queries", "vocabularies"]
