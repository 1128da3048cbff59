"""Choosing model, effort and budget, and seeing what it costs: in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import Site

pytestmark = [pytest.mark.browser]


def test_the_estimate_follows_the_choice_and_the_cost_stays_under_the_budget(page: Page, site: Site) -> None:
    page.goto("/new/")
    line = page.locator("#choices summary")
    expect(line).to_contain_text(re.compile(r"Scripted model.*about \$"))
    line.click()
    page.locator("#choice-model").select_option("recipes")
    expect(line).to_have_text(re.compile(r"Recipe planner.*free"))
    # No model of this site has levels of effort.
    expect(page.locator("#choice-effort")).to_have_count(0)
    page.locator("#choice-model").select_option("scenes")
    page.locator("#choice-budget").fill("0.75")
    page.keyboard.press("Escape")
    expect(page.locator("#choice-budget")).to_be_hidden()

    page.locator("#question").fill("cited")
    page.keyboard.press("Enter")
    expect(page.locator(".cost")).to_have_text(re.compile(r"^\$0\.\d{6} of \$0\.75$"))

    cost = page.locator(".cost").inner_text().split(" ")[0]
    page.locator("#choices summary").click()
    expect(page.locator("#spent")).to_contain_text("of $20.00")
    page.locator("#spent a").click()
    expect(page.locator("#by-session tr", has=page.get_by_role("link", name="cited")).first).to_contain_text(cost)


def test_a_budget_that_is_none_is_refused_above_the_box(page: Page) -> None:
    page.goto("/new/")
    page.locator("#question").fill("cited")
    page.keyboard.press("Enter")
    expect(page.locator(".foot-facts")).to_be_visible()
    page.locator("#question").fill("cited")
    page.locator("#choices summary").click()
    page.locator("#choice-budget").fill("a lot")
    page.locator("#question").press("Enter")

    expect(page.locator("#composer-error")).to_contain_text("A budget is an amount in USD")
    expect(page.locator("#question")).to_have_value("cited")
    page.locator("#choices summary").click()
    page.locator("#choice-budget").fill("0.40")
    page.locator("#question").press("Enter")
    expect(page.locator(".cost").nth(1)).to_contain_text("of $0.40")


def test_the_choices_fit_a_phone(phone: Page) -> None:
    phone.goto("/new/")
    phone.locator("#choices summary").click()
    box = phone.locator(".choices-panel").bounding_box()

    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
