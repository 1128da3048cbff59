"""Django's entry for `chat`."""

from django.apps import AppConfig


class ChatAppConfig(AppConfig):
    """Sessions and turns."""

    name = "chat"
    verbose_name = "Chat"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what has to happen when this process starts and stops serving."""
        from chat import assembly, lifecycle, turns
        from tools_catalog.reporting import start_reporting, stop_reporting
        from tools_catalog.runtime import close_tool_servers

        lifecycle.on_start(turns.keep_watch)
        lifecycle.on_start(start_reporting)
        lifecycle.on_start(assembly.warm_up)
        # Called in reverse: running turns end before the tool servers that they use.
        lifecycle.on_shutdown(close_tool_servers)
        lifecycle.on_shutdown(stop_reporting)
        lifecycle.on_shutdown(turns.shutdown)
