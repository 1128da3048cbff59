"""`python -m mcp_server contracts check`: hold the tools against recorded responses or the live services."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcp_server.config import ServerConfig
from mcp_server.contracts.known import Knowledge
from mcp_server.contracts.live import PAUSE_S, check_live
from mcp_server.contracts.replay import Finding, Replayer
from mcp_server.contracts.report import (
    drift_markdown,
    drift_report,
    drift_table,
    sample_markdown,
    sample_report,
    sample_table,
)
from mcp_server.contracts.samples import platform_folders, read_samples
from mcp_server.registry import discover
from mcp_server.tool import Platform

Json = Any
# Records of the tools' examples that the package does not carry; a checkout has them.
EXAMPLES = Path(__file__).parents[2] / "tests" / "data" / "examples"


def parser() -> argparse.ArgumentParser:
    """Return the command's arguments."""
    parser = argparse.ArgumentParser(prog="contracts", description=__doc__)
    check = parser.add_subparsers(dest="command", required=True).add_parser("check", help="check the tools")
    what = check.add_mutually_exclusive_group(required=True)
    what.add_argument("--samples", type=Path, metavar="DIR", help="a folder of recorded responses, with manifests")
    what.add_argument("--live", action="store_true", help="ask the services themselves, two calls a tool")
    check.add_argument("--records", type=Path, action="append", default=[], metavar="DIR", help="further records")
    check.add_argument("--only", action="append", default=[], metavar="NAME", help="a platform, or with --live a tool")
    check.add_argument("--pause", type=float, default=PAUSE_S, metavar="S", help="seconds between live calls")
    check.add_argument("--json", type=Path, metavar="FILE", help="write the whole report here")
    check.add_argument("--markdown", type=Path, metavar="FILE", help="write it as a page here")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Check and report; 1 when a sample is neither parsed nor explained, or a service has drifted."""
    options = parser().parse_args(arguments)
    if options.live:
        return asyncio.run(_live(options))
    try:
        folders = platform_folders(options.samples)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    return asyncio.run(_samples(options, folders))


async def _samples(options: argparse.Namespace, folders: Mapping[str, Path]) -> int:
    platforms = {platform.name: platform for platform in discover()}
    wanted = [name for name in folders if not options.only or name in options.only]
    if not wanted:
        print(f"no platform with a manifest in {options.samples}", file=sys.stderr)
        return 2
    findings = await check_samples(
        [platforms[name] for name in wanted if name in platforms], folders, Knowledge.read(), _records(options)
    )
    report = sample_report(findings, [name for name in wanted if name not in platforms])
    _write(options, report, sample_markdown(report))
    print(sample_table(report))
    return 1 if any(finding.verdict == "mismatch" for finding in findings) else 0


async def check_samples(
    platforms: Sequence[Platform], folders: Mapping[str, Path], knowledge: Knowledge, records: Sequence[Path]
) -> list[Finding]:
    """Check the samples of some platforms."""
    found = []
    for platform in platforms:
        samples = read_samples(platform.name, folders[platform.name])
        found += await Replayer(platform, knowledge, records).check(samples)
    return found


async def _live(options: argparse.Namespace) -> int:
    # A kept answer would hide what has changed.
    config = replace(ServerConfig.from_environment(os.environ, "live"), cache=False)
    drifts = await check_live(discover(), config, folders=_records(options), only=options.only, pause_s=options.pause)
    report = drift_report(drifts)
    _write(options, report, drift_markdown(report))
    print(drift_table(report))
    return 1 if any(drift.verdict in ("drift", "failed") for drift in drifts) else 0


def _records(options: argparse.Namespace) -> list[Path]:
    return [*([EXAMPLES] if EXAMPLES.is_dir() else []), *options.records]


def _write(options: argparse.Namespace, report: Json, markdown: str) -> None:
    if options.json:
        options.json.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(markdown, encoding="utf-8")
