"""Django's entry for `evals`."""

from django.apps import AppConfig


class EvalsAppConfig(AppConfig):
    """Quality, and what it costs."""

    name = "evals"
    verbose_name = "Evaluations"
    default_auto_field = "django.db.models.BigAutoField"
