"""Addresses of the tool pages."""

from django.urls import path

from tools_catalog.operations import operations, switch
from tools_catalog.views import tool_detail, tool_list

app_name = "tools_catalog"
urlpatterns = [
    path("tools/", tool_list, name="tool_list"),
    path("tools/operations/", operations, name="operations"),
    path("tools/operations/<slug:platform_key>/", switch, name="switch"),
    path("tools/<slug:name>/", tool_detail, name="tool_detail"),
]
