"""Which addresses a tool asks, learned by running its example, and the arguments that lead to a recorded one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from mcp_server.envelope import InvalidArguments
from mcp_server.http.messages import Request, Response
from mcp_server.tool import ToolSpec

Json = Any
Place = tuple[str, str]
# Parameters that say which database or form of answer is meant, where services hide that in the query.
TELLING = ("db", "dbfrom", "retmode", "rettype", "cmd", "dictionary")
_SAME_SEGMENT = {"human": "homo_sapiens"}
SHORTEST_IDENTIFIER = 4
_NUMBER = re.compile(r"\d{2,}")


@dataclass(frozen=True)
class Exchange:
    """A request of a tool's example, and its answer where one is on record."""

    request: Request
    response: Response | None


def segments(request: Request) -> list[str]:
    """Return the parts of the path, without the suffix for JSON."""
    parts = [unquote(part) for part in urlsplit(request.url).path.split("/") if part]
    return [_SAME_SEGMENT.get(part, part).removesuffix(".json") for part in parts]


def parameters(request: Request) -> dict[str, str]:
    """Return the parameters of the query and of a form."""
    pairs = parse_qsl(urlsplit(request.url).query, keep_blank_values=True)
    if request.text and "=" in request.text and "\n" not in request.text:
        pairs += parse_qsl(request.text, keep_blank_values=True)
    return dict(pairs)


def places(request: Request) -> dict[Place, str]:
    """Return every value of a request by the place where it stands."""
    found: dict[Place, str] = {("path", str(number)): part for number, part in enumerate(segments(request))}
    found |= {("query", name): value for name, value in parameters(request).items()}
    if isinstance(request.body, dict):
        variables = request.body.get("variables")
        inner = variables if isinstance(variables, dict) else request.body
        found |= {("body", name): _text(value) for name, value in inner.items() if name != "query"}
    if request.text is not None and ("query", "") not in found:
        found["text", ""] = request.text
    return found


def likeness(recorded: Request, asked: Request, changeable: frozenset[str] = frozenset()) -> float | None:
    """Return how much two requests have in common, or None where they ask for different kinds of answers.

    `changeable` are values of the example: a part of the path that holds one may differ.
    """
    if not (recorded.host.endswith(asked.host) or asked.host.endswith(recorded.host)):
        return None
    theirs, ours = segments(recorded), segments(asked)
    if len(theirs) != len(ours):
        return None
    score = 0.0
    for their, our in zip(theirs, ours, strict=True):
        if their == our:
            score += 2
        elif "{" not in their and not any(value in our for value in changeable):
            return None
    there, here = parameters(recorded), parameters(asked)
    for name in TELLING:
        if name in there and name in here and there[name].lower() != here[name].lower():
            return None
    names = set(there) | set(here)
    return score + (len(set(there) & set(here)) / len(names) if names else 1.0)


def changeable_values(tool: ToolSpec, exchanges: Sequence[Exchange]) -> frozenset[str]:
    """Return what of a tool's requests changes with its arguments: the example's values, and answered numbers."""
    values = {_text(value) for arguments in (tool.example, tool.bind(tool.example)) for value in arguments.values()}
    digits = {found[0] for value in values if (found := _NUMBER.search(value))}
    answered = "".join(exchange.response.text() for exchange in exchanges if exchange.response)
    parts = {part for exchange in exchanges for part in segments(exchange.request) if _NUMBER.search(part)}
    return frozenset(value for value in values | digits | {part for part in parts if part in answered} if value)


def nearest(tool: ToolSpec, exchanges: Sequence[Exchange], request: Request) -> tuple[float, Exchange] | None:
    """Return the exchange of the tool's example that a request is most like, with their likeness."""
    changeable = changeable_values(tool, exchanges)
    scored = [(likeness(request, exchange.request, changeable), exchange) for exchange in exchanges]
    fitting = [(score, exchange) for score, exchange in scored if score is not None]
    return max(fitting, key=lambda pair: pair[0], default=None)


def stand_in(exchange: Exchange, request: Request) -> Response | None:
    """Return the answer to the example's request, speaking of what `request` asks for instead.

    One record can't stand for several: where a list is asked for instead, there is no answer.
    """
    if exchange.response is None:
        return None
    text = exchange.response.text()
    asked = places(request)
    for place, old in places(exchange.request).items():
        new = asked.get(place, old)
        if new.count(",") > old.count(","):
            return None
        if len(old) >= SHORTEST_IDENTIFIER and old != new:
            text = text.replace(old, new)
            old_number, new_number = _NUMBER.search(old), _NUMBER.search(new)
            if old_number and new_number and len(old_number[0]) >= SHORTEST_IDENTIFIER:
                text = text.replace(old_number[0], new_number[0])
    return Response(exchange.response.status, exchange.response.headers, text.encode())


def inferred(tool: ToolSpec, asked: Request | None, recorded: Request | None, hints: str) -> dict[str, Json]:
    """Return the arguments whose values the recorded request shows.

    A value is taken from the place where the example's own request has it; else from `hints`, any text
    (the file's name, the address) in which something fits the argument's pattern.
    """
    if recorded and isinstance(recorded.body, dict) and {"query", "variables"} <= set(tool.parameters):
        return {"query": recorded.body.get("query", ""), "variables": recorded.body.get("variables", {})}
    found: dict[str, Json] = {}
    here = places(asked) if asked else {}
    there = places(recorded) if recorded else {}
    for name, value in tool.example.items():
        text = _from_places(_text(value), here, there) or _from_hints(tool.parameters[name].arg.pattern, hints)
        if text and "{" not in text and "…" not in text:
            found |= _typed(tool, name, text)
    return found


def _from_places(text: str, here: Mapping[Place, str], there: Mapping[Place, str]) -> str:
    for place, value in here.items():
        if text and text.lower() in value.lower() and place in there:
            start = value.lower().index(text.lower())
            before, after = value[:start], value[start + len(text) :]
            found = there[place]
            if found.startswith(before) and found.endswith(after):
                return found[len(before) : len(found) - len(after)]
    # Where only the number of an identifier is sent, its prefix is put back.
    parts = re.fullmatch(r"([A-Za-z]+)(\d{2,})", text)
    numbers = [there[place] for place, value in here.items() if parts and value == parts[2] and place in there]
    return f"{parts[1]}{numbers[0]}" if parts and numbers and numbers[0].isdigit() else ""


def _from_hints(pattern: str | None, hints: str) -> str:
    if not pattern:
        return ""
    inside = pattern.removeprefix("^").removesuffix("$")
    found = re.search(rf"(?<![A-Za-z0-9])(?:{inside})(?![A-Za-z0-9])", hints)
    # A pattern that lets blanks through lets the whole line through.
    return found[0] if found and len(found[0]) >= SHORTEST_IDENTIFIER and " " not in found[0] else ""


def _typed(tool: ToolSpec, name: str, text: str) -> dict[str, Json]:
    """Return the argument in its type, or nothing where the tool would not take it."""
    kind = tool.parameters[name].schema["type"]
    value: Json = text
    try:
        if kind == "array":
            value = text.split(",")
        elif kind in ("integer", "number"):
            value = int(text) if kind == "integer" else float(text)
        tool.bind({**tool.example, name: value})
    except (ValueError, InvalidArguments):
        return {}
    return {name: value}


def _text(value: Json) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
