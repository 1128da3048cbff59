"""How often each upstream may be asked: one cancellable bucket a rate group."""

from dataclasses import dataclass

from aiolimiter import AsyncLimiter


@dataclass(frozen=True)
class Rate:
    """At most `requests` in `seconds` over all platforms that name the same `group`.

    `with_key` is the number of requests once the group's API key is configured.
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
        self._buckets: dict[str, AsyncLimiter] = {}

    def _bucket(self, platform: str, rate: Rate) -> AsyncLimiter:
        group = rate.group or platform
        if group not in self._buckets:
            keyed = group in self._groups_with_key and rate.with_key is not None
            requests = rate.with_key if keyed and rate.with_key else rate.requests
            # A bucket of one forbids bursts, which is what services count.
            self._buckets[group] = AsyncLimiter(1, rate.seconds / requests)
        return self._buckets[group]

    async def wait(self, platform: str, rate: Rate) -> None:
        """Wait until one more request is allowed."""
        if self._unlimited:
            return
        await self._bucket(platform, rate).acquire()
