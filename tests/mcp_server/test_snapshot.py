"""The offline records: each is used by the call it was made for, none is made up, none holds a secret."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mcp_server.config import ServerConfig
from mcp_server.http.client import Api
from mcp_server.http.errors import NotInSnapshot
from mcp_server.http.messages import Request, Response, canonical_key, canonical_url
from mcp_server.http.rate_limit import Rate
from mcp_server.http.snapshot import PACKAGED, Record, RecordingTransport, SnapshotTransport, read_records, record_name
from mcp_server.records import Verifier
from mcp_server.registry import discover, tools_by_name
from mcp_server.server import ToolServer
from mcp_server.tool import Platform

RECORDS = sorted(PACKAGED.rglob("*.json"))
CONTENTS = {path: path.read_text(encoding="utf-8") for path in RECORDS}
TOOLS = tools_by_name(discover())
E_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}", re.IGNORECASE)
SECRET = re.compile(r"api[_-]?key|password|bearer\s|authorization|sk-[A-Za-z0-9]{10}", re.IGNORECASE)
LOCAL = re.compile(r"/(work|tmp|home|root|Users)/")
RECORD_MAX_BYTES = 256 * 1024


@pytest.fixture(scope="module")
def transport() -> SnapshotTransport:
    """Read the packaged records once."""
    return SnapshotTransport()


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    """Give what `snapshot verify` uses."""
    return Verifier()


def name_of(path: Path) -> str:
    """Name a record in a test's id."""
    return str(path.relative_to(PACKAGED))


def test_there_are_records_and_no_two_answer_the_same_request() -> None:
    assert len(read_records([PACKAGED])) == len(RECORDS) > 0


@pytest.mark.parametrize("path", RECORDS, ids=name_of)
async def test_each_record_is_used_by_the_calls_it_was_made_for(path: Path, verifier: Verifier) -> None:
    assert await verifier.faults(Record(path, json.loads(CONTENTS[path]))) == []


@pytest.mark.parametrize("path", RECORDS, ids=name_of)
def test_each_record_says_where_it_is_from_and_holds_nothing_private(path: Path) -> None:
    text = CONTENTS[path]
    record = json.loads(text)
    assert set(record) <= {"request", "response", "origin", "date", "source", "partial", "asked_by"}
    assert record["origin"] in ("recorded", "curated")
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", record["date"])
    assert record["origin"] == "recorded" or record["source"].strip()
    assert record["request"]["url"] == canonical_url(record["request"]["url"])
    assert len(text.encode()) <= RECORD_MAX_BYTES
    for private in (E_MAIL, SECRET, LOCAL):
        assert private.search(text) is None


@pytest.mark.parametrize("path", RECORDS, ids=name_of)
def test_each_record_lies_under_the_tool_that_asks_for_it(path: Path) -> None:
    record = json.loads(CONTENTS[path])
    tools = {asked["tool"] for asked in record["asked_by"]}
    assert f"{path.parent.name}__{path.name.partition('__')[0]}" in tools
    assert tools <= set(TOOLS)


def written(folder: Path, url: str, *, asked: str = "demo__get_thing", **parts: Any) -> None:
    """Write a record for a request by GET."""
    record = {
        "request": {"method": "GET", "url": url},
        "response": {"status": 200, "json": {"ok": url}},
        "origin": "curated",
        "date": "2026-01-02",
        "source": "a test",
        "asked_by": [{"tool": asked, "arguments": {"url": url}}],
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record_name(Request('GET', url))}.json"
    path.write_text(json.dumps({**record, **parts}), encoding="utf-8")


async def test_a_request_is_answered_whatever_the_order_of_its_parameters_and_its_key(tmp_path: Path) -> None:
    written(tmp_path, "https://rest.test/x?a=1&b=2")
    transport = SnapshotTransport((tmp_path,))
    response = await transport.send(
        Request("get", "https://REST.test/x?b=2&api_key=SECRET&a=1&email=me%40example.org&tool=burp")
    )
    assert json.loads(response.content) == {"ok": "https://rest.test/x?a=1&b=2"}
    assert response.origin is not None and response.origin.date == "2026-01-02"


async def test_a_later_folder_wins(tmp_path: Path) -> None:
    written(tmp_path / "one", "https://rest.test/x")
    written(tmp_path / "two", "https://rest.test/x", response={"status": 404, "text": "gone"})
    response = await SnapshotTransport((tmp_path / "one", tmp_path / "two")).send(Request("GET", "https://rest.test/x"))
    assert (response.status, response.text()) == (404, "gone")


