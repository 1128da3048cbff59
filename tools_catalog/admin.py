"""What an operator sees of tools and their processes."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from tools_catalog.models import Alarm, ContractCheck, PlatformSwitch, ServerState, ToolHour, ToolVector

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:
    Admin = admin.ModelAdmin


class ReadOnlyAdmin(Admin):
    """Rows that the program writes; an operator may look, and delete what is done with."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False


@admin.register(Alarm)
class AlarmAdmin(ReadOnlyAdmin):
    """What waits for an operator."""

    list_display = ("code", "subject", "text", "count", "first_at", "last_at")
    list_filter = ("code",)


@admin.register(ServerState)
class ServerStateAdmin(ReadOnlyAdmin):
    """The tool servers of all processes, as each last said."""

    list_display = ("process", "upstreams", "word", "generation", "pid", "tools", "since", "seen_at", "last_error")
    list_filter = ("word", "upstreams")


@admin.register(ToolHour)
class ToolHourAdmin(ReadOnlyAdmin):
    """How the calls of each tool went, by the hour."""

    list_display = ("hour", "tool", "calls", "failures", "milliseconds")
    search_fields = ("tool",)
    date_hierarchy = "hour"


@admin.register(ContractCheck)
class ContractCheckAdmin(ReadOnlyAdmin):
    """The last contract check of each database."""

    list_display = ("platform_key", "kind", "checked_at", "verdicts")
    list_filter = ("kind",)


@admin.register(ToolVector)
class ToolVectorAdmin(ReadOnlyAdmin):
    """What is embedded, by which embedder. Deleted rows are made anew at the next start."""

    list_display = ("subject", "embedder", "dimension", "made_at")
    list_filter = ("embedder", "dimension")
    search_fields = ("subject",)


@admin.register(PlatformSwitch)
class PlatformSwitchAdmin(Admin):
    """Databases that are switched off. In force at once, in all processes, without a restart."""

    list_display = ("platform_key", "is_off", "reason", "changed_at", "changed_by")
    list_filter = ("is_off",)
    list_select_related = ("changed_by",)
    fields = ("platform_key", "is_off", "reason")

    def save_model(self, request: HttpRequest, obj: PlatformSwitch, form: Any, change: bool) -> None:
        """Note who did it."""
        obj.changed_by_id = request.user.pk
        super().save_model(request, obj, form, change)
