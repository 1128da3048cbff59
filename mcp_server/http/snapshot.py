"""The offline transport: a request is answered from a small JSON file, or clearly not at all.

A record holds `request` (method, url, body), `response` (status, headers, json or text), `date`,
`origin` (`recorded`, or `curated`: typed in from the public record's facts, in the upstream's own
shape), `source` (where those facts were seen), `partial` (the upstream's list is longer) and
`asked_by` (the tool calls that lead to it). Nothing is ever made up here.
"""

import difflib
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp_server.http.errors import NotInSnapshot
from mcp_server.http.messages import Origin, Request, Response, Transport, canonical_key

Json = Any
PACKAGED = Path(__file__).parent.parent / "snapshot"
KEPT_HEADERS = ("content-type", "link", "x-total-results", "x-uniprot-release", "content-range", "total-count")
NEAR_MISSES = 3


@dataclass(frozen=True)
class Record:
    """One answer of the snapshot and where it lies."""

    path: Path
    data: dict[str, Json]

    @property
    def key(self) -> str:
        """What a request must have in common with this record."""
        request = self.data["request"]
        return canonical_key(request["method"], request["url"], request.get("body"), request.get("text"))

    def response(self) -> Response:
        """Return the stored answer as if it had just arrived."""
        stored = self.data["response"]
        text = stored["text"] if "text" in stored else json.dumps(stored.get("json"), ensure_ascii=False)
        origin = Origin(self.data["origin"], self.data["date"], bool(self.data.get("partial")))
        headers = {"content-type": "application/json", **stored.get("headers", {})}
        return Response(stored["status"], headers, text.encode(), origin)


def read_records(folders: Iterable[Path]) -> dict[str, Record]:
    """Read all records of the folders; a later folder wins."""
    records: dict[str, Record] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.json")):
            record = Record(path, json.loads(path.read_text(encoding="utf-8")))
            records[record.key] = record
    return records


class SnapshotTransport:
    """Answers from the records of the given folders."""

    def __init__(self, folders: Iterable[Path] = (PACKAGED,)) -> None:
        self._folders = tuple(folders)
        self._records: dict[str, Record] | None = None

    @property
    def records(self) -> dict[str, Record]:
        """All records by key, read on first use."""
        if self._records is None:
            self._records = read_records(self._folders)
        return self._records

    async def send(self, request: Request) -> Response:
        """Return the recorded answer, or raise `NotInSnapshot` with near ones."""
        key = canonical_key(request.method, request.url, request.body, request.text)
        record = self.records.get(key)
        if record is None:
            raise NotInSnapshot(request.host, "the offline snapshot holds no such request", body=self._near(key))
        return record.response()

    def _near(self, key: str) -> list[Json]:
        host = key.split("\n")[1].split("/")[2]
        candidates = {other: record for other, record in self.records.items() if f"//{host}/" in other}
        near = difflib.get_close_matches(key, candidates, n=NEAR_MISSES, cutoff=0.3)
        return [call for other in near for call in candidates[other].data.get("asked_by", [])[:1]]

    async def aclose(self) -> None:
        """Nothing is held open."""


class RecordingTransport:
    """Passes requests on and writes every answer that is worth keeping into `folder`."""

    def __init__(self, inner: Transport, folder: Path) -> None:
        self._inner = inner
        self._folder = folder

    async def send(self, request: Request) -> Response:
        """Send through the inner transport and keep the answer."""
        response = await self._inner.send(request)
        # A fault of the moment is not a fact about the record.
        if response.status < 500 and response.status != 429:
            self._write(request, response)
        return response

    def _write(self, request: Request, response: Response) -> None:
        try:
            answer: dict[str, Json] = {"json": json.loads(response.content)}
        except ValueError:
            answer = {"text": response.text()}
        asked: dict[str, Json] = {"method": request.method, "url": request.public_url}
        if request.body is not None:
            asked["body"] = request.body
        if request.text is not None:
            asked["text"] = request.text
        headers = {name: value for name, value in response.headers.items() if name in KEPT_HEADERS}
        data = {
            "request": asked,
            "response": {"status": response.status, "headers": headers, **answer},
            "origin": "recorded",
            "date": datetime.now(UTC).date().isoformat(),
        }
        path = self._folder / request.host / f"{record_name(request)}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


def record_name(request: Request) -> str:
    """Return a readable file name that differs for different requests."""
    key = canonical_key(request.method, request.url, request.body, request.text)
    words = re.sub(r"[^A-Za-z0-9]+", "-", request.public_url.partition("//")[2].partition("/")[2]).strip("-")
    return f"{words[:60]}-{hashlib.sha256(key.encode()).hexdigest()[:10]}"
