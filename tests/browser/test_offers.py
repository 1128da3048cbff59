"""What a reader can do where a turn did not end well, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_asking import answer, ask, ended

pytestmark = pytest.mark.browser


def test_an_answer_that_an_overload_cut_off_goes_on_at_a_press(page: Page) -> None:
    ask(page, "Busy What is HER2?")
    ended(page)
    expect(answer(page)).to_have_text("HER2 is")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".turn")).to_have_count(2)
    ended(page)
    expect(answer(page)).to_have_text("HER2 is ERBB2.")
    expect(page.get_by_role("button", name="Continue")).to_have_count(0)


def test_a_declined_question_is_asked_of_another_model(page: Page) -> None:
    ask(page, "Refuse What is HER2?")
    ended(page)
    expect(answer(page)).to_be_empty()
    expect(page.locator(".outcome").last).to_contain_text("The model declined to answer.")
    page.get_by_label("Another model").select_option("recipes")
    page.get_by_role("button", name="Ask this model").click()
    expect(page.locator(".turn")).to_have_count(2)
    ended(page)
    expect(page.locator("#badges")).to_contain_text("Recipe planner")
    page.reload()
    expect(page.locator("#badges")).to_contain_text("Recipe planner")


def test_without_scripts_an_offer_is_a_form_like_any_other(open_context) -> None:
    page = open_context(java_script_enabled=False).new_page()
    page.goto("/new/")
    page.get_by_label("Your question").fill("Busy What is HER2?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".answer").last).to_contain_text("ERBB2")
