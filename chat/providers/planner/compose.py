"""How an answer is written: links, tables, counts, dates, and the words for what was not found or not asked.

Texts of databases go through `plain`, so that nothing in a title becomes markup. Identifiers stay as they
came: they are checked against the evidence, character by character.
"""

import re
from collections.abc import Iterable, Sequence

from chat.providers.planner.results import Result
from mcp_server.codes import ToolCode
from mcp_server.identifiers import record_url

_MARKUP = re.compile(r"([\\`*\[\]<>|~])")
_EDGE_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
CHEMBL_TARGET = "https://www.ebi.ac.uk/chembl/explore/target/{id}"
OPEN_TARGETS = "https://platform.opentargets.org/{kind}/{id}"
# Of a table's cell as it is seen, without the addresses of its links.
CELL_MAX_CHARS = 120
_LINK = re.compile(r"\[([^\]]*)\]\(https://[^)]*\)")
# A column in which every cell is one of these tells nothing.
_TELLS_NOTHING = ("", "not recorded", "not asked", "not given")


def plain(text: str, limit: int = 0) -> str:
    """Return a database's text as literal Markdown on one line, cut at a word if it is longer than `limit`."""
    line = shortened(" ".join(text.split()), limit)
    return _EDGE_UNDERSCORE.sub(r"\\_", _MARKUP.sub(r"\\\1", line))


def shortened(line: str, limit: int) -> str:
    """Return a line cut at a word if there is a limit and it is longer."""
    return f"{line[:limit].rsplit(' ', 1)[0].rstrip(',;:')} …" if limit and len(line) > limit else line


def link(kind: str, identifier: str, label: str = "", url: str = "") -> str:
    """Return a Markdown link to a record; without an address, the identifier as literal text."""
    if not identifier:
        return ""
    address = url or record_url(kind, identifier)
    shown = label or (f"PMID {identifier}" if kind == "pmid" else identifier)
    literal = f"`{shown}`" if re.search(r"[*<>\[\]]", shown) else shown
    return f"[{literal}]({address})" if address.startswith("https://") else literal


def target_link(chembl_id: str) -> str:
    """Return a link to a ChEMBL target, which has another page than a compound."""
    return link("chembl", chembl_id, url=CHEMBL_TARGET.format(id=chembl_id))


