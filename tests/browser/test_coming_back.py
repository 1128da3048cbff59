"""Reloads, other tabs, lost networks, dead servers: the page always shows what is, and never waits for ever."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.site import Site, served
from tests.browser.test_asking import answer, ask, ended
from tests.browser.wire import Wire
from tests.serving.upstream import Upstream

pytestmark = pytest.mark.browser
LOST = "The connection was lost."


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    """The databases, which answer when a test lets them."""
    with Upstream() as running:
        yield running


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def site(
    upstream: Upstream,
    tmp_path_factory: pytest.TempPathFactory,
    chromium: Browser,
    request: pytest.FixtureRequest,
) -> Iterator[Site]:
    """A site of its own over these databases."""
    folder = tmp_path_factory.mktemp("coming-back")
    variables = {"BURP_UPSTREAMS": "live", "BURP_UPSTREAM_GATEWAY": upstream.url, "BURP_UPSTREAM_CACHE": "0"}
    with served(folder, chromium, request.param, **variables) as running:
        yield running


@pytest.fixture
def open_anyhow(chromium: Browser, site: Site) -> Iterator[Callable[..., BrowserContext]]:
    """Open signed-in contexts whose consoles may tell of lost connections."""
    contexts: list[BrowserContext] = []

    def open_one(base_url: str = "") -> BrowserContext:
        contexts.append(chromium.new_context(base_url=base_url or site.url, storage_state=site.state))
        return contexts[-1]

    yield open_one
    for context in contexts:
        context.close()


def is_running(page: Page) -> None:
    """Check that the page knows that a turn runs: it can be stopped, and nothing else be sent."""
    expect(page.locator(".turn").last).to_have_attribute("data-state", "running")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_have_count(0)


def words(page: Page) -> str:
    """Return what stands in the log, but for what depends on when it was looked at."""
    return re.sub(r"\b\d+(\.\d+)? s\b", "… s", page.locator(".log").inner_text())


def test_reloaded_at_five_moments_a_page_shows_what_an_undisturbed_one_shows(
    page: Page, site: Site, upstream: Upstream
) -> None:
    arrivals = upstream.requests
    upstream.hang("P04626")
    ask(page, "Story What is HER2?")
    other = page.context.new_page()
    other.goto(page.url)

    expect(other.locator(".reasoning")).to_contain_text("Thinking")
    other.reload()
    is_running(other)
    expect(other.locator(".reasoning")).to_contain_text("Thinking")
    site.open_gate("thought")

    upstream.wait_for_requests(arrivals + 1)
    other.reload()
    is_running(other)
    expect(other.locator(".card")).to_have_attribute("data-state", "running")
    expect(other.locator(".activity-words")).to_have_text("Asking UniProt")
    upstream.release("P04626")

    for gate, so_far in (("begun", "HER2 is"), ("half", "HER2 is the everyday name")):
        expect(answer(other)).to_have_text(so_far)
        other.reload()
        is_running(other)
        expect(answer(other)).to_have_text(so_far)
        expect(other.locator(".card")).to_have_attribute("data-state", "data")
        site.open_gate(gate)

    ended(page)
    ended(other)
    other.reload()
    expect(answer(other)).to_have_text("HER2 is the everyday name of ERBB2.")
    expect(page.locator(".turn")).to_have_count(1)
    for shown in (page, other):
        # What a reader opened differs by who opened it; the words do not.
        shown.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
    assert words(page) == words(other)


@pytest.mark.parametrize(
    ("scene", "reached"),
    [
        ("Think", lambda page: expect(page.locator(".reasoning")).to_contain_text("Thinking")),
        ("Search", lambda page: expect(page.locator(".card")).to_have_attribute("data-state", "running")),
        ("Slow", lambda page: expect(answer(page)).to_have_text("HER2 is")),
    ],
    ids=["in thinking", "in a look-up", "in text"],
)
def test_stopped_from_a_second_tab_no_page_looks_alive_afterwards(
    page: Page, upstream: Upstream, scene: str, reached: Callable[[Page], None]
) -> None:
    if scene == "Search":
        upstream.hang("P04626")
    ask(page, f"{scene} What is HER2?")
    other = page.context.new_page()
    other.goto(page.url)
    reached(other)
    other.get_by_role("button", name="Stop").click()
    for shown in (page, other):
        ended(shown)
        expect(shown.locator(".outcome[data-kind=stopped]")).to_contain_text(re.compile(r"Stopped after \d+\.\d s"))
        expect(shown.locator(".gel, .timer[data-running-s], .card[data-state=running]")).to_have_count(0)
        expect(shown.locator(".foot-facts")).to_contain_text("$")
        # From here it goes on: the same question stands ready.
        expect(shown.locator(".foot").get_by_role("button", name="Ask again").first).to_be_visible()
    if scene == "Slow":
        expect(answer(page)).to_have_text("HER2 is")


def test_a_page_that_is_closed_does_not_end_the_turn(page: Page, site: Site) -> None:
    ask(page, "Slow What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    address, context = page.url, page.context
    page.close()
    again = context.new_page()
    again.goto(address)
    is_running(again)
    site.open_gate("go")
    ended(again)
    expect(answer(again)).to_have_text("HER2 is the everyday name of ERBB2.")


@pytest.fixture
def wire(site: Site) -> Iterator[Wire]:
    """A wire that can be cut."""
    with Wire(site.port) as between:
        yield between


@pytest.mark.parametrize("noticed", ["network is back", "nothing comes for a while"])
def test_a_network_that_goes_without_a_word_is_noticed_and_made_good(
    open_anyhow: Callable[..., BrowserContext], site: Site, wire: Wire, noticed: str
) -> None:
    page = open_anyhow(f"http://127.0.0.1:{wire.port}").new_page()
    page.clock.install()
    ask(page, "Slow What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    wire.cut()
    site.open_gate("go")
    if noticed == "network is back":
        page.evaluate("dispatchEvent(new Event('offline'))")
        expect(page.locator("#connection")).to_contain_text(LOST)
        wire.mend()
        page.evaluate("dispatchEvent(new Event('online'))")
        page.clock.run_for(6_000)
    else:
        page.clock.run_for(12_000)
        expect(page.locator("#connection")).to_be_hidden()
        page.clock.run_for(6_000)
        expect(page.locator("#connection")).to_contain_text(LOST)
        wire.mend()
        page.clock.run_for(20_000)
    ended(page)
    expect(answer(page)).to_have_text("HER2 is the everyday name of ERBB2.")
    expect(page.locator("#connection")).to_be_hidden()
    expect(page.locator(".turn")).to_have_count(1)


@pytest.mark.parametrize("politely", [True, False], ids=["restarted", "killed"])
def test_a_server_that_ends_in_the_middle_leaves_a_marked_answer_and_a_page_that_goes_on(
    open_anyhow: Callable[..., BrowserContext], site: Site, politely: bool
) -> None:
    page = open_anyhow().new_page()
    ask(page, "Slow What is HER2?")
    expect(answer(page)).to_have_text("HER2 is")
    site.end(politely=politely)
    expect(page.locator("#connection")).to_contain_text(LOST)
    site.start()
    expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
    ended(page)
    expect(answer(page)).to_have_text("HER2 is")
    expect(page.locator(".outcome[data-kind=stopped]")).to_contain_text("Stopped after")
    page.get_by_label("Your question").fill("And again?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    ended(page)
    expect(answer(page)).to_have_text("HER2 is ERBB2.")
