"""Check a call's arguments against the very schema that the model was shown, before anything is asked.

What is wrong is told so that the model can put it right in one go: which argument, what is wrong
with it, what is allowed, and an example. Values that a tool brings into a normal form itself
(`nct01234567` for `NCT01234567`) are checked here for their type only; the tool checks the form. So are words that
mean one of a fixed choice.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp_server.choices import choice_of

Json = Any
PROBLEMS_TOLD = 5
VALUE_MAX_CHARACTERS = 60
_TYPES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
# What is left to a tool that has a normal form for the value.
_FORM_KEYWORDS = frozenset({"pattern", "enum", "const", "minLength", "maxLength", "format"})


@dataclass(frozen=True)
class WrongArgument:
    """One argument that must be corrected."""

    argument: str
    problem: str
    allowed: str
    example: Json = None

    @property
    def sentence(self) -> str:
        """What is wrong and what is allowed, in a line."""
        return f"{self.argument}: {self.problem}; allowed: {self.allowed}"


@dataclass(frozen=True)
class ArgumentCheck:
    """The check of one tool. `normalised` names the arguments whose form the tool itself puts right."""

    schema: Mapping[str, Json]
    example: Mapping[str, Json]
    normalised: frozenset[str] = frozenset()

    @cached_property
    def _validator(self) -> Any:
        # Imported here: a process that runs no call needs no validator, and the import costs start time.
        from jsonschema import Draft202012Validator

        return Draft202012Validator(self.schema)

    @property
    def _known(self) -> Mapping[str, Json]:
        known: Mapping[str, Json] = self.schema.get("properties", {})
        return known

    def problems(self, arguments: Mapping[str, Json]) -> list[WrongArgument]:
        """Return what is wrong, at most a handful; nothing if the call may go out."""
        # A null says the same as leaving the argument out, and blanks around a text say nothing.
        given = {name: _stripped(value) for name, value in arguments.items() if value is not None}
        found: dict[str, WrongArgument] = {}
        for problem in self._all(given):
            found.setdefault(problem.argument, problem)
        return [*found.values()][:PROBLEMS_TOLD]

    def _all(self, given: Mapping[str, Json]) -> Iterator[WrongArgument]:
        if self.schema.get("additionalProperties") is False:
            yield from (self._unknown(name) for name in given if name not in self._known)
        for name in self.schema.get("required", ()):
            if _is_blank(given.get(name)):
                yield self._wrong(name, "this argument is required", self._known.get(name, {}))
        for error in self._validator.iter_errors(given):
            path = [str(part) for part in error.absolute_path]
            if not path and error.validator not in ("required", "additionalProperties"):
                yield WrongArgument("arguments", _told(error, []), "see the tool's description", dict(self.example))
            elif path and not (path[0] in self.normalised and error.validator in _FORM_KEYWORDS or _is_choice(error)):
                yield self._wrong(path[0], _told(error, path[1:]), error.schema)

    def _unknown(self, name: str) -> WrongArgument:
        near = difflib.get_close_matches(name, self._known, n=1, cutoff=0.6)
        hint = f", did you mean {near[0]!r}?" if near else ""
        return WrongArgument(
            name, f"there is no such argument{hint}", ", ".join(self._known) or "no arguments", dict(self.example)
        )

    def _wrong(self, name: str, problem: str, schema: Mapping[str, Json]) -> WrongArgument:
        example = self.example.get(name)
        return WrongArgument(name, problem, allowed(schema), example if example is not None else dict(self.example))


def allowed(schema: Mapping[str, Json]) -> str:
    """Say in words which values a schema takes."""
    if "const" in schema:
        return repr(schema["const"])
    if "enum" in schema:
        return "one of " + ", ".join(repr(value) for value in schema["enum"])
    types = schema.get("type", [])
    kind = " or ".join(_TYPES.get(one, one) for one in ([types] if isinstance(types, str) else types)) or "see its text"
    low, high = (schema.get(name) for name in ("minimum", "maximum"))
    if low is not None or high is not None:
        kind += _between(low, high)
    if "pattern" in schema:
        kind += f" of the form {schema['pattern']}"
    if isinstance(schema.get("items"), Mapping):
        kind += _between(schema.get("minItems"), schema.get("maxItems"), " entries")
        kind += f", each {allowed(schema['items'])}"
    return kind


def as_error(problems: Iterable[WrongArgument]) -> dict[str, Json]:
    """Return the facts of an error envelope: the first problem in its parts, all of them in the message."""
    first, *others = problems
    message = ". ".join(problem.sentence for problem in (first, *others))
    return {"message": message, "argument": first.argument, "allowed": first.allowed, "example": first.example}


def _stripped(value: Json) -> Json:
    if isinstance(value, str):
        return value.strip()
    return [_stripped(item) for item in value] if isinstance(value, list) else value


def _is_choice(error: Any) -> bool:
    """Tell whether a text means an allowed word, which the tool puts right."""
    is_text = error.validator == "enum" and isinstance(error.instance, str)
    return is_text and choice_of(error.instance, error.validator_value) != ""


def _is_blank(value: Json) -> bool:
    return value is None or value in ("", [])


def _between(low: Json, high: Json, unit: str = "") -> str:
    if low is not None and high is not None:
        return f" from {low} to {high}{unit}"
    if high is not None:
        return f" of at most {high}{unit}"
    return f" of at least {low}{unit}" if low is not None else ""


def _told(error: Any, inner: list[str]) -> str:
    """Say what is wrong with a value, without repeating a long one."""
    value = repr(error.instance)
    if len(value) > VALUE_MAX_CHARACTERS:
        value = f"{value[:VALUE_MAX_CHARACTERS]}…"
    at = f"{value} at {'.'.join(inner)}" if inner else value
    match error.validator:
        case "type":
            return f"{at} is not {allowed({'type': error.validator_value})}"
        case "enum" | "const":
            return f"{at} is not an allowed value"
        case "pattern":
            return f"{at} does not have the required form"
        case "minimum" | "exclusiveMinimum":
            return f"{at} is too small"
        case "maximum" | "exclusiveMaximum":
            return f"{at} is too large"
        case "maxItems" | "maxLength" | "maxProperties":
            return f"{at} is too long"
        case "minItems" | "minLength" | "minProperties":
            return f"{at} is too short"
    return f"{at} does not fit the schema ({error.validator})"
