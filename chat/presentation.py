"""Fold the events of a turn into what a page shows: the same for history and while it runs.

`TurnView.apply` takes one event and says which parts of the page it touched. An event that was
seen before changes nothing, so a reader may be handed the log and the live stream together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import singledispatchmethod
from typing import Any

from chat.cards import Step, ToolCard
from chat.events import (
    Event,
    Notice,
    Reasoning,
    Text,
    ToolEnd,
    ToolProgress,
    ToolStart,
    ToolStored,
    TurnEnd,
    TurnStarted,
    Usage,
    from_wire,
    to_wire,
)
from chat.grounding import unescaped
from chat.model_step import MODEL_RETRY
from chat.providers.history import CONTINUE
from chat.safe_text import all_visible
from mcp_server.codes import TURN_OFFERS, TURN_SENTENCES, TurnOutcome
from mcp_server.identifiers import BY_NAME, Found, find_in_text, normalise, record_url

Key = tuple[str, str]

HEAD, STEPS, ANSWER, NOTICES, FOOT = "head", "steps", "answer", "notices", "foot"
SYSTEM_PLATFORM = "BURP"


@dataclass(frozen=True)
class Evidence:
    """A record that a tool brought back."""

    kind: str
    identifier: str
    label: str
    url: str
    platform: str
    fetched_at: str
    tool: str


@dataclass(frozen=True)
class Citation:
    """A record that the answer names. `state` is `grounded`, `missing` or `unchecked`."""

    kind: str
    identifier: str
    state: str
    database: str
    url: str
    label: str = ""
    seen_in: str = ""
    fetched_at: str = ""
    tool: str = ""

    @property
    def key(self) -> str:
        """What connects a mention in the text with its entry in the list."""
        return f"{self.kind}:{self.identifier}"


def parse_time(at: str) -> datetime | None:
    """Read an event's time."""
    return datetime.fromisoformat(at).astimezone(UTC) if at else None


def _join(names: list[str]) -> str:
    """Write a list as English does."""
    if len(names) > 3:
        return f"{len(names)} databases"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


