"""Leave an upstream alone for a while after it has failed several times in a row.

One breaker a host. `closed`: all requests pass. `open`: none does, until the pause is over. Then one
request may try (`half_open`); its outcome closes or opens the breaker again. Only faults of the service
count: a refused or unknown record says that it works.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from mcp_server.http.errors import UpstreamError, UpstreamUnavailable

FAILURES_TO_OPEN = 5
PAUSE_S = 30.0


@dataclass
class _Host:
    """What is remembered of one host."""

    failures: int = 0
    open_until_s: float = 0.0
    is_trying: bool = False
    last_error: str = ""


class Breakers:
    """The breakers of this process, by host. `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hosts: dict[str, _Host] = {}

    def check(self, host: str) -> None:
        """Raise `UpstreamUnavailable` while the host is left alone."""
        known = self._hosts.get(host)
        if known is None or known.failures < FAILURES_TO_OPEN:
            return
        left_s = known.open_until_s - self._clock()
        if left_s > 0 or known.is_trying:
            wait = f"it is asked again in {left_s:.0f} s" if left_s > 0 else "one request is trying it now"
            # Not retryable: waiting here is what the breaker is meant to spare everybody.
            error = UpstreamUnavailable(host, f"failed {known.failures} times in a row ({known.last_error}); {wait}")
            error.retryable = False
            raise error
        known.is_trying = True

    def note_success(self, host: str) -> None:
        """The host answered, with whatever it was."""
        self._hosts.pop(host, None)

    def note(self, error: UpstreamError) -> None:
        """Count a fault of the service; any other error shows that the service works."""
        if not isinstance(error, UpstreamUnavailable):
            self.note_success(error.host)
            return
        known = self._hosts.setdefault(error.host, _Host())
        known.failures += 1
        known.is_trying = False
        known.last_error = error.message[:120]
        if known.failures >= FAILURES_TO_OPEN:
            known.open_until_s = self._clock() + PAUSE_S

    def note_cancelled(self, host: str) -> None:
        """The try was called off: somebody else may try."""
        if host in self._hosts:
            self._hosts[host].is_trying = False

    def state(self, host: str) -> dict[str, str | int | float]:
        """Return the state of a host's breaker, for operators."""
        known = self._hosts.get(host)
        if known is None:
            return {"state": "closed", "failures": 0}
        left_s = known.open_until_s - self._clock()
        state = "closed" if known.failures < FAILURES_TO_OPEN else "open" if left_s > 0 else "half_open"
        facts: dict[str, str | int | float] = {"state": state, "failures": known.failures}
        facts["last_error"] = known.last_error
        if state == "open":
            facts["asked_again_in_s"] = round(left_s, 1)
        return facts
