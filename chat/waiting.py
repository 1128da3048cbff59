"""How much longer a step's tool calls took because they waited for rate limits. Pure."""

from collections.abc import Iterable

from chat.events import ToolEnd


def waited_s(ends: Iterable[ToolEnd]) -> float:
    """Return by how much calls that ran side by side would have ended sooner without their waits."""
    calls = [(end.seconds, min(end.waited_s, end.seconds)) for end in ends]
    last = max((seconds for seconds, _ in calls), default=0.0)
    return last - max((seconds - waited for seconds, waited in calls), default=0.0)