def open_targets_link(kind: str, identifier: str, label: str = "") -> str:
    """Return a link to the Open Targets page of a `target`, `disease` or `drug`."""
    return link(kind, identifier, label, OPEN_TARGETS.format(kind=kind, id=identifier))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table without the columns that no row fills; its cells are Markdown already."""
    filled = list(rows)
    kept = [place for place in range(len(head)) if not place or any(row[place] not in _TELLS_NOTHING for row in filled)]
    lines = [[line[place] for place in kept] for line in (head, ["---"] * len(head), *filled)]
    return "\n".join("| " + " | ".join(cell or "–" for cell in line) + " |" for line in lines)


def bullets(items: Iterable[str]) -> str:
    """Return a Markdown list."""
    return "\n".join(f"- {item}" for item in items)


def listed(names: Sequence[str], limit: int = 0) -> str:
    """Return names as a person lists them: "a, b and c"; beyond `limit`, "a, b and 3 more"."""
    if limit and len(names) > limit:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 trial", "2 trials"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def visible(text: str) -> str:
    """Return Markdown as it is seen, near enough to measure it."""
    return re.sub(r"[`*]|\\(?=[^A-Za-z0-9])", "", _LINK.sub(r"\1", text))


def fitting(names: Sequence[str], limit: int = CELL_MAX_CHARS) -> str:
    """Return as many names as `limit` characters hold, at least one: "a, b and 3 more"."""
    for count in range(len(names), 1, -1):
        text = listed(names, count)
        if len(visible(text)) <= limit:
            return text
    return listed(names, 1)


def opening(*parts: str) -> str:
    """Return the first of what there is as a lead, the rest as a list."""
    told = [part for part in parts if part]
    return document(*told[:1], bullets(told[1:]))


def of_total(result: Result, noun: str, plural: str = "") -> str:
    """Return how much of a list is here: "50 of 17,963 targets", or "at least 7 trials" of a partial snapshot."""
    returned = result.returned if result.returned is not None else 0
    total = result.total if result.total is not None else returned
    if total > returned:
        return f"{returned:,} of {total:,} {plural or noun + 's'}"
    return f"{'at least ' if result.is_snapshot_part else ''}{counted(returned, noun, plural)}"


def as_of(results: Iterable[Result]) -> str:
    """Return the day or days of results as words, or an empty string."""
    days = sorted({result.date for result in results if result.date})
    if not days:
        return ""
    return f"as of {days[0]}" if len(days) == 1 else f"as of {days[0]} to {days[-1]}"


def section(title: str, *parts: str) -> str:
    """Return a section, or nothing if it has no content."""
    content = [part for part in parts if part]
    return "\n\n".join([f"### {title}", *content]) if content else ""


def document(*blocks: str) -> str:
    """Join blocks, leaving out empty ones."""
    return "\n\n".join(block for block in blocks if block)


def said(result: Result) -> str:
    """Return in a few words what a call without data brought. The kinds never turn into each other."""
    platform = result.call.platform
    if result.is_missing:
        return "not in the offline snapshot"
    if result.is_failed:
        return f"{platform} {_reason(result.error_code)}"
    if result.is_unknown:
        return f"not known to {platform}"
    if result.is_empty:
        return f"nothing found in {platform}"
    return ""


_REASONS = {
    ToolCode.TOOL_TIMEOUT: "did not answer in time",
    ToolCode.TOOL_CANCELLED: "was not asked to the end: the call was stopped",
    ToolCode.TOOL_UNKNOWN: "could not be asked: this tool is not there",
    ToolCode.TOOL_SERVER_DOWN: "could not be asked: the tool server was down",
    ToolCode.PLATFORM_OFF: "was not asked: an operator has switched it off",
    ToolCode.TOOL_RESULT_TOO_LARGE: "answered with more than can be carried",
    ToolCode.UPSTREAM_RATE_LIMITED: "refused for now: its rate limit was reached",
    ToolCode.UPSTREAM_UNAVAILABLE: "could not be reached",
    ToolCode.UPSTREAM_BAD_RESPONSE: "answered with something that is not a record",
    ToolCode.UPSTREAM_REFUSED: "refused the request",
    ToolCode.TOOL_INVALID_ARGUMENTS: "could not be asked: the request was refused",
}


def _reason(code: str) -> str:
    known = next((words for name, words in _REASONS.items() if name == code), "")
    return known or f"could not be asked (code {code or 'unknown'})"


def gaps(results: Iterable[Result]) -> str:
    """Return the section on what is not known because a call failed; empty if none did."""
    groups: dict[str, dict[str, list[str]]] = {}
    for result in results:
        if result.is_failed:
            asked = result.call
            key = f"{asked.platform}, not in the offline snapshot" if result.is_missing else said(result)
            groups.setdefault(key, {}).setdefault(asked.topic, []).append(plain(asked.subject))
    items = [
        f"{key}: {'; '.join(topic.replace('{}', listed(subjects)) for topic, subjects in topics.items())}."
        for key, topics in groups.items()
    ]
    note = "Nothing is said here about these, neither that there is something nor that there is nothing:"
    return section("What could not be looked up", note, bullets(items)) if items else ""


def provenance(results: Iterable[Result]) -> str:
    """Return the closing line: which databases were asked, when, and whether lists were cut."""
    answered = [result for result in results if not result.is_failed]
    if not answered:
        return ""
    platforms = listed(sorted({result.call.platform for result in answered}))
    partial = any(result.is_snapshot_part for result in answered)
    cut = " The offline snapshot holds only a part of some of these lists." if partial else ""
    return (
        f"*Written by the recipe planner (no language model) from {counted(len(answered), 'record look-up')} in "
        f"{platforms}, {as_of(answered)}.{cut} Not a treatment recommendation.*"
    )
