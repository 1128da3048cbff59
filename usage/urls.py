"""Addresses of `usage`: signing in and out, and what one spent."""

from django.urls import path

from usage import views

app_name = "usage"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/<str:secret>/", views.redeem_link, name="redeem_link"),
    path("usage/", views.report, name="report"),
    path("usage/report.csv", views.report_csv, name="report_csv"),
    path("sign-out/", views.sign_out, name="sign_out"),
]
