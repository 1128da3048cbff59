"""A page that is swapped piece by piece ends up as the page that a reload would show."""

import random

import pytest

from chat.fragments import LivePage, turn_html
from chat.presentation import fold
from tests.chat.pages.dom import Node, parse, swap
from tests.chat.turn_logs import TurnLog, answered, looked_up

# What live.js sets when a turn ends, and what depends on the clock.
SET_BY_SCRIPT = {"data-running-s", "data-seq", "data-state", "aria-busy", "open"}


def shown(node: Node) -> tuple:
    """Return what of a page must be the same."""
    attributes = {name: value for name, value in node.attributes.items() if name not in SET_BY_SCRIPT}
    if "timer" in attributes.get("class", "") and "data-running-s" in node.attributes:
        return (node.tag, attributes)
    children = [child if isinstance(child, str) else shown(child) for child in node.children]
    return (node.tag, tuple(sorted(attributes.items())), tuple(children))


def streamed(events: list[dict], batch_sizes: list[int]) -> Node:
    """Show the first event as a whole turn, then send the others in batches."""
    page = parse('<div id="log"></div>')
    live = LivePage(fold(events[:1]))
    swap(page, live.whole("log", is_known=False))
    rest = events[1:]
    for size in batch_sizes:
        swap(page, live.take(rest[:size]))
        rest = rest[size:]
    swap(page, live.take(rest))
    return page.find("log").children[0]


def reloaded(events: list[dict]) -> Node:
    """Show the same events as history."""
    return parse(turn_html(fold(events))).children[0]


def shrinking() -> TurnLog:
    """Return a turn whose text becomes narration, twice, and whose answer restructures itself."""
    log = TurnLog().text(1, "Let me look.\n\nFirst the gene.\n\n").text(1, "Then the drug.")
    log.start("c1", "ensembl__lookup_gene", "Ensembl").done("c1", "ensembl__lookup_gene")
    log.text(2, "Now the drug.").start("c2", "chembl__search_molecules", "ChEMBL", 2)
    log.done("c2", "chembl__search_molecules", 2, ok=False, outcome="failed", error_code="tool_timeout")
    log.text(3, "| a | b |").text(3, "\n|---|---|\n").text(3, "| 1 | 2 |\n\nDone.")
    return log.end()


LOGS = {
    "answered": answered(),
    "still running": looked_up(),
    "stopped": looked_up().end("aborted_by_user"),
    "failed": looked_up().end("model_overloaded"),
    "shrinking": shrinking(),
    "nothing but the end": TurnLog().end("internal"),
}


@pytest.mark.parametrize("name", LOGS)
def test_event_by_event_the_page_becomes_what_a_reload_shows(name):
    events = LOGS[name].events
    assert shown(streamed(events, [1] * len(events))) == shown(reloaded(events))


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("seed", range(8))
def test_however_events_are_gathered_the_page_is_the_same(name, seed):
    events, dice = LOGS[name].events, random.Random(seed)
    sizes = [dice.randint(1, 6) for _ in events]
    assert shown(streamed(events, sizes)) == shown(reloaded(events))


def test_a_growing_answer_sends_only_the_block_that_grows():
    log = TurnLog().text(1, "One paragraph.\n\n").text(1, "Another")
    live = LivePage(fold(log.events))
    live.note_as_shown()
    log.text(1, " one")
    sent = parse(live.take(log.events[-1:]))
    assert [node.attributes.get("id") for node in sent.children] == [f"{live.view.dom_id}-block-1"]


def test_what_did_not_change_is_not_sent():
    live = LivePage(fold(answered().events))
    live.note_as_shown()
    assert live.changes({"head", "steps", "answer", "notices", "foot"}) == ""


def test_events_that_were_seen_send_nothing():
    events = answered().events
    live = LivePage(fold(events))
    live.note_as_shown()
    assert live.take(events) == ""


