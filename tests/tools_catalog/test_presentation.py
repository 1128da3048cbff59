"""Tools as the pages show them."""

import pytest
from django.template.loader import render_to_string

from tools_catalog.catalog import Catalog, RawTool
from tools_catalog.presentation import ArgumentView, hit_views, tool_view
from tools_catalog.search import Hit


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


@pytest.mark.parametrize(
    ("ranks", "keyword_only", "words"),
    [
        ((3, 1), False, "keywords: place 3 · meaning: place 1 · names A"),
        ((None, 2), False, "not by keywords · meaning: place 2 · names A"),
        ((1, None), False, "keywords: place 1 · not by meaning · names A"),
        ((1, None), True, "keywords: place 1 · names A"),
    ],
)
def test_a_hit_shows_at_which_place_each_half_of_the_search_found_it_and_why(
    ranks: tuple[int | None, int | None], keyword_only: bool, words: str
) -> None:
    raw = RawTool("a__b", "A: b", "Purpose.", {"type": "object", "properties": {}}, {"burp/platform": "A"})
    (view,) = hit_views(Catalog.from_tools([raw]), [Hit("a__b", 1.0, "names A", *ranks)])
    html = render_to_string("tools_catalog/_tool.html", {"tool": view, "keyword_only": keyword_only})
    assert f'<span class="tool-why">A · {words}</span>' in html
