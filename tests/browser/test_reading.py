"""Reading an answer, with mouse, keyboard, small screen and without colours moving under one's eyes."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import Site
from tests.browser.test_asking import answer, ask, ended, until

pytestmark = pytest.mark.browser
ADDRESSES = ("/new/", "Cite", "Long", "Fail", "Hostile")


def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def test_an_identifier_leads_to_its_record(page: Page) -> None:
    ask(page, "Cite What is HER2?")
    ended(page)
    link = answer(page).locator(".rec[data-state=grounded]").first
    assert link.get_attribute("href") == "https://www.ensembl.org/id/ENSG00000141736"
    assert link.get_attribute("target") == "_blank"
    assert "noopener" in (link.get_attribute("rel") or "")
    expect(answer(page)).to_contain_text("c.1799T>A")


@pytest.mark.case("C078")
def test_an_identifier_out_of_nowhere_is_never_silent(page: Page) -> None:
    ask(page, "Cite What is HER2?")
    ended(page)
    missing = answer(page).locator(".rec[data-state=missing]")
    expect(missing).to_have_count(1)
    assert "not in evidence" in (missing.text_content() or "")
    expect(missing.locator(".rec-flag")).to_be_visible()
    expect(page.locator(".outcome[data-kind=missing]")).to_contain_text("PubMed 99999999")
    assert page.locator(".source[data-state=missing]").count() == 1


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_a_card_tells_what_is_known_of_a_record(page: Page, how: str) -> None:
    ask(page, "Cite What is HER2?")
    ended(page)
    link = answer(page).locator("td .rec").first
    if how == "hover":
        link.hover()
    else:
        link.focus()
    card = page.locator("#record-card")
    expect(card).to_be_visible()
    expect(card).to_contain_text("Ensembl ENSG00000141736")
    expect(card).to_contain_text("fetched")
    box, line = card.bounding_box(), link.bounding_box()
    assert box is not None and line is not None
    assert box["y"] >= line["y"] + line["height"] or box["y"] + box["height"] <= line["y"]
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    if how == "focus":
        expect(link).to_be_focused()


@pytest.mark.case("C072")
def test_nothing_that_a_model_or_a_person_writes_can_act(page: Page) -> None:
    """A dialog, a script error or a blocked request would fail the test in its page fixture."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    ask(page, 'Hostile <img src=x onerror=alert(1)><script>alert(1)</script>"')
    ended(page)
    page.reload()
    expect(answer(page)).to_contain_text("<iframe srcdoc=")
    expect(page.locator("#session-title")).to_contain_text("<img src=x onerror=alert(1)>")
    assert answer(page).locator("img, svg, iframe, script").count() == 0
    assert answer(page).locator("a[href^=javascript]").count() == 0
    assert not [url for url in asked if "tracker.example" in url or url.endswith("/x")]


@pytest.mark.parametrize("scene", ADDRESSES)
def test_a_phone_never_scrolls_sideways(phone: Page, scene: str) -> None:
    if scene.startswith("/"):
        phone.goto(scene)
    else:
        ask(phone, f"{scene} What is HER2?")
        ended(phone)
        phone.locator(".activity > summary").click()
    assert overflow(phone) == 0
    if scene == "Long":
        table = answer(phone).locator(".table-scroll")
        assert table.evaluate("node => node.scrollWidth > node.clientWidth")
        table.evaluate("node => { node.scrollTop = 400; }")
        head, box = table.locator("th").first.bounding_box(), table.bounding_box()
        assert head is not None and box is not None
        assert abs(head["y"] - box["y"]) < 3


def test_the_sessions_are_a_drawer_on_a_phone(phone: Page) -> None:
    phone.goto("/new/")
    expect(phone.locator("#sidebar")).to_be_hidden()
    phone.get_by_role("button", name="Sessions and settings").click()
    expect(phone.get_by_role("link", name="New question")).to_be_visible()
    phone.keyboard.press("Escape")
    expect(phone.locator("#sidebar")).to_be_hidden()


