"""Recorded responses are replayed through the tools; what does not parse is named, never passed over."""

import gzip
import json
from pathlib import Path
from typing import Annotated, Any

import pytest

from mcp_server.contracts import command
from mcp_server.contracts.command import check_samples
from mcp_server.contracts.known import Knowledge, KnownSample, OtherName
from mcp_server.contracts.replay import Finding
from mcp_server.contracts.report import sample_markdown, sample_report, sample_table
from mcp_server.contracts.samples import platform_folders, read_samples
from mcp_server.envelope import unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.registry import discover, tools_by_name
from mcp_server.tool import Arg, Cite, Platform

BASE = "https://rest.test/v1"
PROTEIN = {"accession": "P15056", "symbol": "BRAF", "names": {"full": "B-Raf"}, "reviewed": True}


def demo() -> Platform:
    """Make a database of two tools."""
    platform = Platform("demo", title="Demo", base_url=BASE, docs="", licence="", rate=Rate(100))

    @platform.tool(example={"accession": "P04626"}, cites=Cite("uniprot", ".", "accession"))
    async def get_protein(api: Api, accession: Annotated[str, Arg("Accession.", pattern=r"^[A-Z]\d{5}$")]) -> Any:
        """Get a protein. Returns its names."""
        try:
            found = await api.get(f"/protein/{accession}")
        except UpstreamNotFound:
            return unknown_id(accession, "no such protein")
        return {"accession": found["accession"], "symbol": found.get("symbol"), "length": found.get("length")}

    @platform.tool(example={"symbol": "ERBB2", "limit": 5}, rows=".results")
    async def search_proteins(api: Api, symbol: str, limit: int = 20) -> Any:
        """Search proteins. Returns a list."""
        return await api.get("/proteins", {"symbol": symbol, "size": limit})

    return platform


