"""What an operator sees of people and money. The ledger can be read, never changed."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from usage.models import ApiToken, LedgerEntry, Quota, Reservation, User
from usage.money import format_usd, pico_from_usd

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:
    Admin = admin.ModelAdmin

SCOPES = ("daily", "monthly")
admin.site.register(User, UserAdmin)


class UsdField(forms.CharField):
    """An amount of USD, exact; empty is None."""

    def clean(self, value: Any) -> Any:
        """Return pico-USD."""
        text = super().clean(value)
        if not text:
            return None
        try:
            return pico_from_usd(text)
        except ValueError as problem:
            raise forms.ValidationError(f"{problem}; write an amount such as 20.00") from None


def usd_text(pico: int | None) -> str:
    """Return pico-USD as `UsdField` reads it."""
    return "" if pico is None else f"{Decimal(pico).scaleb(-12).normalize():f}"


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

    list_display = ("id", "created_at", "kind", "user", "model_key", "tool", "step", "cost", "estimated", "outcome")
    list_filter = ("kind", "model_key", "outcome", "estimated", "user")
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


class QuotaForm(forms.ModelForm):  # type: ignore[type-arg]
    """Caps in USD, as people write them; empty for the site's default."""

    daily_usd = UsdField(label="Daily cap, in USD", required=False)
    monthly_usd = UsdField(label="Monthly cap, in USD", required=False)

    class Meta:
        model = Quota
        fields = ("user",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for scope in SCOPES:
            self.fields[f"{scope}_usd"].initial = usd_text(getattr(self.instance, f"{scope}_pico_usd"))

    def save(self, commit: bool = True) -> Quota:
        """Store the caps in pico-USD."""
        for scope in SCOPES:
            setattr(self.instance, f"{scope}_pico_usd", self.cleaned_data[f"{scope}_usd"])
        quota: Quota = super().save(commit)
        return quota


@admin.register(Quota)
class QuotaAdmin(Admin):
    """Caps of single users."""

    form = QuotaForm

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
