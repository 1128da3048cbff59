"""The services themselves are asked twice a tool; what has changed in their answers is told."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest

from mcp_server.config import ServerConfig
from mcp_server.contracts.live import Drift, check_live
from mcp_server.contracts.nonsense import WORD, nonsense_arguments
from mcp_server.contracts.report import drift_markdown, drift_report, drift_table
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.http.snapshot import PACKAGED, read_records
from mcp_server.registry import discover, tools_by_name
from mcp_server.tool import Arg, Platform
from tests.mcp_server.test_contracts import BASE, demo
from tests.mcp_server.test_stdio import ROOT, environment
from tests.upstreams.server import FakeUpstreams

TOOL = "clinicaltrials__get_study"
HOST = "clinicaltrials.gov"
UNKNOWN = "NCT number NCT99999999 not found"
TOOLS = tools_by_name(discover())


def study() -> Any:
    """Return the answer on record to the tool's example."""
    path = "/api/v2/studies/NCT01808573?"
    (record,) = [one for key, one in read_records([PACKAGED]).items() if path in key and "IdentificationModule" in key]
    return record.data["response"]["json"]


async def drift_of(upstreams: FakeUpstreams, answer: Any, nonsense: Any, status: int = 404) -> Drift:
    """Play both answers and return what the check says."""
    upstreams.play(HOST, "/api/v2/studies/NCT01808573", answer)
    upstreams.play(HOST, "/api/v2/studies/NCT99999999", nonsense, status=status)
    config = ServerConfig(upstreams="live", gateway=upstreams.url, tool_timeout_s=5)
    (drift,) = await check_live(discover(), config, only=[TOOL], pause_s=0)
    return drift


async def test_a_service_that_answers_as_on_record_has_not_drifted(upstreams: FakeUpstreams) -> None:
    drift = await drift_of(upstreams, study(), UNKNOWN)
    assert (drift.verdict, drift.good.outcome, drift.gone, drift.new, drift.notes) == ("same", "data", (), (), ())
    assert drift.nonsense is not None
    assert (drift.nonsense.arguments["nct_id"], drift.nonsense.outcome) == ("NCT99999999", "unknown_id")


async def test_fields_that_are_gone_and_new_are_named(upstreams: FakeUpstreams, tmp_path: Path) -> None:
    recorded = {"accession": "P04626", "symbol": "ERBB2", "length": 1255, "reviewed": True}
    record = {
        "request": {"method": "GET", "url": f"{BASE}/protein/P04626"},
        "response": {"status": 200, "json": recorded},
        "origin": "recorded",
        "date": "2026-11-30",
    }
    (tmp_path / "one.json").write_text(json.dumps(record), encoding="utf-8")
    changed = {"accession": "P04626", "symbol": "ERBB2", "reviewed": True, "bases": 3768}
    upstreams.play("rest.test", "/v1/protein/P04626", changed)
    upstreams.play("rest.test", "/v1/protein/P99999", "no such protein", status=404)
    config = ServerConfig(upstreams="live", gateway=upstreams.url, tool_timeout_s=5)
    (drift,) = await check_live([demo()], config, folders=[tmp_path], only=["demo__get_protein"], pause_s=0)
    assert (drift.verdict, drift.gone, drift.new) == ("drift", (".length",), (".bases",))
    assert drift.notes == ("1 field(s) that the tool reads are gone",)


async def test_nonsense_that_is_taken_for_a_record_is_drift(upstreams: FakeUpstreams) -> None:
    other = study()
    other["protocolSection"]["identificationModule"]["nctId"] = "NCT99999999"
    drift = await drift_of(upstreams, study(), other, status=200)
    assert (drift.verdict, drift.notes) == ("drift", ("nonsense was answered with data",))


async def test_an_example_that_no_longer_works_has_failed(upstreams: FakeUpstreams) -> None:
    drift = await drift_of(upstreams, "fields is unknown parameter", UNKNOWN)
    assert drift.verdict == "failed"
    assert "upstream_bad_response" in drift.notes[0]


async def test_a_service_that_is_down_says_nothing_about_its_answers(
    upstreams: FakeUpstreams, no_backoff: None
) -> None:
    upstreams.play(HOST, "/api/v2/studies/NCT01808573", "down", status=503, times=4)
    upstreams.play(HOST, "/api/v2/studies/NCT99999999", UNKNOWN, status=404)
    config = ServerConfig(upstreams="live", gateway=upstreams.url, tool_timeout_s=5)
    (drift,) = await check_live(discover(), config, only=[TOOL], pause_s=0)
    assert drift.verdict == "unreachable"


async def test_the_reports_hold_every_tool_with_its_notes(upstreams: FakeUpstreams) -> None:
    changed = study()
    changed["protocolSection"].pop("statusModule")
    report = drift_report([await drift_of(upstreams, changed, UNKNOWN)])
    assert report["counts"] == {"same": 0, "drift": 1, "failed": 0, "unreachable": 0}
    assert TOOL in drift_table(report) and "that the tool reads are gone" in drift_table(report)
    assert "`.protocolSection.statusModule`" in drift_markdown(report)


async def test_the_command_writes_its_reports_and_fails_on_drift(upstreams: FakeUpstreams, tmp_path: Path) -> None:
    upstreams.play(HOST, "/api/v2/studies/NCT01808573", study())
    upstreams.play(HOST, "/api/v2/studies/NCT99999999", "what?", status=200)
    command = [sys.executable, "-m", "mcp_server", "contracts", "check", "--live", "--only", TOOL, "--pause", "0"]
    done = await asyncio.to_thread(
        subprocess.run,
        [*command, "--json", str(tmp_path / "drift.json"), "--markdown", str(tmp_path / "drift.md")],
        cwd=ROOT,
        env=environment(UPSTREAM_GATEWAY=upstreams.url, DATA_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "nonsense became upstream_bad_response" in done.stdout
    report = json.loads((tmp_path / "drift.json").read_text(encoding="utf-8"))
    assert [one["tool"] for one in report["tools"]] == [TOOL]
    assert "Drift of the services" in (tmp_path / "drift.md").read_text(encoding="utf-8")


# --- nonsense --------------------------------------------------------------------------------


def test_every_tool_takes_its_nonsense() -> None:
    without = set()
    for tool in TOOLS.values():
        arguments = nonsense_arguments(tool)
        if arguments is None:
            without.add(tool.name)
        else:
            assert tool.bind(arguments) != tool.bind(tool.example), tool.name
    assert len(without) < len(TOOLS) / 10, sorted(without)


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ({"accession": "CHEMBL25"}, {"accession": "CHEMBL999999999999"}),
        ({"name": "aspirin", "limit": 5}, {"name": WORD, "limit": 5}),
        ({"ids": ["PMC123", "PMC4"]}, {"ids": ["PMC9999"]}),
        ({"limit": 5}, None),
    ],
)
def test_names_and_identifiers_become_meaningless(example: Any, expected: Any) -> None:
    platform = Platform("demo", title="D", base_url="https://x.test", docs="", licence="", rate=Rate(1))

    @platform.tool(example=example)
    async def get_thing(
        api: Api,
        accession: Annotated[str, Arg("", pattern=r"^CHEMBL\d+$")] = "CHEMBL1",
        name: str = "",
        ids: Annotated[list[str] | None, Arg("", pattern=r"^PMC\d{1,4}$")] = None,
        limit: int = 1,
    ) -> Any:
        """Get a thing. Returns it."""

    assert nonsense_arguments(platform.tools[0]) == expected
