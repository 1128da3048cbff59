"""When a failed model call is made again, and after how long."""

import pytest

from chat.providers.base import ModelFailure
from chat.retry import RetryPolicy
from mcp_server.codes import TurnOutcome

POLICY = RetryPolicy(attempts=4, longest_wait_s=60.0, jitter=lambda: 0.0)


def overloaded(retry_after_s: float | None = None, *, retryable: bool = True, shown: bool = False) -> ModelFailure:
    return ModelFailure(
        TurnOutcome.MODEL_OVERLOADED, "busy", retryable=retryable, retry_after_s=retry_after_s, shown=shown
    )


def test_waits_double_up_to_the_last_attempt() -> None:
    assert [POLICY.wait_s(overloaded(), attempt, 900) for attempt in range(1, 5)] == [1.0, 2.0, 4.0, None]
    patient = RetryPolicy(attempts=12, jitter=lambda: 0.0)
    assert patient.wait_s(overloaded(), 11, 900) == 30.0


def test_no_two_clients_come_back_at_the_same_moment() -> None:
    waits = {RetryPolicy().wait_s(overloaded(), 1, 900) for _ in range(20)}
    assert len(waits) > 1
    assert all(wait is not None and 1.0 <= wait <= 2.0 for wait in waits)


def test_the_services_own_wish_is_kept_but_never_hurries() -> None:
    assert POLICY.wait_s(overloaded(17.0), 1, 900) == 17.0
    assert POLICY.wait_s(overloaded(0.0), 3, 900) == 4.0


@pytest.mark.parametrize(("asked_s", "left_s"), [(3600.0, 900.0), (61.5, 900.0), (50.0, 40.0), (None, 5.5)])
def test_a_wait_that_nobody_would_sit_through_or_that_the_turn_has_no_time_for_is_not_begun(
    asked_s: float | None, left_s: float
) -> None:
    assert POLICY.wait_s(overloaded(asked_s), 1, left_s) is None


def test_what_cannot_help_is_not_tried() -> None:
    assert POLICY.wait_s(overloaded(retryable=False), 1, 900) is None
    assert POLICY.wait_s(overloaded(shown=True), 1, 900) is None
