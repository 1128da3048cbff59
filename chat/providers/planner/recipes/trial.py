"""One registered trial by its number: status and what it means for joining, design, sponsor, what is tested."""

from chat.providers.planner import compose
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result, call, list_at, records_at, text_at
from chat.providers.planner.shapes import Question

TRIALS_READ = 4
NAMED = "the trial that the question names"
CONDITIONS_SHOWN = 14
SUMMARY_MAX_CHARS = 500
# What the registry's status says to a person who wants to join.
_JOINING = {
    "RECRUITING": "Yes, by its status",
    "NOT_YET_RECRUITING": "Not yet",
    "ENROLLING_BY_INVITATION": "Only by invitation",
    "ACTIVE_NOT_RECRUITING": "No longer",
    "COMPLETED": "No",
    "TERMINATED": "No",
    "SUSPENDED": "Not at present",
    "WITHDRAWN": "No",
}


def recipe(question: Question) -> Recipe[str]:
    """Read the record of each trial that the question names."""
    numbers = question.identified("nct")[:TRIALS_READ]
    calls = [call("clinicaltrials__get_study", NAMED, nct_id=number) for number in numbers]
    results = yield from ask(f"Read {compose.listed(numbers)} in the registry.", *calls)
    blocks = [_block(question, result) for result in results]
    rest = len(question.identified("nct")) - TRIALS_READ
    more = f"{compose.counted(rest, 'further trial')} of the question were not read: ask again with their numbers."
    return compose.document(*blocks, more if rest > 0 else "")


def _block(question: Question, result: Result) -> str:
    if not result.has_data:
        # A number that only the question has is not repeated: nothing here stands for it.
        return f"The trial that the question names: {compose.said(result)}."
    return compose.document(
        compose.opening(*_summary(question, result)),
        compose.section(f"What {result.text('nctId')} tests", compose.bullets(_tested(result))),
        compose.section("Conditions", _conditions(result)),
        compose.section("In the sponsor's words", compose.plain(result.text("briefSummary"), SUMMARY_MAX_CHARS)),
    )


def _summary(question: Question, result: Result) -> list[str]:
    number, status = result.text("nctId"), result.text("overallStatus")
    link = compose.link("nct", number)
    words = status.lower().replace("_", " ")
    when = compose.as_of([result])
    lead = f"**{link} is {words}** (`{status}`, {when})." if status else f"**{link}**: no status in the record."
    if "joining" in question.tasks and status in _JOINING:
        lead = f"**{_JOINING[status]}: {link} is {words}** (`{status}`, {when})."
    return [lead, *_facts(result)]


def _facts(result: Result) -> list[str]:
    phases = ", ".join(f"`{phase}`" for phase in list_at(result.data, "phases"))
    kind = compose.plain(result.text("studyType").lower())
    enrolled = result.text("enrollmentCount")
    dates = [
        f"{words} {result.text(name)}"
        for words, name in (("started", "startDate"), ("completed", "completionDate"))
        if result.text(name)
    ]
    facts = {
        "Title": compose.plain(result.text("briefTitle")),
        "Phase": f"{phases}{f', {kind}' if kind else ''}" if phases else kind,
        "Sponsor": compose.plain(result.text("leadSponsor")),
        "Enrolment": f"{enrolled} {_enrolment(result)}" if enrolled else "",
        "Dates": compose.plain("; ".join(dates)),
        "Why it stopped": compose.plain(result.text("whyStopped")),
        "Who": compose.plain(_who(result)),
    }
    return [f"**{name}**: {value}." for name, value in facts.items() if value]


def _enrolment(result: Result) -> str:
    kind = result.text("enrollmentType").lower()
    return f"({kind})" if kind else "people"


def _who(result: Result) -> str:
    sex = {"ALL": "all sexes", "FEMALE": "women", "MALE": "men"}.get(result.text("sex"), "")
    ages = [
        f"{words} {result.text(name)}"
        for words, name in (("from", "minimumAge"), ("to", "maximumAge"))
        if result.text(name)
    ]
    return ", ".join(filter(None, (sex, " ".join(ages))))


def _tested(result: Result) -> list[str]:
    """Return each intervention with its other names: the generic name is often among these."""
    items = []
    for row in records_at(result.data, "interventions"):
        kind = compose.plain(text_at(row, "type").lower())
        others = [compose.plain(str(name)) for name in list_at(row, "otherNames")]
        also = f", also called {compose.listed(others)}" if others else ""
        items.append(f"{compose.plain(text_at(row, 'name'))}{f' ({kind})' if kind else ''}{also}.")
    return items or ["No intervention in the record."]


def _conditions(result: Result) -> str:
    return compose.listed([compose.plain(str(name)) for name in list_at(result.data, "conditions")], CONDITIONS_SHOWN)
