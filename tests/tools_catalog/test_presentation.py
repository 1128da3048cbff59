"""Tools as the pages show them."""

from tools_catalog.catalog import Catalog, RawTool
from tools_catalog.presentation import ArgumentView, tool_view


def test_arguments_are_shown_in_words() -> None:
    properties = {
        "gene_symbol": {"type": "string", "description": "A symbol."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
        "ids": {"type": "array", "items": {"type": "string"}},
        "phase": {"type": "string", "enum": ["1", "2"]},
        "score": {"type": ["number", "null"]},
        "flag": {"type": "boolean", "default": False},
    }
    schema = {"type": "object", "properties": properties, "required": ["gene_symbol"]}
    catalog = Catalog.from_tools([RawTool("a__b", "A: b", "Purpose.", schema, {"burp/example": {"gene_symbol": "α"}})])
    view = tool_view(catalog.tools[0])
    assert view.arguments == (
        ArgumentView("gene_symbol", "text", True, "A symbol."),
        ArgumentView("flag", "yes or no", False, "", "false"),
        ArgumentView("ids", "list of text", False, ""),
        ArgumentView("limit", "whole number, 1 to 100", False, "", "10"),
        ArgumentView("phase", "one of 1, 2", False, ""),
        ArgumentView("score", "number or null", False, ""),
    )
    assert view.example == '{\n  "gene_symbol": "α"\n}'
