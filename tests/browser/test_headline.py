"""The headline question, answered in the browser by the recipe planner over the offline snapshot.

With `WRITE_IMAGES=1` and `-k headline_answer` the pictures of the documentation are taken from it.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from chat.examples import EXAMPLES
from tests.browser.site import Site
from tests.browser.test_asking import answer, ended

pytestmark = pytest.mark.browser
IMAGES = Path(__file__).parents[2] / "docs" / "images"


def open_session(page: Page, model: str) -> None:
    """Open a session with a model that is not the default."""
    page.goto("/new/")
    token = page.locator("#ask input[name=csrfmiddlewaretoken]").input_value()
    response = page.context.request.post("/api/sessions", data={"model": model}, headers={"X-CSRFToken": token})
    assert response.status == 201
    page.goto(response.json()["page_url"])


def picture(page: Page, name: str) -> None:
    """Write a picture of what the screen shows, if that was asked for."""
    if os.environ.get("WRITE_IMAGES"):
        IMAGES.mkdir(parents=True, exist_ok=True)
        # High enough for the question and the whole list that the answer opens with.
        page.set_viewport_size({"width": 1280, "height": 1000})
        page.screenshot(path=IMAGES / f"{name}.png")


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_each_question_of_the_empty_page_is_answered_offline_with_everything_in_evidence(
    page: Page, number: int
) -> None:
    open_session(page, "recipes")
    expect(page.locator(".badge").first).to_have_text("Recipe planner · no LLM")
    page.get_by_label("Your question").fill(EXAMPLES[number].question)
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_attribute("data-state", "ended")
    expect(page.locator(".foot")).to_have_attribute("data-outcome", "completed")
    assert answer(page).locator(".rec[data-state=grounded]").count() > 3
    assert answer(page).locator(".rec[data-state=missing]").count() == 0
    assert page.locator(".outcome").count() == 0


def test_the_headline_answer_names_drugs_trials_and_variants(page: Page, site: Site) -> None:
    open_session(page, "recipes")
    page.get_by_label("Your question").fill(EXAMPLES[0].question)
    page.keyboard.press("Enter")
    ended(page)
    for record in ("CHEMBL554", "ENSG00000141736", "HLA-DQA1*02:01"):
        expect(answer(page).get_by_text(record).first).to_be_attached()
    assert answer(page).locator('.rec[href*="clinicaltrials.gov/study/NCT"]').count() > 5
    expect(page.locator(".question")).to_be_in_viewport()
    picture(page, "answer")
    page.locator(".activity > summary").click()
    page.locator(".question").scroll_into_view_if_needed()
    picture(page, "look-ups")
