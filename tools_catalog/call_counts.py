"""The numbers of a tool's calls: how many, how many failed, how long they took. Pure."""

from dataclasses import dataclass, field
from datetime import datetime

# Upper bounds in milliseconds, each with its column of `ToolHour`; what is over the last one is in LONGER.
BOUNDS: dict[str, int] = {
    "within_100_ms": 100,
    "within_300_ms": 300,
    "within_1_s": 1_000,
    "within_3_s": 3_000,
    "within_10_s": 10_000,
    "within_30_s": 30_000,
}
LONGER = "longer"


@dataclass
class CallCount:
    """The calls of one tool in one hour."""

    tool: str
    hour: datetime
    calls: int = 0
    failures: int = 0
    milliseconds: int = 0
    columns: dict[str, int] = field(default_factory=dict)

    def add(self, seconds: float, *, failed: bool) -> None:
        """Count a call."""
        took_ms = round(seconds * 1000)
        column = next((name for name, bound_ms in BOUNDS.items() if took_ms <= bound_ms), LONGER)
        self.calls += 1
        self.failures += failed
        self.milliseconds += took_ms
        self.columns[column] = self.columns.get(column, 0) + 1


@dataclass(frozen=True)
class Day:
    """A tool's calls over some hours."""

    calls: int
    failures: int
    milliseconds: int
    columns: dict[str, int]

    @property
    def failed_share(self) -> float:
        """The part of the calls that failed."""
        return self.failures / self.calls if self.calls else 0.0

    @property
    def mean_s(self) -> float:
        """How long a call took on average."""
        return self.milliseconds / self.calls / 1000 if self.calls else 0.0

    @property
    def half_within(self) -> str:
        """Within what time half of the calls were answered."""
        return self.within(0.5)

    @property
    def most_within(self) -> str:
        """Within what time nineteen of twenty calls were answered."""
        return self.within(0.95)

    def within(self, share: float) -> str:
        """Say within what time so large a part of the calls was answered."""
        wanted, seen = share * self.calls, 0
        for name, bound_ms in BOUNDS.items():
            seen += self.columns.get(name, 0)
            if seen >= wanted:
                return f"{bound_ms} ms" if bound_ms < 1000 else f"{bound_ms // 1000} s"
        return "over 30 s"
