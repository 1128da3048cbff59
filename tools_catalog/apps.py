"""Django's entry for `tools_catalog`."""

from django.apps import AppConfig


class ToolsCatalogConfig(AppConfig):
    """The tool index."""

    name = "tools_catalog"
    verbose_name = "Tool catalogue"
    default_auto_field = "django.db.models.BigAutoField"