@pytest.mark.parametrize("where", ["page", "phone"])
def test_everything_one_can_press_is_large_enough(request: pytest.FixtureRequest, where: str) -> None:
    page: Page = request.getfixturevalue(where)
    ask(page, "Cite What is HER2?")
    ended(page)
    page.locator(".activity > summary").click()
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, summary, .session-link, .foot-link, .button, textarea")]
            .filter(node => node.checkVisibility())
            .map(node => [node.textContent.trim(), node.getBoundingClientRect()])
            .filter(([, box]) => box.width < 24 || box.height < 24)
            .map(([text]) => text)"""
    )
    assert small == []


def test_the_whole_way_goes_by_keyboard(page: Page, site: Site) -> None:
    page.goto("/new/")
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type("Look What is HER2?")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("In short.")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/*/")
    expect(page.locator(".question")).to_have_text("Look What is HER2?\nIn short.")
    expect(answer(page)).to_have_text("HER2 is")
    site.open_gate("go")
    ended(page)
    page.keyboard.press("k")
    expect(page.locator(".question")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".activity > summary")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".card")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator(".card > summary")).to_be_focused()
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("/")
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_label("Your question")).to_have_value("?")
    page.get_by_label("Your question").fill("")
    page.locator(".question").focus()
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#shortcuts")).to_be_hidden()
    page.keyboard.press("n")
    page.wait_for_url("**/new/")


def test_letters_can_be_switched_off_as_shortcuts(page: Page) -> None:
    page.goto("/new/")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_label("Single-letter shortcuts are on").uncheck()
    page.reload()
    page.locator("main").focus()
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_be_hidden()


def test_the_first_tab_skips_to_the_content(page: Page) -> None:
    ask(page, "What is HER2?")
    ended(page)
    page.reload()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_enter_that_ends_a_composition_does_not_send(page: Page) -> None:
    page.goto("/new/")
    box = page.get_by_label("Your question")
    box.fill("ハーツーとは")
    box.evaluate(
        """node => node.dispatchEvent(new KeyboardEvent("keydown",
            {key: "Enter", isComposing: true, keyCode: 229, bubbles: true, cancelable: true}))"""
    )
    assert page.url.endswith("/new/")
    expect(page.locator("#composer-error")).to_have_text("")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/*/")


def test_a_draft_survives_a_reload_and_is_the_tabs_own(page: Page) -> None:
    page.goto("/new/")
    page.get_by_label("Your question").fill("A long thought")
    other = page.context.new_page()
    other.goto("/new/")
    other.get_by_label("Your question").fill("Another thought")
    page.reload()
    expect(page.get_by_label("Your question")).to_have_value("A long thought")
    page.get_by_label("Your question").fill("What is HER2?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/*/")
    page.goto("/new/")
    expect(page.get_by_label("Your question")).to_have_value("")


def test_an_answer_is_copied_as_markdown(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, "Cite What is HER2?")
    ended(page)
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("## Finding\n\nHER2 is the product of **ERBB2** (ENSG00000141736).")


def test_colours_are_switched_at_once_and_are_there_before_the_next_page_paints(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/new/")
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_role("button", name="Dark colours").click()
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert light != dark
    html = page.context.request.get("/new/").text()
    assert re.search(r'<html[^>]*data-theme="dark"', html)
    page.get_by_role("button", name="Colours as the system").click()
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == dark


def test_a_screen_reader_hears_borders_not_words(page: Page, site: Site) -> None:
    ask(page, "Look What is HER2?")
    expect(page.get_by_role("log")).to_have_attribute("aria-live", "off")
    expect(answer(page)).to_have_attribute("aria-busy", "true")
    expect(answer(page)).to_have_text("HER2 is")
    site.open_gate("go")
    ended(page)
    expect(page.locator("#status")).to_have_text("Answer complete, 0 records cited.")
    expect(answer(page)).to_have_attribute("aria-busy", "false")


def test_who_wants_no_motion_sees_none(page: Page, site: Site) -> None:
    page.emulate_media(reduced_motion="reduce")
    ask(page, "Look What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    assert page.evaluate("document.getAnimations().length") == 0
    timer = page.locator(".activity .timer").first
    until(page, 'document.querySelector(".activity .timer").textContent.match(/^[0-9]+ s$/)')
    assert "." not in timer.inner_text()
    site.open_gate("go")
    ended(page)


def test_a_printed_page_has_the_answer_and_the_addresses_of_its_records(page: Page) -> None:
    ask(page, "Cite What is HER2?")
    ended(page)
    page.emulate_media(media="print")
    expect(page.locator(".dock")).to_be_hidden()
    expect(page.locator("#sidebar")).to_be_hidden()
    expect(answer(page)).to_be_visible()
    written = answer(page).locator("a.rec").first.evaluate("node => getComputedStyle(node, '::after').content")
    assert "attr(href)" in written or "https://www.ensembl.org/id/ENSG00000141736" in written


def test_a_session_is_renamed_and_deleted(page: Page) -> None:
    ask(page, "What is HER2?")
    ended(page)
    page.get_by_role("button", name="Rename or delete this session").click()
    page.get_by_label("Name of this session").fill("About HER2")
    page.get_by_role("button", name="Rename").last.click()
    expect(page.locator("#session-title")).to_have_text("About HER2")
    expect(page.locator(".session-link[aria-current]")).to_have_text("About HER2")
    page.get_by_role("button", name="Rename or delete this session").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("The session was deleted.")).to_be_visible()
    assert page.get_by_role("link", name="About HER2").count() == 0


def test_without_javascript_one_asks_and_reads_as_well(open_context) -> None:
    page = open_context(java_script_enabled=False).new_page()
    page.goto("/new/")
    page.get_by_label("Your question").fill("What is HER2?")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/sessions/*/")
    page.reload()
    expect(answer(page)).to_have_text("HER2 is ERBB2.", timeout=10_000)
