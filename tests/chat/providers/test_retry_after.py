"""Retry-After in all its forms."""

from datetime import UTC, datetime

import pytest

from chat.providers.retry_after import retry_after_seconds

NOW = datetime(2026, 10, 21, 7, 27, 30, tzinfo=UTC)


@pytest.mark.case("C044")
@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("5", 5.0),
        (" 0.5 ", 0.5),
        ("0", 0.0),
        ("9999999999", 9999999999.0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 30.0),
        ("Wed, 21 Oct 2026 09:28:00 +0200", 30.0),
        ("Wed, 21 Oct 2026 07:28:00", 30.0),
        ("Wed, 21 Oct 2026 07:00:00 GMT", 0.0),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
        ("-5", None),
        ("soon", None),
        ("nan", None),
        ("1e5", None),
        ("9" * 400, None),
        ("", None),
        (None, None),
    ],
)
def test_seconds_and_dates_are_understood_and_nonsense_is_none(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds
