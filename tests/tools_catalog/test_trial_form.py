"""The form of a tool: fields from its schema, arguments from what was filled in."""

from typing import Any

from django.http import QueryDict

from tools_catalog.catalog import Catalog, CatalogTool, RawTool
from tools_catalog.trial_form import arguments_of, form_fields

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "gene": {"type": "string", "description": "A symbol."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
        "score": {"type": "number", "minimum": 0},
        "phase": {"type": "string", "enum": ["1", "2"]},
        "open": {"type": "boolean", "default": False},
        "ids": {"type": "array", "items": {"type": "string"}},
        "sizes": {"type": "array", "items": {"type": "integer"}},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "more": {"type": "object"},
    },
    "required": ["gene"],
}
EXAMPLE = {"gene": "BRAF", "limit": 5, "open": True, "ids": ["x", "y"], "kinds": ["b"], "more": {"a": 1}}


def tool() -> CatalogTool:
    return Catalog.from_tools([RawTool("a__b", "A: b", "Purpose.", SCHEMA, {"burp/example": EXAMPLE})]).tools[0]


def filled(**values: str | list[str]) -> QueryDict:
    form = QueryDict(mutable=True)
    for name, value in values.items():
        form.setlist(f"arg-{name}", value if isinstance(value, list) else [value])
    return form


def test_each_kind_of_argument_has_its_field_with_the_example_in_it() -> None:
    fields = {field.name: field for field in form_fields(tool(), EXAMPLE)}
    assert {name: field.widget for name, field in fields.items()} == {
        "gene": "text",
        "limit": "number",
        "score": "number",
        "phase": "choice",
        "open": "yes_no",
        "ids": "lines",
        "sizes": "lines",
        "kinds": "choices",
        "more": "json",
    }
    assert (fields["gene"].value, fields["gene"].is_required) == ("BRAF", True)
    assert (fields["limit"].value, fields["limit"].minimum, fields["limit"].maximum) == ("5", 1, 100)
    assert (fields["limit"].step, fields["score"].step, fields["limit"].default) == ("1", "any", "10")
    assert (fields["ids"].value, fields["open"].value, fields["kinds"].values) == ("x\ny", "yes", ("b",))
    assert (fields["kinds"].options, fields["phase"].options) == (("a", "b"), ("1", "2"))


def test_what_was_filled_in_becomes_arguments_of_the_right_types_and_the_rest_is_left_out() -> None:
    form = filled(
        gene=" BRAF ", limit="5", score="", phase="", open="no", ids="x\n\n y ", sizes="1\n2", kinds=["a", "b"]
    )
    assert arguments_of(tool(), form) == {
        "gene": "BRAF",
        "limit": 5,
        "open": False,
        "ids": ["x", "y"],
        "sizes": [1, 2],
        "kinds": ["a", "b"],
    }


def test_the_example_comes_back_as_it_is() -> None:
    form = QueryDict(mutable=True)
    for field in form_fields(tool(), EXAMPLE):
        form.setlist(field.field_name, list(field.values) if field.widget == "choices" else [field.value])
    assert arguments_of(tool(), form) == EXAMPLE


def test_what_can_t_be_read_is_handed_on_for_the_check_to_name() -> None:
    assert arguments_of(tool(), filled(limit="many", open="perhaps", more="{", sizes="1\nx")) == {
        "limit": "many",
        "open": "perhaps",
        "more": "{",
        "sizes": [1, "x"],
    }
