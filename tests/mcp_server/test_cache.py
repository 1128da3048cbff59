"""Kept answers: only what a tool understood, for as long as its source allows, over restarts."""

import asyncio
from pathlib import Path

import pytest

from mcp_server.args import UniProtAccession
from mcp_server.config import ServerConfig
from mcp_server.http.client import Api
from mcp_server.http.messages import Request, Response
from mcp_server.http.rate_limit import Rate
from mcp_server.server import ToolServer
from mcp_server.tool import Platform


class Counting:
    """A transport that plays bodies in order and counts requests."""

    def __init__(self, *bodies: tuple[int, bytes]) -> None:
        self.bodies = list(bodies)
        self.asked: list[str] = []

    async def send(self, request: Request) -> Response:
        self.asked.append(request.url)
        status, body = self.bodies.pop(0)
        return Response(status, {"content-type": "application/json"}, body)

    async def aclose(self) -> None:
        """Nothing is open."""


def platform(keep_s: float = 3600) -> Platform:
    made = Platform(
        "things",
        title="Things",
        base_url="https://things.example",
        docs="d",
        licence="CC0",
        rate=Rate(1000),
        keep_s=keep_s,
    )

    @made.tool(example={"accession": "P04626"}, rows=".items")
    async def get_thing(api: Api, accession: UniProtAccession) -> object:
        """Get a thing."""
        return await api.get("/thing", {"id": accession, "api_key": "SECRET"})

    @made.tool(example={"accession": "P04626"}, rows=".items")
    async def search_things(api: Api, accession: UniProtAccession) -> object:
        """Search things with GraphQL."""
        return await api.graphql("Things", "query Things($id: String!) { items(id: $id) { id } }", {"id": accession})

    return made


def server(tmp_path: Path, transport: Counting, keep_s: float = 3600) -> ToolServer:
    return ToolServer([platform(keep_s)], ServerConfig(upstreams="live", cache=True, data_dir=tmp_path), transport)


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


ITEMS = (200, b'{"items":[{"id":"P04626"}]}')


async def test_the_second_call_is_answered_from_disk_with_the_time_of_the_first(tmp_path: Path) -> None:
    transport = Counting(ITEMS)
    tools = server(tmp_path, transport)
    first = await tools.call("things__get_thing", {"accession": "P04626"})
    second = await tools.call("things__get_thing", {"accession": "P04626"})
    assert len(transport.asked) == 1
    assert second.content == first.content
    assert second.meta["burp/fetched_at"] == first.meta["burp/fetched_at"]
    (request,) = second.meta["burp/requests"]
    assert (request["cached"], request["status"], request["attempts"]) == (True, 200, 0)
    assert "burp/snapshot" not in second.meta
    await tools.aclose()


async def test_what_was_kept_is_there_after_a_restart_without_any_key(tmp_path: Path) -> None:
    one = server(tmp_path, Counting(ITEMS))
    await one.call("things__get_thing", {"accession": "P04626"})
    await one.aclose()
    transport = Counting()
    two = server(tmp_path, transport)
    again = await two.call("things__get_thing", {"accession": "P04626"})
    assert (again.content["outcome"], transport.asked) == ("data", [])
    await two.aclose()
    assert b"SECRET" not in await asyncio.to_thread(everything_in, tmp_path)


@pytest.mark.case("C042")
@pytest.mark.parametrize(
    "fault",
    [(404, b'{"message":"no such id"}'), (400, b'{"message":"bad"}'), (200, b"<html>busy</html>"), (200, b"")],
    ids=["unknown", "refused", "html", "empty body"],
)
async def test_nothing_that_failed_is_kept(tmp_path: Path, fault: tuple[int, bytes]) -> None:
    transport = Counting(fault, ITEMS)
    tools = server(tmp_path, transport)
    failed = await tools.call("things__get_thing", {"accession": "P04626"})
    worked = await tools.call("things__get_thing", {"accession": "P04626"})
    assert (failed.content["outcome"], worked.content["outcome"]) == ("failed", "data")
    assert len(transport.asked) == 2
    await tools.aclose()


@pytest.mark.case("C038")
async def test_an_error_inside_a_200_is_not_kept(tmp_path: Path) -> None:
    transport = Counting((200, b'{"errors":[{"message":"down"}]}'), (200, b'{"data":{"items":[{"id":"P04626"}]}}'))
    tools = server(tmp_path, transport)
    outcomes = [(await tools.call("things__search_things", {"accession": "P04626"})).content["outcome"] for _ in "ab"]
    assert outcomes == ["failed", "data"]
    await tools.aclose()


async def test_graphql_answers_are_told_apart_by_their_variables(tmp_path: Path) -> None:
    transport = Counting((200, b'{"data":{"items":[{"id":"P04626"}]}}'), (200, b'{"data":{"items":[{"id":"P00533"}]}}'))
    tools = server(tmp_path, transport)
    ids = ["P04626", "P00533", "P04626"]
    answers = [await tools.call("things__search_things", {"accession": accession}) for accession in ids]
    assert [answer.content["data"]["items"][0]["id"] for answer in answers] == ids
    assert len(transport.asked) == 2
    await tools.aclose()


async def test_an_answer_is_asked_for_anew_once_its_time_is_over(tmp_path: Path) -> None:
    transport = Counting(ITEMS, ITEMS)
    tools = server(tmp_path, transport, keep_s=0)
    for _ in "ab":
        await tools.call("things__get_thing", {"accession": "P04626"})
    assert len(transport.asked) == 2
    await tools.aclose()


def test_the_snapshot_is_never_kept_again(tmp_path: Path) -> None:
    assert ToolServer([platform()], ServerConfig(upstreams="snapshot", cache=True, data_dir=tmp_path)).cache is None


async def test_what_is_still_being_written_answers_already_and_lies_on_disk_at_the_end(tmp_path: Path) -> None:
    transport = Counting(ITEMS)
    tools = server(tmp_path, transport)
    calls = [await tools.call("things__get_thing", {"accession": "P04626"}) for _ in range(3)]
    await tools.aclose()
    assert len(transport.asked) == 1
    assert [call.meta["burp/requests"][0].get("cached", False) for call in calls] == [False, True, True]
    again = server(tmp_path, Counting())
    kept = await again.call("things__get_thing", {"accession": "P04626"})
    await again.aclose()
    assert kept.content == calls[0].content and kept.meta["burp/fetched_at"] <= calls[1].meta["burp/fetched_at"]


async def test_a_folder_that_can_not_be_used_costs_the_cache_and_no_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("no folder")
    transport = Counting(ITEMS, ITEMS)
    tools = server(tmp_path, transport)
    calls = [await tools.call("things__get_thing", {"accession": "P04626"}) for _ in range(2)]
    await tools.aclose()
    assert [call.content["outcome"] for call in calls] == ["data", "data"]
    assert "can't be read" in caplog.text and "could not be kept" in caplog.text
