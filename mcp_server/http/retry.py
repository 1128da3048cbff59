"""Attempts and total time of one request, with the upstream's own wish for a pause.

The maths is stamina's; here stands only what is worth another attempt and how long.
"""

import email.utils
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

import stamina
import stamina.instrumentation

from mcp_server.http.errors import UpstreamError, UpstreamUnreachable

ATTEMPTS = 4
# Who can't be reached twice is not there: whoever waits should hear it soon.
UNREACHABLE_ATTEMPTS = 2
FIRST_WAIT_S = 0.4
LONGEST_WAIT_S = 8.0
# A person wonders why nothing happens after about a second.
TELL_FROM_S = 1.0

# Retries are told through progress messages and the request list, not through a logger.
stamina.instrumentation.set_on_retry_hooks([])


def retry_after_seconds(value: str | None, now: datetime | None = None) -> float | None:
    """Read a Retry-After header: seconds or an HTTP date. Nonsense and the past give None."""
    if not value:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        when = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    seconds = (when - (now or datetime.now(UTC))).total_seconds()
    return seconds if seconds > 0 else None


def worth_another(remaining_s: Callable[[], float], tell: Callable[[str], None]) -> Callable[[Exception], bool | float]:
    """Return stamina's hook: False ends, True backs off, a number is the wait in seconds."""
    failed = unreached = 0

    def hook(error: Exception) -> bool | float:
        nonlocal failed, unreached
        failed += 1
        if not (isinstance(error, UpstreamError) and error.retryable):
            return False
        unreached += isinstance(error, UpstreamUnreachable)
        if unreached >= UNREACHABLE_ATTEMPTS:
            return False
        if error.retry_after_s is None:
            return remaining_s() > FIRST_WAIT_S
        if error.retry_after_s >= remaining_s():
            return False
        if error.retry_after_s >= TELL_FROM_S and failed < ATTEMPTS:
            tell(f"{error.host} asks to wait: trying again in {error.retry_after_s:.0f} s")
        return error.retry_after_s

    return hook


def attempts(
    remaining_s: Callable[[], float], tell: Callable[[str], None] = lambda message: None
) -> AsyncIterator[stamina.Attempt]:
    """Iterate over the attempts that fit into the remaining time; `tell` hears of a long wait before it begins."""
    return stamina.retry_context(
        on=worth_another(remaining_s, tell),
        attempts=ATTEMPTS,
        timeout=max(remaining_s(), 0.1),
        wait_initial=FIRST_WAIT_S,
        wait_max=LONGEST_WAIT_S,
        wait_jitter=FIRST_WAIT_S,
    ).__aiter__()
