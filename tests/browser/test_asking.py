"""Asking, watching, stopping, coming back: in a real browser against a real server."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHIN_MS
from tests.browser.site import Site

pytestmark = pytest.mark.browser


def ask(page: Page, question: str) -> None:
    """Type a question on the empty page and send it."""
    page.goto("/new/")
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/*/")


def ended(page: Page) -> None:
    """Wait for the end of the last turn."""
    expect(page.locator(".turn").last).to_have_attribute("data-state", "ended")
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def until(page: Page, condition: str) -> None:
    """Wait for a condition in the page. Its own way to wait is evaluated in the page, which the policy forbids."""
    page.evaluate(
        f"""() => new Promise((done, fail) => {{
            const end = performance.now() + {WITHIN_MS};
            const look = () => {{
                if ({condition}) done();
                else if (performance.now() > end) fail(new Error("not in time"));
                else requestAnimationFrame(look);
            }};
            look();
        }})"""
    )


def answer(page: Page):
    """Return the last answer."""
    return page.locator(".answer").last


def test_an_example_fills_the_box_and_the_second_press_sends(page: Page) -> None:
    page.goto("/new/")
    example = page.locator(".example").first
    example.click()
    expect(page.get_by_label("Your question")).to_have_value(example.get_attribute("data-question") or "")
    assert page.url.endswith("/new/")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/*/")
    ended(page)
    expect(page.locator(".session-link[aria-current]")).to_contain_text("Which kinase inhibitors")


def test_words_appear_while_the_model_writes(page: Page, site: Site) -> None:
    ask(page, "Slow What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    site.open_gate("go")
    ended(page)
    expect(answer(page)).to_have_text("HER2 is the everyday name of ERBB2.")


def test_a_follow_up_is_asked_without_leaving_the_page(page: Page) -> None:
    ask(page, "What is HER2?")
    ended(page)
    page.get_by_label("Your question").fill("And again?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    ended(page)
    expect(page.get_by_label("Your question")).to_have_value("")
    assert [node.inner_text() for node in page.locator(".question").all()] == ["What is HER2?", "And again?"]


def test_escape_stops_and_the_words_so_far_stay(page: Page) -> None:
    ask(page, "Slow What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    page.keyboard.press("Escape")
    ended(page)
    expect(answer(page)).to_have_text("HER2 is")
    expect(page.locator(".foot")).to_contain_text("Stopped after")


@pytest.mark.parametrize("moment", ["at once", "while it writes", "after the end"])
def test_a_reload_shows_what_an_undisturbed_page_shows(page: Page, site: Site, moment: str) -> None:
    ask(page, "Look What is HER2?")
    if moment == "at once":
        page.reload()
    expect(answer(page)).to_have_text("HER2 is")
    if moment == "while it writes":
        page.reload()
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        expect(answer(page)).to_have_text("HER2 is")
    site.open_gate("go")
    ended(page)
    if moment == "after the end":
        page.reload()
    expect(answer(page)).to_have_text("HER2 is the everyday name of ERBB2.")
    expect(page.locator(".activity-words")).to_have_text("1 look-up in 1 database")
    expect(page.locator(".turn")).to_have_count(1)


def test_a_second_tab_sees_the_same_turn(page: Page, site: Site) -> None:
    ask(page, "What is HER2?")
    ended(page)
    other = page.context.new_page()
    other.goto(page.url)
    page.get_by_label("Your question").fill("Slow And now?")
    page.keyboard.press("Enter")
    expect(answer(other)).to_have_text("HER2 is")
    expect(other.get_by_role("button", name="Stop")).to_be_visible()
    site.open_gate("go")
    ended(other)
    ended(page)
    assert other.locator(".log").inner_text() == page.locator(".log").inner_text()


def test_a_lost_connection_is_told_and_made_good(page: Page, site: Site) -> None:
    page.add_init_script(
        "const Real = WebSocket; window.sockets = [];"
        "window.WebSocket = class extends Real { constructor(...args) { super(...args); sockets.push(this); } };"
    )
    ask(page, "Slow What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    # As when a proxy restarts: the socket ends, the turn does not.
    page.evaluate("sockets.at(-1).close(1000)")
    site.open_gate("go")
    ended(page)
    expect(answer(page)).to_have_text("HER2 is the everyday name of ERBB2.")
    expect(page.locator("#connection")).to_be_hidden()
    assert page.evaluate("sockets.length") == 2


def test_what_the_reader_opened_stays_open_while_the_page_changes(page: Page, site: Site) -> None:
    ask(page, "Look What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    card = page.locator(".card").first
    card.locator("summary").click()
    expect(card).to_contain_text("ensembl__lookup_gene")
    site.open_gate("go")
    ended(page)
    expect(page.locator(".activity")).to_have_attribute("open", "")
    expect(page.locator(".card").first).to_have_attribute("open", "")


def test_the_look_ups_fold_away_when_the_answer_is_there(page: Page, site: Site) -> None:
    ask(page, "Look What is HER2?")
    expect(page.locator(".activity")).to_have_attribute("open", "")
    expect(page.locator(".group-name")).to_have_text("Ensembl")
    site.open_gate("go")
    ended(page)
    expect(page.locator(".activity")).not_to_have_attribute("open", "")


AT_BOTTOM = "scrollY + innerHeight >= document.documentElement.scrollHeight - 2"


@pytest.mark.parametrize("is_reloaded", [False, True], ids=["watched", "reloaded"])
def test_a_long_answer_is_read_from_its_beginning(page: Page, site: Site, is_reloaded: bool) -> None:
    ask(page, "Grow Tell me everything.")
    expect(page.locator(".block")).to_have_count(60)
    if is_reloaded:
        page.reload()
        until(page, "window.before === (window.before = scrollY)")
    question = page.locator(".question").bounding_box()
    assert question is not None
    assert 0 <= question["y"] <= 120
    at = page.evaluate("scrollY")
    for gate, blocks in (("one", 61), ("two", 62)):
        site.open_gate(gate)
        expect(page.locator(".block")).to_have_count(blocks)
    ended(page)
    assert page.evaluate("scrollY") == at


def test_a_reader_at_the_end_is_taken_along_and_one_who_scrolls_up_is_left_alone(page: Page, site: Site) -> None:
    ask(page, "Grow Tell me everything.")
    expect(page.locator(".block")).to_have_count(60)
    page.get_by_role("button", name="Latest").click()
    until(page, AT_BOTTOM)
    expect(page.get_by_role("button", name="Latest")).to_be_hidden()
    site.open_gate("one")
    expect(page.locator(".block")).to_have_count(61)
    until(page, AT_BOTTOM)
    page.mouse.move(700, 300)
    page.mouse.wheel(0, -600)
    until(page, "scrollY + innerHeight < document.documentElement.scrollHeight - 400")
    until(page, "window.before === (window.before = scrollY)")
    at = page.evaluate("scrollY")
    site.open_gate("two")
    ended(page)
    assert page.evaluate("scrollY") == at


def test_a_failure_is_told_in_words_with_a_code(page: Page) -> None:
    ask(page, "Fail What is HER2?")
    ended(page)
    expect(page.locator(".outcome[data-kind=failed]")).to_contain_text("model_bad_request")
    page.get_by_label("Your question").fill("Fail Again?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    ended(page)
    expect(page.get_by_label("Your question")).to_have_value("")
    expect(page.get_by_label("Your question")).to_be_editable()


def test_a_question_during_an_answer_waits_in_the_box(page: Page, site: Site) -> None:
    ask(page, "Slow What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    page.get_by_label("Your question").fill("And then?")
    page.keyboard.press("Enter")
    expect(page.locator("#composer-error")).to_have_text("Wait for this answer, or stop it first.")
    expect(page.get_by_label("Your question")).to_have_value("And then?")
    site.open_gate("go")
    ended(page)
    expect(page.locator(".turn")).to_have_count(1)
