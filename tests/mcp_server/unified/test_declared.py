"""How the unified tools are listed: what of a large result a reader can do without."""

import json
from typing import Any

import jq

from artifacts.config import ArtifactLimits
from artifacts.tokens import tokens
from mcp_server.unified import TOOLS
from tests.mcp_server.unified.sources import PLATFORMS

Json = Any
LISTED = {tool.name: tool.listed(PLATFORMS) for tool in TOOLS}


def without_noise(tool: str, content: Json) -> Json:
    """Return what the loop shows of a large result."""
    meta = LISTED[tool].meta
    assert meta is not None
    return jq.compile(meta["burp/noise"]).input_value(content).first()


def test_a_search_of_five_domains_is_read_whole() -> None:
    row = {"id": "PMID22663011", "title": "t" * 90, "text": "word " * 120, "url": "https://pubmed.ncbi.nlm.nih.gov/1/"}
    content = {"results": [row] * 50, "_meta": {"status": "complete", "notices": []}}
    shown = without_noise("search", content)
    assert tokens(json.dumps(content)) > ArtifactLimits().inline_max_tokens > tokens(json.dumps(shown))
    assert len(shown["results"]) == 50 and shown["results"][0]["text"].endswith("…")
    assert shown["results"][0]["title"] == row["title"] and shown["_meta"] == content["_meta"]


def test_a_short_text_and_a_failure_stay_as_they_are() -> None:
    for content in ({"results": [{"text": "short"}], "_meta": {}}, {"error": {"code": "E_EMPTY"}}):
        assert without_noise("search", content) == content


def test_a_large_record_keeps_its_text() -> None:
    record = {"id": "rs1", "text": "t", "metadata": {"gdc": ["x" * 30_000]}, "_meta": {"status": "complete"}}
    assert without_noise("fetch", record) == {"id": "rs1", "text": "t", "_meta": {"status": "complete"}}
