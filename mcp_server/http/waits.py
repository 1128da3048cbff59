"""How long a tool call only waited until a database may be asked again: apart from the time in which it worked."""

from dataclasses import dataclass, field


@dataclass
class Waits:
    """Spans on the monotonic clock. Those of requests side by side count once."""

    spans: list[tuple[float, float]] = field(default_factory=list)

    def add(self, began: float, ended: float) -> None:
        """Take in one wait."""
        self.spans.append((began, ended))

    @property
    def seconds(self) -> float:
        """Return the time in which at least one request waited."""
        total, covered_to = 0.0, float("-inf")
        for began, ended in sorted(self.spans):
            total += max(0.0, ended - max(began, covered_to))
            covered_to = max(covered_to, ended)
        return total
