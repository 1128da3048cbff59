"""How a platform declares its tools: one object a database, one typed function a tool.

The function is the declaration. Its name, first docstring paragraph, annotated arguments and
defaults become what the model reads; core default, noise policy, citations, totals and an example
stand beside it in the decorator. Arguments are checked, and brought to their normal form, before
anything is asked.
"""

import inspect
import re
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mcp_server.choices import choice_of
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, InvalidArguments, walk
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate

Json = Any
ToolFunction = Callable[..., Awaitable[Any]]
VERBS = (
    "get", "search", "list", "resolve", "map", "compare", "find", "lookup", "predict", "convert", "count",
    "recommend", "match", "assess", "recode", "summarize", "run", "check", "format", "describe", "suggest", "analyze",
    "autocomplete",
)  # fmt: skip
# Tools that join several calls into one page are named for the page; others for what they run or bring.
PAGES = (
    "dossier", "profile", "report", "landscape", "search", "values", "pathways", "frequency", "frequencies", "gene",
    "genes", "recurrence", "hotspots", "study", "summary", "occurrences", "survival", "number", "get", "batch",
    "resolve",
)  # fmt: skip
_JSON_TYPES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}


@dataclass(frozen=True)
class Arg:
    """What an argument means and how it must look. `normalise` runs before the check."""

    description: str
    # An optional argument's annotation is hashed, and an example may be a list.
    example: Json = field(default=None, hash=False)
    pattern: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    max_items: int | None = None
    normalise: Callable[[str], str] | None = None


@dataclass(frozen=True)
class Cite:
    """Where the cited records stand in a tool's data.

    `at` points at the records, `id` and `label` into each one; `url` may hold `{id}`.
    """

    kind: str
    at: str
    id: str = ""
    label: str = ""
    url: str = ""

    def citations(self, data: Json) -> list[Citation]:
        """Return the citations of `data`."""
        found = []
        for record in walk(data, self.at):
            identifier = next(walk(record, self.id), None)
            if isinstance(identifier, str | int) and not isinstance(identifier, bool) and identifier != "":
                label = next(walk(record, self.label), "") if self.label else ""
                found.append(Citation(self.kind, str(identifier), str(label), self.url.format(id=identifier)))
        return found