async def test_a_miss_names_the_nearest_calls_of_the_same_database(tmp_path: Path) -> None:
    written(tmp_path, "https://rest.test/things/P04626")
    written(tmp_path, "https://rest.test/quite/another/address?with=parameters&and=more")
    written(tmp_path, "https://other.test/things/P04627", asked="other__get_thing")
    with pytest.raises(NotInSnapshot) as caught:
        await SnapshotTransport((tmp_path,)).send(Request("GET", "https://rest.test/things/P04628"))
    assert caught.value.body[0] == {"tool": "demo__get_thing", "arguments": {"url": "https://rest.test/things/P04626"}}
    assert all(call["tool"] != "other__get_thing" for call in caught.value.body)


async def test_a_miss_reaches_the_model_as_a_failure_with_near_calls(transport: SnapshotTransport) -> None:
    server = ToolServer(discover(), ServerConfig(), transport)
    envelope = await server.call("clinicaltrials__get_study", {"nct_id": "NCT01808574"})
    assert envelope.content["outcome"] == "failed"
    assert envelope.content["error"]["code"] == "not_in_snapshot"
    assert {"tool": "clinicaltrials__get_study", "arguments": {"nct_id": "NCT01808573"}} in envelope.content["error"][
        "near"
    ]


def test_graphql_requests_are_told_apart_by_operation_and_variables() -> None:
    def key(query: str, **variables: Any) -> str:
        body = {"operationName": "T", "query": query, "variables": variables}
        return canonical_key("POST", "https://x.test/graphql", body)

    assert key("{a}", id=1) == key("{a b}", id=1) != key("{a}", id=2)


def texts_in(folder: Path) -> list[str]:
    """Return the texts of all records in a folder."""
    return [path.read_text(encoding="utf-8") for path in folder.rglob("*.json")]


class Scripted:
    """Answers with a given response."""

    def __init__(self, response: Response) -> None:
        self.response = response

    async def send(self, request: Request) -> Response:
        """Answer."""
        return self.response

    async def aclose(self) -> None:
        """Nothing is held open."""


async def ask_for_a_thing(api: Api, number: str = "1") -> Any:
    """Get a thing. Returns it."""
    return await api.get("/things", {"number": number, "email": "contact.example"})


async def test_what_record_mode_writes_answers_the_same_call_offline(tmp_path: Path) -> None:
    platform = Platform(
        "demo",
        title="D",
        base_url="https://rest.test",
        docs="",
        licence="",
        rate=Rate(100),
        key_parameter="api_key",
    )
    platform.tool(example={})(ask_for_a_thing)
    live = Scripted(
        Response(200, {"content-type": "application/json", "set-cookie": "session=1"}, b'{"a": "\xce\xb2"}')
    )
    config = ServerConfig(upstreams="record", ncbi_api_key="SECRETKEY")
    recorded = await ToolServer([platform], config, RecordingTransport(live, tmp_path)).call(
        "demo__ask_for_a_thing", {}
    )
    (text,) = texts_in(tmp_path)
    assert "SECRETKEY" not in text and "contact.example" not in text and "cookie" not in text
    replayed = await ToolServer([platform], ServerConfig(), SnapshotTransport((tmp_path,))).call(
        "demo__ask_for_a_thing", {}
    )
    assert replayed.content == recorded.content == {"outcome": "data", "data": {"a": "β"}}
    assert replayed.meta["burp/snapshot"]["origin"] == "recorded"


@pytest.mark.parametrize(("status", "kept"), [(200, 1), (404, 1), (400, 1), (429, 0), (500, 0), (503, 0)])
async def test_faults_of_the_moment_are_not_recorded(status: int, kept: int, tmp_path: Path) -> None:
    transport = RecordingTransport(Scripted(Response(status, {}, b"plain")), tmp_path)
    assert (await transport.send(Request("GET", "https://rest.test/x"))).status == status
    assert [json.loads(text)["response"]["text"] for text in texts_in(tmp_path)] == ["plain"] * kept


def test_record_names_can_be_read_and_differ_for_different_requests() -> None:
    one, two = (record_name(Request("GET", f"https://rest.test/api/things/{n}?a=b&api_key=S")) for n in (1, 2))
    assert one.startswith("api-things-1-a-b-") and one != two and "S" not in one.split("-")
