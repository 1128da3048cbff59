"""A folder of recorded responses with its manifest: which request each file answers, and with what.

`DIR/<platform>/samples/` and `DIR/<platform>/` are both read; each holds a `MANIFEST.tsv` whose columns are
named `file`, `method`, `url` or `request`, `kind` and `notes`. What stands behind an address in the manifest
(a body, a remark in brackets) is read as far as it is a request.
"""

import csv
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from mcp_server.http.messages import Request, Response

Json = Any
MANIFEST = "MANIFEST.tsv"
_URL = re.compile(r"https?://\S+(?: (?!\(|body\b|target\(|disease\(|then\b|;)\S+)*")
_BODY = re.compile(r"\bbody:?\s*(\{.*\})")
_FORM = re.compile(r"(?:\bbody:?|form field)\s+(\w+=[^\s)]+)")
_STATUS_IN_NOTES = re.compile(r"\b(?:HTTP|status)\s+(?:status\s+)?([1-5]\d\d)\b", re.IGNORECASE)
_STATUS_IN_NAME = re.compile(r"_([45]\d\d)(?=[_.])")
_EMPTY = re.compile(
    r"(^|_)(empty|none|no_hits?|no_links|no_cid|nothing_mapped|unknown|nonexistent|not_found|inactive|none)"
    r"(?=[_.]|$)"
)
_TYPES = {".json": "application/json", ".xml": "text/xml", ".html": "text/html", ".tsv": "text/plain;format=tsv"}


@dataclass(frozen=True)
class Sample:
    """One recorded response. `status` and `headers` are what the manifest or the file itself says."""

    platform: str
    path: Path
    method: str
    url: str
    kind: str = ""
    notes: str = ""
    body: Json = None
    text: str | None = None
    said_status: int | None = None
    within: str = ""
    first: bool = False
    listed: bool = False
    root: str = ""
    before: str = ""
    aside: Mapping[str, Json] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def tool_word(self) -> str:
        """The tool that the recorder had in mind."""
        return self.file.partition(".")[0].partition("__")[0]

    @property
    def is_error(self) -> bool:
        """Whether this is an answer to a request that failed."""
        return self.tool_word == "error" or "__error" in self.file

    @property
    def may_be_empty(self) -> bool:
        """Whether the file's name says that there is nothing to be found in it."""
        return bool(_EMPTY.search(self.file.partition(".")[0].replace("__", "_")))

    @property
    def request(self) -> Request | None:
        """What was asked, where the manifest says it."""
        return Request(self.method or "GET", self.url, {}, self.body, self.text) if self.url else None

    @cached_property
    def raw(self) -> bytes:
        """The file's content, unpacked."""
        content = self.path.read_bytes()
        return gzip.decompress(content) if self.path.suffix == ".gz" else content

    @cached_property
    def response(self) -> Response:
        """The answer as it would arrive."""
        suffix = Path(self.file.removesuffix(".gz")).suffix
        headers = {"content-type": _TYPES.get(suffix, "text/plain"), **_headers(self.notes)}
        status = self.said_status or _status(self.file, self.notes, self.is_error)
        if suffix != ".json":
            return Response(status, headers, self._rooted())
        data = json.loads(self.raw, strict=False)
        if isinstance(data, dict) and "body" in data and ("http_status" in data or isinstance(data.get("status"), int)):
            # The recorder kept the whole answer: status, headers, body.
            status = int(data.get("http_status") or data["status"])
            headers |= {
                name.lower(): value if isinstance(value, str) else ", ".join(map(str, value))
                for name, value in (data.get("headers") or {}).items()
            }
            data = data["body"]
        return Response(status, headers, self._shaped(data))

    def _rooted(self) -> bytes:
        """Return the document with the declaration and the root that the service itself sends."""
        text = self.raw
        found = re.search(rb"<([A-Za-z][\w.-]*)", text)
        if self.root and found:
            text = text.replace(b"<" + found[1], b"<" + self.root.encode(), 1)
            text = re.sub(rb"</" + re.escape(found[1]) + rb"\s*>(?=\s*$)", f"</{self.root}>".encode(), text)
        if self.within:
            text = f"<{self.within}>".encode() + text + f"</{self.within}>".encode()
        return self.before.encode() + text

    def _shaped(self, data: Json) -> bytes:
        if self.first and isinstance(data, list):
            data = data[0]
        if self.listed:
            data = [data]
        count = len(data) if isinstance(data, list) else 1
        for number, name in enumerate(reversed(self.within.split(".") if self.within else [])):
            data = {name: data, **(_counted(self.aside, count) if number == 0 else {})}
        return (data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)).encode()

    def shaped(self, **how: Any) -> "Sample":
        """Return the sample with what the table of known samples says about it."""
        return replace(self, **{name: value for name, value in how.items() if value})


