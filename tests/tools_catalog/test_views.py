"""The tool page, over BURP's own tool server."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from django.contrib.auth import get_user_model
from django.test import AsyncClient
from django.urls import reverse

from tools_catalog.runtime import close_tool_servers, get_tool_servers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio(loop_scope="module")]
URL = "/tools/"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def tool_servers() -> AsyncIterator[None]:
    """End the tool server that the tests of this module shared."""
    yield
    await close_tool_servers()


@pytest_asyncio.fixture(loop_scope="module")
async def browser(tool_servers: None) -> AsyncClient:
    """A reader's browser."""
    client = AsyncClient()
    await client.aforce_login(await get_user_model().objects.acreate(username="ada"))
    return client


async def test_the_page_lists_every_tool_under_its_database(browser: AsyncClient) -> None:
    page = (await browser.get(URL)).content.decode()
    _, catalog = await get_tool_servers().get("snapshot")
    assert reverse("tools_catalog:tool_list") == URL
    assert all(f">{tool.name}</code>" in page for tool in catalog.tools)
    assert all(f'<section class="platform" id="{tool.platform_key}"' in page for tool in catalog.tools)
    assert f"{len(catalog.tools)} tools, by database" in page
    assert page.count('<span class="badge">core</span>') == len(catalog.core)


async def test_a_search_shows_the_best_first_and_why(browser: AsyncClient) -> None:
    response = await browser.get(URL, {"q": "clinical trials of a condition"})
    page = response.content.decode()
    assert "<html" in page and 'value="clinical trials of a condition"' in page
    assert page.index("clinicaltrials__search_studies") > page.index("best first (by their words)")
    assert "words: " in page


async def test_typing_refills_only_the_list(browser: AsyncClient) -> None:
    response = await browser.get(URL, {"q": "gene"}, headers={"HX-Request": "true", "HX-Target": "tools"})
    fragment = response.content.decode()
    assert "<html" not in fragment and "ensembl__" in fragment
    assert "HX-Target" in response["Vary"]


@pytest.mark.case("C072")
@pytest.mark.case("C064")
async def test_any_query_is_text(browser: AsyncClient) -> None:
    for query in ("<script>alert(1)</script>", '" onfocus="alert(1)', "' OR 1=1", "*", "\x00", "x" * 5_000):
        response = await browser.get(URL, {"q": query})
        assert response.status_code == 200
        assert "<script>alert" not in response.content.decode() and '" onfocus="' not in response.content.decode()


async def test_nothing_found_says_what_to_try(browser: AsyncClient) -> None:
    page = (await browser.get(URL, {"q": "zzzz"})).content.decode()
    assert "No tool fits <q>zzzz</q>" in page


async def test_a_stranger_is_sent_to_the_sign_in() -> None:
    response = await AsyncClient().get(URL)
    assert response.status_code == 302 and "next=/tools/" in response["Location"]


async def test_without_a_tool_server_the_page_says_so(browser: AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    await close_tool_servers()
    monkeypatch.setattr("tools_catalog.runtime.server_command", lambda upstreams: ["/nonexistent"])
    response = await browser.get(URL)
    await close_tool_servers()
    assert response.status_code == 503
    page = response.content.decode()
    assert "The tool server is not there just now" in page
    # Why is for operators: it may name paths and parts of the configuration.
    assert "/nonexistent" not in page
