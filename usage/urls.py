"""Addresses of `usage`: signing in and out."""

from django.urls import path

from usage import views

app_name = "usage"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/<str:secret>/", views.redeem_link, name="redeem_link"),
    path("sign-out/", views.sign_out, name="sign_out"),
]
