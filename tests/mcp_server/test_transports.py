"""What holds over every transport and in every version of the protocol: a fault stays in its own call."""

import asyncio
import random
from typing import Any

import pytest
from mcp import Client

from tests.mcp_server.servers import DEBUG, WAIT_S, connected
from tests.upstreams.server import FakeUpstreams

TRIALS = "clinicaltrials.gov"
SEARCH = ("clinicaltrials__search_studies", {"condition": "melanoma", "intervention": "vemurafenib", "limit": 20})
STUDY = ("clinicaltrials__get_study", {"nct_id": "NCT99999999"})
# What each transport carries in two-byte characters.
LARGEST = {"stdio": 5_000_000, "http": 150_000}
WAYS = [("stdio", "auto"), ("stdio", "legacy"), ("http", "auto"), ("http", "legacy")]

each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way))


async def sleep(client: Client, milliseconds: int) -> Any:
    result = await client.call_tool("debug__run_sleep", {"milliseconds": milliseconds})
    return result.structured_content


@each_way
async def test_tools_are_listed_and_called(way: tuple[str, str]) -> None:
    async with connected(way[0], mode=way[1]) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool(*SEARCH)
    assert SEARCH[0] in names and names == sorted(names)
    assert result.structured_content is not None and result.structured_content["outcome"] == "data"


@pytest.mark.case("C048")
@each_way
async def test_two_hundred_cancelled_calls_disturb_no_other(way: tuple[str, str]) -> None:
    async with connected(way[0], DEBUG, mode=way[1]) as debug:
        beside = asyncio.create_task(sleep(debug, 2_000))
        outcomes = await cancel_two_hundred(debug)
        assert await beside == {"outcome": "data", "data": {"slept": 2_000}}
        assert await sleep(debug, 1) == {"outcome": "data", "data": {"slept": 1}}
    assert len(outcomes) == 200 and set(outcomes) <= {"cancelled", "data"} and "cancelled" in outcomes


async def cancel_two_hundred(debug: Client) -> list[str]:
    """Cancel calls around the moment of their answers; return what became of each."""
    chance = random.Random(48)

    async def cancelled() -> str:
        duration = chance.randint(5, 50)
        call = asyncio.create_task(sleep(debug, duration))
        # At a random moment, most of them around the answer.
        await asyncio.sleep(max(0.0, duration / 1000 + chance.uniform(-0.02, 0.02)))
        call.cancel()
        await asyncio.wait([call])
        return "cancelled" if call.cancelled() else str(call.result()["outcome"])

    outcomes: list[str] = []
    for _ in range(10):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(cancelled()) for _ in range(20)]
        outcomes += [task.result() for task in tasks]
    return outcomes


@pytest.mark.case("C046", "C047", "C048")
@each_way
async def test_bad_calls_exceptions_prints_and_forty_megabytes_hurt_only_their_own_call(way: tuple[str, str]) -> None:
    async with connected(way[0], DEBUG, mode=way[1]) as debug:
        beside = asyncio.create_task(sleep(debug, 1_000))
        for size in (65_300, 65_536, 70_000, LARGEST[way[0]]):
            result = await debug.call_tool("debug__get_text", {"size": size})
            assert result.structured_content == {"outcome": "data", "data": "ä" * (size // 2)}
        codes = await codes_of_bad_calls(debug)
        printed = await debug.call_tool("debug__run_print", {"text": '{"jsonrpc": "2.0", "id": 1, "result": {}}'})
        assert not printed.is_error
        assert await beside == {"outcome": "data", "data": {"slept": 1_000}}
    assert codes == [
        "tool_result_too_large",
        "tool_invalid_arguments",
        "tool_invalid_arguments",
        "internal",
        "tool_unknown",
    ]


async def codes_of_bad_calls(debug: Client) -> list[str]:
    """Make one call of each kind that fails; return the codes of their errors."""
    codes = []
    for name, arguments in (
        ("debug__get_text", {"size": 40_000_000}),
        ("debug__get_text", {"size": "many"}),
        ("debug__get_text", {"length": 1}),
        ("debug__run_raise", {}),
        ("no__such_tool", {}),
    ):
        failed = await debug.call_tool(name, arguments)
        assert failed.is_error and failed.structured_content is not None
        codes.append(failed.structured_content["error"]["code"])
    return codes


@pytest.mark.case("C041", "C048")
@each_way
async def test_a_cancelled_call_hangs_up_on_the_database_and_leaves_the_others_alone(
    way: tuple[str, str], upstreams: FakeUpstreams
) -> None:
    upstreams.play(TRIALS, "/api/v2/studies", {"studies": []}, held=asyncio.Event())
    upstreams.play(TRIALS, "/api/v2/studies/NCT99999999", "NCT number NCT99999999 not found", status=404)
    async with connected(way[0], mode=way[1], UPSTREAMS="live", UPSTREAM_GATEWAY=upstreams.url) as client:
        hanging = asyncio.create_task(client.call_tool(*SEARCH))
        await upstreams.arrived(1)
        beside = asyncio.create_task(client.call_tool(*STUDY))
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        await upstreams.left_alone()
        result = await asyncio.wait_for(beside, WAIT_S)
    assert result.structured_content is not None
    assert result.structured_content["outcome"] == "unknown_id"


@pytest.mark.case("C076")
@each_way
async def test_a_waiting_person_is_told_of_retries_while_the_call_still_runs(
    way: tuple[str, str], upstreams: FakeUpstreams
) -> None:
    go_on, told, heard = asyncio.Event(), [], asyncio.Event()
    upstreams.play(TRIALS, "/api/v2/studies/NCT99999999", "busy", status=503)
    upstreams.play(TRIALS, "/api/v2/studies/NCT99999999", "NCT number NCT99999999 not found", status=404, held=go_on)

    async def progress(number: float, total: float | None, message: str | None) -> None:
        told.append(message)
        heard.set()

    async with connected(way[0], mode=way[1], UPSTREAMS="live", UPSTREAM_GATEWAY=upstreams.url) as client:
        call = asyncio.create_task(client.call_tool(*STUDY, progress_callback=progress))
        await asyncio.wait_for(heard.wait(), WAIT_S)
        assert not call.done()
        go_on.set()
        result = await asyncio.wait_for(call, WAIT_S)
    assert told == [f"{TRIALS} did not answer; attempt 2 of 4"]
    assert result.structured_content is not None and result.structured_content["outcome"] == "unknown_id"


async def conversation(client: Client, name: str = "") -> str:
    meta: Any = {"burp/conversation": name} if name else None
    result = await client.call_tool("debug_conversation", {}, meta=meta)
    assert result.structured_content is not None
    return str(result.structured_content["conversation"])


@each_way
async def test_a_conversation_is_a_session_or_what_the_client_names(way: tuple[str, str]) -> None:
    async with connected(way[0], DEBUG, mode=way[1]) as client:
        seen = [await conversation(client) for _ in range(2)]
        named = [await conversation(client, name) for name in ("a", "a", "b")]
    # The protocol's newest version has no sessions over HTTP: who names no conversation gets a new one each time.
    assert (seen[0] == seen[1]) is (way != ("http", "auto"))
    assert named[0] == named[1] != named[2]
    assert not {*seen} & {*named} and all(seen)
