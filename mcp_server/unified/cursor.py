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


def decode(cursor: str, plan_hash: str, legs: int, most: int) -> list[int | None]:
    """Return how many rows of each leg were shown, `most` at the most. Raises `BadCursor`."""
    try:
        padded = cursor.strip() + "=" * (-len(cursor.strip()) % 4)
        data = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        plan, shown = data["plan"], data["shown"]
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise BadCursor("it is not a cursor that this tool has given") from error
    if plan != plan_hash:
        raise BadCursor("it belongs to another query; send it with the same query and arguments")
    is_list = isinstance(shown, list) and len(shown) == legs and all(_is_count(each, most) for each in shown)
    if not is_list or all(each is None for each in shown):
        raise BadCursor("it is not a cursor that this tool has given")
    found: list[int | None] = shown
    return found


def _is_count(value: object, most: int) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most)
