"""`python -m mcp_server snapshot verify|list|record-question`: keep the offline records.

A record is good when the calls that it names under `asked_by` run and ask for it. New records are written by
running calls against the services, into the data folder, from where a person moves them into the package.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_server.config import ServerConfig
from mcp_server.http.messages import Request, Response, Transport, canonical_key
from mcp_server.http.snapshot import PACKAGED, Record, SnapshotTransport, read_records, record_name
from mcp_server.registry import discover
from mcp_server.server import ToolServer, make_transport

Json = Any
GOOD_OUTCOMES = ("data", "empty", "unknown_id")


class UsedKeys:
    """Passes requests on and remembers for what was asked."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.requests: list[Request] = []

    @property
    def keys(self) -> list[str]:
        """What the requests have in common with records."""
        return [canonical_key(one.method, one.url, one.body, one.text) for one in self.requests]

    async def send(self, request: Request) -> Response:
        """Send through the inner transport."""
        response = await self._inner.send(request)
        self.requests.append(request)
        return response

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


@dataclass(frozen=True)
class Fault:
    """What is wrong with a record."""

    path: Path
    reason: str


class Verifier:
    """Runs the calls of records offline. One serves for many records."""

    def __init__(self, folders: Sequence[Path] = (PACKAGED,)) -> None:
        self._snapshot = SnapshotTransport(folders)
        self._used = UsedKeys(self._snapshot)
        self._server = ToolServer(discover(), ServerConfig(), self._used)

    @property
    def records(self) -> Iterable[Record]:
        """All records of the folders."""
        return self._snapshot.records.values()

    async def faults(self, record: Record) -> list[Fault]:
        """Return what is wrong with one record: its calls must run, use it, and be as old as it is."""
        asked_by = record.data.get("asked_by") or []
        faults = [] if asked_by else [Fault(record.path, "no call is named under asked_by")]
        for asked in asked_by:
            self._used.requests.clear()
            envelope = await self._server.call(asked["tool"], asked["arguments"])
            call = f"{asked['tool']} {json.dumps(asked['arguments'], ensure_ascii=False)}"
            snapshot = envelope.meta.get("burp/snapshot", {})
            if envelope.content["outcome"] not in GOOD_OUTCOMES:
                error = envelope.content["error"]
                faults.append(Fault(record.path, f"{call}: {error['code']}: {error['message']}"))
            elif record.key not in self._used.keys:
                faults.append(Fault(record.path, f"{call} does not ask for this record"))
            elif snapshot["date"] > record.data["date"]:
                faults.append(Fault(record.path, f"{call} says it is of {snapshot['date']}, the record is older"))
            elif record.data.get("partial") and not snapshot["partial"]:
                faults.append(Fault(record.path, f"{call} does not say that the record is partial"))
        return faults


def main(arguments: Sequence[str]) -> int:
    """Run one of the commands."""
    options = _parser().parse_args(arguments)
    result: int = options.run(options)
    return result


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="snapshot", description="Keep the offline records.")
    commands = parser.add_subparsers(required=True)
    for name, run, text in (
        ("verify", _verify, "run the calls of every record and check that they use it"),
        ("list", _list, "list the records by platform"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--folder", type=Path, action="append", default=[], help="a folder instead of the package")
        command.set_defaults(run=run)
    record = commands.add_parser("record-question", help="run calls against the services and keep their answers")
    record.add_argument("question", help="what the calls are to answer; printed beside the records")
    record.add_argument("--calls", type=Path, metavar="FILE", help='one {"tool": …, "arguments": …} a line')
    record.add_argument("--tool", help="one tool instead of a file")
    record.add_argument("--arguments", default="{}", help="its arguments as JSON")
    record.set_defaults(run=_record)
    return parser


def _verify(options: argparse.Namespace) -> int:
    faults = asyncio.run(_all_faults(options.folder or [PACKAGED]))
    for fault in faults:
        print(f"{fault.path}: {fault.reason}")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


async def _all_faults(folders: Sequence[Path]) -> list[Fault]:
    verifier = Verifier(folders)
    return [fault for record in verifier.records for fault in await verifier.faults(record)]


def _list(options: argparse.Namespace) -> int:
    by_platform: dict[str, list[Record]] = {}
    for record in read_records(options.folder or [PACKAGED]).values():
        by_platform.setdefault(record.path.parent.name, []).append(record)
    for platform, records in sorted(by_platform.items()):
        print(f"{platform} ({len(records)})")
        for record in sorted(records, key=lambda one: one.path.name):
            asked = ", ".join(sorted({call["tool"] for call in record.data.get("asked_by", [])})) or "nobody"
            partial = " partial" if record.data.get("partial") else ""
            print(f"  {record.path.stem}  {record.data['origin']}{partial} {record.data['date']}  asked by {asked}")
    return 0


def _record(options: argparse.Namespace) -> int:
    try:
        calls = list(_calls(options))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"the calls can't be read: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    config = ServerConfig.from_environment(os.environ, "record")
    print(f"Question: {options.question}")
    return asyncio.run(_recorded(calls, config))


def _calls(options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Json]]]:
    if bool(options.calls) == bool(options.tool):
        raise ValueError("give either --calls or --tool")
    if options.tool:
        yield options.tool, dict(json.loads(options.arguments))
        return
    for line in options.calls.read_text(encoding="utf-8").splitlines():
        if line.strip():
            call = json.loads(line)
            yield call["tool"], dict(call.get("arguments", {}))


async def _recorded(calls: Iterable[tuple[str, dict[str, Json]]], config: ServerConfig) -> int:
    platforms = discover()
    used = UsedKeys(make_transport(platforms, config))
    server = ToolServer(platforms, config, used)
    failed = 0
    try:
        for tool, arguments in calls:
            used.requests.clear()
            envelope = await server.call(tool, arguments)
            outcome = envelope.content["outcome"]
            message = envelope.content.get("error", {}).get("message", "")
            failed += outcome not in GOOD_OUTCOMES
            print(f"{tool} {json.dumps(arguments, ensure_ascii=False)}: {outcome} {message}".rstrip())
            for path in await asyncio.to_thread(_signed, used.requests, config, tool, arguments):
                print(f"  {path}")
    finally:
        await server.aclose()
    return 1 if failed else 0


def _signed(requests: Iterable[Request], config: ServerConfig, tool: str, arguments: Json) -> list[Path]:
    """Write into each new record which call led to it; return where they lie."""
    paths = []
    for request in requests:
        path = config.data_dir / "recorded" / request.host / f"{record_name(request)}.json"
        if path.is_file():
            data = json.loads(path.read_text(encoding="utf-8"))
            call = {"tool": tool, "arguments": arguments}
            data["asked_by"] = [*(one for one in data.get("asked_by", []) if one != call), call]
            path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            paths.append(path)
    return paths
