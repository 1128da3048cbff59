"""The tables of `usage`: people and money."""

from usage.models.money import LedgerEntry, Quota, Reservation
from usage.models.people import ApiToken, OneTimeLink, User
from usage.models.totals import DayTotal

__all__ = ["ApiToken", "DayTotal", "LedgerEntry", "OneTimeLink", "Quota", "Reservation", "User"]
