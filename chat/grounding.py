"""Is every identifier of an answer in the evidence that the model had read before it wrote it?

Pure. Evidence is the text of tool results as the model saw them, nothing else: an identifier
that only the user or the system prompt named is not grounded.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mcp_server.identifiers import Found, find_in_text, normalise, record_url

Json = Any
Key = tuple[str, str]

# A number alone is an identifier only where its field says so.
_NUMBERED_FIELDS = re.compile(r'"(?P<field>pmid|PMID|cid|CID)"\s*:\s*"?(?P<number>\d{1,10})\b')
_FIELD_KINDS = {"pmid": "pmid", "cid": "pubchem"}


@dataclass(frozen=True)
class Mention:
    """An identifier of the answer, with its record's page and the calls whose results held it."""

    kind: str
    identifier: str
    url: str
    label: str = ""
    call_ids: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Json]:
        """Return plain data."""
        return {**asdict(self), "call_ids": list(self.call_ids)}


@dataclass(frozen=True)
class Grounding:
    """What an answer names, split by whether the evidence held it."""

    grounded: tuple[Mention, ...] = ()
    not_in_evidence: tuple[Mention, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether nothing was named that the evidence does not hold."""
        return not self.not_in_evidence

    def as_dict(self) -> dict[str, Json]:
        """Return plain data for the `turn_end` event."""
        return {
            "grounded": [mention.as_dict() for mention in self.grounded],
            "not_in_evidence": [mention.as_dict() for mention in self.not_in_evidence],
        }


@dataclass
class Evidence:
    """The identifiers that tool results have shown so far, with the records they cite."""

    _calls: dict[Key, list[str]] = field(default_factory=dict)
    _citations: dict[Key, Mapping[str, Json]] = field(default_factory=dict)
    _texts: list[tuple[str, str]] = field(default_factory=list)

    def add(self, call_id: str, text: str, citations: Iterable[Mapping[str, Json]] = ()) -> None:
        """Take in one result as the model read it. A citation counts if its identifier stands in the text."""
        for found in find_in_text(text):
            self._remember(found.key, call_id)
        for match in _NUMBERED_FIELDS.finditer(text):
            self._remember((_FIELD_KINDS[match["field"].lower()], match["number"]), call_id)
        for citation in citations:
            identifier = str(citation["identifier"])
            if re.search(rf"(?<![A-Za-z0-9]){re.escape(identifier)}(?![A-Za-z0-9])", text):
                for key in self._keys(str(citation["kind"]), identifier):
                    self._remember(key, call_id)
                    self._citations.setdefault(key, citation)
        self._texts.append((call_id, text))

    @staticmethod
    def _keys(kind: str, identifier: str) -> set[Key]:
        """Return the keys under which a cited record may be named in an answer."""
        found = next(find_in_text(identifier), None)
        keys = {found.key} if found else set()
        try:
            keys.add((kind, normalise(kind, identifier)))
        except KeyError:
            keys.add((kind, identifier))
        return keys

    def _remember(self, key: Key, call_id: str) -> None:
        calls = self._calls.setdefault(key, [])
        if call_id not in calls:
            calls.append(call_id)

    def calls_with(self, found: Found) -> list[str]:
        """Return the calls whose results held the identifier."""
        calls = self._calls.get(found.key)
        if calls is None and found.kind == "star_allele":
            return self._calls_with_allele(found.value)
        return calls or []

    def _calls_with_allele(self, value: str) -> list[str]:
        """Find a star allele that a record gives in two fields, the gene and `*2`."""
        gene, _, allele = value.partition("*")
        gene_word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(gene)}(?![A-Za-z0-9])")
        allele_word = re.compile(rf'"\*{re.escape(allele)}"')
        return [call for call, text in self._texts if gene_word.search(text) and allele_word.search(text)]

    def mention(self, found: Found) -> Mention:
        """Describe an identifier of an answer."""
        citation = self._citations.get(found.key, {})
        url = str(citation.get("url") or record_url(found.kind, found.value))
        return Mention(found.kind, found.value, url, str(citation.get("label", "")), tuple(self.calls_with(found)))


def unescaped(markdown: str) -> str:
    """Take away the backslashes by which Markdown protects the stars and underscores of identifiers."""
    return re.sub(r"\\([*_])", r"\1", markdown)


def ground(answer: str, evidence: Evidence) -> Grounding:
    """Check every identifier of `answer` (Markdown), each once, in the order of the text."""
    mentions = {found.key: evidence.mention(found) for found in find_in_text(unescaped(answer))}
    return Grounding(
        tuple(mention for mention in mentions.values() if mention.call_ids),
        tuple(mention for mention in mentions.values() if not mention.call_ids),
    )
