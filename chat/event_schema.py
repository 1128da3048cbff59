"""The JSON schema of a turn's events, made from their declarations."""

import types
from dataclasses import MISSING, Field, fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from chat.events import EVENT_TYPES, EVENTS_VERSION, Event

Json = Any
_TYPES: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema() -> dict[str, Json]:
    """Return the schema of one event, whichever it is."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "BURP turn event",
        "description": f"One event of a turn, version {EVENTS_VERSION}. Readers leave out what they do not know.",
        "version": EVENTS_VERSION,
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in EVENT_TYPES],
        "$defs": {name: _event(kind) for name, kind in EVENT_TYPES.items()},
    }


def broken_promises(before: dict[str, Json], now: dict[str, Json]) -> list[str]:
    """Return what an older schema promised and a newer one does not keep: reason enough for a new version."""
    broken = []
    for name, was in before["$defs"].items():
        present = now["$defs"].get(name)
        if present is None:
            broken.append(f"{name} is gone")
            continue
        for field_name, form in was["properties"].items():
            kept = present["properties"].get(field_name)
            if kept is None:
                broken.append(f"{name}.{field_name} is gone")
            elif _form(kept) != _form(form):
                broken.append(f"{name}.{field_name} has another form")
    return broken


def _event(kind: type[Event]) -> dict[str, Json]:
    hints = get_type_hints(kind)
    declared = {field.name: field for field in fields(kind)}
    return {
        "type": "object",
        "description": " ".join((kind.__doc__ or "").split()),
        "properties": {
            "type": {"const": kind.type},
            **{name: _field(field, hints[name]) for name, field in declared.items()},
        },
        "required": ["type", *(name for name, field in declared.items() if _is_required(field))],
    }


def _is_required(field: Field[Any]) -> bool:
    return field.name in ("seq", "at") or (field.default is MISSING and field.default_factory is MISSING)


def _field(field: Field[Any], hint: Any) -> dict[str, Json]:
    return {**_hinted(hint), **field.metadata["schema"], "description": field.metadata["help"]}


def _hinted(hint: Any) -> dict[str, Json]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        named = [_TYPES[part] for part in arguments if part is not type(None)]
        return {"type": [*named, "null"]}
    if origin is list:
        return {"type": "array", "items": _hinted(arguments[0])}
    if origin is dict:
        return {"type": "object"} | ({"additionalProperties": _hinted(arguments[1])} if arguments[1] in _TYPES else {})
    return {"type": _TYPES[hint]}


def _form(field: dict[str, Json]) -> dict[str, Json]:
    """Return what a reader relies on: the type, not its description or that a word was added."""
    return {name: value for name, value in field.items() if name in ("type", "const")}
