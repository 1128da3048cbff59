"""Keeping the offline records: what is wrong with one is said, and new ones are signed with their calls."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_server import records
from mcp_server.http.snapshot import PACKAGED, read_records
from tests.mcp_server.test_stdio import ROOT, environment
from tests.upstreams.server import FakeUpstreams

TOOL = "clinicaltrials__get_study"
HOST, PATH = "clinicaltrials.gov", "/api/v2/studies/NCT01808573"


def one_record() -> dict[str, Any]:
    """Return a packaged record of one study."""
    found = [one for key, one in read_records([PACKAGED]).items() if f"{PATH}?" in key]
    return json.loads(json.dumps(next(one.data for one in found if one.data["asked_by"][0]["tool"] == TOOL)))


def written(folder: Path, record: dict[str, Any]) -> Path:
    """Write the record and return its folder."""
    (folder / "clinicaltrials").mkdir(parents=True)
    (folder / "clinicaltrials" / "get_study__one.json").write_text(json.dumps(record), encoding="utf-8")
    return folder


def verify(folder: Path) -> int:
    """Run the command."""
    return records.main(["verify", "--folder", str(folder)])


def test_a_record_that_its_calls_use_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(written(tmp_path, one_record())) == 0
    assert capsys.readouterr().out == "0 faults\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"asked_by": []}, "no call is named"),
        ({"asked_by": [{"tool": "no__such_tool", "arguments": {}}]}, "tool_unknown"),
        ({"asked_by": [{"tool": TOOL, "arguments": {"nct_id": "NCT00000001"}}]}, "not_in_snapshot"),
        ({"asked_by": [{"tool": "pubmed__convert_ids", "arguments": {"ids": []}}]}, "tool_invalid_arguments"),
    ],
)
def test_what_is_wrong_with_a_record_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Any, said: str
) -> None:
    assert verify(written(tmp_path, one_record() | change)) == 1
    out = capsys.readouterr().out
    assert said in out and "get_study__one.json" in out and out.endswith("1 faults\n")


async def test_a_record_that_its_call_does_not_ask_for_is_a_fault(tmp_path: Path) -> None:
    record = one_record()
    other = {**record, "request": {"method": "GET", "url": f"https://{HOST}/api/v2/version"}}
    folder = written(tmp_path, record)
    (folder / "clinicaltrials" / "get_study__two.json").write_text(json.dumps(other), encoding="utf-8")
    verifier = records.Verifier([folder])
    faults = [fault for one in verifier.records for fault in await verifier.faults(one)]
    assert [fault.path.name for fault in faults] == ["get_study__two.json"]
    assert "does not ask for this record" in faults[0].reason


def test_the_list_says_platform_origin_date_and_who_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {**one_record(), "origin": "recorded", "date": "2026-11-30", "partial": True}
    assert records.main(["list", "--folder", str(written(tmp_path, record))]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "clinicaltrials (1)",
        f"  get_study__one  recorded partial 2026-11-30  asked by {TOOL}",
    ]


def recorded(gateway: str, data: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command against a gateway."""
    return subprocess.run(
        [sys.executable, "-m", "mcp_server", "snapshot", "record-question", *arguments],
        cwd=ROOT,
        env=environment(UPSTREAM_GATEWAY=gateway, DATA_DIR=str(data)),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


async def test_recorded_calls_leave_records_that_verify(upstreams: FakeUpstreams, tmp_path: Path) -> None:
    answer = one_record()["response"]["json"]
    upstreams.play(HOST, PATH, answer)
    upstreams.play(HOST, "/api/v2/studies/NCT99999999", "NCT number NCT99999999 not found", status=404)
    calls = [{"tool": TOOL, "arguments": {"nct_id": number}} for number in ("NCT01808573", "NCT99999999")]
    lines = tmp_path / "calls.jsonl"
    lines.write_text("\n\n".join(json.dumps(call) for call in calls), encoding="utf-8")
    done = await asyncio.to_thread(recorded, upstreams.url, tmp_path, "Which trial?", "--calls", str(lines))
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0] == "Question: Which trial?"
    assert said[1].endswith(": data") and ": unknown_id" in said[3]
    paths = [Path(line.strip()) for line in said if line.startswith("  ")]
    assert len(paths) == 2 and all(path.parent == tmp_path / "recorded" / HOST for path in paths)
    texts = await asyncio.to_thread(lambda: [json.loads(path.read_text(encoding="utf-8")) for path in paths])
    assert [text["asked_by"] for text in texts] == [[calls[0]], [calls[1]]]
    assert await asyncio.to_thread(verify_in_child, tmp_path / "recorded") == "0 faults\n"


def verify_in_child(folder: Path) -> str:
    """Verify a folder as from a shell."""
    command = [sys.executable, "-m", "mcp_server", "snapshot", "verify", "--folder", str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False).stdout


async def test_a_call_that_fails_is_told_and_fails_the_command(upstreams: FakeUpstreams, tmp_path: Path) -> None:
    arguments = ["Which trial?", "--tool", TOOL, "--arguments", '{"nct_id": "what"}']
    done = await asyncio.to_thread(recorded, upstreams.url, tmp_path, *arguments)
    assert done.returncode == 1
    assert "failed" in done.stdout and "nct_id" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["--calls", "nowhere.jsonl"], ["--tool", TOOL, "--arguments", "{"]])
def test_calls_that_cannot_be_read_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert records.main(["record-question", "Which trial?", *arguments]) == 2
    assert "can't be read" in capsys.readouterr().err
