"""PubTator3: entities, relations and sentences of the literature, with LitVar2 (variants) and LitSense2 (sentences).

REST/JSON at www.ncbi.nlm.nih.gov/research, no key, 3 requests a second. All is text-mined, and wrong at times.
A 400 may mean an unknown record, a wrong filter, or the weekly update; unknown PMIDs among known ones are left
out without a word, and ids in a wrong case find nothing.
"""

from mcp_server.platforms.pubtator3 import annotations, articles, entities, relations, sentences, variants
from mcp_server.platforms.pubtator3.base import platform

__all__ = ["annotations", "articles", "entities", "platform", "relations", "sentences", "variants"]
