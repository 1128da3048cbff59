"""Replay recorded responses through the tools.

For a sample, the tool and its arguments are worked out first (`pick`), then the tool runs over a transport
that plays the sample, and what else the tool asks from other samples and records. The recorded answer goes
to the very request that it was recorded for (`exact`), else to the tool's own request to the same address
(`address`), else to the tool's first request (`fed`).
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import stamina

from mcp_server.codes import ResultOutcome, ToolCode
from mcp_server.config import ServerConfig
from mcp_server.contracts.addresses import Exchange, inferred, nearest
from mcp_server.contracts.known import Knowledge, KnownSample
from mcp_server.contracts.playing import Learning, Playing, is_error, key_of
from mcp_server.contracts.reading import Reading, ReadingServer
from mcp_server.contracts.samples import Sample
from mcp_server.envelope import Envelope
from mcp_server.http.breaker import Breakers
from mcp_server.http.messages import Response
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.tool import Platform, ToolSpec

Json = Any
CALL_TIMEOUT_S = 10.0
CANDIDATES = 4
# What a refused or failed request may honestly become, by its status.
RIGHT_CODES: dict[int, frozenset[str]] = {
    404: frozenset({ToolCode.UPSTREAM_NOT_FOUND}),
    429: frozenset({ToolCode.UPSTREAM_RATE_LIMITED}),
    500: frozenset({ToolCode.UPSTREAM_UNAVAILABLE}),
    # Some services say "too often" with a 503.
    503: frozenset({ToolCode.UPSTREAM_UNAVAILABLE, ToolCode.UPSTREAM_RATE_LIMITED}),
}
ANY_FAILURE = frozenset(
    {
        ToolCode.UPSTREAM_REFUSED,
        ToolCode.UPSTREAM_NOT_FOUND,
        ToolCode.UPSTREAM_UNAVAILABLE,
        ToolCode.UPSTREAM_RATE_LIMITED,
        ToolCode.UPSTREAM_BAD_RESPONSE,
        ToolCode.TOOL_INVALID_ARGUMENTS,
    }
)


@dataclass(frozen=True)
class Finding:
    """What became of one sample.

    `verdict`: `parsed`, `refused` (an error that became the right failure), `reason` (a person has written
    down why not), `mismatch`. `way` is how the sample reached the tool: `exact`, `address` or `fed`.
    """

    platform: str
    file: str
    verdict: str
    tool: str = ""
    way: str = ""
    outcome: str = ""
    returned: int | None = None
    citations: int = 0
    reason: str = ""
    note: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    watched: bool = False


class Replayer:
    """Checks the samples of one platform. `folders` hold further records in the snapshot's own form."""

    def __init__(self, platform: Platform, knowledge: Knowledge, folders: Iterable[Path] = ()) -> None:
        self._platform = platform
        self._knowledge = knowledge
        self._records = SnapshotTransport((PACKAGED, *folders))
        config = ServerConfig(upstreams="snapshot", tool_timeout_s=CALL_TIMEOUT_S)
        self._server = ReadingServer([platform], config, self._records)
        self._tools = self._server.tools
        self._exchanges: dict[str, list[Exchange]] = {}
        # What parsed, by tool: for whoever wants to know more of it than that.
        self.results: list[tuple[str, Envelope]] = []

    async def check(self, samples: Iterable[Sample]) -> list[Finding]:
        """Check all samples of the platform."""
        known = {sample.file: self._knowledge.sample(sample.platform, sample.file) for sample in samples}
        shaped = [_shaped(sample, known[sample.file]) for sample in samples]
        with without_retries():
            for name, tool in self._tools.items():
                learning = Learning(self._records)
                await self._server.read(name, tool.example, learning)
                self._exchanges[name] = learning.exchanges
            others = self._others(sample for sample in shaped if not known[sample.file].reason)
            return [await self._finding(sample, known[sample.file], others) for sample in shaped]

    def _others(self, samples: Iterable[Sample]) -> dict[str, Response]:
        found = {key: record.response() for key, record in self._records.records.items()}
        for sample in samples:
            if sample.request and not sample.is_error and (response := _response(sample)):
                found[key_of(sample.request)] = response
        return found

    async def _finding(self, sample: Sample, known: KnownSample, others: Mapping[str, Response]) -> Finding:
        other = self._knowledge.name(sample.platform, sample.tool_word)
        reason = known.reason or (other.dropped if other and not known.tool else "")
        if reason:
            return Finding(sample.platform, sample.file, "reason", reason=reason)
        if _response(sample) is None:
            return Finding(sample.platform, sample.file, "mismatch", reason="the file is not the JSON it is named for")
        first = Finding(sample.platform, sample.file, "mismatch", reason="no tool asks this address, and no table says")
        for number, tool in enumerate(self._candidates(sample, known)):
            finding = await self._replayed(sample, known, tool, others)
            if finding.verdict != "mismatch":
                return finding
            first = finding if number == 0 else first
        return first

    def _candidates(self, sample: Sample, known: KnownSample) -> Iterator[ToolSpec]:
        """Yield the tools to try: the named one, or those that ask the address, most alike first."""
        other = self._knowledge.name(sample.platform, sample.tool_word)
        word = known.tool or (other.tool if other else "") or sample.tool_word
        named = self._tools.get(f"{self._platform.name}__{word}")
        if named is not None:
            yield named
            return
        if sample.request is None:
            return
        alike = []
        for tool in self._tools.values():
            if (best := nearest(tool, self._exchanges[tool.name], sample.request)) is not None:
                alike.append((-best[0], len(self._exchanges[tool.name]), tool.name))
        for _, _, name in sorted(alike)[:CANDIDATES]:
            yield self._tools[name]

    async def _replayed(
        self, sample: Sample, known: KnownSample, tool: ToolSpec, others: Mapping[str, Response]
    ) -> Finding:
        """Call the tool with what the recorded request shows; then with the rest of the example's arguments too."""
        exchanges = self._exchanges[tool.name]
        best = nearest(tool, exchanges, sample.request) if sample.request else None
        hints = f"{sample.file.replace('_', ' ')} {sample.url} {sample.body or ''} {sample.text or ''}"
        shown = inferred(tool, best[1].request if best else None, sample.request, hints)
        other = self._knowledge.name(sample.platform, sample.tool_word)
        fixed = {**(other.arguments if other and not known.tool else {}), **known.arguments}
        fixed = {name: value for name, value in fixed.items() if name in tool.parameters}
        findings = []
        for base in ({}, tool.example):
            arguments = {name: value for name, value in {**base, **shown, **fixed}.items() if value != ""}
            playing = Playing(sample, tool, exchanges, others)
            self._server.breakers = Breakers()
            envelope, reading = await self._server.read(tool.name, arguments, playing)
            findings.append(_found(sample, known, tool, arguments, envelope, playing, reading))
            if findings[-1].verdict != "mismatch":
                self.results += [(tool.name, envelope)] if findings[-1].verdict == "parsed" else []
                break
        return findings[-1]


