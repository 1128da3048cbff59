"""Django's entry for `burp_site`."""

from django.apps import AppConfig


class BurpSiteConfig(AppConfig):
    """Commands that start and keep the site."""

    name = "burp_site"
    verbose_name = "Site"
    default_auto_field = "django.db.models.BigAutoField"
