"""Addresses of `usage`."""

from django.urls import URLPattern

app_name = "usage"
urlpatterns: list[URLPattern] = []
