"""Kaplan-Meier estimates from follow-up times: median and survival after some years."""

from collections.abc import Sequence
from dataclasses import dataclass

DAYS_A_YEAR = 365.25


@dataclass(frozen=True)
class FollowUp:
    """How long one case was followed, in days, and whether it died then."""

    days: float
    died: bool


@dataclass(frozen=True)
class Step:
    """The estimate from a day on on which cases died."""

    days: float
    survival: float
    at_risk: int


def steps(cases: Sequence[FollowUp]) -> list[Step]:
    """Return the curve: one step for each day on which a case died."""
    survival = 1.0
    curve = []
    for days in sorted({case.days for case in cases if case.died}):
        at_risk = sum(case.days >= days for case in cases)
        deaths = sum(case.died and case.days == days for case in cases)
        survival *= 1 - deaths / at_risk
        curve.append(Step(days, survival, at_risk))
    return curve


def median_days(curve: Sequence[Step]) -> float | None:
    """Return the first day on which at most half survive; None where more than half do to the end."""
    return next((step.days for step in curve if step.survival <= 0.5), None)


def survival_after(cases: Sequence[FollowUp], curve: Sequence[Step], years: float) -> tuple[float, int] | None:
    """Return the estimate after some years and how many were still followed; None where nobody was."""
    days = years * DAYS_A_YEAR
    at_risk = sum(case.days >= days for case in cases)
    if not at_risk:
        return None
    before = [step.survival for step in curve if step.days <= days]
    return (before[-1] if before else 1.0), at_risk
