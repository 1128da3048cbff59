"""The tool pages in a real browser: find a tool, read about it, try it out, by mouse, keyboard and on a phone."""

import re
import subprocess

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import ROOT, Site

pytestmark = pytest.mark.browser
GENE = "/tools/ensembl__lookup_gene/"


def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def unnamed(page: Page) -> list[str]:
    """Return the controls that a screen reader could not name."""
    return page.evaluate(
        """[...document.querySelectorAll("main :is(input, select, textarea, button, a, summary, pre[tabindex])")]
        .filter(one => one.type !== "hidden" && !one.labels?.length && !one.ariaLabel && !one.textContent.trim()
            && !one.getAttribute("aria-labelledby"))
        .map(one => one.outerHTML)"""
    )


def test_a_search_ranks_tools_while_one_types_and_says_how_many(page: Page) -> None:
    page.goto("/tools/")
    expect(page.get_by_role("heading", name="Reactome")).to_be_visible()
    page.get_by_label("Find a tool").press_sequentially("trials of a condition", delay=5)
    expect(page.locator("#tools .tool").first).to_contain_text(re.compile("clinicaltrials__"))
    expect(page.locator("#tools .tool-why").first).to_contain_text(re.compile(r"keywords: place \d+|not by keywords"))
    said = re.compile(r"\d+ of \d+ tools fit .?trials of a condition.?, best first")
    expect(page.locator("#tool-status")).to_have_text(said)
    assert "q=trials" in page.url
    expect(page.get_by_role("heading", name="Reactome")).to_have_count(0)


def test_a_tool_is_found_and_tried_out(page: Page) -> None:
    page.goto("/tools/?q=ensembl+lookup+gene")
    tool = page.locator(".tool", has=page.get_by_text("ensembl__lookup_gene", exact=True))
    tool.locator("summary").click()
    expect(tool.get_by_role("table", name="Arguments of ensembl__lookup_gene")).to_be_visible()
    tool.get_by_role("link", name="Try it").click()

    expect(page).to_have_url(re.compile(f"{GENE}$"))
    field = page.get_by_label(re.compile("^gene_symbol"))
    expect(field).to_have_value("HER2")
    field.fill("ERBB2")
    page.get_by_role("button", name="Run").click()

    expect(page.locator("#trial-text")).to_contain_text("ENSG00000141736")
    expect(page.locator("#trial-text")).to_contain_text("[fetched_at:")
    expect(page.locator("#trial-status")).to_have_text(re.compile("data after"))
    # Only the result was exchanged: what was filled in is still there.
    expect(field).to_have_value("ERBB2")
    raw = page.get_by_label("Raw result")
    expect(raw).to_be_hidden()
    page.get_by_text("Raw: what the tool server sent").click()
    expect(raw).to_contain_text('"burp/requests"')
    page.get_by_role("button", name="Back to the example").click()
    expect(field).to_have_value("HER2")
    page.reload()
    expect(page.locator("main")).to_contain_text(re.compile(r"In the last 24 hours: \d+ calls?"))


def test_all_of_it_goes_by_keyboard(page: Page) -> None:
    page.goto(GENE)
    page.get_by_label(re.compile("^gene_symbol")).focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("HER2")
    page.keyboard.press("Enter")
    expect(page.locator("#trial-text")).to_contain_text("ENSG00000141736")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.trial-raw summary') !== null"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_label("Raw result")).to_be_visible()


def test_a_failed_trial_says_what_to_change(page: Page) -> None:
    page.goto("/tools/ensembl__get_gene/")
    page.get_by_label(re.compile("^ensembl_id")).fill("not an id")
    page.get_by_role("button", name="Run").click()
    result = page.locator("#trial-result")
    expect(result).to_contain_text("tool_invalid_arguments")
    expect(result).to_contain_text("ensembl_id")
    expect(page.locator("#trial-status")).to_contain_text("failed after")


@pytest.mark.parametrize("address", ["/tools/", GENE, "/tools/pubmed__search_articles/"])
def test_every_control_has_a_name_and_nothing_runs_off_a_phone(page: Page, phone: Page, address: str) -> None:
    page.goto(address)
    assert unnamed(page) == []
    phone.goto(address)
    assert overflow(phone) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_result_can_be_read_on_a_phone_in_both_schemes(phone: Page, scheme: str) -> None:
    phone.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    phone.goto(GENE)
    phone.get_by_role("button", name="Run").click()
    expect(phone.locator("#trial-text")).to_contain_text("ENSG00000141736")
    assert overflow(phone) == 0


def as_staff(site: Site, is_staff: bool) -> None:
    """Make the site's one user an operator, or not."""
    code = f"from usage.models import User; User.objects.update(is_staff={is_staff})"
    subprocess.run(site.manage("shell", "-v0", "-c", code), env=site.env, cwd=ROOT, check=True)


def test_an_operator_switches_a_database_off_and_on(page: Page, phone: Page, site: Site) -> None:
    as_staff(site, True)
    try:
        page.goto("/tools/")
        page.get_by_role("link", name="State of the tools").click()
        servers = page.get_by_role("region", name="Tool servers")
        expect(servers).to_contain_text("snapshot")
        expect(servers).to_contain_text(re.compile("ready since"))
        page.get_by_label("Why bioRxiv and medRxiv is switched off").fill("They move house.")
        page.get_by_role("button", name="Switch off bioRxiv and medRxiv").click()
        expect(page.locator("#platform-biorxiv")).to_contain_text("They move house.")
        assert unnamed(page) == []

        phone.goto("/tools/")
        expect(phone.locator("main")).to_contain_text(
            "bioRxiv and medRxiv is switched off by the operator: They move house."
        )
        phone.goto("/tools/operations/")
        assert overflow(phone) == 0
        phone.get_by_role("button", name="Switch on bioRxiv and medRxiv").click()
        expect(phone.get_by_role("button", name="Switch off bioRxiv and medRxiv")).to_be_visible()
    finally:
        as_staff(site, False)
