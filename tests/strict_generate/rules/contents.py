"""Rules about the contents of a conversation: their roles, their parts, their calls and what answers them."""

import re
from collections.abc import Iterator

from tests.strict_generate.asked import Asked, Breach, Object, of_part
from tests.strict_generate.rules.parameters import unknown

DATA = frozenset(
    {"executableCode", "codeExecutionResult", "fileData", "functionCall", "functionResponse", "inlineData", "text"}
)
BESIDE = frozenset({"thought", "thoughtSignature", "partMetadata"})
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
CALL = frozenset({"id", "name", "args"})
RESPONSE = frozenset({"id", "name", "response"})


def roles(asked: Asked) -> Iterator[Breach]:
    """User and model take turns, and the user has the first and the last word."""
    given = [content.get("role") for content in asked.contents]
    for role in given:
        if role not in {"user", "model"}:
            yield Breach("Please use a valid role: user, model.")
    if given[0] != "user" or given[-1] != "user":
        yield Breach("This stand-in wants a conversation to begin and to end with the user.")
    if any(one == other for one, other in zip(given, given[1:], strict=False)):
        yield Breach("This stand-in wants the roles of a conversation to alternate.")


def shape(asked: Asked) -> Iterator[Breach]:
    """Each part has one kind of data, of known fields."""
    for i, content in enumerate(asked.contents):
        yield from unknown(content, {"role", "parts"}, f"contents[{i}]")
        if not content.get("parts"):
            yield Breach(f"* GenerateContentRequest.contents[{i}].parts: contents.parts must not be empty.")
        elif all(part.get("thought") for part in content["parts"]):
            yield Breach(f"This stand-in refuses contents of thoughts alone: contents[{i}].")
    for path, part, _ in asked.parts():
        yield from unknown(part, DATA | BESIDE, path)
        if len(DATA & part.keys()) != 1:
            yield Breach(
                f"* GenerateContentRequest.{path}.data: required oneof field 'data' must have one initialized field"
            )


def texts(asked: Asked) -> Iterator[Breach]:
    """A text says something, unless it is there for its signature."""
    for path, part, content in asked.parts():
        if "text" not in part or part["text"].strip() or part.get("thoughtSignature"):
            continue
        # What the model itself said may be a line break.
        if content["role"] == "user" or not part["text"]:
            yield Breach(f"This stand-in refuses blank texts: {path}.")


def calls(asked: Asked) -> Iterator[Breach]:
    """Calls come from the model and responses from the user, each with a name and an object."""
    for path, part, content in asked.parts():
        for kind, role, fields, data in (
            ("functionCall", "model", CALL, "args"),
            ("functionResponse", "user", RESPONSE, "response"),
        ):
            if kind not in part:
                continue
            given = part[kind]
            yield from unknown(given, fields, f"{path}.{kind}")
            if not NAME.fullmatch(given.get("name") or ""):
                yield Breach(f"* GenerateContentRequest.{path}.{kind}.name: Invalid function name.")
            if content["role"] != role:
                yield Breach(f"Please ensure that a {kind} is in a content of the {role}.")
            if not isinstance(given.get(data, {}), dict) or (kind == "functionResponse" and not given.get(data)):
                yield Breach(f"Invalid value at '{path}.{kind}.{data}': a Struct is wanted.")


def answered(asked: Asked) -> Iterator[Breach]:
    """The content after calls answers each of them, in their order and before all else."""
    before: Object = {}
    for content in [*asked.contents, {}]:
        open_calls, given = of_part(before, "functionCall"), of_part(content, "functionResponse")
        if given and not open_calls:
            yield Breach("Please ensure that function response turn comes immediately after a function call turn.")
        elif len(open_calls) != len(given):
            yield Breach(
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
        elif [_identity(call) for call in open_calls] != [_identity(response) for response in given]:
            yield Breach("This stand-in wants responses in the order of their calls, by id and name.")
        leading = content.get("parts", [])[: len(given)]
        if not all("functionResponse" in part for part in leading):
            yield Breach("This stand-in wants function responses before everything else of their content.")
        before = content


def _identity(call: Object) -> tuple[str, str]:
    return str(call.get("id") or ""), call["name"]
