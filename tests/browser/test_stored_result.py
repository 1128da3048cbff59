"""The page of a stored result in a real browser: with mouse, keyboard, on a phone, and without JavaScript."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.site import Site
from tests.browser.test_asking import ask, ended
from tests.browser.test_reading import overflow

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(chromium: Browser, site: Site) -> str:
    """Have something stored once, and find its page from the card of the call."""
    context = chromium.new_context(base_url=site.url, storage_state=site.state)
    page = context.new_page()
    ask(page, "Store Which drugs target HER2?")
    ended(page)
    page.locator(".activity > summary").click()
    page.locator(".card > summary").click()
    page.get_by_role("link", name="Open the whole result").click()
    page.wait_for_url("**/artifacts/*/")
    expect(page.get_by_role("heading", name="Stored result")).to_be_visible()
    found = page.url
    context.close()
    return found


def test_a_tree_opens_level_by_level_and_asks_once(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/branch/" in request.url else None)
    page.goto(address)
    rows = page.locator("#tree > li").filter(has_text="rows").locator("summary").first
    expect(rows).to_contain_text("array, 48 items")
    rows.click()
    first = page.locator("#tree .tree > li summary").first
    expect(first).to_contain_text("object")
    first.click()
    expect(page.locator(".value", has_text='"APPROVAL"').first).to_be_visible()
    rows.click()
    rows.click()
    expect(first).to_be_visible()
    assert len(asked) == 2


def test_the_tree_is_walked_with_arrow_keys(page: Page, address: str) -> None:
    page.goto(address)
    focused = page.locator(":focus")
    page.locator("#tree summary").first.focus()
    expect(focused).to_contain_text("target")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tree .value", has_text="ENSG00000141736")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(focused).to_contain_text("rows")
    page.keyboard.press("Enter")
    expect(page.locator("#tree .tree > li summary").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_text(re.compile(r"^0 object"))
    page.keyboard.press("ArrowLeft")
    expect(focused).to_contain_text("rows")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tree .tree > li summary").first).to_be_hidden()
    page.keyboard.press("Home")
    expect(focused).to_contain_text("target")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_search_fills_its_place_and_is_told(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Words in keys or values").fill("lapatinib")
    page.keyboard.press("Enter")
    found = page.locator("#found")
    expect(found).to_have_attribute("aria-live", "polite")
    expect(found).to_contain_text("with lapatinib")
    found.get_by_role("link").first.click()
    page.wait_for_url("**/artifacts/*/?path=*")
    expect(page.get_by_role("heading", name="The part at .rows")).to_be_visible()
    page.get_by_role("link", name="Show the whole").click()
    expect(page.get_by_role("heading", name="The whole")).to_be_visible()


def test_a_filter_answers_and_its_mistakes_are_told(page: Page, address: str) -> None:
    page.goto(address)
    box = page.get_by_label("A jq filter")
    box.fill("[.rows[].maxClinicalStage] | group_by(.) | map([.[0], length])")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".jq-answer")).to_contain_text('["APPROVAL",')
    box.fill(".rows[")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#answer")).to_contain_text("syntax error")
    box.fill("def f: f; f")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#answer")).to_contain_text("too expensive")
    box.fill(".count")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".jq-answer")).to_have_text("48")


def test_both_downloads_are_whole(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    with page.expect_download() as whole:
        page.get_by_role("link", name="Download JSON").click()
    whole.value.save_as(tmp_path / "whole.json")
    data = json.loads((tmp_path / "whole.json").read_text())
    with page.expect_download() as table:
        page.get_by_role("link", name=re.compile(r"CSV of \.rows, 48 rows")).click()
    table.value.save_as(tmp_path / "rows.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "rows.csv").read_text("utf-8-sig"))))
    assert len(rows) == len(data["rows"]) == 48
    assert json.loads(rows[0]["drug"])["id"] == data["rows"][0]["drug"]["id"]


def test_a_phone_never_scrolls_sideways(phone: Page, address: str) -> None:
    phone.goto(address)
    phone.locator("#tree summary").first.click()
    phone.get_by_label("A jq filter").fill(".")
    phone.get_by_role("button", name="Run").click()
    expect(phone.locator(".jq-answer")).to_be_visible()
    assert overflow(phone) == 0
    small = phone.evaluate(
        """() => [...document.querySelectorAll("main summary, main .button, main input, main textarea, main .more")]
            .filter(node => node.checkVisibility() && node.getBoundingClientRect().height < 24)
            .map(node => node.textContent)"""
    )
    assert small == []


def test_without_javascript_everything_is_a_link_or_a_form(open_context, address: str) -> None:
    plain = open_context(java_script_enabled=False).new_page()
    plain.goto(address)
    plain.locator("#tree summary").first.click()
    plain.get_by_role("link", name="Open this part").first.click()
    expect(plain.locator("#tree")).to_contain_text("ENSG00000141736")
    plain.goto(address)
    plain.get_by_label("A jq filter").fill(".count")
    plain.get_by_role("button", name="Run").click()
    expect(plain.locator(".jq-answer")).to_have_text("48")


def test_every_control_has_a_name_and_headings_stand_in_order(page: Page, address: str) -> None:
    page.goto(address)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("main a, main button, main input, main textarea, main summary")]
            .filter(node => !(node.textContent.trim() || node.getAttribute("aria-label") || node.labels?.length))
            .map(node => node.outerHTML)"""
    )
    assert nameless == []
    assert page.locator("h1").count() == 1
    assert page.locator("main h2").all_text_contents() == ["Search", "Filter with jq", "The whole"]
    assert page.locator("main :is(h3, h4, h5, h6)").count() == 0
