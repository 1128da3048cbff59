"""Answers of NCBI in their own shapes, and those to the examples of the tools."""

import copy
import json
from typing import Any

from mcp_server.platforms.pubmed import platform
from tests.mcp_server.played import DATA, Played

TOOLS = {tool.function.__name__: tool for tool in platform.tools}
EMPTY_SET = '<?xml version="1.0" ?>\n<PubmedArticleSet>\n</PubmedArticleSet>'
NO_SUMMARY: dict[str, Any] = {"result": {"uids": []}}


def found(*uids: str, count: int | None = None, **parts: Any) -> dict[str, Any]:
    """Return an esearch answer."""
    number = str(len(uids) if count is None else count)
    return {"esearchresult": {"count": number, "idlist": list(uids), "querytranslation": "q", **parts}}


def summaries(*records: dict[str, Any]) -> dict[str, Any]:
    """Return an esummary answer."""
    return {"result": {"uids": [record["uid"] for record in records], **{each["uid"]: each for each in records}}}


def paper(pmid: str, title: str = "T.", first: str = "Author A", date: str = "2020", **parts: Any) -> dict[str, Any]:
    """Return the summary of an article."""
    return {"uid": pmid, "title": title, "authors": [{"name": first}], "pubdate": date, "articleids": [], **parts}


def links(database: str, uid: str, **lists: list[Any]) -> dict[str, Any]:
    """Return an elink answer; without lists, one that has no link."""
    linkset: dict[str, Any] = {"dbfrom": database, "ids": [uid]}
    if lists:
        linkset["linksetdbs"] = [{"dbto": "x", "linkname": name, "links": each} for name, each in lists.items()]
    return {"linksets": [linkset]}


def example(tool: str, number: int = 0) -> Any:
    """Return an answer to a tool's own example, free to be changed; `number` counts its requests from 1."""
    name = f"{tool}__{number}" if number else tool
    path = DATA / "examples" / "pubmed" / f"{name}.json"
    response = copy.deepcopy(json.loads(path.read_text(encoding="utf-8"))["response"])
    return response["text"] if "text" in response else response["json"]


def arguments(tool: str, **others: Any) -> dict[str, Any]:
    """Return a tool's example arguments, some of them replaced."""
    return {**TOOLS[tool].example, **others}


def played(*answers: Any) -> Played:
    """Play answers in their order, whatever is asked."""
    play = Played()
    for answer in answers:
        play.answer("https://", answer)
    return play