def _counted(value: Json, count: int) -> Json:
    """Return what stands beside the records, with the word COUNT replaced by their number."""
    if isinstance(value, Mapping):
        return {name: _counted(part, count) for name, part in value.items()}
    return count if value == "COUNT" else value


def platform_folders(folder: Path) -> dict[str, Path]:
    """Return where the samples of each platform lie."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder")
    found = {}
    for platform in sorted(path for path in folder.iterdir() if path.is_dir()):
        inside = platform / "samples"
        if (inside / MANIFEST).is_file() or (platform / MANIFEST).is_file():
            found[platform.name] = inside if inside.is_dir() else platform
    return found


def read_samples(platform: str, folder: Path) -> list[Sample]:
    """Return the samples of one platform, sorted by name: the manifest's rows, and files that it forgot."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        manifest = folder.parent / MANIFEST
    samples = {sample.file: sample for sample in _rows(platform, folder, manifest)}
    for path in folder.iterdir():
        if path.is_file() and path.name != MANIFEST and path.name not in samples:
            samples[path.name] = Sample(platform, path, "GET", "", notes="not in the manifest")
    return [samples[name] for name in sorted(samples)]


def _rows(platform: str, folder: Path, manifest: Path) -> Iterator[Sample]:
    with manifest.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            path = folder / (row.get("file") or "").removeprefix("samples/")
            if path.is_file():
                asked = row.get("url") or row.get("request") or ""
                yield sample_of(platform, path, row.get("method") or "", asked, row.get("kind"), row.get("notes"))


def sample_of(
    platform: str, path: Path, method: str, asked: str, kind: str | None = "", notes: str | None = ""
) -> Sample:
    """Read one row of a manifest."""
    found = _URL.match(asked)
    rest = asked[found.end() :] if found else asked
    body = _json_in(_BODY.search(rest))
    form = _FORM.search(rest)
    return Sample(
        platform,
        path,
        method if method in ("GET", "POST") else "GET",
        _address(found[0]) if found else "",
        kind or "",
        notes or "",
        body,
        form[1] if form and body is None else None,
    )


def _json_in(found: re.Match[str] | None) -> Json:
    try:
        return json.loads(found[1]) if found else None
    except ValueError:
        return None


def _address(url: str) -> str:
    """Return the address with its parameters joined by `&`; some services also take semicolons."""
    parts = urlsplit(url)
    query = parts.query if "&" in parts.query else parts.query.replace(";", "&")
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def _status(file: str, notes: str, is_error: bool) -> int:
    found = _STATUS_IN_NOTES.search(notes) or (_STATUS_IN_NAME.search(file) if is_error else None)
    return int(found[1]) if found else 200


def _headers(notes: str) -> dict[str, str]:
    _, found, text = notes.partition("headers: ")
    pairs = (part.split(": ", 1) for part in text.split(" | ") if ": " in part) if found else ()
    return {name.strip().lower(): value.strip() for name, value in pairs}
