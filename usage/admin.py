"""What an operator sees of people and money. The ledger can be read, never changed."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from usage.models import ApiToken, LedgerEntry, Quota, Reservation, User
from usage.money import format_usd

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:
    Admin = admin.ModelAdmin

admin.site.register(User, UserAdmin)


class ReadOnlyAdmin(Admin):
    """Rows to look at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    """What was spent."""

    list_display = ("created_at", "user", "model_key", "step", "cost", "estimated", "outcome")
    list_filter = ("model_key", "outcome", "estimated", "user")
    list_select_related = ("user",)
    search_fields = ("session_id", "turn_id")
    date_hierarchy = "created_at"

    @admin.display(ordering="cost_pico_usd")
    def cost(self, entry: LedgerEntry) -> str:
        """Return the cost for people."""
        return format_usd(entry.cost_pico_usd)


@admin.register(Reservation)
class ReservationAdmin(ReadOnlyAdmin):
    """What is held at this moment, and what became of it."""

    list_display = ("created_at", "user", "model_key", "step", "amount", "state")
    list_filter = ("state",)
    list_select_related = ("user",)

    @admin.display(ordering="amount_pico_usd")
    def amount(self, reservation: Reservation) -> str:
        """Return the amount for people."""
        return format_usd(reservation.amount_pico_usd)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Who holds tokens; issuing and revoking is done with `manage.py api_token`."""

    list_display = ("prefix", "user", "label", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("user",)
    exclude = ("secret_sha256",)


@admin.register(Quota)
class QuotaAdmin(Admin):
    """Caps of single users."""

    list_display = ("user", "daily", "monthly")
    list_select_related = ("user",)
    autocomplete_fields = ("user",)

    @admin.display
    def daily(self, quota: Quota) -> str:
        """Return the cap of a day for people."""
        return "default" if quota.daily_pico_usd is None else format_usd(quota.daily_pico_usd)

    @admin.display
    def monthly(self, quota: Quota) -> str:
        """Return the cap of a month for people."""
        return "default" if quota.monthly_pico_usd is None else format_usd(quota.monthly_pico_usd)
