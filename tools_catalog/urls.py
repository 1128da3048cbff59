"""Addresses of the tool page."""

from django.urls import path

from tools_catalog.views import tool_list

app_name = "tools_catalog"
urlpatterns = [path("tools/", tool_list, name="tool_list")]
