"""Django's entry for `artifacts`."""

from django.apps import AppConfig


class ArtifactsConfig(AppConfig):
    """Stored tool results."""

    name = "artifacts"
    verbose_name = "Artifacts"
    default_auto_field = "django.db.models.BigAutoField"