def _found(
    sample: Sample,
    known: KnownSample,
    tool: ToolSpec,
    arguments: Mapping[str, Json],
    envelope: Envelope,
    playing: Playing,
    reading: Reading,
) -> Finding:
    verdict, reason = _judged(sample, known, envelope, playing)
    return Finding(
        sample.platform,
        sample.file,
        verdict,
        tool.name,
        playing.way,
        envelope.content["outcome"],
        envelope.content.get("returned"),
        len(envelope.meta.get("burp/citations", ())),
        reason,
        f"goes on to ask {playing.unanswered}, which nobody recorded" if playing.unanswered else "",
        arguments,
        tuple(reading.missing),
        tuple(reading.new),
        reading.watched,
    )


def _judged(sample: Sample, known: KnownSample, envelope: Envelope, playing: Playing) -> tuple[str, str]:
    """Return the verdict and, for a mismatch, what is wrong."""
    outcome = envelope.content["outcome"]
    error = envelope.content.get("error", {})
    said = f"{error.get('code', '')}: {error.get('message', '')}" if error else ""
    if not playing.way:
        return "mismatch", f"the tool never asked for it; {outcome} {said}".strip()
    if is_error(sample):
        if error.get("code") == ToolCode.NOT_IN_SNAPSHOT and playing.unanswered:
            return "refused", ""
        return _judged_error(sample.response.status, outcome, error.get("code", ""), said)
    if outcome == ResultOutcome.FAILED:
        read_it = error["code"] == ToolCode.NOT_IN_SNAPSHOT and playing.unanswered
        return ("parsed", "") if read_it else ("mismatch", said)
    if outcome != ResultOutcome.DATA and not (sample.may_be_empty or known.empty):
        return "mismatch", f"a record that the tool reads as {outcome}: {envelope.content.get('note', '')}".strip(": ")
    return "parsed", ""


def _judged_error(status: int, outcome: str, code: str, said: str) -> tuple[str, str]:
    if outcome in (ResultOutcome.UNKNOWN_ID, ResultOutcome.EMPTY) and status < 500 and status != 429:
        return "refused", ""
    if outcome == ResultOutcome.FAILED and code in RIGHT_CODES.get(status, ANY_FAILURE):
        return "refused", ""
    return "mismatch", f"HTTP {status} became {outcome} {said}".strip()


@contextmanager
def without_retries() -> Iterator[None]:
    """Ask once only, and keep the server's log of failures out of the report."""
    log = logging.getLogger("mcp_server.server")
    was_active, level = stamina.is_active(), log.level
    stamina.set_active(False)
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        stamina.set_active(was_active)
        log.setLevel(level)


def _shaped(sample: Sample, known: KnownSample) -> Sample:
    how = {name: getattr(known, name) for name in ("url", "within", "first", "listed", "root", "before", "aside")}
    return sample.shaped(**how, said_status=known.status)


def _response(sample: Sample) -> Response | None:
    try:
        return sample.response
    except ValueError:
        return None
