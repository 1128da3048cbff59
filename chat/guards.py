"""When the model is told that a turn nears its end, so that it concludes instead of being cut off.

The note is an entry of the transcript like any other: it comes after the results of a step, and stays.
"""

from chat.providers.base import UserEntry

CALLS_LEFT = 2
TIME_LEFT_SHARE = 0.15


def concluding_note(
    *, calls_left: int, left_s: float, timeout_s: float, is_window_nearly_full: bool, is_money_short: bool = False
) -> UserEntry | None:
    """Return the note that the model should conclude; None while there is room."""
    if calls_left <= CALLS_LEFT:
        more = f"{calls_left} more messages" if calls_left > 1 else "one more message"
        why = f"You may write {more} here, and the last one must be the answer"
    elif left_s < timeout_s * TIME_LEFT_SHARE:
        why = f"This answer has {max(left_s, 0):.0f} seconds left"
    elif is_window_nearly_full:
        why = "This conversation has little room left"
    elif is_money_short:
        why = "The budget of this answer is nearly used up, and this message is the last one that it pays for"
    else:
        return None
    return UserEntry(
        f"[BURP] {why}. Conclude: answer with what is known by now, and say what could not be looked up.",
        is_note=True,
    )
