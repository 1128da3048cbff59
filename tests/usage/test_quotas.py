"""An operator sets a user's caps in the administration, in USD."""

import pytest
from django.test import Client

from usage.models import Quota, User

CHANGE = "/admin/usage/quota/add/"


@pytest.fixture
def operator(client: Client, db: None) -> Client:
    """Give the browser of somebody who may change everything."""
    client.force_login(User.objects.create_superuser("operator"))
    return client


def test_caps_are_written_and_read_in_usd(operator: Client, user: User) -> None:
    sent = operator.post(CHANGE, {"user": user.pk, "daily_usd": "2.50", "monthly_usd": ""})
    assert sent.status_code == 302

    quota = Quota.objects.get(user=user)
    assert (quota.daily_pico_usd, quota.monthly_pico_usd) == (2_500_000_000_000, None)
    page = operator.get(f"/admin/usage/quota/{quota.pk}/change/").content.decode()
    assert 'value="2.5"' in page
    assert "daily_pico_usd" not in page


@pytest.mark.parametrize("amount", ["much", "-1", "0.0000000000001"])
def test_what_is_no_amount_is_refused(operator: Client, user: User, amount: str) -> None:
    page = operator.post(CHANGE, {"user": user.pk, "daily_usd": amount})

    assert "write an amount such as 20.00" in page.content.decode()
    assert not Quota.objects.exists()
