"""The form that tries a tool out, made from the tool's schema, and what was filled in as the tool's arguments. Pure.

What can't be read is handed on as it was typed: the check of the arguments says what is wrong with it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tools_catalog.catalog import CatalogTool

Json = Any
# The argument's name behind this, so that none meets a field of the page's own.
PREFIX = "arg-"
YES, NO = "yes", "no"


class Posted(Protocol):
    """A submitted form, such as Django's `QueryDict`."""

    def getlist(self, name: str) -> list[str]: ...


@dataclass(frozen=True)
class FormField:
    """One argument as a field. `widget`: text, number, choice, choices, yes_no, lines or json."""

    name: str
    widget: str
    description: str
    is_required: bool
    values: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    default: str = ""
    minimum: Json = None
    maximum: Json = None
    step: str = "1"

    @property
    def field_name(self) -> str:
        """The field's name in the form."""
        return PREFIX + self.name

    @property
    def value(self) -> str:
        """What stands in a field that holds one text."""
        return "\n".join(self.values)


def form_fields(tool: CatalogTool, given: Mapping[str, Json]) -> tuple[FormField, ...]:
    """Return a tool's form with these values filled in: required arguments first, as the schema has them."""
    required = set(tool.input_schema.get("required", ()))
    properties = tool.input_schema.get("properties", {})
    return tuple(
        _field(name, schema, name in required, _texts(given[name]) if name in given else ())
        for name, schema in properties.items()
    )


def arguments_of(tool: CatalogTool, posted: Posted) -> dict[str, Json]:
    """Return the arguments that a submitted form gives; empty fields are left out."""
    arguments = {}
    for field in form_fields(tool, {}):
        texts = [text.strip() for text in posted.getlist(field.field_name) if text.strip()]
        if texts:
            arguments[field.name] = _value(field, texts, tool.input_schema["properties"][field.name])
    return arguments


def _field(name: str, schema: Mapping[str, Json], is_required: bool, values: tuple[str, ...]) -> FormField:
    items = schema.get("items") or {}
    default = schema.get("default")
    return FormField(
        name=name,
        widget=_widget(schema),
        description=str(schema.get("description", "")),
        is_required=is_required,
        values=values,
        options=tuple(map(str, schema.get("enum") or items.get("enum") or ())),
        default=", ".join(_texts(default)) if default not in (None, "", []) else "",
        minimum=schema.get("minimum"),
        maximum=schema.get("maximum"),
        step="any" if schema.get("type") == "number" else "1",
    )


def _widget(schema: Mapping[str, Json]) -> str:
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items") or {}
        return "choices" if "enum" in items else "lines" if items.get("type") in ("string", "integer") else "json"
    if "enum" in schema:
        return "choice"
    return {"string": "text", "integer": "number", "number": "number", "boolean": "yes_no"}.get(str(kind), "json")


def _texts(value: Json) -> tuple[str, ...]:
    if isinstance(value, bool):
        return (YES if value else NO,)
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return tuple(map(str, value))
    return (value,) if isinstance(value, str) else (json.dumps(value, ensure_ascii=False),)


def _value(field: FormField, texts: Sequence[str], schema: Mapping[str, Json]) -> Json:
    match field.widget:
        case "choices":
            return [*texts]
        case "lines":
            lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
            return [_number(line) for line in lines] if schema["items"].get("type") == "integer" else lines
        case "yes_no":
            return {YES: True, NO: False}.get(texts[0], texts[0])
        case "number":
            return _number(texts[0])
        case "json":
            try:
                return json.loads(texts[0])
            except ValueError:
                return texts[0]
    return texts[0]


def _number(text: str) -> Json:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
