"""Addresses of the chat pages and of the API."""

from django.urls import path

from chat import api, trial_views, views

app_name = "chat"
urlpatterns = [
    path("", views.home, name="home"),
    path("new/", views.session_new, name="session_new"),
    path("sessions/<uuid:session_id>/", views.session_detail, name="session_detail"),
    path("sessions/<uuid:session_id>/ask/", views.turn_ask, name="turn_ask"),
    path("sessions/<uuid:session_id>/rename/", views.session_rename, name="session_rename"),
    path("sessions/<uuid:session_id>/model/", views.session_model, name="session_model"),
    path("sessions/<uuid:session_id>/delete/", views.session_delete, name="session_delete"),
    path("turns/<uuid:turn_id>/stop/", views.turn_stop, name="turn_stop"),
    path("tools/<slug:name>/try/", trial_views.tool_try, name="tool_try"),
    path("theme/", views.theme_set, name="theme_set"),
    path("api/turns/<uuid:turn_id>/events", api.turn_events, name="api_turn_events"),
    path("api/", api.api.urls),
]
