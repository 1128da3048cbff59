"""Where a search goes on: the query's hash and how many rows of each leg were shown, in one opaque text."""

import base64
import binascii
import json
from collections.abc import Sequence


class BadCursor(ValueError):
    """A cursor that is damaged, or of another query."""


def encode(plan_hash: str, shown: Sequence[int | None]) -> str:
    """Return the cursor; None stands for a leg that has ended."""
    text = json.dumps({"plan": plan_hash, "shown": list(shown)}, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str, plan_hash: str, legs: int) -> list[int | None]:
    """Return how many rows of each leg were shown. Raises `BadCursor`."""
    try:
        padded = cursor.strip() + "=" * (-len(cursor.strip()) % 4)
        data = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        plan, shown = data["plan"], data["shown"]
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise BadCursor("it is not a cursor that this tool has given") from error
    if plan != plan_hash:
        raise BadCursor("it belongs to another query; send it with the same query and arguments")
    if not isinstance(shown, list) or len(shown) != legs or not all(_is_count(each) for each in shown):
        raise BadCursor("it is not a cursor that this tool has given")
    return shown


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10_000)
