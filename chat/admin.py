"""Sessions and turns in the admin: to look at, not to change."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from chat.models import Session, Turn

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:
    Admin = admin.ModelAdmin


class ReadOnlyAdmin(Admin):
    """Nothing here is written by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    """Who asks with what."""

    list_display = ("title", "owner", "model", "upstreams", "updated_at")
    list_filter = ("upstreams", "model")
    list_select_related = ("owner",)
    search_fields = ("title", "owner__username")


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """How questions ended."""

    list_display = ("question", "session", "model", "outcome", "created_at", "ended_at")
    list_filter = ("outcome", "model")
    list_select_related = ("session",)
    search_fields = ("question",)