@dataclass(frozen=True)
class ToolSpec:
    """One tool, ready to be listed and called."""

    platform: "Platform"
    function: ToolFunction
    core: bool
    example: Mapping[str, Json]
    cites: tuple[Cite, ...]
    noise: str | None
    keep: tuple[str, ...]
    rows: str
    total: str
    asks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The full name, `platform__verb_noun`."""
        return f"{self.platform.name}__{self.function.__name__}"

    @property
    def title(self) -> str:
        """A short title for people."""
        return f"{self.platform.title}: {self.function.__name__.replace('_', ' ')}"

    @property
    def description(self) -> str:
        """The first paragraph of the docstring, on one line."""
        return " ".join((inspect.getdoc(self.function) or "").partition("\n\n")[0].split())

    @cached_property
    def parameters(self) -> dict[str, "Parameter"]:
        """The arguments by name, without the `api`."""
        hints = get_type_hints(self.function, include_extras=True)
        signature = inspect.signature(self.function)
        return {
            name: Parameter.of(name, hints[name], parameter.default)
            for name, parameter in signature.parameters.items()
            if name != "api"
        }

    @cached_property
    def input_schema(self) -> dict[str, Json]:
        """The JSON Schema of the arguments: nothing but what is declared is accepted."""
        return {
            "type": "object",
            "properties": {name: parameter.schema for name, parameter in self.parameters.items()},
            "required": [name for name, parameter in self.parameters.items() if parameter.required],
            "additionalProperties": False,
        }

    @cached_property
    def normalised(self) -> list[str]:
        """The arguments with a form that is put right here, so that nobody need check it before."""
        return [
            name
            for name, parameter in self.parameters.items()
            if parameter.arg.normalise and {"pattern", "enum"} & {*parameter.schema, *parameter.schema.get("items", ())}
        ]

    @cached_property
    def _validator(self) -> Any:
        # Imported here: listing the tools needs no validator, and the import costs start time.
        from jsonschema import Draft202012Validator

        return Draft202012Validator(self.input_schema)

    def bind(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Return the arguments in normal form, or raise `InvalidArguments` for the first wrong one."""
        for name in arguments:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise InvalidArguments(name, f"there is no such argument; known: {known}", dict(self.example))
        bound = {
            name: self.parameters[name].normal_form(value) for name, value in arguments.items() if value is not None
        }
        for name, parameter in self.parameters.items():
            if parameter.required and bound.get(name) in (None, "", []):
                raise InvalidArguments(name, "this argument is required", parameter.arg.example)
        for error in sorted(self._validator.iter_errors(bound), key=lambda e: [str(p) for p in e.absolute_path]):
            name = str(error.absolute_path[0]) if error.absolute_path else ""
            arg = self.parameters[name].arg if name in self.parameters else Arg("")
            example = self.example.get(name) if arg.example is None else arg.example
            raise InvalidArguments(name, _said(error, arg), example)
        return bound

    async def call(self, api: Api, arguments: Mapping[str, Json]) -> tuple[Answer, list[Citation]]:
        """Run the function on checked arguments; return its answer and the citations of its data."""
        result = await self.function(api, **self.bind(arguments))
        answer = result if isinstance(result, Answer) else self._answer(result)
        return answer, [citation for cite in self.cites for citation in cite.citations(answer.data)]

    def _answer(self, data: Json) -> Answer:
        if not self.rows:
            return Answer(data)
        found = next(walk(data, self.rows), None)
        count = len(found) if isinstance(found, list) else 0
        total = next(walk(data, self.total), None) if self.total else None
        outcome = ResultOutcome.DATA if count else ResultOutcome.EMPTY
        return Answer(data, outcome, total=total if isinstance(total, int) else None, returned=count)


def _said(error: Any, arg: Arg) -> str:
    """Say what is wrong with an argument in words that can be acted on: a pattern says little to who reads it."""
    value = error.instance
    if error.validator == "pattern" and arg.description:
        return f"{value!r} is not of the form that is wanted: {arg.description}"
    if error.validator == "type" and error.validator_value == "array":
        return f"{value!r} must stand in a list, also where it is the only one"
    return str(error.message)


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool."""

    name: str
    schema: dict[str, Json]
    required: bool
    arg: Arg

    @classmethod
    def of(cls, name: str, hint: Any, default: Any) -> "Parameter":
        """Read an annotated argument."""
        arg, base = _unwrap(hint)
        schema = _schema(base, arg)
        required = default is inspect.Parameter.empty
        if not required and default is not None:
            schema["default"] = default
        return cls(name, schema, required, arg)

    def normal_form(self, value: Json) -> Json:
        """Strip texts and apply the argument's own normal form."""
        if isinstance(value, str):
            text = value.strip()
            return self.arg.normalise(text) if self.arg.normalise else self._choice(text)
        if isinstance(value, list):
            return [self.normal_form(item) for item in value]
        return value

    def _choice(self, text: str) -> str:
        """Return a word of a fixed choice in its own spelling, and any other text as it is."""
        choices = self.schema.get("enum") or self.schema.get("items", {}).get("enum") or ()
        return choice_of(text, choices) or text


def _unwrap(hint: Any) -> tuple[Arg, Any]:
    """Return an annotation's `Arg` and its bare type, without `| None`."""
    if get_origin(hint) in (Union, types.UnionType):
        arg, base = Arg(""), Any
        for part in get_args(hint):
            if part is not type(None):
                arg, base = _unwrap(part)
        return arg, base
    if get_origin(hint) is typing.Annotated:
        base, *extras = get_args(hint)
        inner, base = _unwrap(base)
        own = [extra for extra in extras if isinstance(extra, Arg)]
        return (own[-1] if own else inner), base
    return Arg(""), hint


