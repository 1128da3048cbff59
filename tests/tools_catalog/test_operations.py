"""The operator's page: what goes on, and the switches."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from django.test import AsyncClient
from django.utils import timezone

from tools_catalog.call_counts import CallCount
from tools_catalog.models import PlatformSwitch
from tools_catalog.runtime import close_tool_servers
from tools_catalog.services import ServerReport, alarm_raise, server_states_store, tool_calls_book
from usage.models import User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio(loop_scope="module")]
URL = "/tools/operations/"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def tool_servers() -> AsyncIterator[None]:
    """End the tool server that the tests of this module shared."""
    yield
    await close_tool_servers()


@pytest_asyncio.fixture(loop_scope="module")
async def operator(tool_servers: None) -> AsyncClient:
    """A browser of an operator."""
    client = AsyncClient()
    await client.aforce_login(await User.objects.acreate(username="grace", is_staff=True))
    return client


def what_happened() -> None:
    """Store a failing server, an alarm and calls."""
    report = ServerReport("live", "failing", 7, None, 328, "ImportError: nonsense", timezone.now())
    server_states_store(process="web-2:99", states=[report])
    alarm_raise(code="deferral_off", subject="claude-sonnet-5-5", text="The model is shown 330 tools at once.")
    count = CallCount("clinvar__resolve_variant", timezone.now())
    count.add(1.0, failed=False)
    count.add(9.0, failed=True)
    tool_calls_book([count])


async def test_it_shows_the_servers_of_all_processes_alarms_and_failures(operator: AsyncClient) -> None:
    await sync_to_async(what_happened)()
    page = (await operator.get(URL)).content.decode()
    for words in ("web-2:99", "failing since", "ImportError: nonsense", "330 tools at once", "2, 1 failed", "1 of 2"):
        assert words in page


async def test_a_database_is_switched_off_with_a_reason_and_on_again(operator: AsyncClient) -> None:
    response = await operator.post(f"{URL}clinvar/", {"off": "yes", "reason": "It is being repaired"}, follow=True)
    assert "by grace: It is being repaired" in response.content.decode()
    switch = await PlatformSwitch.objects.aget()
    assert (switch.platform_key, switch.is_off) == ("clinvar", True)
    listed = (await operator.get("/tools/")).content.decode()
    assert "ClinVar is switched off by the operator: It is being repaired." in listed
    assert ">clinvar__resolve_variant</code>" not in listed
    assert "It can't be tried out." in (await operator.get("/tools/clinvar__resolve_variant/")).content.decode()

    await operator.post(f"{URL}clinvar/", {"off": "no"})
    assert ">clinvar__resolve_variant</code>" in (await operator.get("/tools/")).content.decode()
    assert (await operator.post(f"{URL}nonsense/", {"off": "yes"})).status_code == 404


async def test_a_switch_that_switches_nothing_is_named(operator: AsyncClient) -> None:
    await PlatformSwitch.objects.acreate(platform_key="klinvar")
    assert "<code>klinvar</code> is off, but no database has this key" in (await operator.get(URL)).content.decode()


@pytest.mark.parametrize("address", [URL, f"{URL}clinvar/"])
async def test_it_is_for_operators_only(address: str) -> None:
    client = AsyncClient()
    ask = client.get if address == URL else client.post
    assert (await ask(address)).status_code == 302
    await client.aforce_login(await User.objects.acreate(username="ada"))
    assert (await ask(address)).status_code == 403
    assert not await PlatformSwitch.objects.aexists()
