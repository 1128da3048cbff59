"""Signing in and out, as a browser sees it."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from usage.models import LedgerEntry, User
from usage.services import one_time_link_create


def test_the_printed_link_signs_in_once(client: Client, db: None) -> None:
    out = StringIO()
    call_command("sign_in_link", "--base-url", "http://localhost:8123", stdout=out)
    link = out.getvalue().strip()
    assert link.startswith("http://localhost:8123/sign-in/")

    first = client.get(link)
    assert (first.status_code, first.headers["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(User.objects.get(username="researcher").pk)

    second = Client().get(link)
    assert second.status_code == 410
    assert "works once" in second.content.decode()


def test_the_local_page_says_where_the_link_is_and_asks_for_no_password(client: Client, db: None) -> None:
    page = client.get("/sign-in/").content.decode()

    assert "make serve" in page
    assert "password" not in page.replace("There is no password", "")


def test_on_a_server_a_password_signs_in(client: Client, user: User, settings: Settings) -> None:
    settings.BURP_MODE = "server"
    user.set_password("correct horse battery")
    user.save()

    wrong = client.post("/sign-in/", {"username": "ada", "password": "guess"})
    assert wrong.status_code == 200
    assert 'role="alert"' in wrong.content.decode()

    right = client.post("/sign-in/?next=/sign-in/", {"username": "ada", "password": "correct horse battery"})
    assert right.status_code == 302
    assert client.session["_auth_user_id"] == str(user.pk)


def test_signing_in_does_not_send_people_to_other_sites(client: Client, user: User, settings: Settings) -> None:
    settings.BURP_MODE = "server"
    user.set_password("correct horse battery")
    user.save()

    response = client.post(
        "/sign-in/?next=https://evil.example/", {"username": "ada", "password": "correct horse battery"}
    )

    assert response.headers["Location"] == "/"


def test_signing_out_needs_a_post(client: Client, user: User) -> None:
    client.force_login(user)

    assert client.get("/sign-out/").status_code == 405
    assert "_auth_user_id" in client.session
    assert client.post("/sign-out/").status_code == 302
    assert "_auth_user_id" not in client.session


def test_posts_from_other_sites_are_refused(user: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)

    assert client.post("/sign-out/").status_code == 403


@pytest.mark.parametrize("model", ["ledgerentry", "reservation", "apitoken"])
def test_the_admin_shows_but_does_not_change(admin_client: Client, model: str) -> None:
    assert admin_client.get(f"/admin/usage/{model}/").status_code == 200
    assert admin_client.get(f"/admin/usage/{model}/add/").status_code == 403


def test_the_admin_shows_costs_in_usd(admin_client: Client, reserve: object, user: User) -> None:
    from usage.budgets import budget_settle

    reservation_id = reserve(60)  # type: ignore[operator]
    budget_settle(reservation_id=reservation_id, tokens={"output": 1_000}, provider="p", outcome="completed")

    page = admin_client.get("/admin/usage/ledgerentry/").content.decode()

    assert "$0.001000" in page
    entry = LedgerEntry.objects.get()
    change = admin_client.post(f"/admin/usage/ledgerentry/{entry.pk}/change/", {"cost_pico_usd": 0})
    assert change.status_code == 403


def test_a_link_for_a_user_who_left_does_not_sign_in(client: Client, user: User) -> None:
    secret = one_time_link_create(user=user)
    user.is_active = False
    user.save()

    assert client.get(f"/sign-in/{secret}/").status_code == 410
