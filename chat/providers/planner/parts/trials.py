"""Registered trials of a drug in a condition, as ClinicalTrials.gov lists them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chat.providers.planner import compose, wording
from chat.providers.planner.parts.diseases import look_up_words
from chat.providers.planner.results import Call, Json, Result, call, list_at, records_at, text_at

LISTED = 20
SHOWN_EACH = 3
SHOWN_OF_ONE = 8
SHOWN_OF_MANY = 2
MANY = 7
NAMES_SHOWN = 16
TITLE_MAX_CHARS = 110
NAME_MAX_CHARS = 40
_OPEN = ("RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION")
# What behind a marker says that it is absent: "HER2-negative", "HER2[-]", "HER2-low".
_NOT_ABSENT = r"(?![a-z0-9])(?!\s*[\[(]?\s*(?:[-\u2212\u2013]?\s*(?:neg|low\b)|[-\u2212\u2013](?:[\])/,\s]|$)))"
_PHASES = ("EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4")


@dataclass(frozen=True)
class Trial:
    """One trial as a list shows it."""

    nct_id: str
    title: str
    status: str
    phases: tuple[str, ...]
    text: str
    tested: str = ""
    interventions: tuple[str, ...] = ()

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

    @property
    def is_open(self) -> bool:
        """Whether the registry says that people can join now or soon."""
        return self.status in _OPEN

    def mentions(self, words: Sequence[str]) -> bool:
        """Whether the record's title or conditions hold one of the words, not as a marker that is absent."""
        patterns = (rf"{re.escape(word.casefold())}{_NOT_ABSENT}" for word in words if word)
        return any(re.search(pattern, self.text) for pattern in patterns)


def trials_call(drug: str, condition: str) -> Call:
    """Return the call for the trials of a drug, in a condition where one is given."""
    topic = "trials of {}" + (f" in {condition}" if condition else "")
    tool = "clinicaltrials__search_studies"
    return call(tool, topic, drug, condition=look_up_words(condition) or None, intervention=drug, limit=LISTED)


def read_trials(result: Result, words: Sequence[str] = (), *, open_first: bool = False) -> list[Trial]:
    """Return the trials: first those that mention one of `words`, then by phase and by being open."""
    trials = [trial for trial in map(_trial, result.rows()) if trial.nct_id]
    ordered = sorted(trials, key=lambda trial: _order(trial, words))
    return sorted(ordered, key=lambda trial: not trial.is_open) if open_first else ordered


def _trial(row: Json) -> Trial:
    conditions = " ".join(str(name) for name in list_at(row, "conditions"))
    title = text_at(row, "briefTitle") or text_at(row, "officialTitle")
    acronym = text_at(row, "acronym")
    title = ": ".join(filter(None, (acronym if acronym not in title else "", title)))
    names = " ".join(text_at(each, "name") for each in records_at(row, "interventions"))
    return Trial(
        nct_id=text_at(row, "nctId"),
        title=title,
        status=text_at(row, "overallStatus"),
        phases=tuple(str(phase) for phase in list_at(row, "phases")),
        text=f"{title} {conditions}".casefold(),
        tested=f"{title} {names}".casefold(),
        interventions=tuple(text_at(each, "name") for each in records_at(row, "interventions")),
    )


def _order(trial: Trial, words: Sequence[str]) -> tuple[bool, int, bool]:
    highest = max((_PHASES.index(phase) for phase in trial.phases if phase in _PHASES), default=-1)
    return (not trial.mentions(words), -highest, not trial.is_open)


def trial_rows(name: str, result: Result, trials: Sequence[Trial]) -> list[list[str]]:
    """Return table rows for trials of a drug."""
    return [
        [
            name,
            compose.link("nct", trial.nct_id),
            compose.plain(trial.title, TITLE_MAX_CHARS) or "title not recorded",
            trial.phase or "not recorded",
            f"{trial.status_words or 'status not recorded'}{f' ({result.date})' if result.date else ''}",
        ]
        for trial in trials
    ]


