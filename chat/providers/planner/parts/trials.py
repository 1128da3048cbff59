"""Registered trials of a drug in a condition, as ClinicalTrials.gov lists them."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.results import Call, Json, Result, call, list_at, text_at

LISTED = 20
SHOWN_EACH = 3
SHOWN_OF_ONE = 6
_OPEN = ("RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING")
_PHASES = ("EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4")


@dataclass(frozen=True)
class Trial:
    """One trial as a list shows it."""

    nct_id: str
    title: str
    status: str
    phases: tuple[str, ...]
    text: str

    @property
    def phase(self) -> str:
        """The registered phase in words."""
        words = [phase.replace("EARLY_PHASE1", "early 1").replace("PHASE", "") for phase in self.phases]
        known = [word for word in words if word != "NA"]
        return "/".join(known) or ("not applicable" if words else "")

    @property
    def status_words(self) -> str:
        """The recruitment status in words."""
        return self.status.lower().replace("_", " ").replace("active not", "active, not")

    def mentions(self, words: Sequence[str]) -> bool:
        """Whether the record's title or conditions hold one of the words."""
        return any(word.casefold() in self.text for word in words if word)


def trials_call(drug: str, condition: str) -> Call:
    """Return the call for the trials of a drug, in a condition where one is given."""
    topic = "trials of {}" + (f" in {condition}" if condition else "")
    tool = "clinicaltrials__search_studies"
    return call(tool, topic, drug, condition=condition or None, intervention=drug, limit=LISTED)


def read_trials(result: Result, words: Sequence[str] = ()) -> list[Trial]:
    """Return the trials: first those that mention one of `words`, then by phase and by being open."""
    trials = [_trial(row) for row in result.rows()]
    return sorted((trial for trial in trials if trial.nct_id), key=lambda trial: _order(trial, words))


def _trial(row: Json) -> Trial:
    conditions = " ".join(str(name) for name in list_at(row, "conditions"))
    title = text_at(row, "briefTitle")
    return Trial(
        nct_id=text_at(row, "nctId"),
        title=title,
        status=text_at(row, "overallStatus"),
        phases=tuple(str(phase) for phase in list_at(row, "phases")),
        text=f"{title} {conditions}".casefold(),
    )


def _order(trial: Trial, words: Sequence[str]) -> tuple[bool, int, bool]:
    highest = max((_PHASES.index(phase) for phase in trial.phases if phase in _PHASES), default=-1)
    return (not trial.mentions(words), -highest, trial.status not in _OPEN)


def trial_rows(name: str, result: Result, words: Sequence[str], limit: int) -> list[list[str]]:
    """Return table rows for the first trials of a drug."""
    return [
        [
            name,
            compose.link("nct", trial.nct_id),
            compose.plain(trial.title, compose.CELL_MAX_CHARS),
            trial.phase,
            f"{trial.status_words or 'not given'}{f' ({result.date})' if result.date else ''}",
        ]
        for trial in read_trials(result, words)[:limit]
    ]


HEAD = ("Drug", "Trial", "Title", "Phase", "Status (as of)")


def trial_count(result: Result) -> str:
    """Return how many trials are registered, or what came instead of a count."""
    if not result.has_data:
        return compose.said(result)
    return total_words(result)


def total_words(result: Result) -> str:
    """Return the number of trials, as a lower bound where the snapshot holds only a part."""
    known = result.total or len(result.rows())
    atleast = "at least " if result.is_snapshot_part and known <= len(result.rows()) else ""
    return f"{atleast}{known:,}"


def section(asked: Sequence[tuple[str, Result]], condition: str, words: Sequence[str]) -> str:
    """Return the section on trials of several drugs: a few each, with how much of each list was looked at."""
    limit = SHOWN_EACH if len(asked) > 1 else SHOWN_OF_ONE
    rows = [row for name, result in asked for row in trial_rows(name, result, words, limit)]
    nothing = [name for name, result in asked if result.is_empty]
    named = compose.listed([compose.plain(word) for word in dict.fromkeys(words) if word])
    notes = []
    if rows:
        counts = [f"{name} {compose.of_total(result, 'trial')}" for name, result in asked if result.has_data]
        first = f"those that name {named} first, then " if named else ""
        notes.append(f"Looked at: {compose.listed(counts)}. Shown are up to {limit} each, {first}by phase.")
    if nothing:
        notes.append(f"Nothing found in ClinicalTrials.gov for {compose.listed(nothing)}.")
    title = f"Trials in “{compose.plain(condition)}”" if condition else "Trials"
    return compose.section(title, compose.table(HEAD, rows) if rows else "", " ".join(notes))


def in_short(asked: Sequence[tuple[str, Result]], condition: str) -> str:
    """Return one sentence on how many trials are registered."""
    counts = [f"{name} ({total_words(result)})" for name, result in asked if result.has_data]
    if not counts:
        return ""
    where = f" in “{compose.plain(condition)}”" if condition else ""
    when = compose.as_of(result for _, result in asked if result.has_data)
    return f"Registered trials{where} ({when}): {compose.listed(counts)}."
