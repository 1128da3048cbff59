"""Which area answers at which address."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from burp_site.health import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health, name="health"),
    path("admin/", admin.site.urls),
    path("", include("usage.urls")),
    path("", include("tools_catalog.urls")),
    path("", include("artifacts.urls")),
    path("", include("chat.urls")),
]
