"""Which area answers at which address."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from burp_site.health import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health, name="health"),
    path("admin/", admin.site.urls),
    path("", include("usage.urls")),
]
# The areas that have pages of their own; each appears with its `urls` module.
for area in ("tools_catalog", "chat"):
    if find_spec(f"{area}.urls"):
        urlpatterns.append(path("", include(f"{area}.urls")))