def _schema(base: Any, arg: Arg) -> dict[str, Json]:
    """Return the JSON Schema of one argument."""
    schema: dict[str, Json]
    if get_origin(base) is Literal:
        values = list(get_args(base))
        schema = {"type": _JSON_TYPES[type(values[0])], "enum": values}
    elif get_origin(base) is list:
        inner, item = _unwrap(get_args(base)[0])
        items = _schema(item, inner)
        if arg.pattern and items["type"] == "string":
            items["pattern"] = arg.pattern
        items.pop("description", None)
        schema = {"type": "array", "items": items, "minItems": 1}
        if arg.max_items:
            schema["maxItems"] = arg.max_items
    else:
        schema = {"type": _JSON_TYPES[get_origin(base) or base]}
        if arg.pattern:
            schema["pattern"] = arg.pattern
    limits = {"minimum": arg.minimum, "maximum": arg.maximum}
    schema |= {name: value for name, value in limits.items() if value is not None}
    example = f" Example: {arg.example!r}." if arg.example is not None else ""
    if arg.description:
        schema["description"] = f"{arg.description}{example}"
    return schema


@dataclass(frozen=True)
class Source:
    """Whose data a platform gives, and what its users owe: shown by `about_sources` and in the documentation.

    `limits` says what the source asks of its users; `share_alike` that copies must keep its licence.
    """

    provider: str
    homepage: str
    attribution: str
    cite: str
    limits: str
    share_alike: bool = False


ReleaseReader = Callable[[Api], Awaitable[str]]


@dataclass
class Platform:
    """One database: where it is, how often it may be asked, and its tools.

    `hosts` are further hosts that its tools ask, beside that of `base_url`. `key_parameter` and
    `contact_parameter` are the query parameters for the API key of the rate group and for the contact
    address, where they are configured. `pause_s` reads a wish for a pause from an answer's headers.
    `keep_s` is how long an answer may be kept before the database is asked again. `noise` is the policy of
    all tools that declare none of their own.
    """

    name: str
    title: str
    base_url: str
    docs: str
    licence: str
    rate: Rate
    hosts: tuple[str, ...] = ()
    key_parameter: str = ""
    contact_parameter: str = ""
    pause_s: Callable[[Mapping[str, str]], float] = lambda headers: 0.0
    keep_s: float = 7 * 24 * 3600.0
    source: Source | None = None
    noise: str | None = None
    tools: list[ToolSpec] = field(default_factory=list)
    release_reader: ReleaseReader | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise ValueError(f"platform name {self.name!r} must be lower-case letters, digits and underscores")

    @property
    def all_hosts(self) -> tuple[str, ...]:
        """Every host that the platform's tools may ask."""
        return (self.base_url.partition("//")[2].partition("/")[0], *self.hosts)

    def switched_off(self, reason: str) -> str:
        """Say that an operator has switched it off, and why."""
        return f"{self.title} is switched off by the operator" + (f": {reason}" if reason else ".")

    def release(self, reader: ReleaseReader) -> ReleaseReader:
        """Declare how the present release of the data is read."""
        self.release_reader = reader
        return reader

    def tool(
        self,
        *,
        example: Mapping[str, Json],
        core: bool = False,
        cites: Cite | tuple[Cite, ...] = (),
        noise: str | None = None,
        keep: tuple[str, ...] = (),
        rows: str = "",
        total: str = "",
        asks: tuple[str, ...] = (),
    ) -> Callable[[ToolFunction], ToolFunction]:
        """Declare a tool.

        `rows` points at the list whose emptiness means "nothing found", `total` at the upstream's count,
        for tools that return the upstream's JSON as it is; `noise` is a jq program that removes what no
        answer needs from large `data`, in place of the platform's; `keep` are the jq paths of the identifiers,
        numbers and statuses that the tool promises, which no such program may touch. `asks` are questions and
        synonyms in users' words: the tool search reads them, no model does.
        """
        all_cites = cites if isinstance(cites, tuple) else (cites,)

        def declare(function: ToolFunction) -> ToolFunction:
            policy = self.noise if noise is None else noise
            self.tools.append(ToolSpec(self, function, core, example, all_cites, policy, keep, rows, total, asks))
            return function

        return declare
