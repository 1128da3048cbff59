"""docs/data-sources.md and docs/tools.md say what the platform modules declare."""

from mcp_server.registry import discover
from tests.reference_docs import DOCS, data_sources, tools


def test_the_page_of_the_sources_is_up_to_date() -> None:
    written = (DOCS / "data-sources.md").read_text(encoding="utf-8")
    assert written == data_sources(discover()), "run `python -m tests.reference_docs`"


def test_the_page_of_the_tools_is_up_to_date() -> None:
    assert (DOCS / "tools.md").read_text(encoding="utf-8") == tools(discover()), "run `python -m tests.reference_docs`"
