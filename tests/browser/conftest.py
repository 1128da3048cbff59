"""A real server in a process of its own, and a real browser that is signed in."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
START_WITHIN_S = 30.0
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
MODEL = """

[services.scenes]
module = "tests.browser.script_model"

[models.scenes]
provider = "scenes"
model = "scenes"
label = "Scripted model"
context_window = 1_000_000
max_output_tokens = 100_000
inline_max_tokens = 5_000

[[models.scenes.prices]]
from = 2026-01-01
input = "2.00"
output = "10.00"
cache_write_5m = "2.50"
cache_write_1h = "4.00"
cache_read = "0.10"
"""


@dataclass(frozen=True)
class Site:
    """A running site, its folder, and the cookies of its one user."""

    url: str
    folder: Path
    state: dict

    def open_gate(self, name: str) -> None:
        """Let the model go on."""
        (self.folder / "gates" / name).touch()


def manage(folder: Path, *arguments: str) -> list[str]:
    """Return the command line of a management command."""
    return [sys.executable, str(ROOT / "manage.py"), *arguments]


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Site]:
    """Serve the site over the offline snapshot, with a scripted model beside the real ones."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "gates").mkdir()
    config = folder / "burp.toml"
    config.write_text((ROOT / "burp_site" / "burp.toml").read_text() + MODEL)
    env = os.environ | {
        "BURP_DATA_DIR": str(folder),
        "BURP_CONFIG": str(config),
        "BURP_MODEL": "scenes",
        "BURP_UPSTREAMS": "snapshot",
    }
    subprocess.run(manage(folder, "migrate", "--verbosity", "0"), env=env, cwd=ROOT, check=True)
    with open(folder / "server.log", "w") as log:
        server = subprocess.Popen(
            manage(folder, "serve", "--port", "0"), env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            assert server.stdout is not None
            said = ""
            while "Sign in" not in said:
                line = server.stdout.readline()
                assert line, (folder / "server.log").read_text()
                said += line
            link = re.search(r"http://[^\s]+/sign-in/\S+", said)
            assert link is not None
            context = chromium.new_context()
            page = context.new_page()
            page.goto(link[0])
            url = re.match(r"http://[^/]+", link[0])
            assert url is not None
            yield Site(url[0], folder, context.storage_state())
        finally:
            server.terminate()
            server.communicate(timeout=10)


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
