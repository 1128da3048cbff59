"""Addresses of the pages of stored results."""

from django.urls import path

from artifacts import views

app_name = "artifacts"
urlpatterns = [
    path("artifacts/<uuid:artifact_id>/", views.artifact, name="artifact"),
    path("artifacts/<uuid:artifact_id>/branch/", views.branch, name="branch"),
    path("artifacts/<uuid:artifact_id>/result.json", views.download_json, name="json"),
    path("artifacts/<uuid:artifact_id>/result.csv", views.download_csv, name="csv"),
]
