"""What a recipe asks for and what it gets back: tool calls, and a view of their results.

The four outcomes stay apart: data, nothing found, an identifier nobody knows, a call that failed. Among
the failures, "the offline snapshot does not hold this" is told apart from a database that did not answer.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.providers.base import ToolResult
from mcp_server.codes import ResultOutcome, ToolCode

Json = Any
# How a result says so, in its note.
SNAPSHOT_PART = "offline snapshot holds only a part"
_STAMP = re.compile(r"\A\[fetched_at: (?P<at>[^\]]+)\]\s*")


@dataclass(frozen=True)
class Call:
    """A tool call a recipe wants. `topic` completes "asking for …" in a person's words; `{}` in it is the subject."""

    tool: str
    topic: str
    subject: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What two equal calls share."""
        return call_key(self.tool, self.arguments)

    @property
    def about(self) -> str:
        """What is asked for, in words."""
        return self.topic.replace("{}", self.subject)

    @property
    def platform(self) -> str:
        """The name of the database that is asked, as people write it."""
        name = self.tool.partition("__")[0]
        return PLATFORM_TITLES.get(name, name)


PLATFORM_TITLES = {
    "biorxiv": "bioRxiv and medRxiv",
    "cbioportal": "cBioPortal",
    "chembl": "ChEMBL",
    "clinicaltrials": "ClinicalTrials.gov",
    "clinpgx": "ClinPGx",
    "clinvar": "ClinVar",
    "ensembl": "Ensembl",
    "europepmc": "Europe PMC",
    "gdc": "GDC",
    "myvariant": "MyVariant",
    "opentargets": "Open Targets",
    "pubchem": "PubChem",
    "pubmed": "PubMed",
    "pubtator3": "PubTator3",
    "reactome": "Reactome",
    "thousand_genomes": "1000 Genomes",
    "uniprot": "UniProt",
}


def call(tool: str, topic: str, subject: str = "", /, **arguments: Json) -> Call:
    """Return a call; arguments that are None are left out."""
    return Call(tool, topic, subject, {name: value for name, value in arguments.items() if value is not None})


def call_key(tool: str, arguments: Mapping[str, Json]) -> str:
    """Return one text for a tool and its arguments, whatever their order."""
    return f"{tool} {json.dumps(arguments, sort_keys=True, ensure_ascii=False)}"


@dataclass(frozen=True)
class Result:
    """One finished call."""

    call: Call
    outcome: ResultOutcome
    data: Json = None
    total: int | None = None
    returned: int | None = None
    next: Json = None
    note: str = ""
    error_code: str = ""
    message: str = ""
    fetched_at: str = ""

    @property
    def has_data(self) -> bool:
        """Whether the database had something."""
        return self.outcome is ResultOutcome.DATA

    @property
    def is_empty(self) -> bool:
        """Whether the database was asked and has nothing."""
        return self.outcome is ResultOutcome.EMPTY

    @property
    def is_unknown(self) -> bool:
        """Whether the database does not know the identifier."""
        return self.outcome is ResultOutcome.UNKNOWN_ID

    @property
    def is_failed(self) -> bool:
        """Whether nobody knows what the database has, for whatever reason."""
        return self.outcome is ResultOutcome.FAILED

    @property
    def is_missing(self) -> bool:
        """Whether the offline snapshot does not hold this request."""
        return self.is_failed and self.error_code == ToolCode.NOT_IN_SNAPSHOT

    @property
    def is_snapshot_part(self) -> bool:
        """Whether the offline snapshot holds only a part of what the database lists: counts are lower bounds."""
        return SNAPSHOT_PART in self.note

    @property
    def date(self) -> str:
        """The day on which the data was fetched, or an empty string."""
        return self.fetched_at[:10]

    def rows(self, path: str = "") -> list[dict[str, Json]]:
        """Return the records of the data, or of its list at `path`; none if there was no data."""
        found = at(self.data, path) if path else self.data
        if not self.has_data or not isinstance(found, list):
            return []
        return [row for row in found if isinstance(row, dict)]

    def text(self, path: str) -> str:
        """Return a text of the data, or an empty string."""
        return text_at(self.data, path) if self.has_data else ""


def body_of(result: ToolResult) -> str:
    """Return a result's text without its stamp."""
    stamp = _STAMP.match(result.text)
    return result.text[stamp.end() :] if stamp else result.text


def was_not_run(result: ToolResult) -> bool:
    """Whether this only marks a call that an interruption kept from being run: an error that is no envelope."""
    return result.is_error and not body_of(result).startswith("{")


def read_result(wanted: Call, result: ToolResult) -> Result:
    """Read a tool result as it stands in the transcript."""
    stamp, body = _STAMP.match(result.text), body_of(result)
    fetched_at = stamp["at"] if stamp else ""
    try:
        envelope = json.loads(body)
        outcome = ResultOutcome(envelope["outcome"])
    except (ValueError, KeyError, TypeError):
        code = ToolCode.TOOL_CANCELLED if result.is_error else ToolCode.UPSTREAM_BAD_RESPONSE
        return failed(wanted, code, body.strip()[:200], fetched_at)
    error = envelope.get("error")
    return Result(
        call=wanted,
        outcome=outcome,
        data=envelope.get("data"),
        total=_count(envelope.get("total")),
        returned=_count(envelope.get("returned")),
        next=envelope.get("next"),
        note=str(envelope.get("note") or ""),
        error_code=text_at(error, "code"),
        message=text_at(error, "message"),
        fetched_at=fetched_at,
    )


def failed(wanted: Call, code: ToolCode, message: str, fetched_at: str = "") -> Result:
    """Return the result of a call that failed."""
    outcome = ResultOutcome.FAILED
    return Result(wanted, outcome, error_code=code.value, message=message, fetched_at=fetched_at)


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def at(data: Json, path: str) -> Json:
    """Return what stands at a dotted path, `None` where a step is missing or of another kind."""
    for name in path.split("."):
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def text_at(data: Json, path: str) -> str:
    """Return a text or number at a dotted path as text, or an empty string."""
    found = at(data, path)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return ""
    return " ".join(str(found).split())


def list_at(data: Json, path: str) -> list[Json]:
    """Return the list at a dotted path, or an empty one."""
    found = at(data, path)
    return found if isinstance(found, list) else []


def records_at(data: Json, path: str) -> list[dict[str, Json]]:
    """Return the records of the list at a dotted path."""
    return [item for item in list_at(data, path) if isinstance(item, dict)]
