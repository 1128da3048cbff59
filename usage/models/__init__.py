"""The tables of `usage`: people and money."""

from usage.models.money import LedgerEntry, Quota, Reservation
from usage.models.people import ApiToken, OneTimeLink, User

__all__ = ["ApiToken", "LedgerEntry", "OneTimeLink", "Quota", "Reservation", "User"]