def test_a_known_turn_is_replaced_and_a_new_one_appended():
    live = LivePage(fold(answered().events))
    assert parse(live.whole("log", is_known=True)).children[0].attributes["hx-swap-oob"] == "true"
    assert parse(live.whole("log", is_known=False)).children[0].attributes["hx-swap-oob"] == "beforeend:#log"


HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>\"'</textarea>\u202e"


@pytest.mark.case("C072")
def test_hostile_text_in_every_field_stays_text():
    log = TurnLog(question=HOSTILE).reasoning(1, HOSTILE).text(1, HOSTILE)
    log.start("c1", HOSTILE, HOSTILE, **{HOSTILE: HOSTILE}).progress("c1", HOSTILE)
    cited = {"kind": "chembl", "identifier": "CHEMBL1", "label": HOSTILE, "url": "javascript:alert(1)"}
    request = {"method": HOSTILE, "url": HOSTILE, "status": HOSTILE, "attempts": 2}
    running = reloaded(log.events)
    log.done("c1", "x", ok=False, outcome="failed", message=HOSTILE, citations=[cited], requests=[request])
    log.add("notice", code=HOSTILE, message=HOSTILE)
    log.text(2, f"CHEMBL1 {HOSTILE}").end(HOSTILE, HOSTILE, grounding={"grounded": [cited | {"call_ids": ["c1"]}]})
    for page in (running, reloaded(log.events)):
        tags = {node.tag for node in page.walk()}
        assert not tags & {"script", "img", "iframe", "textarea", "style"}
        for node in page.walk():
            assert not [name for name in node.attributes if name.startswith("on") or name in ("style", "srcdoc")]
            assert not node.attributes.get("href", "").lower().startswith("javascript:")
        assert "\u202e" not in page.text
        assert "<script>alert(1)</script>" in page.text


def test_each_outcome_has_an_icon_and_words_of_its_own():
    page = reloaded(answered().events)
    seen = {
        card.attributes["data-state"]: (
            next(node.attributes["href"] for node in card.walk() if node.tag == "use"),
            card.all("card-result")[0].text,
        )
        for card in page.all("card")
    }
    stopped = reloaded(looked_up().end("aborted_by_user").events)
    card = next(card for card in stopped.all("card") if card.attributes["data-state"] == "stopped")
    seen["stopped"] = (next(node.attributes["href"] for node in card.walk() if node.tag == "use"), "stopped")
    assert set(seen) == {"data", "empty", "unknown_id", "failed", "stopped"}
    assert len({icon for icon, _ in seen.values()}) == 5
    assert len({words for _, words in seen.values()}) == 5


def test_what_is_not_in_evidence_is_named_below_the_answer_and_marked_in_it():
    page = reloaded(answered().events)
    [notice] = [node for node in page.all("outcome") if node.attributes["data-kind"] == "missing"]
    assert "PubMed 99999999" in notice.text
    assert [node.attributes["data-key"] for node in page.all("rec") if node.attributes["data-state"] == "missing"] == [
        "pmid:99999999"
    ]


def test_a_page_has_one_question_heading_a_turn_and_answers_start_below_it():
    page = reloaded(TurnLog().text(1, "# Title\n\nText").end().events)
    headings = [node.tag for node in page.walk() if node.tag in ("h1", "h2", "h3", "h4")]
    assert headings == ["h2", "h3"]


def test_a_stopped_turn_says_after_how_long_and_offers_to_ask_again():
    page = reloaded(
        TurnLog().text(1, "HER2 is").end("aborted_by_user", "You stopped this answer.", seconds=9.34).events
    )
    assert "Stopped after 9.3 s. You stopped this answer." in page.text
    assert "HER2 is" in page.all("answer")[0].text
    assert "Ask again" in page.text


def test_a_failure_says_what_to_do_and_gives_a_code_to_quote():
    page = reloaded(looked_up().end("model_overloaded").events)
    [outcome] = [node for node in page.all("outcome") if node.attributes["data-kind"] == "failed"]
    assert "Continue in a minute, or ask another model." in outcome.text
    assert "What was found before stays above." in outcome.text
    assert "model_overloaded" in outcome.text
