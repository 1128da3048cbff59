"""Read a `Retry-After` header in all the forms that services send."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """Return the seconds to wait, however many; None when the header says nothing that makes sense.

    A date that has passed means now. The caller decides whether the wait fits its deadline.
    """
    text = (header or "").strip()
    if re.fullmatch(r"\d{1,15}(\.\d{1,9})?", text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
