"""A fault of a stand-in shows as what it is, in the answer and in the record."""

from typing import Any

import httpx2

from evals.loopback.answers import Answered, Streamed, refused, streamed
from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Failure
from evals.loopback.server import LoopbackServer, Recorded


class Faulty(LoopbackServer[Recorded, str]):
    """A service that answers with an error of the step's name, and has a fault when its script is used up."""

    recorded = Recorded
    fault_type = "internal"

    def answer(self, call: Call, body: dict[str, Any]) -> Answered:
        return Failure(429, self.steps.pop(0), "Wait.", headers={"retry-after": "7"})

    def streamed(self, stream: Streamed, connection: Connection) -> Answer:
        return streamed(stream, connection, {}, error=lambda broken: b"", drip=b"")

    def refused(self, failure: Failure) -> Answer:
        return refused(failure, {"type": failure.error_type, "message": failure.message}, {})


def test_a_failure_is_answered_and_a_fault_names_what_was_raised() -> None:
    with Faulty("key") as server:
        server.script("rate_limit")
        scripted, fault = (httpx2.post(server.base_url, json={}, timeout=5) for _ in range(2))

    assert (scripted.status_code, scripted.headers["retry-after"]) == (429, "7")
    assert scripted.json() == {"type": "rate_limit", "message": "Wait."}
    assert (fault.status_code, fault.json()["type"]) == (500, "internal")
    assert "IndexError: pop from empty list" in fault.json()["message"]
    assert [(request.status, request.error[:9]) for request in server.requests] == [(429, "Wait."), (500, "Traceback")]
