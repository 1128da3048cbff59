"""A real server in a process of its own, and a real browser that is signed in."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.site import Site, served

WITHIN_MS = 10_000
expect.set_options(timeout=WITHIN_MS)
QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Site]:
    """Serve the site over the offline snapshot, with a scripted model beside the real ones."""
    with served(tmp_path_factory.mktemp("site"), chromium, BURP_UPSTREAMS="snapshot") as site:
        yield site


@pytest.fixture(scope="package")
def chromium(chromium_path: Path) -> Iterator[Browser]:
    """An installed Chromium, without windows and without calls home."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium_path), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def open_context(chromium: Browser, site: Site) -> Iterator[Callable[..., BrowserContext]]:
    """Open signed-in browser contexts; fail the test for an error in any of their consoles or a dialog."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def watch(page: Page) -> None:
        page.set_default_timeout(WITHIN_MS)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def open_one(**options) -> BrowserContext:
        context = chromium.new_context(base_url=site.url, storage_state=site.state, **options)
        context.on("page", watch)
        contexts.append(context)
        return context

    yield open_one
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def page(open_context: Callable[..., BrowserContext]) -> Page:
    """A page on a desktop."""
    return open_context(viewport={"width": 1280, "height": 800}).new_page()


@pytest.fixture
def phone(open_context: Callable[..., BrowserContext]) -> Page:
    """A page on a small phone."""
    return open_context(viewport={"width": 360, "height": 720}, has_touch=True, is_mobile=True).new_page()
