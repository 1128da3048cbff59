"""How often each upstream may be asked: one cancellable bucket a rate group."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from aiolimiter import AsyncLimiter

# A nonsensical wish must not silence a database for the life of the process.
LONGEST_HOLD_S = 60.0


@dataclass(frozen=True)
class Rate:
    """At most `requests` in `seconds` over all platforms that name the same `group`.

    `with_key` is the number of requests once the group's API key is configured. A platform whose services
    take no key leaves it out: it then keeps to `requests` by itself, apart from those that go faster.
    """

    requests: float
    seconds: float = 1.0
    group: str = ""
    with_key: float | None = None


class RateLimits:
    """The buckets of this process. Waiting counts against the tool's time budget."""

    def __init__(self, groups_with_key: frozenset[str] = frozenset(), *, unlimited: bool = False) -> None:
        self._groups_with_key = groups_with_key
        self._unlimited = unlimited
        self._buckets: dict[tuple[str, float], AsyncLimiter] = {}
        self._held_until: dict[str, float] = {}

    def _bucket(self, platform: str, rate: Rate) -> AsyncLimiter:
        group = rate.group or platform
        is_keyed = group in self._groups_with_key and rate.with_key is not None
        requests = rate.with_key if is_keyed and rate.with_key else rate.requests
        if (group, requests) not in self._buckets:
            # A bucket of one forbids bursts, which is what services count.
            self._buckets[group, requests] = AsyncLimiter(1, rate.seconds / requests)
        return self._buckets[group, requests]

    def hold(self, platform: str, rate: Rate, seconds: float) -> None:
        """Let nobody of the group ask for `seconds`, because the upstream says so."""
        if self._unlimited:
            return
        group = rate.group or platform
        until = time.monotonic() + min(seconds, LONGEST_HOLD_S)
        self._held_until[group] = max(self._held_until.get(group, 0.0), until)

    def held_s(self, platform: str, rate: Rate) -> float:
        """Return how long the group is still held."""
        return max(0.0, self._held_until.get(rate.group or platform, 0.0) - time.monotonic())

    async def wait(self, platform: str, rate: Rate) -> None:
        """Wait until one more request is allowed."""
        if self._unlimited:
            return
        await self._bucket(platform, rate).acquire()
        while (held_s := self.held_s(platform, rate)) > 0:  # noqa: ASYNC110 - a hold may grow during the wait
            await asyncio.sleep(held_s)


def quota_pause_s(headers: Mapping[str, str]) -> float:
    """Return how long to wait when the quota is used up: the seconds until the count starts anew."""
    if headers.get("x-ratelimit-remaining", "").strip() != "0":
        return 0.0
    seconds = headers.get("x-ratelimit-reset", "")
    return float(seconds) if seconds.strip().isdigit() else 0.0