@dataclass
class TurnView:
    """Everything the page shows of one turn."""

    turn_id: str = ""
    session_id: str = ""
    question: str = ""
    provider: str = ""
    model: str = ""
    model_label: str = ""
    upstreams: str = ""
    effort: str = ""
    budget_pico_usd: int = 0
    estimate_high_pico_usd: int = 0
    started_at: datetime | None = None
    seq: int = 0
    steps: dict[int, Step] = field(default_factory=dict)
    cards: dict[str, ToolCard] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    cost_pico_usd: int = 0
    is_cost_estimated: bool = False
    evidence: dict[Key, Evidence] = field(default_factory=dict)
    waiting: Notice | None = None
    end: TurnEnd | None = None
    _parts: set[str] = field(default_factory=set, repr=False, compare=False)

    # --- folding ------------------------------------------------------------------------------

    def apply(self, event: Event | Mapping[str, Any]) -> frozenset[str]:
        """Take one event in and return the parts of the page that it touched."""
        known = from_wire(all_visible(to_wire(event) if isinstance(event, Event) else dict(event)))
        if known.seq and known.seq <= self.seq:
            return frozenset()
        self.seq = max(self.seq, known.seq)
        self._parts = set()
        if self.waiting is not None and not isinstance(known, Usage):
            self.waiting = None
            self._parts |= {HEAD}
        self._take(known)
        return frozenset(self._parts)

    @singledispatchmethod
    def _take(self, event: Event) -> None:
        """Take in an event; one of a newer version shows nothing."""

    @_take.register
    def _(self, event: TurnStarted) -> None:
        self.turn_id, self.session_id, self.question = event.turn_id, event.session_id, event.question
        self.provider, self.model, self.model_label = event.provider, event.model, event.model_label
        self.upstreams, self.started_at = event.upstreams, parse_time(event.at)
        self.effort, self.budget_pico_usd = event.effort, event.budget_pico_usd
        self.estimate_high_pico_usd = event.estimate_high_pico_usd
        self._parts |= {HEAD}

    @_take.register
    def _(self, event: Reasoning) -> None:
        self._step(event.step).add_reasoning(event.text, event.at)
        self._parts |= {HEAD, f"step:{event.step}"}

    @_take.register
    def _(self, event: Text) -> None:
        step = self._step(event.step)
        step.close_reasoning(event.at)
        step.text += event.text
        self._parts |= {HEAD, ANSWER, *([f"step:{event.step}"] if step.cards or step.reasoning else [])}

    @_take.register
    def _(self, event: ToolStart) -> None:
        step = self._step(event.step)
        step.close_reasoning(event.at)
        card = ToolCard(len(self.cards) + 1, event, self.seconds_until(parse_time(event.at)))
        self.cards[event.call_id] = card
        step.cards.append(card)
        self._parts |= {HEAD, ANSWER, f"step:{event.step}"}

    @_take.register
    def _(self, event: ToolProgress) -> None:
        if card := self.cards.get(event.call_id):
            card.progress.append(event.message)
            self._parts |= {f"card:{card.number}"}

    @_take.register
    def _(self, event: ToolEnd) -> None:
        card = self.cards.get(event.call_id)
        if card is None:
            return
        card.end = event
        for cited in event.citations:
            self._remember(cited, card, event)
        self._parts |= {HEAD, f"card:{card.number}", *([ANSWER] if self.answer else [])}

    @_take.register
    def _(self, event: ToolStored) -> None:
        card = self.cards.get(event.call_id)
        if card is not None and card.end is not None:
            card.end = replace(
                card.end, pipeline="stored", artifact_id=event.artifact_id, bytes_after=event.bytes_after
            )
            self._parts |= {f"card:{card.number}"}

    @_take.register
    def _(self, event: Usage) -> None:
        for tier, count in event.tokens.items():
            self.tokens[tier] = self.tokens.get(tier, 0) + count
        self.cost_pico_usd = event.turn_cost_pico_usd
        self.is_cost_estimated = self.is_cost_estimated or event.estimated
        self._parts |= {HEAD}

    @_take.register
    def _(self, event: Notice) -> None:
        if event.code == MODEL_RETRY:
            # It passes: told while it lasts, and afterwards by the time it took.
            self.waiting = event
            self._parts |= {HEAD}
        else:
            self.notices.append(event)
            self._parts |= {NOTICES}

    @_take.register
    def _(self, event: TurnEnd) -> None:
        self.end = event
        self.cost_pico_usd = max(self.cost_pico_usd, event.turn_cost_pico_usd)
        for step in self.steps.values():
            step.close_reasoning(event.at)
        for card in self.cards.values():
            if card.end is None:
                card.stopped_after_s = max(0.0, self.elapsed_s - card.start_s)
        self._parts |= {HEAD, STEPS, ANSWER, NOTICES, FOOT}

    def _step(self, number: int) -> Step:
        if number not in self.steps:
            if self.steps:
                # What the step before had written was not the answer yet: it becomes its narration.
                self._parts |= {ANSWER, f"step:{max(self.steps)}"}
            self.steps[number] = Step(number)
            self._parts |= {f"step:{number}"}
        return self.steps[number]

    def _remember(self, cited: Mapping[str, Any], card: ToolCard, event: ToolEnd) -> None:
        kind, value = str(cited.get("kind", "")), str(cited.get("identifier", ""))
        identifier = normalise(kind, value) if kind in BY_NAME else value
        self.evidence.setdefault(
            (kind, identifier),
            Evidence(
                kind=kind,
                identifier=identifier,
                label=str(cited.get("label") or ""),
                url=str(cited.get("url") or "") or record_url(kind, identifier),
                platform=card.platform,
                fetched_at=event.fetched_at,
                tool=card.tool,
            ),
        )

    @property
    def dom_id(self) -> str:
        """The id of the turn's element; its parts' ids begin with it."""
        return f"turn-{self.turn_id}"

    # --- what happens now ---------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether more is to come."""
        return self.end is None

    @property
    def outcome(self) -> str:
        """How the turn ended; empty while it runs."""
        return self.end.outcome if self.end else ""

    @property
    def is_stopped(self) -> bool:
        """Whether somebody or something stopped the turn from outside."""
        return self.outcome.startswith("aborted_")

    @property
    def is_failed(self) -> bool:
        """Whether the turn ended in a way that the reader must be told of."""
        return bool(self.end) and self.outcome != TurnOutcome.COMPLETED and not self.is_stopped

    @property
    def offers(self) -> list[str]:
        """What the reader may do next: `TurnOffer` words. Turns of an earlier version did not say."""
        if self.end is None or not self.session_id:
            return []
        known = {outcome.value: offers for outcome, offers in TURN_OFFERS.items()}
        return self.end.offers or [offer.value for offer in known.get(self.outcome, ())]

    @property
    def continuation(self) -> str:
        """The question that lets the session go on."""
        return CONTINUE

    @property
    def refusal_category(self) -> str:
        """The subject for which the model's safety check declined; empty if it named none."""
        is_refused = self.end is not None and self.outcome == TurnOutcome.REFUSED
        return self.end.detail.partition(":")[0].replace("_", " ") if is_refused and self.end else ""

    @property
    def message(self) -> str:
        """The sentence for the reader of how the turn ended."""
        if self.end is None:
            return ""
        known = {outcome.value: sentence for outcome, sentence in TURN_SENTENCES.items()}
        return self.end.message or known.get(self.outcome, "")

    def seconds_until(self, moment: datetime | None) -> float:
        """Return the time from the turn's start to `moment`."""
        return max(0.0, (moment - self.started_at).total_seconds()) if moment and self.started_at else 0.0

    @property
    def elapsed_s(self) -> float:
        """How long the turn took, or has been running."""
        if self.end is not None:
            return self.end.seconds or self.seconds_until(parse_time(self.end.at))
        return self.seconds_until(datetime.now(UTC))

    @property
    def is_paid(self) -> bool:
        """Whether the turn costs money, or may."""
        return self.cost_pico_usd > 0 or self.estimate_high_pico_usd > 0

    @property
    def last_step(self) -> Step | None:
        """The step that is under way, or was the last."""
        return self.steps[max(self.steps)] if self.steps else None

    @property
    def answer(self) -> str:
        """The text of the last step. While that step also calls tools, it is narration, not yet an answer."""
        last = self.last_step
        if last is None or (self.is_running and last.cards) or self.outcome == TurnOutcome.REFUSED:
            return ""
        return last.text

    def narration(self, step: Step) -> str:
        """The text that `step` wrote on the way, unless it is the answer, or what a model began before it declined."""
        is_shown_elsewhere = bool(self.answer) or self.outcome == TurnOutcome.REFUSED
        return "" if step is self.last_step and is_shown_elsewhere else step.text

    @property
    def shown_steps(self) -> list[Step]:
        """The steps that show anything beside the answer."""
        return [step for _, step in sorted(self.steps.items()) if step.is_shown or self.narration(step)]

    @property
    def databases(self) -> list[str]:
        """The databases that were asked, in the order of the first call."""
        return list(dict.fromkeys(c.platform for c in self.cards.values() if c.platform != SYSTEM_PLATFORM))

    @property
    def calls_done(self) -> int:
        """How many calls have ended."""
        return sum(not card.is_running for card in self.cards.values())

    @property
    def activity(self) -> str:
        """What is going on, in words."""
        if self.end is not None:
            return self._summary()
        if self.waiting is not None:
            return self.waiting.message
        running = list(dict.fromkeys(card.platform for card in self.cards.values() if card.is_running))
        if running:
            return "Searching the tool catalogue" if running == [SYSTEM_PLATFORM] else f"Asking {_join(running)}"
        if self.answer:
            return "Writing the answer"
        last = self.last_step
        if last is None:
            return "Reading the question"
        return "Thinking" if last.is_thinking else "Choosing what to look up next"

    def _summary(self) -> str:
        calls, databases = len(self.cards), len(self.databases)
        if not calls:
            return "No look-ups"
        words = f"{calls} look-up{'s' if calls != 1 else ''}"
        return f"{words} in {databases} database{'s' if databases != 1 else ''}" if databases else words

    @property
    def announcement(self) -> str:
        """What a screen reader is told: borders only, never single words of the stream."""
        if self.end is not None:
            sources = len(self.citations)
            if self.is_failed or self.is_stopped:
                return self.message
            return f"Answer complete, {sources} record{'s' if sources != 1 else ''} cited."
        if self.answer:
            return "Answer started."
        databases = len(self.databases)
        if databases:
            return f"Searching {databases} database{'s' if databases != 1 else ''}."
        return "Working on your question."

    # --- what the answer rests on -------------------------------------------------------------

    @property
    def judged(self) -> dict[Key, tuple[str, Mapping[str, Any]]]:
        """What grounding said of each identifier of the answer, once the turn has ended."""
        found = self.end.grounding if self.end else {}
        return {
            (str(mention["kind"]), str(mention["identifier"])): (state, mention)
            for state, name in (("grounded", "grounded"), ("missing", "not_in_evidence"))
            for mention in found.get(name, ())
        }

    def citation_of(self, found: Found) -> Citation:
        """Describe one identifier of the answer: judged by grounding, or by the citations so far."""
        state, mention = self.judged.get(found.key, ("", {}))
        evidence = self.evidence.get(found.key)
        if not state:
            state = "grounded" if evidence else "unchecked" if self.is_running else "missing"
        call = next((self.cards[call_id] for call_id in mention.get("call_ids", ()) if call_id in self.cards), None)
        if evidence is None and call is not None and call.end is not None:
            evidence = Evidence(found.kind, found.value, "", "", call.platform, call.end.fetched_at, call.tool)
        label = str(mention.get("label") or (evidence.label if evidence else ""))
        return Citation(
            kind=found.kind,
            identifier=found.value,
            state=state,
            database=BY_NAME[found.kind].label,
            url=str(mention.get("url") or "")
            or (evidence.url if evidence else "")
            or record_url(found.kind, found.value),
            label=label if label != found.value else "",
            seen_in=evidence.platform if evidence else "",
            fetched_at=evidence.fetched_at if evidence else "",
            tool=evidence.tool if evidence else "",
        )

    @property
    def citations(self) -> list[Citation]:
        """The records that the answer names, in the order of their first mention."""
        seen = {found.key: found for found in find_in_text(unescaped(self.answer))}
        return [self.citation_of(found) for found in seen.values()]

    @property
    def fetched_on(self) -> str:
        """The day on which the cited records were fetched, or the first and the last day."""
        days = sorted({day for c in self.citations if (day := parse_time(c.fetched_at))})
        return " to ".join(dict.fromkeys(f"{day.day} {day:%b %Y}" for day in (days[0], days[-1]))) if days else ""

    @property
    def citation_groups(self) -> list[tuple[str, list[Citation]]]:
        """The cited records by database, in the order of each one's first mention."""
        groups: dict[str, list[Citation]] = {}
        for cited in self.citations:
            groups.setdefault(cited.database, []).append(cited)
        return list(groups.items())

    @property
    def missing(self) -> list[Citation]:
        """The identifiers of the answer that were not in evidence."""
        return [citation for citation in self.citations if citation.state == "missing"]


def fold(events: Iterable[Event | Mapping[str, Any]]) -> TurnView:
    """Fold a whole log."""
    view = TurnView()
    for event in events:
        view.apply(event)
    return view
