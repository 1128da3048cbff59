"""Trying a tool out on its page, over BURP's own tool server and the pipeline."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import AsyncClient, override_settings

from artifacts.models import Artifact
from tools_catalog.models import ToolHour
from tools_catalog.runtime import close_tool_servers
from tools_catalog.services import platform_switch
from usage.models import LedgerEntry, User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio(loop_scope="module")]
GENE = "/tools/ensembl__lookup_gene/"
HTMX = {"HX-Request": "true", "HX-Target": "trial-result"}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def tool_servers() -> AsyncIterator[None]:
    """End the tool server that the tests of this module shared."""
    yield
    await close_tool_servers()


@pytest_asyncio.fixture(loop_scope="module")
async def browser(tool_servers: None) -> AsyncClient:
    """A signed-in reader's browser."""
    client = AsyncClient()
    await client.aforce_login(await User.objects.acreate(username="ada"))
    return client


async def test_a_tool_s_page_has_its_facts_and_a_form_with_the_example(browser: AsyncClient) -> None:
    page = (await browser.get(GENE)).content.decode()
    assert "Not called in the last 24 hours." in page and "not checked yet" in page
    assert 'name="arg-gene_symbol" type="text" value="HER2"' in page
    assert "First choice for one gene" in page and '<th scope="row"><code>gene_symbol</code>' in page


async def test_a_trial_shows_what_the_model_would_read_and_what_the_server_sent(browser: AsyncClient) -> None:
    result = await browser.post(f"{GENE}try/", {"arg-gene_symbol": "HER2"}, headers=HTMX)
    fragment = result.content.decode()
    assert "<html" not in fragment and "[fetched_at:" in fragment and "ENSG00000141736" in fragment
    assert "&quot;_meta&quot;" in fragment and "burp/requests" in fragment
    assert 'role="status"' in fragment and "data after" in fragment
    # Counted, and nothing else is kept.
    row = await ToolHour.objects.aget()
    assert (row.tool, row.calls, row.failures) == ("ensembl__lookup_gene", 1, 0)
    assert not await LedgerEntry.objects.aexists() and not await Artifact.objects.aexists()
    assert "1 call, 0 failed (0 %)" in (await browser.get(GENE)).content.decode()


async def test_without_scripts_the_whole_page_comes_back_with_what_was_filled_in(browser: AsyncClient) -> None:
    page = (await browser.post(f"{GENE}try/", {"arg-gene_symbol": "ERBB2"})).content.decode()
    assert "<html" in page and 'value="ERBB2"' in page and "trial-outcome" in page


async def test_a_large_result_is_shown_small_and_whole(browser: AsyncClient) -> None:
    small = replace(settings.BURP.chat.model("recipes"), inline_max_tokens=100)
    models = tuple(small if row.key == "recipes" else row for row in settings.BURP.chat.models)
    chat = replace(settings.BURP.chat, models=models, default_model="recipes")
    with override_settings(BURP=replace(settings.BURP, chat=chat)):
        result = await browser.post(f"{GENE}try/", {"arg-gene_symbol": "HER2"}, headers=HTMX)
    fragment = result.content.decode()
    assert "can&#x27;t be looked into" in fragment or "can't be looked into" in fragment
    assert "not-kept" in fragment
    assert not await Artifact.objects.aexists()


async def test_a_wrong_argument_is_answered_like_a_model_s(browser: AsyncClient) -> None:
    result = await browser.post(f"{GENE}try/", {"arg-gene_symbol": ""}, headers=HTMX)
    fragment = result.content.decode()
    assert result.status_code == 200
    assert "tool_invalid_arguments" in fragment and "gene_symbol" in fragment
    assert not await ToolHour.objects.aexists()


async def test_hostile_input_is_text(browser: AsyncClient) -> None:
    for value in ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\x00", "x" * 100_000):
        for headers in (HTMX, {}):
            result = await browser.post(f"{GENE}try/", {"arg-gene_symbol": value}, headers=headers)
            page = result.content.decode()
            assert result.status_code == 200
            assert "<script>alert" not in page and "<img src=x" not in page


async def test_a_person_has_so_many_trials_in_an_hour(browser: AsyncClient) -> None:
    few = replace(settings.BURP, catalog=replace(settings.BURP.catalog, trials_per_hour=1))
    with override_settings(BURP=few):
        answers = [
            (await browser.post(f"{GENE}try/", {"arg-gene_symbol": "HER2"}, headers=HTMX)).content.decode()
            for _ in range(2)
        ]
    assert "ENSG00000141736" in answers[0]
    assert "You have tried 1 tools in this hour" in answers[1] and "ENSG" not in answers[1]


async def test_a_database_that_is_switched_off_is_not_asked(browser: AsyncClient) -> None:
    await sync_to_async(platform_switch)(platform_key="ensembl", is_off=True, reason="it moves house")
    page = (await browser.get(GENE)).content.decode()
    assert "Ensembl is switched off by the operator: it moves house. It can't be tried out." in page
    result = await browser.post(f"{GENE}try/", {"arg-gene_symbol": "HER2"}, headers=HTMX)
    assert "platform_off" in result.content.decode()


async def test_strangers_and_unknown_tools_are_sent_away(browser: AsyncClient) -> None:
    stranger = AsyncClient()
    assert (await stranger.get(GENE)).status_code == 302
    assert (await stranger.post(f"{GENE}try/")).status_code == 302
    assert (await browser.get("/tools/no_such__tool/")).status_code == 404
    assert (await browser.post("/tools/no_such__tool/try/")).status_code == 404
