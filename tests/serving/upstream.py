"""The databases behind the gateway, in a thread of their own: records that come, hang, or are throttled."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from tests.upstreams.server import FakeUpstreams

Json = Any
HOST = "rest.uniprot.org"
# Another host: one that asks to wait is left alone for as long, by all.
THROTTLED_HOST, THROTTLED_PATH = "clinicaltrials.gov", "/api/v2/studies/NCT00000001"
WAIT_S = 5.0


def entry(accession: str) -> Json:
    """Return a protein's record."""
    return {
        "entryType": "UniProtKB reviewed (Swiss-Prot)",
        "primaryAccession": accession,
        "uniProtkbId": f"{accession}_HUMAN",
        "organism": {"scientificName": "Homo sapiens", "taxonId": 9606},
        "genes": [{"geneName": {"value": "ERBB2"}}],
        "sequence": {"length": 1255},
    }


class Upstream:
    """Answers proteins; use it as a context manager."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._fake = FakeUpstreams()
        self._held: dict[str, asyncio.Event] = {}
        self._thread = threading.Thread(target=self._loop.run_forever, name="upstream", daemon=True)

    def __enter__(self) -> "Upstream":
        self._thread.start()
        self._run(self._fake.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._fake.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
        self._loop.close()

    @property
    def url(self) -> str:
        """The address to use as the gateway."""
        return self._fake.url

    @property
    def requests(self) -> int:
        """How many requests have come in."""
        return len(self._fake.arrivals)

    @property
    def hang_ups_s(self) -> list[float]:
        """When clients left before their answer was complete, in monotonic seconds."""
        return self._fake.hang_ups_s

    @property
    def hung_up(self) -> int:
        """How many clients left before their answer was complete."""
        return self._fake.hung_up

    def answer(self, accession: str) -> None:
        """Give the record at once."""
        self._call(lambda: self._fake.play(HOST, f"/uniprotkb/{accession}", entry(accession)))

    def hang(self, accession: str) -> None:
        """Take the request and say nothing."""
        held = asyncio.Event()
        self._held[accession] = held
        self._call(lambda: self._fake.play(HOST, f"/uniprotkb/{accession}", entry(accession), held=held))

    def release(self, accession: str) -> None:
        """Give the record that the last client waits for."""
        self._call(self._held[accession].set)

    def throttle(self, seconds: int) -> None:
        """Ask the client to come back later, for a trial's record."""
        headers = {"Retry-After": str(seconds)}
        self._call(
            lambda: self._fake.play(THROTTLED_HOST, THROTTLED_PATH, "too many requests", status=429, headers=headers)
        )

    def wait_for_requests(self, count: int) -> None:
        """Wait until so many requests have come in."""
        self._run(self._fake.arrived(count))

    def wait_for_hang_ups(self, count: int) -> None:
        """Wait until so many clients have left."""
        self._run(self._fake.left_alone(count))

    def _call(self, work: Callable[[], None]) -> None:
        async def run() -> None:
            work()

        self._run(run())

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)
