"""Django's entry for `usage`."""

from django.apps import AppConfig


class UsageAppConfig(AppConfig):
    """Users, tokens, money."""

    name = "usage"
    verbose_name = "Usage"
    default_auto_field = "django.db.models.BigAutoField"