HEAD = ("Drug", "Trial", "Title", "Phase", "Status (as of)")
# Of one drug's trials the column says with what it is tested.
HEAD_OF_ONE = ("Tested", *HEAD[1:])


def trial_count(result: Result) -> str:
    """Return how many trials are registered, or what came instead of a count."""
    if not result.has_data:
        return compose.said(result)
    return total_words(result)


def total_words(result: Result) -> str:
    """Return the number of trials, as a lower bound where the snapshot holds only a part."""
    known, is_bound = _counted(result)
    return f"{'at least ' if is_bound else ''}{known:,}"


def _counted(result: Result) -> tuple[int, bool]:
    """Return the number of trials, and whether it is only a lower bound."""
    known = result.total or len(result.rows())
    return known, result.is_snapshot_part and known <= len(result.rows())


def section(
    asked: Sequence[tuple[str, Result]], condition: str, words: Sequence[str], *, open_first: bool = False
) -> str:
    """Return the section on trials of several drugs: a few each, with how much of each list was looked at.

    A trial of two drugs is shown once, with both names.
    """
    having = sum(result.has_data for _, result in asked)
    limit = SHOWN_OF_ONE if having < 2 else SHOWN_EACH if having < MANY else SHOWN_OF_MANY
    of_trial: dict[str, list[str]] = {}
    for name, result in asked:
        for trial in read_trials(result):
            of_trial.setdefault(trial.nct_id, []).append(name)
    rows, seen = [], set()
    for _, result in asked:
        fresh = [each for each in read_trials(result, words, open_first=open_first) if each.nct_id not in seen][:limit]
        seen |= {trial.nct_id for trial in fresh}
        rows += [row for trial in fresh for row in trial_rows(_first_cell(trial, of_trial, having), result, [trial])]
    nothing = [name for name, result in asked if result.is_empty]
    named = compose.listed([compose.plain(word) for word in dict.fromkeys(words) if word])
    notes = []
    if rows:
        counts = [f"{name} {compose.of_total(result, 'trial')}" for name, result in asked if result.has_data]
        order = ", then ".join(
            [*(["open ones"] if open_first else []), *([f"those that name {named}"] if named else [])]
        )
        first = f"{order} first, then " if order else ""
        notes.append(f"Looked at: {compose.listed(counts)}. Shown are up to {limit} each, {first}by phase.")
    if nothing:
        notes.append(f"Nothing found in ClinicalTrials.gov for {compose.listed(nothing)}.")
    title = f"Trials in “{compose.plain(condition)}”" if condition else "Trials"
    return compose.section(
        title, compose.table(HEAD if having > 1 else HEAD_OF_ONE, rows) if rows else "", " ".join(notes)
    )


def _first_cell(trial: Trial, of_trial: Mapping[str, Sequence[str]], having: int) -> str:
    """Return the drugs of a trial that were asked about; of one drug, what is tested."""
    drugs = [name for name in trial.interventions if not wording.NOT_TESTED.search(name)]
    tested = [compose.plain(name, NAME_MAX_CHARS) for name in drugs]
    return compose.fitting(tested if having < 2 and tested else of_trial[trial.nct_id])


def in_short(asked: Sequence[tuple[str, Result]], condition: str, *, with_open: bool = False) -> str:
    """Return one line on how many trials are registered, and how many of those looked at are open."""
    counts = []
    for name, result in asked:
        if result.has_data:
            known, is_bound = _counted(result)
            count = f"{'≥' if is_bound else ''}{known:,}"
            counts.append(f"{name} ({count}, {_open_words(read_trials(result))})" if with_open else f"{name} {count}")
    if not counts:
        return ""
    where = f" in “{compose.plain(condition)}”" if condition else ""
    when = compose.as_of(result for _, result in asked if result.has_data)
    return f"**Trials{where}**{f' ({when})' if when else ''}: {compose.listed(counts, NAMES_SHOWN)}."


def _open_words(trials: Sequence[Trial]) -> str:
    count = sum(trial.is_open for trial in trials)
    return f"{count} open" if count else "none recorded as open"
