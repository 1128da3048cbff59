"""Adding a database means adding a module: the README's own example is put in place and asked."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import mcp_server.platforms
from mcp_server.config import ServerConfig
from mcp_server.registry import discover, tools_by_name
from mcp_server.server import ToolServer
from mcp_server.tool import Platform
from mcp_server.unified import TOOLS as UNIFIED
from tests.mcp_server.played import Played, call

ROOT = Path(__file__).parents[2]
ANSWER = {"response": {"numFound": 1, "docs": [{"hgnc_id": "HGNC:3430", "symbol": "ERBB2", "name": "erb-b2"}]}}


@pytest.fixture
def hgnc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Platform]:
    """Put the README's module beside the others and return what it declares."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = next(code for code in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "Platform(" in code)
    (tmp_path / "hgnc.py").write_text(example, encoding="utf-8")
    monkeypatch.setattr(mcp_server.platforms, "__path__", [*mcp_server.platforms.__path__, str(tmp_path)])
    yield next(platform for platform in discover() if platform.name == "hgnc")


def test_its_tool_is_listed_with_schema_and_example_among_all_others(hgnc: Platform) -> None:
    listing = {tool.name: tool for tool in ToolServer(discover(), ServerConfig()).listing()}
    tool = listing["hgnc__get_gene"]
    assert tool.input_schema["required"] == ["gene_symbol"]
    assert tool.meta is not None
    assert (tool.meta["burp/platform"], tool.meta["burp/example"]) == ("HGNC", {"gene_symbol": "ERBB2"})
    assert {*tools_by_name(discover())} | {tool.name for tool in UNIFIED} == {*listing}


async def test_its_answers_are_counted_and_cited(hgnc: Platform) -> None:
    played = Played().answer("/fetch/symbol/ERBB2", ANSWER)
    envelope = await call(hgnc, played, "get_gene", gene_symbol="ERBB2")
    assert (envelope.content["outcome"], envelope.content["total"], envelope.content["returned"]) == ("data", 1, 1)
    (citation,) = envelope.meta["burp/citations"]
    assert (citation["identifier"], citation["label"]) == ("HGNC:3430", "ERBB2")
    assert citation["url"].startswith("https://www.genenames.org/")


async def test_its_empty_list_is_nothing_found(hgnc: Platform) -> None:
    played = Played().answer("/fetch/symbol", {"response": {"numFound": 0, "docs": []}})
    envelope = await call(hgnc, played, "get_gene", gene_symbol="NOSUCHGENE")
    assert envelope.content["outcome"] == "empty"
