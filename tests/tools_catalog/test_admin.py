"""What operators can do with databases and see of tools in the admin."""

import pytest
from django.test import Client

from tools_catalog.models import Alarm, PlatformSwitch
from tools_catalog.services import alarm_raise
from tools_catalog.switches import platforms_off
from usage.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> Client:
    """A browser of somebody who may do everything."""
    client.force_login(User.objects.create_superuser("grace", password="not-used-here"))
    return client


def test_a_database_is_switched_off_and_on_again_with_a_name_beside_it(operator: Client) -> None:
    form = {"platform_key": "clinvar", "is_off": "on", "reason": "Its data are being repaired."}
    operator.post("/admin/tools_catalog/platformswitch/add/", form)
    assert platforms_off() == {"clinvar": "Its data are being repaired."}
    switch = PlatformSwitch.objects.get()
    assert switch.changed_by is not None and switch.changed_by.username == "grace"

    operator.post(f"/admin/tools_catalog/platformswitch/{switch.pk}/change/", {"platform_key": "clinvar"})
    assert platforms_off() == {}


def test_an_alarm_is_counted_shown_and_deleted(operator: Client) -> None:
    for _ in range(3):
        alarm = alarm_raise(code="up_front_too_heavy", subject="claude-sonnet-5-5", text="Too much.")
    page = operator.get("/admin/tools_catalog/alarm/").content.decode()
    assert "up_front_too_heavy" in page and '<td class="field-count">3</td>' in page
    operator.post(f"/admin/tools_catalog/alarm/{alarm.pk}/delete/", {"post": "yes"})
    assert not Alarm.objects.exists()


@pytest.mark.parametrize("name", ["serverstate", "toolhour", "contractcheck"])
def test_what_the_program_writes_can_only_be_looked_at(operator: Client, name: str) -> None:
    assert operator.get(f"/admin/tools_catalog/{name}/").status_code == 200
    assert operator.get(f"/admin/tools_catalog/{name}/add/").status_code == 403