class Folder:
    """A folder of samples that is written one by one."""

    def __init__(self, path: Path, *, beside: bool = False) -> None:
        self.root = path
        self.samples = path / "demo" / "samples"
        self.samples.mkdir(parents=True)
        self.manifest = (self.samples.parent if beside else self.samples) / "MANIFEST.tsv"
        self.manifest.write_text("file\tmethod\turl\tkind\tnotes\n", encoding="utf-8")

    def add(self, file: str, body: Any, url: str, notes: str = "", method: str = "GET") -> "Folder":
        """Write a sample and its row."""
        text = body if isinstance(body, str) else json.dumps(body)
        (self.samples / file).write_bytes(gzip.compress(text.encode()) if file.endswith(".gz") else text.encode())
        with self.manifest.open("a", encoding="utf-8") as manifest:
            manifest.write(f"{file}\t{method}\t{url}\trecorded\t{notes}\n")
        return self

    async def check(self, *known: KnownSample, **names: OtherName) -> dict[str, Finding]:
        """Replay and return what was found, by file."""
        knowledge = Knowledge({"demo": names}, known)
        findings = await check_samples([demo()], platform_folders(self.root), knowledge, [])
        return {finding.file: finding for finding in findings}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Give an empty folder of samples."""
    return Folder(tmp_path)


async def test_a_response_to_the_tools_own_request_parses_exactly(folder: Folder) -> None:
    folder.add("get_protein__braf.json", PROTEIN, f"{BASE}/protein/P15056")
    found = (await folder.check())["get_protein__braf.json"]
    assert (found.verdict, found.tool, found.way, found.outcome) == ("parsed", "demo__get_protein", "exact", "data")
    assert found.arguments == {"accession": "P15056"}
    assert found.citations == 1


async def test_what_the_tool_misses_and_what_it_does_not_read_is_named(folder: Folder) -> None:
    folder.add("get_protein__braf.json", PROTEIN, f"{BASE}/protein/P15056")
    folder.add("search_proteins__braf.json", {"results": [PROTEIN]}, f"{BASE}/proteins?symbol=BRAF")
    found = await folder.check()
    read = found["get_protein__braf.json"]
    assert read.missing == (".length",)
    assert read.new == (".names", ".reviewed")
    handed_on = found["search_proteins__braf.json"]
    assert handed_on.watched and handed_on.new == ()


async def test_other_parameters_at_the_same_address_are_said_to_be_that(folder: Folder) -> None:
    folder.add("search_proteins__braf.json", {"results": [PROTEIN]}, f"{BASE}/proteins?symbol=BRAF&fields=all")
    found = (await folder.check())["search_proteins__braf.json"]
    assert (found.verdict, found.way, found.returned) == ("parsed", "address", 1)
    assert found.arguments == {"symbol": "BRAF"}


async def test_a_response_without_a_readable_address_is_fed_to_the_named_tool(folder: Folder) -> None:
    folder.add("get_protein__braf.json", PROTEIN, "(pasted from a note)")
    found = (await folder.check())["get_protein__braf.json"]
    assert (found.verdict, found.way) == ("parsed", "fed")


async def test_an_address_that_the_manifest_leaves_open_may_be_told(folder: Folder) -> None:
    folder.add("get_protein__braf.json", PROTEIN, "https://<portal>/protein/P15056")
    known = KnownSample("demo", "get_protein__*", url=f"{BASE}/protein/P15056")
    found = (await folder.check(known))["get_protein__braf.json"]
    assert (found.verdict, found.way, found.arguments) == ("parsed", "exact", {"accession": "P15056"})


async def test_a_response_under_no_tools_name_is_known_by_its_address(folder: Folder) -> None:
    folder.add("protein_page__braf.json", PROTEIN, f"{BASE}/protein/P15056")
    found = (await folder.check())["protein_page__braf.json"]
    assert (found.verdict, found.tool) == ("parsed", "demo__get_protein")


async def test_a_wrong_response_is_a_mismatch_until_a_person_names_the_reason(folder: Folder) -> None:
    folder.add("get_protein__braf.json", {"acc": "P15056"}, f"{BASE}/protein/P15056")
    found = (await folder.check())["get_protein__braf.json"]
    assert found.verdict == "mismatch"
    assert "KeyError" in found.reason and "accession" in found.reason
    known = KnownSample("demo", "get_protein__*", reason="keys shortened by the recorder")
    named = (await folder.check(known))["get_protein__braf.json"]
    assert (named.verdict, named.reason) == ("reason", "keys shortened by the recorder")


async def test_a_file_that_is_not_json_is_a_mismatch(folder: Folder) -> None:
    folder.add("get_protein__braf.json", "<html>", f"{BASE}/protein/P15056")
    assert (await folder.check())["get_protein__braf.json"].verdict == "mismatch"


async def test_a_record_that_the_tool_takes_for_nothing_is_a_mismatch(folder: Folder) -> None:
    url = f"{BASE}/proteins?symbol=BRAF"
    folder.add("search_proteins__braf.json", {"hits": [PROTEIN]}, url)
    folder.add("search_proteins__empty.json", {"results": []}, url)
    found = await folder.check()
    assert found["search_proteins__braf.json"].verdict == "mismatch"
    assert "empty" in found["search_proteins__braf.json"].reason
    assert (found["search_proteins__empty.json"].verdict, found["search_proteins__empty.json"].outcome) == (
        "parsed",
        "empty",
    )


async def test_a_tool_of_another_name_is_found_in_the_table(folder: Folder) -> None:
    folder.add("find_by_symbol__braf.json", {"results": [PROTEIN]}, "(pasted from a note)")
    folder.add("get_ping.json", {"ping": 1}, f"{BASE}/ping")
    found = await folder.check(
        find_by_symbol=OtherName("search_proteins", {"symbol": "BRAF"}), get_ping=OtherName(dropped="no tool asks this")
    )
    assert (found["find_by_symbol__braf.json"].verdict, found["find_by_symbol__braf.json"].tool) == (
        "parsed",
        "demo__search_proteins",
    )
    assert found["find_by_symbol__braf.json"].arguments["symbol"] == "BRAF"
    assert (found["get_ping.json"].verdict, found["get_ping.json"].reason) == ("reason", "no tool asks this")


async def test_a_response_that_nobody_asks_for_is_a_mismatch(folder: Folder) -> None:
    folder.add("get_ping.json", {"ping": 1}, f"{BASE}/ping/now/please")
    assert (await folder.check())["get_ping.json"].verdict == "mismatch"


@pytest.mark.parametrize(
    ("status", "verdict"),
    [(404, "refused"), (400, "refused"), (429, "refused"), (503, "refused")],
)
async def test_an_error_becomes_the_right_failure(folder: Folder, status: int, verdict: str) -> None:
    folder.add("error__protein.json", {"error": "no"}, f"{BASE}/protein/P99999", notes=f"HTTP {status}")
    assert (await folder.check())["error__protein.json"].verdict == verdict


async def test_an_error_that_is_taken_for_a_record_is_a_mismatch(folder: Folder) -> None:
    folder.add("error__protein.json", {"accession": None, "error": "no"}, f"{BASE}/protein/P99999", notes="HTTP 200")
    found = (await folder.check())["error__protein.json"]
    assert (found.verdict, found.reason) == ("mismatch", "HTTP 200 became data")


async def test_a_whole_answer_in_a_file_gives_its_status_headers_and_body(folder: Folder) -> None:
    whole = {"http_status": 404, "headers": {"X-Seen": ["a", "b"]}, "body": {"error": "unknown"}}
    folder.add("error__unknown.json", whole, f"{BASE}/protein/P99999")
    (sample,) = read_samples("demo", folder.samples)
    assert (sample.response.status, sample.response.headers["x-seen"]) == (404, "a, b")
    assert json.loads(sample.response.content) == {"error": "unknown"}
    found = (await folder.check())["error__unknown.json"]
    assert (found.verdict, found.outcome) == ("refused", "unknown_id")


async def test_what_a_recorder_did_to_a_body_can_be_undone(folder: Folder) -> None:
    folder.add("search_proteins__bare.json.gz", [PROTEIN, PROTEIN], f"{BASE}/proteins?symbol=BRAF")
    folder.add("get_protein__listed.json", [PROTEIN], f"{BASE}/protein/P15056")
    known = (
        KnownSample("demo", "search_proteins__*", within="results", aside={"page": {"total": "COUNT"}}),
        KnownSample("demo", "get_protein__listed.json", first=True),
    )
    found = await folder.check(*known)
    assert found["search_proteins__bare.json.gz"].returned == 2
    assert found["get_protein__listed.json"].verdict == "parsed"


def test_several_entries_for_one_file_add_up() -> None:
    knowledge = Knowledge(
        {},
        (
            KnownSample("demo", "*.json", arguments={"assembly": "GRCh37"}),
            KnownSample("demo", "a__*.json", listed=True, arguments={"variant": "x"}),
        ),
    )
    known = knowledge.sample("demo", "a__b.json")
    assert (known.listed, known.arguments) == (True, {"assembly": "GRCh37", "variant": "x"})


def test_a_manifest_may_lie_beside_the_samples_and_say_request_or_bodies(tmp_path: Path) -> None:
    folder = Folder(tmp_path, beside=True)
    folder.manifest.write_text("file\tmethod\trequest\tkind\tnotes\n", encoding="utf-8")
    folder.add("a__json.json", {}, f'{BASE}/graph  body: {{"ids": ["P15056"]}}', method="POST")
    folder.add("a__form.json", {}, f"{BASE}/find (form field name=aspirin)", method="POST")
    folder.add("a__words.json", {}, f"{BASE}/find?query=a AND b;size=2 (from memory)")
    (folder.samples / "a__forgotten.json").write_text("{}", encoding="utf-8")
    found = {sample.file: sample for sample in read_samples("demo", platform_folders(tmp_path)["demo"])}
    assert found["a__json.json"].body == {"ids": ["P15056"]}
    assert (found["a__form.json"].url, found["a__form.json"].text) == (f"{BASE}/find", "name=aspirin")
    assert found["a__words.json"].url == f"{BASE}/find?query=a AND b&size=2"
    assert found["a__forgotten.json"].url == ""


async def test_the_reports_name_every_sample_that_does_not_parse(folder: Folder) -> None:
    folder.add("get_protein__good.json", PROTEIN, f"{BASE}/protein/P15056")
    folder.add("get_protein__bad.json", {}, f"{BASE}/protein/P04637")
    folder.add("get_protein__odd.json", {}, f"{BASE}/protein/P04638")
    findings = await folder.check(KnownSample("demo", "get_protein__odd.json", reason="cut | short"))
    report = sample_report(list(findings.values()), ["other"])
    assert report["platforms"]["demo"] == {"parsed": 1, "refused": 0, "reason": 1, "mismatch": 1}
    assert report["tools"]["demo__get_protein"]["missing"] == [".length"]
    table, page = sample_table(report), sample_markdown(report)
    assert "MISMATCH demo/get_protein__bad.json" in table and "other: skipped" in table
    assert "3 samples, 1 neither parsed nor explained" in table
    assert "cut \\| short" in page and "get_protein__bad.json" in page


# --- the command, over the real tools ------------------------------------------------------

STUDY = {
    "protocolSection": {
        "identificationModule": {"nctId": "NCT01808573", "briefTitle": "Neratinib Plus Capecitabine"},
        "statusModule": {"overallStatus": "COMPLETED"},
    },
    "hasResults": True,
}


def trials(path: Path, study: Any) -> Path:
    """Write a folder with one study, and one of a platform without tools."""
    for name in ("clinicaltrials", "nobody"):
        samples = path / name / "samples"
        samples.mkdir(parents=True)
        (samples / "MANIFEST.tsv").write_text(
            "file\tmethod\trequest\tkind\tnotes\n"
            "get_study__NCT01808573.json\tGET\thttps://clinicaltrials.gov/api/v2/studies/NCT01808573\trecorded\t\n",
            encoding="utf-8",
        )
        (samples / "get_study__NCT01808573.json").write_text(json.dumps(study), encoding="utf-8")
    return path


def test_the_command_reports_and_ends_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--json", str(tmp_path / "report.json"), "--markdown", str(tmp_path / "report.md")]
    assert command.main(["check", "--samples", str(trials(tmp_path / "in", STUDY)), *files]) == 0
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["platforms"]["clinicaltrials"]["parsed"] == 1
    assert report["skipped_platforms"] == ["nobody"]
    assert report["samples"][0]["arguments"]["nct_id"] == "NCT01808573"
    assert "# Recorded responses" in (tmp_path / "report.md").read_text(encoding="utf-8")
    out = capsys.readouterr().out
    assert "nobody: skipped, there are no tools for it" in out and "0 neither parsed nor explained" in out


def test_the_command_fails_for_a_response_that_does_not_parse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {"protocolSection": {"identificationModule": {"nctId": "NCT09999999"}}}
    assert command.main(["check", "--samples", str(trials(tmp_path, wrong))]) == 1
    assert "MISMATCH clinicaltrials/get_study__NCT01808573.json" in capsys.readouterr().out


def test_the_command_says_when_there_is_nothing_to_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["check", "--samples", str(tmp_path)]) == 2
    assert command.main(["check", "--samples", str(tmp_path / "nowhere")]) == 2
    error = capsys.readouterr().err
    assert "no platform with a manifest" in error and "is no folder" in error


# --- the tables that come with the project ---------------------------------------------------


def test_the_tables_name_tools_and_arguments_that_exist() -> None:
    knowledge = Knowledge.read()
    tools = tools_by_name(discover())
    platforms = {platform.name for platform in discover()}
    for platform, names in knowledge.names.items():
        assert platform in platforms
        for word, other in names.items():
            assert bool(other.tool) != bool(other.dropped), word
            if other.tool:
                tool = tools[f"{platform}__{other.tool}"]
                assert set(other.arguments) <= set(tool.parameters), word
    for known in knowledge.samples:
        assert known.platform in platforms
        assert not known.tool or f"{known.platform}__{known.tool}" in tools, known.file
        assert known.reason == known.reason.strip()
