"""What the tools make of recorded responses: the calls of all offline records, and of a further folder of samples.

`BURP_SAMPLES` names such a folder, with a manifest for each platform; without it the repository's records serve.
"""

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mcp_server.config import ServerConfig
from mcp_server.contracts.command import EXAMPLES
from mcp_server.contracts.known import Knowledge
from mcp_server.contracts.replay import Replayer, without_retries
from mcp_server.contracts.samples import platform_folders, read_samples
from mcp_server.envelope import Envelope
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.registry import discover, tools_by_name
from mcp_server.server import ToolServer
from mcp_server.unified import TOOLS as UNIFIED

Json = Any
SAMPLES = "BURP_SAMPLES"


@dataclass(frozen=True)
class Policy:
    """What the declaration of a tool says about large results: the policy, and the paths that it must not touch."""

    noise: str | None
    keep: tuple[str, ...]
    cited: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recorded:
    """What a tool brought for one call."""

    tool: str
    arguments: Mapping[str, Json]
    envelope: Envelope

    @property
    def data(self) -> Json:
        """The data; what a tool over several databases brings is data as a whole."""
        content = self.envelope.content
        return content.get("data") if "outcome" in content else dict(content)


@cache
def policies() -> dict[str, Policy]:
    """Return the policy of every tool."""
    found = {
        name: Policy(tool.noise, tool.keep, tuple(_jq_path(cite.at, cite.id) for cite in tool.cites))
        for name, tool in tools_by_name(discover()).items()
    }
    return found | {tool.name: Policy(tool.noise or None, tool.keep) for tool in UNIFIED}


@cache
def of_records() -> tuple[Recorded, ...]:
    """Return what every call of the repository's records brings."""
    return asyncio.run(_of_records())


@cache
def of_samples() -> tuple[Recorded, ...]:
    """Return what the tools make of the further folder; nothing where none is named."""
    folder = os.environ.get(SAMPLES, "")
    return asyncio.run(_of_samples(Path(folder))) if folder else ()


async def _of_records() -> tuple[Recorded, ...]:
    records = SnapshotTransport((PACKAGED, EXAMPLES))
    server = ToolServer(discover(), ServerConfig(), records)
    with without_retries():
        found = [Recorded(name, arguments, await server.call(name, arguments)) for name, arguments in _calls(records)]
    return tuple(one for one in found if one.data is not None)


def _calls(records: SnapshotTransport) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield the examples of all tools and the calls that records were made for, each once."""
    calls = [(name, dict(tool.example)) for name, tool in tools_by_name(discover()).items()]
    for record in records.records.values():
        calls += [(asked["tool"], asked["arguments"]) for asked in record.data.get("asked_by") or []]
    yield from {f"{name} {json.dumps(given, sort_keys=True)}": (name, given) for name, given in calls}.values()


async def _of_samples(folder: Path) -> tuple[Recorded, ...]:
    folders = platform_folders(folder)
    found: list[Recorded] = []
    for platform in discover():
        if platform.name in folders:
            replayer = Replayer(platform, Knowledge.read(), [EXAMPLES])
            await replayer.check(read_samples(platform.name, folders[platform.name]))
            found += [Recorded(name, {}, envelope) for name, envelope in replayer.results]
    return tuple(one for one in found if one.data is not None)


def _jq_path(at: str, inner: str) -> str:
    """Write two places of a citation, one inside the other, as a jq path."""
    steps = [step for part in (at, inner) for step in part.strip(".").split(".") if step]
    path = "".join(step if step.startswith("[") else f".{step}" for step in steps)
    return path if path.startswith(".") else f".{path}"
