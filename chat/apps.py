"""Django's entry for `chat`."""

from django.apps import AppConfig


class ChatAppConfig(AppConfig):
    """Sessions and turns."""

    name = "chat"
    verbose_name = "Chat"
    default_auto_field = "django.db.models.BigAutoField"
