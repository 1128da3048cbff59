"""One call's requests: a few at a time, equal ones once, ended when nobody waits for them."""

import asyncio

import pytest

from mcp_server.http.messages import Request, Response
from mcp_server.http.shared import SharedTransport

WITHIN_S = 5.0


class Door:
    """Lets requests in and answers them once it is opened."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.open = asyncio.Event()
        self.entered = asyncio.Event()
        self.inside = self.most_inside = 0
        self.asked: list[str] = []
        self.cancelled: list[str] = []

    async def send(self, request: Request) -> Response:
        """Answer a request."""
        self.asked.append(request.url)
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        self.entered.set()
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled.append(request.url)
            raise
        finally:
            self.inside -= 1
        return Response(self.statuses.pop(0) if self.statuses else 200, {}, request.url.encode())

    async def aclose(self) -> None:
        """Hold nothing."""


def get(path: str) -> Request:
    return Request("GET", f"https://hamsters.example/{path}")


async def test_no_more_than_so_many_are_under_way_and_all_are_answered() -> None:
    door = Door()
    transport = SharedTransport(door, 3)
    tasks = [asyncio.create_task(transport.send(get(str(number)))) for number in range(10)]
    await asyncio.wait_for(door.entered.wait(), WITHIN_S)
    await asyncio.sleep(0)
    door.open.set()
    found = await asyncio.wait_for(asyncio.gather(*tasks), WITHIN_S)
    assert door.most_inside == 3
    assert [one.text() for one in found] == [get(str(number)).url for number in range(10)]


async def test_equal_requests_are_sent_once_also_after_the_first_was_answered() -> None:
    door = Door()
    door.open.set()
    transport = SharedTransport(door, 3)
    first, second = await asyncio.gather(transport.send(get("all")), transport.send(get("all")))
    third = await transport.send(get("all"))
    assert len(door.asked) == 1 and first is second is third
    await transport.send(Request("GET", get("all").url, {"Accept": "text/plain"}))
    await transport.send(Request("POST", get("all").url, body={"name": "Skipper"}))
    assert len(door.asked) == 3


async def test_a_refusal_is_no_answer_for_who_asks_again() -> None:
    door = Door(503, 200)
    door.open.set()
    transport = SharedTransport(door, 3)
    assert [(await transport.send(get("all"))).status for _ in range(3)] == [503, 200, 200]
    assert len(door.asked) == 2


async def test_a_request_ends_when_the_last_one_who_waits_leaves() -> None:
    door = Door()
    transport = SharedTransport(door, 3)
    one, other = (asyncio.create_task(transport.send(get("all"))) for _ in range(2))
    await asyncio.wait_for(door.entered.wait(), WITHIN_S)
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    assert door.cancelled == []
    other.cancel()
    with pytest.raises(asyncio.CancelledError):
        await other
    assert door.cancelled == [get("all").url]
    door.open.set()
    assert (await transport.send(get("all"))).status == 200
