"""When a model call that failed is made again, and after how long.

stamina, which the tool server retries with, waits inside its own iterator: nobody could be told of
the wait, and the stop signal would not end it. So here stands the arithmetic alone; the loop waits.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from chat.providers.base import ModelFailure

FIRST_WAIT_S = 1.0
LONGEST_OWN_WAIT_S = 30.0
# A call that is begun with less than this left could only be cut off again.
USEFUL_S = 5.0


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long. `longest_wait_s` also bounds what the service may ask for."""

    attempts: int = 4
    longest_wait_s: float = 60.0
    jitter: Callable[[], float] = random.random

    def wait_s(self, failure: ModelFailure, attempt: int, left_s: float) -> float | None:
        """Return the seconds to wait after failed attempt number `attempt`; None if that was the last.

        Never again once anything of the message was shown: it would be told and paid for twice.
        """
        if not failure.retryable or failure.shown or attempt >= self.attempts:
            return None
        own_s = min(FIRST_WAIT_S * 2.0 ** (attempt - 1), LONGEST_OWN_WAIT_S)
        wait_s = max(own_s, failure.retry_after_s or 0.0) + FIRST_WAIT_S * self.jitter()
        if wait_s > self.longest_wait_s + FIRST_WAIT_S or wait_s + USEFUL_S > left_s:
            return None
        return wait_s
