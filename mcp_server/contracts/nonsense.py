"""Arguments that look right and name nothing, for the question how a tool takes what does not exist."""

import re
from typing import Any

from mcp_server.envelope import InvalidArguments
from mcp_server.tool import ToolSpec

Json = Any
WORD = "zzqxnotaterm"
LONGEST_NUMBER = 12


def nonsense_arguments(tool: ToolSpec) -> dict[str, Json] | None:
    """Return the example with every name and identifier made meaningless; None when it holds none."""
    changed: dict[str, Json] = {}
    for name, value in tool.example.items():
        schema = tool.parameters[name].schema
        if isinstance(value, str) and "enum" not in schema:
            changed[name] = _nonsense(tool, name, value, as_list=False)
        elif isinstance(value, list) and value and isinstance(value[0], str) and "enum" not in schema["items"]:
            changed[name] = [_nonsense(tool, name, value[0], as_list=True)]
    changed = {name: value for name, value in changed.items() if value not in ("", [""])}
    return {**tool.example, **changed} if changed else None


def _nonsense(tool: ToolSpec, name: str, value: str, *, as_list: bool) -> str:
    """Return the first meaningless text that the tool's own check lets through, or an empty text."""
    numbers = [_with_number(value, digits) for digits in range(LONGEST_NUMBER, 0, -1)]
    candidates = [text for text in numbers if text and text != value]
    if tool.parameters[name].arg.pattern is None:
        candidates.insert(0, WORD)
    for text in candidates:
        try:
            tool.bind({**tool.example, name: [text] if as_list else text})
        except InvalidArguments:
            continue
        return text
    return ""


def _with_number(value: str, digits: int) -> str:
    """Return the text with its last number replaced by so many nines."""
    found = list(re.finditer(r"\d+", value))
    return f"{value[: found[-1].start()]}{'9' * digits}{value[found[-1].end() :]}" if found else ""
