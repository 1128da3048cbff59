"""GraphQL answers of release 26.06 and what was asked for them; the examples' answers by tool."""

import copy
import json
from typing import Any

from mcp_server.platforms.opentargets import platform
from tests.mcp_server.played import DATA, Played

META = {"dataVersion": {"year": "26", "month": "06"}}
TOOLS = {tool.function.__name__: tool for tool in platform.tools}


def answer(**root: Any) -> dict[str, Any]:
    """Return a GraphQL answer of release 26.06."""
    return {"data": {"meta": META, **root}}


def played(*bodies: Any) -> Played:
    """Play GraphQL answers in their order."""
    play = Played()
    for body in bodies:
        play.answer("/api/v4/graphql", body)
    return play


def sent(play: Played, number: int = 0) -> dict[str, Any]:
    """Return the variables of a request."""
    body = play.requests[number].body
    assert body["operationName"] in body["query"]
    return dict(body["variables"])


def example(tool: str) -> dict[str, Any]:
    """Return the answer to a tool's own example, free to be changed."""
    path = DATA / "examples" / "opentargets" / f"{tool}.json"
    return copy.deepcopy(json.loads(path.read_text(encoding="utf-8"))["response"]["json"])


def arguments(tool: str, **others: Any) -> dict[str, Any]:
    """Return a tool's example arguments, some of them replaced."""
    return {**TOOLS[tool].example, **others}
